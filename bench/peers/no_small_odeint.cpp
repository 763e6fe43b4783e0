#include "small_flow.hpp"

namespace peers {

template <class Problem>
std::vector<SmallFlow> small_odeint_flows() {
  return {};
}

template std::vector<SmallFlow> small_odeint_flows<SolarSystem>();
template std::vector<SmallFlow> small_odeint_flows<Chain>();

}  // namespace peers
