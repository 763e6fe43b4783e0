#include "lilyan/contact/barrier_pairs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "lilyan/contact/barrier_path.hpp"
#include "lilyan/saving/archive.hpp"

namespace lilyan {
namespace {

constexpr double kSlack = 0.25;  // of a way, by which boxes are larger than it
// Pairs of one body that begin nearer to each other than their reach are neighbours. They keep less than this share of
// their distance at rest.
constexpr double kOfNeighbours = 0.25;

Vec3 vertex_at(const double* x, int v) { return Eigen::Map<const Vec3>(x + 3 * std::ptrdiff_t{v}); }

bool share_a_vertex(std::span<const int> a, std::span<const int> b) {
  return std::ranges::any_of(a, [&](int v) { return std::ranges::find(b, v) != b.end(); });
}

}  // namespace

double barrier_stiffness(double energy) {
  constexpr double kAtTenth = 0.99 * 0.99 * 0.99 / 0.01;
  return energy / kAtTenth;
}

BarrierPairs::BarrierPairs(const BarrierModel& model, const Vector& x)
    : model_(&model),
      of_vertex_(static_cast<std::size_t>(x.size() / 3), -1),
      start_(x),
      stiffness_(barrier_stiffness(model.energy)) {
  for (std::size_t k = 0; k < model.surfaces.size(); ++k) {
    const BarrierSurface& surface = model.surfaces[k];
    const auto own = [&](int v) { of_vertex_[static_cast<std::size_t>(v)] = static_cast<int>(k); };
    std::ranges::for_each(surface.points, own);
    for (const auto& edge : surface.edges) std::ranges::for_each(edge, own);
  }
  const Vector still = Vector::Zero(x.size());
  begin_step({.x = x.data(), .v = still.data()});
}

bool BarrierPairs::touch(int one, int other) const {
  const std::array<int, 2> both = {std::min(one, other), std::max(one, other)};
  return std::ranges::find(model_->excluded, both) == model_->excluded.end();
}

bool BarrierPairs::held(std::span<const int> vertices) const {
  return std::ranges::all_of(vertices,
                             [&](int v) { return model_->held[static_cast<std::size_t>(v)] != 0; });
}

Box BarrierPairs::box_of(std::span<const int> vertices, double grown_by) const {
  Box box;
  for (const int v : vertices) box.extend(boxes_[static_cast<std::size_t>(v)]);
  return grown(box, grown_by);
}

const BarrierSurface* BarrierPairs::surface_of(int vertex) const {
  const int k = of_vertex_[static_cast<std::size_t>(vertex)];
  return k < 0 ? nullptr : &model_->surfaces[static_cast<std::size_t>(k)];
}

BarrierPair BarrierPairs::pair_of(PairKind kind, const std::array<int, 4>& vertex) const {
  BarrierPair pair{.kind = kind, .vertex = vertex, .reach = model_->reach};
  const BarrierSurface& one = *surface_of(vertex[0]);
  pair.friction = one.friction.value_or(model_->friction);
  if (kind == PairKind::point_plane) {
    const auto plane = std::ranges::find(model_->planes, vertex[1], &BarrierPlane::vertex);
    pair.normal = plane->normal;
    pair.friction = plane->friction.value_or(pair.friction);
    pair.thickness = one.thickness;
    return pair;
  }
  const BarrierSurface* other = surface_of(vertex[3]);
  if (!other) {
    const auto container = std::ranges::find(model_->containers, vertex[1],
                                             [](const BarrierContainer& c) { return c.axis[0]; });
    pair.inside = true;
    pair.friction = container->friction.value_or(pair.friction);
    pair.thickness = container->radius - one.thickness;
    return pair;
  }
  pair.thickness = one.thickness + other->thickness;
  pair.friction = other->friction.value_or(pair.friction);
  const PairCoordinates z = pair.gather_positions(model_->rest.data());
  if (kind == PairKind::edge_edge) {
    const double e = (z.segment<3>(3) - z.segment<3>(0)).squaredNorm();
    const double f = (z.segment<3>(9) - z.segment<3>(6)).squaredNorm();
    constexpr double kParallel = 1e-3;
    pair.parallel = kParallel * e * f;
  }
  if (&one != other) return pair;
  const double apart = pair_distance(kind, z, pair.normal);
  if (apart - pair.thickness >= pair.reach) return pair;
  pair.reach = std::min(pair.reach, kOfNeighbours * apart);
  pair.thickness = std::min(pair.thickness, apart - 2 * pair.reach);
  return pair;
}

// Calls function(vertices) for all pairs of this kind whose boxes meet. Edges are asked for each other once.
template <class Function>
void BarrierPairs::each_near(PairKind kind, Function function) const {
  const double half = 0.5 * model_->reach;
  const std::size_t size = kind == PairKind::point_triangle ? 3 : 2;
  struct Primitive {
    const BarrierSurface* surface;
    std::array<int, 3> vertex;
  };
  std::vector<Primitive> all;
  broad_.clear();
  for (const BarrierSurface& surface : model_->surfaces) {
    const auto add = [&](const auto& primitives) {
      for (const auto& vertices : primitives) {
        Primitive primitive{&surface, {}};
        std::ranges::copy(vertices, primitive.vertex.begin());
        all.push_back(primitive);
        broad_.add(box_of(vertices, half + surface.thickness));
      }
    };
    if (kind == PairKind::point_triangle) add(surface.triangles);
    if (kind == PairKind::edge_edge) add(surface.edges);
    if (kind == PairKind::point_edge) add(surface.bare);
  }
  if (all.empty()) return;
  broad_.build();
  for (const BarrierSurface& surface : model_->surfaces) {
    const auto ask = [&](std::span<const int> one) {
      const bool one_held = held(one);
      for (const int k : broad_.meeting(box_of(one, half + surface.thickness))) {
        const Primitive& primitive = all[static_cast<std::size_t>(k)];
        const std::span<const int> other(primitive.vertex.data(), size);
        const bool edges = kind == PairKind::edge_edge;
        if (edges && !std::ranges::lexicographical_compare(one, other)) continue;
        const bool same = primitive.surface == &surface;
        if (same ? !surface.self : !touch(primitive.surface->body, surface.body)) continue;
        if (share_a_vertex(one, other) || (one_held && held(other))) continue;
        std::array<int, 4> vertex{};
        auto end = std::ranges::copy(one, vertex.begin()).out;
        end = std::ranges::copy(other, end).out;
        std::fill(end, vertex.end(), other.back());
        function(vertex);
      }
    };
    if (kind == PairKind::edge_edge) {
      for (const auto& edge : surface.edges) ask(edge);
    } else {
      for (const int v : surface.points) ask({&v, 1});
    }
  }
}

template <class Function>
void BarrierPairs::each_pair(Function function) const {
  for (const PairKind kind :
       {PairKind::point_triangle, PairKind::edge_edge, PairKind::point_edge}) {
    each_near(kind, [&](const auto& vertex) { function(kind, vertex); });
  }
  for (const BarrierSurface& surface : model_->surfaces) {
    for (const int v : surface.points) {
      if (held({&v, 1})) continue;
      for (const auto& [body, vertex, normal, friction] : model_->planes) {
        if (!touch(surface.body, body)) continue;
        function(PairKind::point_plane, std::array{v, vertex, vertex, vertex});
      }
      for (const auto& [body, axis, radius, friction] : model_->containers) {
        if (!touch(surface.body, body)) continue;
        function(PairKind::point_edge, std::array{v, axis[0], axis[1], axis[1]});
      }
    }
  }
}

void BarrierPairs::find() const {
  candidates_.clear();
  each_pair([&](PairKind kind, const std::array<int, 4>& vertex) {
    Candidate candidate{.pair = pair_of(kind, vertex)};
    const auto place = places_.find(candidate.pair);
    if (place != places_.end()) candidate.slot = place->second;
    candidate.pair.stiffness = candidate.slot < 0
                                   ? stiffness_
                                   : listed_[static_cast<std::size_t>(candidate.slot)].stiffness;
    candidate.gap = candidate.pair.gap_at(start_.data());
    candidates_.push_back(candidate);
  });
  std::ranges::sort(candidates_, {}, &Candidate::pair);
}

std::span<const BarrierPairs::Candidate> BarrierPairs::covering(const double* x0,
                                                                const double* d) const {
  bool all = true;
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (of_vertex_[i] < 0) continue;
    const int v = static_cast<int>(i);
    Box& box = boxes_[i];
    const Vec3 from = vertex_at(x0, v);
    const Vec3 to = d ? Vec3(from + vertex_at(d, v)) : from;
    if (!from.allFinite() || !to.allFinite()) continue;  // (the caller finds that)
    if (box.contains(from) && box.contains(to)) continue;
    const double slack = kSlack * ((to - from).norm() + model_->reach);
    box.extend(grown(Box(from), slack));
    box.extend(grown(Box(to), slack));
    all = false;
  }
  if (!all) find();
  return candidates_;
}

