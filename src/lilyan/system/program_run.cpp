// The loop over a program's instructions. Compiled without fused multiply–adds: see program.hpp.
#include <cmath>
#include <cstring>

#include "lilyan/core/dispatch.hpp"
#include "lilyan/system/program.hpp"

namespace lilyan {
namespace {

template <class P>
P get(const double* from) {
  P value;
  std::memcpy(&value, from, sizeof(P));
  return value;
}
template <class P>
void put(double* to, const P& value) {
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
        put<P>(at(s->result) + i,
               f(get<P>(at(s->a) + i), get<P>(at(s->b) + i), get<P>(at(s->c) + i)));
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
