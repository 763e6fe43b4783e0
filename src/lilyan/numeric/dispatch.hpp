// The widest lanes that the processor at hand has.
//
// A build for one processor (LILYAN_NATIVE) knows them when compiling. A portable build for x86-64
// compiles hot loops three times, for AVX-512, for AVX2 with FMA and for the baseline, and chooses
// when it runs: whatever is called from the function given to on_best_lanes is inlined into it, so
// that one template serves all three. Nothing else differs between them; Eigen's types, whose
// layout depends on the instruction set, must not appear in such a function. A reference build
// (LILYAN_REFERENCE) has the baseline only.
#pragma once

#include <cstdlib>
#include <string_view>

#include "lilyan/build.hpp"
#include "lilyan/numeric/lanes.hpp"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__) && !defined(__AVX2__) && \
    !defined(LILYAN_REFERENCE)
#define LILYAN_DISPATCH_LANES 1
#else
#define LILYAN_DISPATCH_LANES 0
#endif

namespace lilyan {

// Passed to a function to say which packs to use.
template <int kWidth>
struct Lanes {
  using P = PackOf<kWidth>;
};

enum class LaneKind { baseline, avx2, avx512 };

#if LILYAN_DISPATCH_LANES

// The best of those the processor has that is not above what `limit` (the value of LILYAN_LANES:
// "avx2" or "baseline", for tests; may be null) allows.
[[nodiscard]] inline LaneKind choose_lanes(const char* limit) {
  const std::string_view most = limit ? limit : "";
  if (most == "baseline") return LaneKind::baseline;
  if (most != "avx2" && __builtin_cpu_supports("x86-64-v4")) return LaneKind::avx512;
  return __builtin_cpu_supports("x86-64-v3") ? LaneKind::avx2 : LaneKind::baseline;
}

[[nodiscard]] inline LaneKind lane_kind() {
  static const LaneKind kind = choose_lanes(std::getenv("LILYAN_LANES"));
  return kind;
}

namespace detail {
template <class Function>
[[gnu::target("arch=x86-64-v4"), gnu::flatten, gnu::noinline]] auto on_avx512(const Function& f) {
  return f(Lanes<8>{});
}
template <class Function>
[[gnu::target("arch=x86-64-v3"), gnu::flatten, gnu::noinline]] auto on_avx2(const Function& f) {
  return f(Lanes<4>{});
}
template <class Function>
[[gnu::flatten, gnu::noinline]] auto on_baseline(const Function& f) {
  return f(Lanes<2>{});
}
}  // namespace detail

// f(Lanes<width>{}), compiled for the kind of lanes given.
template <class Function>
auto on_lanes(LaneKind kind, const Function& f) {
  switch (kind) {
    case LaneKind::avx512: return detail::on_avx512(f);
    case LaneKind::avx2: return detail::on_avx2(f);
    case LaneKind::baseline: break;
  }
  return detail::on_baseline(f);
}

#else

[[nodiscard]] constexpr LaneKind lane_kind() {
#if defined(__AVX512F__)
  return LaneKind::avx512;
#elif defined(__AVX2__)
  return LaneKind::avx2;
#else
  return LaneKind::baseline;
#endif
}

namespace detail {
template <class Function>
[[gnu::flatten, gnu::noinline]] auto on_these_lanes(const Function& f) {
  constexpr LaneKind kind = lane_kind();
  return f(Lanes<(kind == LaneKind::avx512 ? 8 : kind == LaneKind::avx2 ? 4 : 2)>{});
}
}  // namespace detail

// There is one kind only.
template <class Function>
auto on_lanes(LaneKind /*kind*/, const Function& f) {
  return detail::on_these_lanes(f);
}

#endif

template <class Function>
auto on_best_lanes(const Function& f) {
  return on_lanes(lane_kind(), f);
}

[[nodiscard]] constexpr std::string_view name(LaneKind kind) {
  switch (kind) {
    case LaneKind::avx512: return "avx512";
    case LaneKind::avx2: return "avx2";
    case LaneKind::baseline: break;
  }
#if defined(__SSE2__)
  return "sse2";
#else
  return "baseline";
#endif
}

[[nodiscard]] inline std::string_view lanes_in_use() { return name(lane_kind()); }

}  // namespace lilyan