namespace {

// The square of the largest difference of what two parts of a pair have in a vector.
double largest_difference(const BarrierPair& pair, const double* x) {
  const auto at = [&](int i) {
    return x + 3 * std::ptrdiff_t{pair.vertex[static_cast<std::size_t>(i)]};
  };
  const auto square = [](const double* a, const double* b) {
    const double p = a[0] - b[0];
    const double q = a[1] - b[1];
    const double r = a[2] - b[2];
    return p * p + q * q + r * r;
  };
  if (pair.kind == PairKind::edge_edge) {
    return std::max(
        {square(at(0), at(2)), square(at(0), at(3)), square(at(1), at(2)), square(at(1), at(3))});
  }
  double most = square(at(0), at(1));
  for (int k = 2; k < size_of(pair.kind); ++k) most = std::max(most, square(at(0), at(k)));
  return most;
}

}  // namespace

BarrierPairs::Way BarrierPairs::way(const double* x0, const double* d) const {
  Way way{.d = d};
  const auto bytes = static_cast<std::size_t>(start_.size()) * sizeof(double);
  if (x0 == start_.data() || std::memcmp(x0, start_.data(), bytes) == 0) return way;
  way.from = Eigen::Map<const Vector>(x0, start_.size()) - start_;
  if (d) way.to = way.from + Eigen::Map<const Vector>(d, start_.size());
  return way;
}

