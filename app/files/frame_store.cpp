#include "app/files/frame_store.hpp"

#include <system_error>
#include <utility>

#include "lilyan/core/error.hpp"

namespace lilyan {

FrameStore::FrameStore(std::filesystem::path file, std::size_t vertices)
    : file_(std::move(file)),
      numbers_(3 * vertices),
      stream_(file_, std::ios::binary | std::ios::in | std::ios::out | std::ios::trunc) {
  if (!stream_) throw Error("cannot write " + file_.string());
}

FrameStore::~FrameStore() {
  stream_.close();
  std::error_code ignored;
  std::filesystem::remove(file_, ignored);
}

void FrameStore::add(double t, std::span<const float> points) {
  stream_.seekp(static_cast<std::streamoff>(frames() * numbers_ * sizeof(float)));
  stream_.write(reinterpret_cast<const char*>(points.data()),
                static_cast<std::streamsize>(points.size_bytes()));
  stream_.flush();
  if (!stream_) throw Error("cannot write " + file_.string());
  times_.push_back(t);
}

void FrameStore::read(std::size_t frame, std::vector<float>& points) const {
  points.resize(numbers_);
  stream_.seekg(static_cast<std::streamoff>(frame * numbers_ * sizeof(float)));
  stream_.read(reinterpret_cast<char*>(points.data()),
               static_cast<std::streamsize>(numbers_ * sizeof(float)));
  if (!stream_) throw Error("cannot read back " + file_.string());
}

}  // namespace lilyan
