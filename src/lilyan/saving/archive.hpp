// All that a run remembers, as bytes and back, bit for bit.
//
// An object describes itself once, for both directions:
//
//   void archive(Archive& a) { a(count_, last_error_, state_); }
//
// Whoever saves and loads must be the same build of the program: the bytes carry no names.
#pragma once

#include <Eigen/Core>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "lilyan/base/error.hpp"

namespace lilyan {

class Archive {
 public:
  // Saves into a buffer, which keeps its capacity when it is used again.
  explicit Archive(std::string* into) : out_(into) { out_->clear(); }
  // Loads. Throws Error when the bytes are not what the same calls have saved.
  explicit Archive(std::string_view bytes) : in_(bytes) {}

  [[nodiscard]] bool loading() const { return out_ == nullptr; }

  template <class... T>
  void operator()(T&... values) {
    (transfer(values), ...);
  }
  // Marks a place, so that what was saved by something else is noticed.
  void mark(std::string_view name) {
    std::string found(name);
    transfer(found);
    if (found != name) fail();
  }
  // What has not been loaded yet.
  [[nodiscard]] std::string_view rest() const { return in_; }
  void require_end() const { require(in_.empty()); }
  // For what was loaded and cannot have been saved.
  static void require(bool holds) {
    if (!holds) fail();
  }

 private:
  template <class T>
  static constexpr bool kPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

  [[noreturn]] static void fail() { throw Error("it holds something else than this run needs"); }

  void raw(void* data, std::size_t size) {
    if (size == 0) return;
    if (out_) {
      out_->append(static_cast<const char*>(data), size);
      return;
    }
    if (size > in_.size()) fail();
    std::memcpy(data, in_.data(), size);
    in_.remove_prefix(size);
  }
  // A number of items that take at least so many bytes each.
  template <class Size>
  Size count(Size n, std::size_t item) {
    auto wide = static_cast<std::uint64_t>(n);
    raw(&wide, sizeof(wide));
    if (loading() && wide > in_.size() / (item == 0 ? 1 : item)) fail();
    return static_cast<Size>(wide);
  }

  template <class T>
  void transfer(T& value) {
    if constexpr (std::is_same_v<T, bool>) {
      auto byte = static_cast<unsigned char>(value);
      raw(&byte, 1);
      require(byte <= 1);
      value = byte == 1;
    } else if constexpr (kPlain<T>) {
      raw(&value, sizeof(T));
    } else if constexpr (requires { T::RowsAtCompileTime; }) {
      matrix(value);
    } else {
      value.archive(*this);
    }
  }
  void transfer(std::string& text) {
    text.resize(count(text.size(), 1));
    raw(text.data(), text.size());
  }
  template <class T, std::size_t kSize>
  void transfer(std::array<T, kSize>& items) {
    for (T& item : items) transfer(item);
  }
  template <class T>
  void transfer(std::vector<T>& items) {
    items.resize(count(items.size(), kPlain<T> ? sizeof(T) : 1));
    if constexpr (kPlain<T>) {
      raw(items.data(), items.size() * sizeof(T));
    } else {
      for (T& item : items) transfer(item);
    }
  }
  template <class T>
  void transfer(std::optional<T>& item) {
    bool there = item.has_value();
    transfer(there);
    if (loading() && there) item.emplace();
    if (loading() && !there) item.reset();
    if (there) transfer(*item);
  }
  template <class Key, class T>
  void transfer(std::map<Key, T>& items) {
    std::size_t size = count(items.size(), 1);
    if (loading()) items.clear();
    for (auto item = items.begin(); size > 0; --size) {
      std::pair<Key, T> entry;
      if (!loading()) entry = *item++;
      transfer(entry.first);
      transfer(entry.second);
      if (loading()) items.insert(std::move(entry));
    }
  }
  template <class Matrix>
  void matrix(Matrix& matrix) {
    const auto rows = count(matrix.rows(), 0);
    const auto columns = count(matrix.cols(), 0);
    if (loading()) {
      const bool possible = rows >= 0 && columns >= 0 &&
                            (rows == 0 || columns <= static_cast<Eigen::Index>(in_.size()) / rows);
      const bool fits =
          (Matrix::RowsAtCompileTime == Eigen::Dynamic || Matrix::RowsAtCompileTime == rows) &&
          (Matrix::ColsAtCompileTime == Eigen::Dynamic || Matrix::ColsAtCompileTime == columns);
      if (!possible || !fits) fail();
      matrix.resize(rows, columns);
    }
    raw(matrix.data(), static_cast<std::size_t>(matrix.size()) * sizeof(*matrix.data()));
  }

  std::string* out_ = nullptr;
  std::string_view in_;
};

}  // namespace lilyan
