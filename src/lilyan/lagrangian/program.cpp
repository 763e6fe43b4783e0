#include "lilyan/lagrangian/program.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <utility>

#include "lilyan/numeric/dispatch.hpp"

namespace lilyan {

// Positions in the list of needed nodes stand for the nodes, until registers are given out.
class Program::Compiler {
 public:
  Compiler(const ExpressionGraph& graph, std::span<const ExpressionNode> outputs)
      : g_(graph),
        nodes_(graph.reachable(outputs)),
        uses_(nodes_.size(), 0),
        last_use_(nodes_.size(), -1),
        register_(nodes_.size(), -1),
        level_(nodes_.size(), 0) {
    for (const ExpressionNode n : nodes_) {
      for (const ExpressionNode a : g_.arguments(n)) ++uses_[position(a)];
    }
    for (const ExpressionNode n : outputs) {
      uses_[position(n)] += 2;  // so that no output disappears in another instruction
      last_use_[position(n)] = kForever;
    }
  }

  void compile(Program& program, std::span<const ExpressionNode> outputs) {
    place_leaves(program);
    fuse();
    std::vector<Step> steps;
    for (int k = 0; k < size(); ++k) {
      if (is_operation(k) && !fused_[k]) steps.push_back(step(k));
    }
    for (std::size_t i = 0; i < steps.size(); i += kWindow) {
      group(std::span(steps).subspan(i, std::min(kWindow, steps.size() - i)));
    }
    give_registers(steps);
    for (const Step& s : steps) append(program, s);
    for (const ExpressionNode n : outputs) {
      program.outputs_.push_back(register_[position(n)]);
    }
    program.register_count_ = registers_;
  }

 private:
  static constexpr int kForever = 1 << 30;
  static constexpr std::size_t kWindow = 256;
  struct Step {
    Operation operation;
    std::array<int, 4> nodes;  // result and operands, −1 for none; registers in the end
    int level = 0;
    [[nodiscard]] std::span<const int> operands() const { return std::span(nodes).subspan(1); }
  };

  [[nodiscard]] int size() const { return static_cast<int>(nodes_.size()); }
  [[nodiscard]] int position(ExpressionNode n) const {
    return static_cast<int>(std::ranges::lower_bound(nodes_, n) - nodes_.begin());
  }
  [[nodiscard]] bool is_operation(int k) const {
    return argument_count(g_.operation(nodes_[k])) > 0;
  }
  // Argument i of an operation; −1 when it has fewer.
  [[nodiscard]] int argument(int k, int i) const {
    const ExpressionArguments arguments = g_.arguments(nodes_[k]);
    return i < arguments.size() ? position(arguments[i]) : -1;
  }

  void place_leaves(Program& program) {
    for (int k = 0; k < size(); ++k) {
      if (const auto value = g_.constant_value(nodes_[k])) {
        register_[k] = registers_++;
        program.constants_.push_back(*value);
      }
    }
    for (int k = 0; k < size(); ++k) {
      const int variable = g_.variable_index(nodes_[k]);
      if (variable < 0) continue;
      register_[k] = registers_++;
      program.inputs_.push_back({variable, register_[k]});
      program.input_count_ = std::max(program.input_count_, variable + 1);
    }
  }

  // A product that only one sum uses is formed together with it.
  void fuse() {
    fused_.assign(nodes_.size(), 0);
    for (int k = 0; k < size(); ++k) {
      const Operation operation = g_.operation(nodes_[k]);
      if (operation != Operation::add && operation != Operation::subtract) continue;
      if (const int i = product_argument(k); i >= 0) fused_[argument(k, i)] = 1;
    }
  }
  [[nodiscard]] int product_argument(int k) const {
    for (int i = 0; i < 2; ++i) {
      const int a = argument(k, i);
      if (g_.operation(nodes_[a]) == Operation::multiply && uses_[a] == 1) return i;
    }
    return -1;
  }

