#include "lilyan/model/embedding.hpp"

namespace lilyan {

void Embedding::hold(int vertex, Kind kind) {
  if (!fixed(vertex)) fixed_.push_back(vertex);
  kind_[static_cast<std::size_t>(vertex)] = kind;
}

void Embedding::stop(Eigen::Ref<Vector> v, bool scripted_too) const {
  for (const int i : fixed_) {
    if (scripted_too || !scripted(i)) v.segment(at(i), dimension_).setZero();
  }
}

void Embedding::scale_free(double factor, Eigen::Ref<Vector> d) const {
  if (fixed_.empty()) {
    d *= factor;
    return;
  }
  for (int i = 0; i < static_cast<int>(kind_.size()); ++i) {
    if (!fixed(i)) d.segment(at(i), dimension_) *= factor;
  }
}

Embedding::FreeVertices Embedding::free_vertices() const {
  FreeVertices free{.vertices = {}, .index = std::vector<int>(kind_.size(), -1)};
  for (int i = 0; i < static_cast<int>(kind_.size()); ++i) {
    if (fixed(i)) continue;
    free.index[static_cast<std::size_t>(i)] = static_cast<int>(free.vertices.size());
    free.vertices.push_back(i);
  }
  return free;
}

}  // namespace lilyan
