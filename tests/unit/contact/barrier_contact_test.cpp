// Bodies that collide: what methods keep, that nothing passes through, and that runs can be repeated and gone on with.
#include "lilyan/contact/barrier_contact.hpp"

#include <gtest/gtest.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/files/intersections.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/control/make_integrator.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/step/capabilities.hpp"
#include "support/body.hpp"
#include "support/contact.hpp"
#include "support/momenta.hpp"

namespace lilyan::test::barrier_contact_test {
namespace {

constexpr double kSize = 0.2;
constexpr double kFrame = 1.0 / 60;

BarrierSurface barrier_surface(const TetMesh& mesh, int body, int first) {
  const ContactSurface outside = surface_of(mesh, body, first);
  return {.body = body,
          .points = outside.vertices,
          .edges = edges_of(outside.triangles),
          .triangles = outside.triangles};
}

struct SceneOptions {
  double speed = 3;  // of the first towards the second, which comes as fast
  double gap = 0.02;
  double offset = 0.03;  // sideways: they hit each other off their middles
  double turn = 0.7;     // of the second
  double young = 1e5;
  Vec3 origin = Vec3::Zero();
  bool excluded = false;
  bool self = false;    // both are one body
  bool corner = false;  // a corner of the second hits a face of the first
  int cells = 1;
};

// Two blocks, 20 cm long each, that fly towards each other.
struct Scene {
  TetMesh mesh;
  std::vector<std::array<int, 2>> edges;
  std::vector<std::array<int, 3>> triangles;
  std::unique_ptr<System> system;
  const BarrierContact* contact = nullptr;
  State state;
  double energy = 0;

  explicit Scene(const SceneOptions& o)
      : mesh(block({kSize, kSize, kSize}, {o.cells, o.cells, o.cells}, CubeCut::kFiveTets)) {
    const int vertices = static_cast<int>(mesh.vertices.size());
    const Vector rest = positions(mesh);
    Vector x(6 * vertices);
    Vector v = Vector::Zero(6 * vertices);
    std::vector<double> masses;
    std::vector<std::array<int, 4>> tets;
    BarrierModel model;
    for (int b = 0; b < 2; ++b) {
      const int first = b * vertices;
      const Eigen::AngleAxisd turned(b * o.turn, Vec3(1, 0.3, 0.2).normalized());
      const Vec3 place(b * (1.6 * kSize + o.gap), b * o.offset, 0.7 * b * o.offset);
      for (int i = 0; i < vertices; ++i) {
        x.segment<3>(3 * (first + i)) = o.origin + place + turned * Vec3(rest.segment<3>(3 * i));
        v[3 * (first + i)] = b == 0 ? o.speed : -o.speed;
      }
      if (o.corner && b == 1) point_a_corner(x, vertices, o.gap);
      const std::vector<double> of_body = lumped_masses(mesh, 1000 * kSize * kSize * kSize);
      masses.insert(masses.end(), of_body.begin(), of_body.end());
      for (auto t : mesh.tets) {
        for (int& k : t) k += first;
        tets.push_back(t);
      }
      model.surfaces.push_back(barrier_surface(mesh, b, first));
      triangles.insert(triangles.end(), model.surfaces.back().triangles.begin(),
                       model.surfaces.back().triangles.end());
    }
    if (o.self) {
      BarrierSurface& one = model.surfaces[0];
      const BarrierSurface& other = model.surfaces[1];
      one.self = true;
      one.points.insert(one.points.end(), other.points.begin(), other.points.end());
      one.edges.insert(one.edges.end(), other.edges.begin(), other.edges.end());
      one.triangles.insert(one.triangles.end(), other.triangles.begin(), other.triangles.end());
      model.surfaces.pop_back();
    }
    if (o.excluded) model.excluded = {{0, 1}};
    for (std::size_t i = 0; i < masses.size(); ++i) {
      energy += 0.5 * masses[i] * v.segment<3>(3 * static_cast<Eigen::Index>(i)).squaredNorm();
    }
    model.reach = 2e-3 * kSize;
    model.energy = energy;
    model.held.assign(masses.size(), 0);
    model.masses = masses;
    model.rest = x;
    system = std::make_unique<System>(masses);
    constexpr double kPoisson = 0.3;
    system->add(
        find_material("neo-hookean")
            ->make({x, tets}, lame_of(o.young / (2 * (1 + kPoisson)),
                                      o.young * kPoisson / ((1 + kPoisson) * (1 - 2 * kPoisson)))));
    auto energy_of_contact = std::make_unique<BarrierContact>(model, x);
    contact = energy_of_contact.get();
    system->add(std::move(energy_of_contact));
    state = {.x = x, .v = v};
  }

