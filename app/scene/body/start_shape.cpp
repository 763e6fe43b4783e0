// Whether a body can start as its scene has it.
#include <fmt/format.h>

#include <Eigen/Dense>
#include <array>
#include <cmath>
#include <span>
#include <string>
#include <utility>

#include "app/scene/body/body.hpp"

namespace lilyan {
namespace {

// Of an element's volume (area, length) at rest: below, it has none.
constexpr double kFlat = 1e-12;
// Of its extent at rest in some direction: below, it is flat however far it reaches in others.
constexpr double kThin = 1e-6;

// The signed volume of a tet, the area of a triangle, the length of a segment.
double measure(const Vector& x, const std::array<int, 4>& t) {
  Eigen::Matrix3d edges;
  for (int c = 0; c < 3; ++c) {
    edges.col(c) = x.segment<3>(3 * t[static_cast<std::size_t>(c) + 1]) - x.segment<3>(3 * t[0]);
  }
  return edges.determinant() / 6;
}
double measure(const Vector& x, const std::array<int, 3>& t) {
  const Vec3 a = x.segment<3>(3 * t[1]) - x.segment<3>(3 * t[0]);
  const Vec3 b = x.segment<3>(3 * t[2]) - x.segment<3>(3 * t[0]);
  return 0.5 * a.cross(b).norm();
}
double measure(const Vector& x, const std::array<int, 2>& e) {
  return (x.segment<3>(3 * e[1]) - x.segment<3>(3 * e[0])).norm();
}

// By what factor the element is squeezed in the direction in which it is squeezed most.
template <std::size_t kCorners>
double most_squeezed(const Vector& rest, const Vector& x,
                     const std::array<int, kCorners>& element) {
  constexpr int kEdges = static_cast<int>(kCorners) - 1;
  using Edges = Eigen::Matrix<double, 3, kEdges>;
  const auto edges = [&](const Vector& at) {
    Edges result;
    for (int c = 0; c < kEdges; ++c) {
      result.col(c) = at.segment<3>(3 * element[static_cast<std::size_t>(c) + 1]) -
                      at.segment<3>(3 * element[0]);
    }
    return result;
  };
  const Eigen::HouseholderQR<Edges> at_rest(edges(rest));
  const Edges now = edges(x);
  // Rows: the motion of unit lengths of the rest shape.
  const Eigen::Matrix<double, kEdges, 3> gradient = at_rest.matrixQR()
                                                        .template topRows<kEdges>()
                                                        .template triangularView<Eigen::Upper>()
                                                        .transpose()
                                                        .solve(now.transpose());
  return Eigen::JacobiSVD<Eigen::MatrixXd>(gradient).singularValues()[kEdges - 1];
}

template <class Elements>
StartShape shape_of(const Elements& elements, const Vector& rest, const Vector& x) {
  StartShape shape;
  for (const auto& element : elements) {
    const double at_rest = measure(rest, element);
    const double now = measure(x, element);
    ++shape.elements;
    if (!(std::abs(now) > kFlat * std::abs(at_rest)) || most_squeezed(rest, x, element) < kThin) {
      ++shape.flat;
    } else if (now < 0) {
      ++shape.inverted;
    }
  }
  return shape;
}

std::string how_many(double some, double all, const char* elements) {
  return some == all ? fmt::format("all {:.0f} of its {}", all, elements)
                     : fmt::format("{:.0f} of its {:.0f} {}", some, all, elements);
}

}  // namespace

StartShape start_shape(std::span<const std::array<int, 4>> tets, const Vector& rest,
                       const Vector& x) {
  return shape_of(tets, rest, x);
}

StartVerdict judge_start(const std::string& name, BodyKind kind, const StartShape& shape,
                         const MaterialInfo* material) {
  StartVerdict verdict;
  if (shape.flat == 0 && shape.inverted == 0) return verdict;
  const bool solid = kind == BodyKind::solid;
  const char* elements = solid ? "tets" : kind == BodyKind::cloth ? "triangles" : "segments";
  const char* extent = solid ? "volume" : kind == BodyKind::cloth ? "area" : "length";
  const std::string flat =
      how_many(shape.flat, shape.elements, elements) + " have no " + extent + " there";
  const std::string inverted =
      how_many(shape.inverted, shape.elements, elements) + " are inside out there";
  const std::string start = fmt::format("'{}' starts ", name);
  if (shape.flat == shape.elements) {
    verdict.fault = fmt::format("{}collapsed: {}; give it a start with {}", start, flat, extent);
  } else if (material && !material->inverts) {
    verdict.fault = fmt::format(
        "{}{}: {}, where the energy of '{}' is infinite; give it another start, or a material that "
        "can turn inside out",
        start, shape.inverted > 0 ? "inside out" : "flat", shape.inverted > 0 ? inverted : flat,
        material->name);
  } else {
    if (shape.flat > 0) verdict.remarks.push_back(fmt::format("{}flat in parts: {}", start, flat));
    if (shape.inverted > 0) {
      verdict.remarks.push_back(fmt::format(
          "{}{}: {}; the energy of '{}' is finite there, and the body may stay as it is", start,
          shape.inverted == shape.elements ? "mirrored" : "inside out in parts", inverted,
          material ? material->name : ""));
    }
  }
  return verdict;
}

void check_start_shape(const TableReader& reader, Body& body) {
  const std::string key = reader.has("positions") ? "positions" : "deform";
  if (body.total(body.x.allFinite() ? 0 : 1) > 0) {
    reader.fail(key,
                fmt::format("'{}' would start at places that are not finite numbers", body.name));
  }
  if (body.total(body.v.allFinite() ? 0 : 1) > 0) {
    reader.fail(
        "velocity",
        fmt::format("'{}' would start with velocities that are not finite numbers", body.name));
  }
  if (!reader.has(key)) return;
  StartShape shape =
      body.kind == BodyKind::solid
          ? start_shape(std::span(body.tets).first(body.counted_tets()), body.rest, body.x)
      : body.kind == BodyKind::cloth ? shape_of(body.triangles, body.rest, body.x)
                                     : shape_of(body.edges, body.rest, body.x);
  for (double* count : {&shape.elements, &shape.flat, &shape.inverted}) *count = body.total(*count);
  StartVerdict verdict = judge_start(body.name, body.kind, shape, body.material);
  if (!verdict.fault.empty()) reader.fail(key, verdict.fault);
  for (std::string& remark : verdict.remarks) body.remarks.push_back(std::move(remark));
}

}  // namespace lilyan