bool BarrierPairs::far(const Candidate& candidate, const Way& way) {
  const BarrierPair& pair = candidate.pair;
  const double spare = candidate.gap - pair.reach;
  if (!(spare >= 0)) return false;
  const double enough = spare * spare;
  if (way.from.size() == 0) return !way.d || largest_difference(pair, way.d) <= enough;
  return largest_difference(pair, way.from.data()) <= enough &&
         (!way.d || largest_difference(pair, way.to.data()) <= enough);
}

void BarrierPairs::clear_list() {
  listed_.clear();
  vertices_.clear();
  places_.clear();
}

void BarrierPairs::list(const BarrierPair& pair) {
  const auto [place, is_new] = places_.emplace(pair, static_cast<int>(listed_.size()));
  if (!is_new) return;
  std::array<int, 4> ascending = pair.vertex;
  std::ranges::sort(ascending);
  vertices_.insert(vertices_.end(), ascending.begin(), ascending.end());
  listed_.push_back(pair);
}

bool BarrierPairs::begin_step(const StepStart& start) {
  std::copy(start.x, start.x + start_.size(), start_.data());
  double kinetic = 0;
  for (std::size_t i = 0; i < model_->masses.size(); ++i) {
    if (model_->held[i] == 0) {
      kinetic += 0.5 * model_->masses[i] * vertex_at(start.v, static_cast<int>(i)).squaredNorm();
    }
  }
  constexpr double kGrown = 2;
  if (barrier_stiffness(kinetic) > kGrown * stiffness_) stiffness_ = barrier_stiffness(kinetic);
  // Those that are out of reach may become stiffer.
  for (BarrierPair& pair : listed_) {
    if (pair.gap_at(start.x) >= pair.reach) pair.stiffness = stiffness_;
  }
  constexpr double kReaches = 20;
  farthest_ = kReaches * model_->reach;
  for (std::size_t i = 0; i < of_vertex_.size(); ++i) {
    if (of_vertex_[i] < 0) continue;
    const double moved = std::abs(start.h) * vertex_at(start.v, static_cast<int>(i)).norm();
    if (std::isfinite(moved)) farthest_ = std::max(farthest_, moved);
  }
  boxes_.assign(static_cast<std::size_t>(start_.size() / 3), Box());
  const Vector way = start.h * Eigen::Map<const Vector>(start.v, start_.size());
  for (std::size_t i = 0; i < boxes_.size(); ++i) {
    if (of_vertex_[i] < 0) continue;
    const Vec3 from = vertex_at(start.x, static_cast<int>(i));
    const Vec3 moved = way.segment<3>(static_cast<Eigen::Index>(3 * i));
    const double slack = kSlack * (moved.norm() + model_->reach);
    boxes_[i] = grown(Box(from), slack);
    if (moved.allFinite()) boxes_[i].extend(grown(Box(Vec3(from + moved)), slack));
  }
  find();
  // Those that inertia alone brings near are listed; others when they are met.
  std::vector<BarrierPair> near;
  std::size_t needed = 0;
  bool known = true;
  const Way inertial{.d = way.data()};
  for (const Candidate& candidate : candidates_) {
    if (far(candidate, inertial)) continue;
    const PairCoordinates end =
        candidate.pair.gather_positions(start_.data()) + candidate.pair.gather(way.data());
    const double then =
        candidate.pair.gap_of(pair_distance(candidate.pair.kind, end, candidate.pair.normal));
    const double least = std::min(candidate.gap, then);
    if (least < candidate.pair.reach) {
      ++needed;
      known = known && candidate.slot >= 0;
    }
    if (least < 2 * candidate.pair.reach) near.push_back(candidate.pair);
  }
  constexpr std::size_t kMany = 64;
  if (known && listed_.size() <= 4 * needed + kMany) return false;
  clear_list();
  for (const BarrierPair& pair : near) list(pair);
  relist();
  return true;
}

