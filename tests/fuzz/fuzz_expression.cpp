// Expressions under libFuzzer: any text is either ExpressionError or an expression that can be
// differentiated, compiled and run. See CMakeLists.txt here for how it is built.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "support/expression.hpp"

namespace {

// With a limit, as second derivatives of large expressions take their time.
void use(lilyan::test::Expressions& e, lilyan::ExpressionNode f) {
  constexpr std::size_t kLargest = 500;
  if (e.graph.reachable({&f, 1}).size() > kLargest) return;
  const std::vector<int> variables = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  std::vector<lilyan::ExpressionNode> outputs{f};
  try {
    for (const auto n : gradient(e.graph, f, variables)) outputs.push_back(n);
    for (const auto& entry : hessian(e.graph, f, variables)) outputs.push_back(entry.node);
  } catch (const lilyan::Error&) {  // no derivative by m of sn(u, m)
  }
  (void)lilyan::test::run(e.graph, outputs,
                          std::vector<double>(lilyan::test::Expressions::kVariables, 0.5));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  lilyan::test::Expressions e;
  try {
    use(e, parse(e.graph, text, e.scope));
  } catch (const lilyan::ExpressionError& error) {
    if (error.position() > size) std::abort();
    (void)lilyan::point_at(text, error.position());
  }
  return 0;
}