  [[nodiscard]] Step step(int k) const {
    const Operation operation = g_.operation(nodes_[k]);
    const Step plain{operation, {k, argument(k, 0), argument(k, 1), argument(k, 2)}};
    if (operation != Operation::add && operation != Operation::subtract) return plain;
    const int i = product_argument(k);
    if (i < 0) return plain;
    const int product = argument(k, i);
    Operation together = Operation::multiply_add;
    if (operation == Operation::subtract) {
      together = i == 0 ? Operation::multiply_subtract : Operation::subtract_multiply;
    }
    return {together, {k, argument(product, 0), argument(product, 1), argument(k, 1 - i)}};
  }

  // Brings equal operations together, as every change of operation costs a jump that the processor
  // cannot foresee. Within a window only, so that values stay near where they are used.
  void group(std::span<Step> window) {
    for (Step& s : window) {
      for (const int k : s.operands()) {
        if (k >= 0) s.level = std::max(s.level, level_[k]);
      }
      level_[s.nodes[0]] = s.level + 1;
    }
    std::ranges::stable_sort(window, [](const Step& a, const Step& b) {
      return std::pair(a.level, a.operation) < std::pair(b.level, b.operation);
    });
    for (const Step& s : window) level_[s.nodes[0]] = 0;
  }

  void give_registers(std::span<Step> steps) {
    const int count = static_cast<int>(steps.size());
    for (int i = 0; i < count; ++i) {
      for (const int k : steps[i].operands()) {
        if (k >= 0) last_use_[k] = std::max(last_use_[k], i);
      }
    }
    for (int i = 0; i < count; ++i) {
      for (const int k : steps[i].operands()) release(k, i);
      register_[steps[i].nodes[0]] = new_register();
      for (int& k : steps[i].nodes) k = k < 0 ? 0 : register_[k];
    }
  }
  void release(int k, int now) {
    if (k < 0 || last_use_[k] != now || !is_operation(k)) return;
    free_.push_back(register_[k]);
    last_use_[k] = -1;  // once, also if it is both operands
  }
  static void append(Program& program, const Step& s) {
    std::vector<Run>& runs = program.runs_;
    if (runs.empty() || runs.back().operation != s.operation) runs.push_back({s.operation, 0});
    ++runs.back().count;
    program.instructions_.push_back({s.nodes[0], s.nodes[1], s.nodes[2], s.nodes[3]});
  }
  int new_register() {
    if (free_.empty()) return registers_++;
    const int r = free_.back();
    free_.pop_back();
    return r;
  }

  const ExpressionGraph& g_;
  std::vector<ExpressionNode> nodes_;
  std::vector<int> uses_;
  std::vector<int> last_use_;
  std::vector<int> register_;
  std::vector<int> level_;  // within a window: 1 + the largest of the operands there
  std::vector<char> fused_;
  std::vector<int> free_;
  int registers_ = 0;
};

Program::Program(const ExpressionGraph& graph, std::span<const ExpressionNode> outputs) {
  Compiler(graph, outputs).compile(*this, outputs);
}

// The loop over the instructions. This file is compiled without fused multiply–adds: see program.hpp.

namespace {

template <class P>
P load_values(const double* from) {
  P value;
  std::memcpy(&value, from, sizeof(P));
  return value;
}
template <class P>
void store_values(double* to, const P& value) {
  std::memcpy(to, &value, sizeof(P));
}

template <class P>
inline constexpr int width_of = 1;
template <AnyPack P>
inline constexpr int width_of<P> = lanes_of<P>;

// Instructions of one operation, on registers of kPacks packs each.
template <class P, int kPacks, class Instruction>
struct Row {
  static constexpr int kPack = width_of<P>;
  static constexpr int kWidth = kPacks * kPack;
  double* registers;
  const Instruction* begin;
  const Instruction* end;