void BarrierPairs::relist() {
  for (Candidate& candidate : candidates_) {
    const auto place = places_.find(candidate.pair);
    candidate.slot = place == places_.end() ? -1 : place->second;
  }
}

bool BarrierPairs::meet(const double* x0, const double* d) {
  const std::size_t before = listed_.size();
  const std::span<const Candidate> candidates = covering(x0, d);
  const Way here = way(x0, d);
  for (const Candidate& candidate : candidates) {
    if (candidate.slot >= 0 || far(candidate, here)) continue;
    const PairBarrier barrier(candidate.pair);
    const PairCoordinates z0 = candidate.pair.gather_positions(x0);
    const PairCoordinates moved = candidate.pair.gather(d);
    const BarrierMean mean = barrier_mean(barrier, z0, moved, candidate.pair.stiffness, false);
    if (mean.active || !mean.apart) list(candidate.pair);
  }
  if (listed_.size() == before) return false;
  relist();
  return true;
}

bool BarrierPairs::free_start(const double* x0, double* d) const {
  constexpr int kRounds = 8;
  if (model_->body_of_vertex.empty()) return false;
  std::vector<int> led;  // bodies
  const auto is_led = [&](int body) { return std::ranges::find(led, body) != led.end(); };
  bool changed = false;
  for (int round = 0; round < kRounds; ++round) {
    const std::size_t before = led.size();
    const std::span<const Candidate> candidates = covering(x0, d);
    const Way here = way(x0, d);
    for (const Candidate& candidate : candidates) {
      const BarrierPair& pair = candidate.pair;
      if (far(candidate, here)) continue;
      if (stays_apart(PairBarrier(pair), pair.gather_positions(x0), pair.gather(d))) continue;
      const std::size_t half = pair.kind == PairKind::edge_edge ? 2 : 1;
      const std::span<const int> all(pair.vertex);
      const std::array<std::span<const int>, 2> sides = {
          all.first(half), all.subspan(half, static_cast<std::size_t>(size_of(pair.kind)) - half)};
      for (const std::size_t leader : {0U, 1U}) {
        const std::span<const int> ahead = sides[leader];
        const int follower =
            model_->body_of_vertex[static_cast<std::size_t>(sides[1 - leader].front())];
        const int own = model_->body_of_vertex[static_cast<std::size_t>(ahead.front())];
        if (follower < 0 || is_led(follower) || held(sides[1 - leader])) continue;
        if (!held(ahead) && !(own >= 0 && is_led(own))) continue;
        Vec3 moved = Vec3::Zero();
        for (const int v : ahead) moved += vertex_at(d, v) / static_cast<double>(ahead.size());
        if (moved.isZero(0)) continue;
        for (std::size_t i = 0; i < model_->body_of_vertex.size(); ++i) {
          if (model_->body_of_vertex[i] != follower || model_->held[i] != 0) continue;
          Eigen::Map<Vec3>(d + 3 * i) = moved;
        }
        led.push_back(follower);
        break;
      }
    }
    changed = changed || led.size() > before;
    if (led.size() == before) break;
  }
  return changed;
}

