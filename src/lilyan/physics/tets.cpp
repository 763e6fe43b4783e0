#include "lilyan/physics/tets.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <string>

#include "lilyan/core/error.hpp"

namespace lilyan {
namespace {

void check_volumes(const TetShape& shape) {
  for (std::size_t e = 0; e < shape.tets.size(); ++e) {
    const auto& v = shape.tets[e];
    Eigen::Matrix3d rest;
    for (int c = 0; c < 3; ++c) {
      rest.col(c) = shape.rest.segment<3>(3 * v[c + 1]) - shape.rest.segment<3>(3 * v[0]);
    }
    if (!(std::abs(rest.determinant()) > 0) || !rest.inverse().allFinite()) {
      throw Error("tet " + std::to_string(e) + " has zero rest volume");
    }
  }
}

void set_lane(const TetShape& shape, int tet, bool used, TetGroup& group, int lane) {
  // Ascending, so that every Hessian block falls into the lower triangle. F does not depend on
  // the order, and the volume is taken without its sign.
  std::array<int, 4> v = shape.tets[static_cast<std::size_t>(tet)];
  std::ranges::sort(v);
  Eigen::Matrix3d rest;
  for (int c = 0; c < 3; ++c) {
    rest.col(c) = shape.rest.segment<3>(3 * v[c + 1]) - shape.rest.segment<3>(3 * v[0]);
  }
  const Eigen::Matrix3d inverse = rest.inverse();
  for (int a = 0; a < 4; ++a) group.vertex[a][lane] = v[a];
  group.volume[lane] = used ? std::abs(rest.determinant()) / 6 : 0.0;
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) group.inverse_rest[i][j][lane] = inverse(i, j);
  }
}

// Cuts a chunk, whose groups are there, into batches.
void add_batches(TetChunk& chunk, TetChunks& all) {
  chunk.first_batch = static_cast<int>(all.batches.size());
  for (int first = chunk.first_group; first < chunk.last_group; first += kBatchGroups) {
    TetBatch batch;
    batch.tets.first_group = first;
    batch.tets.last_group = std::min(first + kBatchGroups, chunk.last_group);
    batch.tets.first_tet = chunk.first_tet + kLanes * (first - chunk.first_group);
    batch.tets.last_tet = std::min(batch.tets.first_tet + kLanes * kBatchGroups, chunk.last_tet);
    std::vector<std::array<int, 4>> tets;
    for (int k = 0; k < batch.tets.last_tet - batch.tets.first_tet; ++k) {
      const TetGroup& group = all.groups[static_cast<std::size_t>(first + k / kLanes)];
      std::array<int, 4>& tet = tets.emplace_back();
      for (int a = 0; a < 4; ++a) tet[a] = group.vertex[a][k % kLanes];
    }
    batch.first_sum = static_cast<int>(all.forces.sums.size());
    all.forces.add_batch(tets);
    batch.last_sum = static_cast<int>(all.forces.sums.size());
    all.batches.push_back(batch);
  }
  chunk.last_batch = static_cast<int>(all.batches.size());
}

}  // namespace

TetChunks group_tets(const TetShape& shape) {
  check_volumes(shape);
  const TetOrder order = order_tets(shape.tets, static_cast<int>(shape.rest.size() / 3));
  TetChunks result;
  for (std::size_t c = 0; c + 1 < order.chunk_start.size(); ++c) {
    TetChunk chunk{.first_group = static_cast<int>(result.groups.size()),
                   .first_tet = order.chunk_start[c],
                   .last_tet = order.chunk_start[c + 1]};
    for (int first = chunk.first_tet; first < chunk.last_tet; first += kLanes) {
      TetGroup& group = result.groups.emplace_back();
      for (int lane = 0; lane < kLanes; ++lane) {
        const bool used = first + lane < chunk.last_tet;
        set_lane(shape, order.tets[static_cast<std::size_t>(used ? first + lane : first)], used,
                 group, lane);
      }
    }
    chunk.last_group = static_cast<int>(result.groups.size());
    add_batches(chunk, result);
    result.chunks.push_back(chunk);
  }
  return result;
}

}  // namespace lilyan