  [[nodiscard]] double* at(int r) const { return registers + r * kWidth; }
  template <class Function>
  void packs(const Function& f) const {
    for (const Instruction* s = begin; s != end; ++s) {
      for (int i = 0; i < kWidth; i += kPack) {
        store_values<P>(at(s->result) + i,
                        f(load_values<P>(at(s->a) + i), load_values<P>(at(s->b) + i),
                          load_values<P>(at(s->c) + i)));
      }
    }
  }
  // For what there is no instruction for.
  template <class Function>
  void lanes(const Function& f) const {
    for (const Instruction* s = begin; s != end; ++s) {
      for (int i = 0; i < kWidth; ++i) at(s->result)[i] = f(at(s->a)[i]);
    }
  }
  void lanes(Operation operation) const {
    for (const Instruction* s = begin; s != end; ++s) {
      for (int i = 0; i < kWidth; ++i) {
        at(s->result)[i] = evaluate(operation, at(s->a)[i], at(s->b)[i], at(s->c)[i]);
      }
    }
  }
};

}  // namespace

template <class P, int kPacks>
void Program::execute(const double* inputs, double* outputs, double* scratch) const {
  using R = Row<P, kPacks, Instruction>;
  constexpr int kWidth = R::kWidth;
  double* next = scratch;
  for (const double value : constants_) {
    for (int i = 0; i < kWidth; ++i) *next++ = value;
  }
  for (const Input& input : inputs_) {
    std::memcpy(scratch + input.target * kWidth, inputs + input.variable * kWidth,
                kWidth * sizeof(double));
  }
  const Instruction* begin = instructions_.data();
  for (const Run& run : runs_) {
    const R r{scratch, begin, begin + run.count};
    begin = r.end;
    switch (run.operation) {
      case Operation::add: r.packs([](P a, P b, P) -> P { return a + b; }); break;
      case Operation::subtract: r.packs([](P a, P b, P) -> P { return a - b; }); break;
      case Operation::multiply: r.packs([](P a, P b, P) -> P { return a * b; }); break;
      case Operation::divide: r.packs([](P a, P b, P) -> P { return a / b; }); break;
      case Operation::negate: r.packs([](P a, P, P) -> P { return -a; }); break;
      case Operation::multiply_add: r.packs([](P a, P b, P c) -> P { return a * b + c; }); break;
      case Operation::multiply_subtract:
        r.packs([](P a, P b, P c) -> P { return a * b - c; });
        break;
      case Operation::subtract_multiply:
        r.packs([](P a, P b, P c) -> P { return c - a * b; });
        break;
      case Operation::guarded_multiply:
        r.packs([](P a, P b, P) -> P { return a == 0.0 ? P{} : a * b; });
        break;
      case Operation::less: r.packs([](P a, P b, P) -> P { return a < b ? P{} + 1 : P{}; }); break;
      case Operation::less_equal:
        r.packs([](P a, P b, P) -> P { return a <= b ? P{} + 1 : P{}; });
        break;
      case Operation::select: r.packs([](P a, P b, P c) -> P { return a != 0.0 ? b : c; }); break;
      case Operation::min: r.packs([](P a, P b, P) -> P { return b < a ? b : a; }); break;
      case Operation::max: r.packs([](P a, P b, P) -> P { return a < b ? b : a; }); break;
      case Operation::sqrt: r.lanes([](double x) { return std::sqrt(x); }); break;
      case Operation::abs: r.lanes([](double x) { return std::abs(x); }); break;
      case Operation::sin: r.lanes([](double x) { return std::sin(x); }); break;
      case Operation::cos: r.lanes([](double x) { return std::cos(x); }); break;
      case Operation::exp: r.lanes([](double x) { return std::exp(x); }); break;
      case Operation::log: r.lanes([](double x) { return std::log(x); }); break;
      default: r.lanes(run.operation); break;
    }
  }
  for (std::size_t i = 0; i < outputs_.size(); ++i) {
    std::memcpy(outputs + i * kWidth, scratch + outputs_[i] * kWidth, kWidth * sizeof(double));
  }
}

void Program::run(const double* inputs, double* outputs, double* scratch) const {
  execute<double, 1>(inputs, outputs, scratch);
}

void Program::run(const Pack* inputs, Pack* outputs, Pack* scratch) const {
  on_best_lanes([&](auto lanes) {
    using P = typename decltype(lanes)::P;
    execute<P, kLanes / lanes_of<P>>(reinterpret_cast<const double*>(inputs),
                                     reinterpret_cast<double*>(outputs),
                                     reinterpret_cast<double*>(scratch));
  });
}

}  // namespace lilyan
