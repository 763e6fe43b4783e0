// Elastic energy of linear tetrahedra:  E(x) = Σ_tets V ψ(F),  F = D_s D_m⁻¹.
#pragma once

#include <array>
#include <concepts>
#include <span>
#include <vector>

#include "lilyan/assemble/tet_balance_kernel.hpp"
#include "lilyan/assemble/tet_discrete_kernel.hpp"
#include "lilyan/assemble/tet_groups.hpp"
#include "lilyan/assemble/tet_kernel.hpp"
#include "lilyan/assemble/tet_rounding.hpp"
#include "lilyan/model/energy.hpp"
#include "lilyan/model/energy_abilities.hpp"
#include "lilyan/model/energy_discrete_gradient.hpp"
#include "lilyan/numeric/mat3.hpp"

// The functions of a material return packs. How these are returned depends on the processor, of which GCC warns; they
// are only called where they are compiled.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wpsabi"
#endif

namespace lilyan {

// ψ(F), P = ∂ψ/∂F and ∂P/∂F over any scalar type.
template <class M>
concept HyperelasticMaterial = requires(const M& m, const Mat3<Pack>& F, const Pack& w,
                                        Sym9<Pack>& a) {
  { m.energy(F) } -> std::same_as<Pack>;
  { m.stress(F) } -> std::same_as<Mat3<Pack>>;
  m.add_tangent(F, w, a);
};

template <HyperelasticMaterial Material>
class Tets final : public Energy,
                   public DiscreteGradient,
                   public MovingRest,
                   public LendsMass,
                   public ForcePolynomial,
                   public EnergyDensity,
                   public KnowsPathRounding {
 public:
  Tets(const Material& material, const TetShape& shape)
      : material_(material), tets_(group_tets(shape)) {
    vertices_.reserve(4 * shape.tets.size());
    tets_.each_tet([&](const TetGroup&, int, const std::array<int, 4>& v) {
      vertices_.insert(vertices_.end(), v.begin(), v.end());
    });
  }

  [[nodiscard]] EnergyKind kind() const override { return EnergyKind::elastic; }
  [[nodiscard]] Stencils stencils() const override { return {4, vertices_}; }
  [[nodiscard]] bool translation_invariant() const override { return true; }
  [[nodiscard]] bool rotation_invariant() const override { return true; }

  [[nodiscard]] double evaluate(const Evaluation& at) const override {
    return sum_over_chunks(tets_.chunks, [&](const TetChunk& chunk) {
      return evaluate_chunk(material_, tets_, chunk, at);
    });
  }

  [[nodiscard]] Abilities abilities() const override {
    return {.discrete_gradient = this,
            .moving_rest = this,
            .lends_mass = this,
            .polynomial = this,
            .density = this,
            .path_rounding = this};
  }
  [[nodiscard]] std::optional<int> degree_of_force() const override {
    if constexpr (requires { Material::info().degree; }) {
      if (const int degree = Material::info().degree; degree > 0) return degree - 1;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::vector<double> lend_mass(std::span<const double> mass) const override {
    return lend_mass_by_volume(tets_, mass);
  }

  [[nodiscard]] double evaluate_from(const double* rest, const Evaluation& at) const override {
    return sum_over_chunks(tets_.chunks, [&](const TetChunk& chunk) {
      return evaluate_chunk_from(material_, tets_, chunk, rest, at);
    });
  }

  void discrete_gradient(const DiscreteEvaluation& at) const override {
    const MeanStressLaw<Material> law(material_);
    sum_over_chunks(tets_.chunks, [&](const TetChunk& chunk) {
      discrete_gradient_of_chunk(law, tets_, chunk, at);
      return 0.0;
    });
  }

  [[nodiscard]] std::size_t stress_numbers() const override {
    return kStressNumbers * kLanes * tets_.groups.size();
  }
  void balance(const BalanceEvaluation& at) const override {
    const MeanStressLaw<Material> law(material_);
    sum_over_chunks(tets_.chunks, [&](const TetChunk& chunk) {
      balance_chunk(law, tets_, chunk, at);
      return 0.0;
    });
  }
  [[nodiscard]] double path_rounding(const RoundingPath& path) const override {
    return over_tets(path, [&](const TetRounding& tet) { return tet.bound(material_); }) +
           rounding_of_energies(path);
  }
  [[nodiscard]] double stiffness(const double* x) const override {
    return over_tets({.x0 = x}, [&](const TetRounding& tet) { return tet.stiffness(material_); });
  }

  void add_energies(const double* x, std::span<double> energy,
                    std::span<double> volume) const override {
    tets_.each_tet([&](const TetGroup& group, int lane, const std::array<int, 4>& vertices) {
      const double share = group.volume[lane] / 4;
      const double part = share * material_.energy(deformation(group, lane, vertices, x));
      for (const int vertex : vertices) {
        const auto i = static_cast<std::size_t>(vertex);
        energy[i] += part;
        volume[i] += share;
      }
    });
  }

 private:
  // The sum of what term() gives for each tet.
  template <class Term>
  [[nodiscard]] double over_tets(const RoundingPath& path, const Term& term) const {
    return sum_over_chunks(tets_.chunks, [&](const TetChunk& chunk) {
      double sum = 0;
      for (int k = chunk.first_batch; k < chunk.last_batch; ++k) {
        const TetBatch& batch = tets_.batches[static_cast<std::size_t>(k)];
        const int count = batch.tets.last_tet - batch.tets.first_tet;
        for (int e = 0; e < count; ++e) sum += term(TetRounding(tets_, batch, e, path));
      }
      return sum;
    });
  }
  // The rounding of the sums over the tets, at both ends.
  [[nodiscard]] double rounding_of_energies(const RoundingPath& path) const {
    constexpr std::array<WeightedNode, 1> kHere{{{.theta = 0, .value = 1}}};
    const double size = std::abs(evaluate({.x0 = path.x0, .nodes = kHere})) +
                        std::abs(evaluate({.x0 = path.x1, .nodes = kHere}));
    return rounding_of_sum(vertices_.size() / 4) * size;
  }
  // F of one tet.
  static Mat3<double> deformation(const TetGroup& group, int lane, const std::array<int, 4>& v,
                                  const double* x) {
    Mat3<double> edges, inverse;
    for (int i = 0; i < 3; ++i) {
      for (int a = 0; a < 3; ++a) {
        edges(i, a) = x[3 * v[a + 1] + i] - x[3 * v[0] + i];
        inverse(i, a) = group.inverse_rest[i][a][lane];
      }
    }
    return multiply(edges, inverse);
  }

  Material material_;
  TetChunks tets_;
  std::vector<int> vertices_;
};

template <class Material>
std::unique_ptr<Energy> make_tets(const Material& material, const TetShape& shape) {
  return std::make_unique<Tets<Material>>(material, shape);
}

}  // namespace lilyan
