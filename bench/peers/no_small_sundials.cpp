#include "small_flow.hpp"

namespace peers {

template <class Problem>
std::vector<SmallFlow> small_sundials_flows() {
  return {};
}

template std::vector<SmallFlow> small_sundials_flows<SolarSystem>();
template std::vector<SmallFlow> small_sundials_flows<Chain>();

}  // namespace peers