double BarrierPairs::largest_step(const double* along) const {
  double most = 0;
  for (std::size_t i = 0; i < of_vertex_.size(); ++i) {
    if (of_vertex_[i] >= 0)
      most = std::max(most, vertex_at(along, static_cast<int>(i)).squaredNorm());
  }
  return farthest_ / std::sqrt(most);
}

int BarrierPairs::find_walls(const StepTrial& trial) {
  constexpr double kBlocked = 0.3;  // of the gap, or the reach, that a direction may leave
  constexpr double kTarget = 0.6;
  constexpr double kLater = 3;
  constexpr double kLittle = 0.02;
  int changes = 0;
  // Walls only push.
  for (Wall& wall : walls_) {
    if (wall.dropped) continue;
    const BarrierPair& pair = listed_[static_cast<std::size_t>(wall.slot)];
    if (wall.gap + wall.normal.dot(pair.gather(trial.along)) <= wall.target) continue;
    wall.dropped = true;
    ++changes;
  }
  // A direction that runs into a surface runs into all of its other side as well: what it meets first comes first.
  std::vector<char> is_wall(listed_.size(), 0);
  for (const Wall& wall : walls_) is_wall[static_cast<std::size_t>(wall.slot)] = 1;
  struct Met {
    const Candidate* candidate;
    Wall wall;
    double share;  // of the direction
  };
  std::vector<Met> met;
  double soonest = 1;
  for (const Candidate& candidate : candidates_) {
    const BarrierPair& pair = candidate.pair;
    const PairCoordinates along = pair.gather(trial.along);
    PairCoordinates z = pair.gather(trial.x0) + pair.gather(trial.d);
    const double moved = relative_motion(pair.kind, z - pair.gather(start_.data()));
    if (candidate.gap - moved - relative_motion(pair.kind, along) >= kBlocked * pair.reach)
      continue;
    if (candidate.slot >= 0 && is_wall[static_cast<std::size_t>(candidate.slot)] != 0) continue;
    const Vec3 first = z.segment<3>(0);
    for (int a = 0; a < 4; ++a) z.segment<3>(3 * a) -= first;
    const PairDistance distance = pair_distance_derivatives(pair.kind, z, pair.normal, false);
    Wall wall{.normal = pair.inside ? PairCoordinates(-distance.gradient) : distance.gradient,
              .gap = pair.gap_of(distance.value)};
    const double near = std::min(wall.gap, pair.reach);
    const double approach = -wall.normal.dot(along);
    if (!(wall.gap > 0) || wall.gap - approach >= kBlocked * near) continue;
    wall.target = kTarget * near;
    wall.stiffness = trial.weight * barrier(wall.target, pair.reach, pair.stiffness).second;
    const double share = (wall.gap - wall.target) / approach;
    soonest = std::min(soonest, share);
    met.push_back({&candidate, wall, share});
  }
  const std::size_t listed = listed_.size();
  for (Met& one : met) {
    if (one.share > kLater * soonest + kLittle) continue;
    list(one.candidate->pair);
    one.wall.slot = places_.at(one.candidate->pair);
    walls_.push_back(one.wall);
    ++changes;
  }
  if (listed_.size() > listed) relist();
  return changes;
}