  // Turns the second block so that a corner of it is over the first one's face, away from its edges.
  static void point_a_corner(Vector& x, int vertices, double gap) {
    Eigen::Map<Eigen::Matrix3Xd> all(x.data(), 3, 2 * vertices);
    auto first = all.leftCols(vertices);
    auto second = all.rightCols(vertices);
    const Vec3 middle = first.rowwise().mean();
    const Vec3 low = first.rowwise().minCoeff();
    second = first.colwise() - middle;
    const Eigen::Quaterniond turned =
        Eigen::Quaterniond::FromTwoVectors(low - middle, -Vec3::UnitX());
    second = (turned * Eigen::AngleAxisd(0.2, (low - middle).normalized())).toRotationMatrix() *
             Eigen::Matrix3Xd(second);
    const double tip = second.row(0).minCoeff();
    second.colwise() += Vec3(first.row(0).maxCoeff() + gap - tip, middle[1] + 0.1 * kSize,
                             middle[2] + 0.25 * kSize);
  }

  [[nodiscard]] std::unique_ptr<Integrator> integrator(const char* method) const {
    return make_integrator(*system, make_scheme(method), {});
  }
  // Edges that meet triangles, by exact predicates that share nothing with contact.
  [[nodiscard]] std::size_t intersections(const Vector& x) const {
    std::vector<std::array<double, 3>> points(static_cast<std::size_t>(x.size() / 3));
    for (std::size_t i = 0; i < points.size(); ++i) {
      for (std::size_t c = 0; c < 3; ++c) points[i][c] = x[static_cast<Eigen::Index>(3 * i + c)];
    }
    return find_intersections(as_points(points), {}, triangles).size();
  }
  // Which of the two is on the left, by their middles.
  [[nodiscard]] double distance_along_x() const {
    const Eigen::Index half = state.x.size() / 6;
    const Eigen::Map<const Eigen::Matrix3Xd> x(state.x.data(), 3, 2 * half);
    return x.row(0).tail(half).mean() - x.row(0).head(half).mean();
  }
};

// By h in all, in halves where a step is not solved; false if that does not help. `after` is called after each part.
template <class After>
bool advance(Integrator& integrator, State& state, double h, const After& after) {
  double rest = h;
  double part = h;
  while (rest > 1e-9 * h) {
    const StepReport report = integrator.step(state, std::min(part, rest));
    if (succeeded(report.status)) {
      rest -= std::min(part, rest);
      after(report);
      continue;
    }
    part /= 2;
    if (part < h / 1000) return false;
  }
  return true;
}

struct Kept {
  double energy = 0;  // largest changes, relative
  double rise = 0;    // of energy, in any step
  double linear = 0;  // to the sum of both bodies' sizes
  double angular = 0;
  double contact = 0;  // largest energy of contact
  double nearest = 1;  // in units of the reach
};

// Nothing may pass through, neither at the ends of steps nor at `places` on their straight paths.
Kept run(Scene& scene, const char* method, int steps, int places = 1) {
  const auto integrator = scene.integrator(method);
  Kept kept;
  double energy = -1;
  Vec3 linear;
  Vec3 angular;
  const double momentum = std::sqrt(2 * scene.energy * 16);
  Vector from = scene.state.x;
  for (int k = 0; k < steps; ++k) {
    const bool done = advance(*integrator, scene.state, kFrame, [&](const StepReport& report) {
      if (energy < 0) {
        energy = report.before.total;
        linear = report.before.linear_momentum;
        angular = report.before.angular_momentum;
      }
      kept.energy = std::max(kept.energy, std::abs(report.after.total - energy) / energy);
      kept.rise = std::max(kept.rise, (report.after.total - report.before.total) / energy);
      kept.linear =
          std::max(kept.linear, (report.after.linear_momentum - linear).norm() / momentum);
      kept.angular = std::max(
          kept.angular, (report.after.angular_momentum - angular).norm() / (momentum * kSize));
      kept.contact = std::max(kept.contact, report.after.of(EnergyKind::contact) / energy);
      const EnergyMemory* memory = integrator->memory()->of(*scene.contact);
      kept.nearest =
          std::min(kept.nearest, scene.contact->pairs(memory).nearest(scene.state.x.data()).gap);
      for (int i = 1; i <= places; ++i) {
        const double s = static_cast<double>(i) / places;
        EXPECT_EQ(scene.intersections((1 - s) * from + s * scene.state.x), 0U);
      }
      from = scene.state.x;
    });
    EXPECT_TRUE(done);
    if (!done) break;
  }
  return kept;
}

TEST(BarrierContact, AvfKeepsEnergy) {
  Scene scene({});
  const Kept kept = run(scene, "avf", 12);
  EXPECT_LE(kept.energy, 1e-12);
  EXPECT_LE(kept.linear, 1e-13);
  EXPECT_GT(kept.contact, 1e-3);  // they did collide,
  EXPECT_LT(kept.nearest, 1);
  EXPECT_LT(scene.state.v[0], 0);  // and flew back
}

// Half of the energy is in the barrier at a fifth of its reach when they turn round. Rounding errors of positions,
// 4e-17, move such a gap of 9e-5 by 4e-13 of itself, and the energy by as much.
constexpr double kRounding = 1e-11;

TEST(BarrierContact, EnergyMomentumKeepsBothMomentaToo) {
  for (const double young : {1e5, 1e7}) {
    Scene scene({.young = young});
    const Kept kept = run(scene, "energy-momentum", 12);
    EXPECT_LE(kept.energy, kRounding);
    EXPECT_LE(kept.linear, 1e-12);
    EXPECT_LE(kept.angular, 1e-12);
    EXPECT_LT(kept.nearest, 1);
  }
}

// Contact meets pairs in the middle of the solve, whose matrix is of no use any more.
TEST(BarrierContact, EnergyMomentumMeetsPairsOnTheWay) {
  Scene scene({.speed = 5, .young = 1e7, .cells = 2});
  const Kept kept = run(scene, "energy-momentum", 8);
  EXPECT_LE(kept.energy, kRounding);
  EXPECT_LE(kept.linear, 1e-12);
  EXPECT_LE(kept.angular, 1e-12);
}

TEST(BarrierContact, BackwardEulerNeverGains) {
  Scene scene({});
  const Kept kept = run(scene, "backward-euler", 15);
  EXPECT_LE(kept.rise, 1e-12);
  EXPECT_GT(kept.energy, 0.01);
  EXPECT_LT(kept.nearest, 1);
}

// Without walls in their way directions are cut short by what they run into: 8 of 20 steps are halved then, and steps
// take 90 iterations.
TEST(BarrierContact, DirectionsBendAroundWhatTheyRunInto) {
  Scene scene({.speed = 1, .young = 1e6, .cells = 2});
  const auto integrator = scene.integrator("backward-euler");
  constexpr int kSteps = 14;
  constexpr long kMost = 30;  // iterations of a step
  double nearest = 1;
  for (int k = 0; k < kSteps; ++k) {
    const StepReport report = integrator->step(scene.state, kFrame);
    ASSERT_TRUE(succeeded(report.status)) << describe(report.status);
    EXPECT_LE(report.solver_work.iterations, kMost);
    const EnergyMemory* memory = integrator->memory()->of(*scene.contact);
    nearest = std::min(nearest, scene.contact->pairs(memory).nearest(scene.state.x.data()).gap);
  }
  EXPECT_LT(nearest, 1);
}

TEST(BarrierContact, IsTheSameOnAnyNumberOfThreads) {
  for (const char* method : {"avf", "energy-momentum"}) {
    Scene one({});
    run(one, method, 8);
    set_threads(3);
    Scene three({});
    const Kept kept = run(three, method, 8);
    set_threads(1);
    EXPECT_LT(kept.nearest, 1);
    EXPECT_EQ(one.state.x, three.state.x);
    EXPECT_EQ(one.state.v, three.state.v);
  }
}

TEST(BarrierContact, GoesOnFromAnArchive) {
  for (const char* method : {"avf", "energy-momentum", "backward-euler"}) {
    // In the middle of the collision, before it and after it.
    for (const int before : {2}) {
      Scene scene({});
      const auto integrator = scene.integrator(method);
      const auto nothing = [](const StepReport& /*report*/) {};
      for (int k = 0; k < before; ++k) {
        ASSERT_TRUE(advance(*integrator, scene.state, kFrame, nothing));
      }
      std::string bytes;
      Archive save(&bytes);
      integrator->archive(save);
      const auto other = scene.integrator(method);
      Archive load{std::string_view(bytes)};
      other->archive(load);
      load.require_end();
      State again = scene.state;
      for (int k = 0; k < 4; ++k) {
        ASSERT_TRUE(advance(*integrator, scene.state, kFrame, nothing));
        ASSERT_TRUE(advance(*other, again, kFrame, nothing));
      }
      EXPECT_EQ(scene.state.x, again.x) << method << " " << before;
      EXPECT_EQ(scene.state.v, again.v) << method << " " << before;
    }
  }
}

// Positions have fewer digits there, and gaps with them.
TEST(BarrierContact, FarFromTheOrigin) {
  const Vec3 far(128, -128, 128);
  Scene here({});
  Scene there({.origin = far});
  // To positions that both can have.
  constexpr double kUnit = 1.0 / (1LL << 40);
  for (Scene* scene : {&here, &there}) {
    for (double& e : scene->state.x) e = kUnit * std::round(e / kUnit);
  }
  const Kept kept = run(here, "avf", 4);
  const Kept kept_there = run(there, "avf", 4);
  EXPECT_GT(kept.contact, 1e-3);
  EXPECT_LE(kept_there.energy, 1e-9);
  double worst = 0;
  for (Eigen::Index i = 0; i < here.state.x.size(); i += 3) {
    const Vec3 moved = there.state.x.segment<3>(i) - here.state.x.segment<3>(i);
    worst = std::max(worst, (moved - far).norm());
  }
  EXPECT_LE(worst, 1e-8);
}

// Up to 3.3 m in a step against each other. (They may get past each other: there is a free way beside.)
TEST(BarrierContact, FastBodiesDoNotPassThroughEachOther) {
  for (const double speed : {20.0, 100.0}) {
    for (const double young : {1e7, 1e9}) {
      Scene scene({.speed = speed, .gap = 0.5, .offset = 0.01, .turn = 0.3, .young = young});
      const Kept kept = run(scene, "avf", 6, 300);
      EXPECT_LE(kept.energy, 1e-11);
      EXPECT_GT(kept.angular, 1e-3);  // (AVF has a torque, where there is contact at all)
      EXPECT_LE(kept.linear, 1e-13);
    }
  }
}

// Ways that leave the boxes of the candidates have others.
TEST(BarrierContact, FindsPairsOnAnyWay) {
  const Scene scene({.gap = 1});
  const BarrierPairs& pairs = scene.contact->pairs(nullptr);
  const auto active = [&](double way) {
    Vector d = Vector::Zero(scene.state.x.size());
    for (Eigen::Index i = 0; i < d.size() / 2; i += 3) d[i] = way;
    std::ptrdiff_t count = 0;
    for (const auto& candidate : pairs.covering(scene.state.x.data(), d.data())) {
      count += BarrierPairs::far(candidate, pairs.way(scene.state.x.data(), d.data())) ? 0 : 1;
    }
    const double value = scene.contact->evaluate({.x0 = scene.state.x.data(), .d = d.data()});
    EXPECT_EQ(std::isinf(value), way > 1.1);
    return count;
  };
  EXPECT_EQ(active(0), 0);
  EXPECT_EQ(active(0.3), 0);
  EXPECT_GT(active(1.2), 100);
  EXPECT_GT(active(5), 100);
  EXPECT_EQ(active(0.1), 0);
}

TEST(BarrierContact, MethodsThatDoNotMinimiseRefuse) {
  const Scene scene({});
  for (const char* method : {"avf", "energy-momentum", "backward-euler"}) {
    EXPECT_EQ(reason_unsupported(*scene.system, make_scheme(method)), "") << method;
  }
  for (const char* method : {"gauss", "discrete-gradient", "verlet", "rk4", "explicit-euler"}) {
    const std::string reason = reason_unsupported(*scene.system, make_scheme(method));
    EXPECT_NE(reason.find("cannot keep bodies from passing through each other"), std::string::npos)
        << method << ": " << reason;
    EXPECT_THROW((void)scene.integrator(method), Error) << method;
  }
}

TEST(BarrierContact, RefusesWhatItCannotHold) {
  const Scene scene({});
  BarrierModel model = scene.contact->model();
  model.reach = 0;
  EXPECT_THROW(BarrierContact(model, scene.state.x), Error);
  model.reach = 1e-3;
  model.energy = 0;
  EXPECT_THROW(BarrierContact(model, scene.state.x), Error);
}

TEST(BarrierContact, ExcludedBodiesPass) {
  Scene scene({.excluded = true});
  const auto integrator = scene.integrator("avf");
  std::size_t most = 0;
  for (int k = 0; k < 10; ++k) {
    ASSERT_TRUE(succeeded(integrator->step(scene.state, kFrame).status));
    most = std::max(most, scene.intersections(scene.state.x));
  }
  EXPECT_GT(most, 0U);
  EXPECT_LT(scene.distance_along_x(), 0);
}

TEST(BarrierContact, ACornerDoesNotPassThroughAFace) {
  Scene scene({.speed = 1, .offset = 0, .turn = 0, .corner = true});
  const Kept kept = run(scene, "avf", 5);
  EXPECT_LE(kept.energy, 1e-12);
  EXPECT_LT(kept.nearest, 1);
}

TEST(BarrierContact, ABodyTouchesItself) {
  Scene scene({.self = true});
  const Kept kept = run(scene, "avf", 12);
  EXPECT_LE(kept.energy, 1e-12);
  EXPECT_LT(kept.nearest, 1);
  EXPECT_GT(scene.distance_along_x(), 0);
}

}  // namespace
}  // namespace lilyan::test::barrier_contact_test
