// Messages to the live view under libFuzzer: any bytes are a command within its bounds, or an Error whose
// text is short. See CMakeLists.txt here for how it is built.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <variant>

#include "app/view/command.hpp"
#include "lilyan/base/error.hpp"

namespace {

using namespace lilyan::view;

void require(bool holds) {
  if (!holds) std::abort();
}

// What the session relies on.
struct Check {
  void operator()(const Speed& c) const { require(std::isfinite(c.value) && c.value >= 0); }
  void operator()(const Open& c) const {
    require(!c.panes.empty() && c.panes.size() <= kMostPanes);
    for (const PaneRequest& pane : c.panes) require(pane.trusted.empty());
  }
  void operator()(const Change& c) const { require(c.pane < kMostPanes); }
  void operator()(const Seek& c) const { require(c.frame >= 0); }
  void operator()(const Pull& c) const {
    require(c.pane < kMostPanes && c.vertex >= 0);
    for (const double x : c.target) require(std::isfinite(x));
  }
  void operator()(const Release& c) const { require(c.pane < kMostPanes); }
  void operator()(const PhaseCloudRequest& c) const {
    require(c.pane < kMostPanes && c.count >= 0 && c.count <= kMostCloudPoints);
    for (const double x : c.center) require(std::isfinite(x));
    for (const double x : c.radius) require(std::isfinite(x));
  }
  template <class Other>
  void operator()(const Other& /*without values*/) const {}
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    std::visit(Check{}, parse_command({reinterpret_cast<const char*>(data), size}));
  } catch (const lilyan::Error& error) {
    require(std::string_view(error.what()).size() < 200);
  }
  return 0;
}