void BarrierPairs::add_walls(double* gradient) const {
  for (const Wall& wall : walls_) {
    if (wall.dropped) continue;
    const BarrierPair& pair = listed_[static_cast<std::size_t>(wall.slot)];
    const double force = wall.stiffness * (wall.gap - wall.target);
    for (int a = 0; a < size_of(pair.kind); ++a) {
      const std::ptrdiff_t i = pair.vertex[static_cast<std::size_t>(a)];
      Eigen::Map<Vec3>(gradient + 3 * i) += force * wall.normal.segment<3>(3 * a);
    }
  }
}

BarrierPairs::Nearest BarrierPairs::nearest(const double* x) const {
  Nearest nearest;
  const std::span<const Candidate> candidates = covering(x, nullptr);
  const Way here = way(x, nullptr);
  for (const Candidate& candidate : candidates) {
    if (far(candidate, here)) continue;
    const double gap = candidate.pair.gap_at(x);
    if (gap >= candidate.pair.reach) continue;
    nearest.gap = std::min(nearest.gap, gap / candidate.pair.reach);
    ++nearest.pairs;
  }
  return nearest;
}

// What a pair is follows from its vertices, and candidates are found by the next step before they are used.
void BarrierPairs::archive(Archive& a) {
  kinds_.clear();
  corners_.clear();
  stiffnesses_.clear();
  for (const BarrierPair& pair : listed_) {
    kinds_.push_back(pair.kind);
    corners_.push_back(pair.vertex);
    stiffnesses_.push_back(pair.stiffness);
  }
  a(stiffness_, start_, kinds_, corners_, stiffnesses_);
  if (!a.loading()) return;
  const auto vertices = static_cast<int>(of_vertex_.size());
  Archive::require(start_.size() == 3 * vertices && kinds_.size() == corners_.size() &&
                   kinds_.size() == stiffnesses_.size());
  clear_list();
  for (std::size_t n = 0; n < kinds_.size(); ++n) {
    const std::array<int, 4>& vertex = corners_[n];
    for (const int v : vertex) Archive::require(v >= 0 && v < vertices);
    Archive::require(kinds_[n] >= PairKind::point_triangle && kinds_[n] <= PairKind::point_plane &&
                     surface_of(vertex[0]) != nullptr);
    const auto on_axis = [&](const BarrierContainer& c) { return c.axis[0] == vertex[1]; };
    Archive::require(kinds_[n] == PairKind::point_plane
                         ? std::ranges::find(model_->planes, vertex[1], &BarrierPlane::vertex) !=
                               model_->planes.end()
                         : surface_of(vertex[3]) != nullptr ||
                               std::ranges::any_of(model_->containers, on_axis));
    BarrierPair pair = pair_of(kinds_[n], vertex);
    pair.stiffness = stiffnesses_[n];
    list(pair);
  }
  std::ranges::fill(boxes_, Box());
  candidates_.clear();
}

}  // namespace lilyan
