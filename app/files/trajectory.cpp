#include "app/files/trajectory.hpp"

#include <fmt/format.h>

#include "lilyan/core/error.hpp"

namespace lilyan {

TrajectoryWriter::TrajectoryWriter(const std::filesystem::path& file,
                                   const std::vector<std::string>& coordinates)
    : file_(file), stream_(file) {
  stream_ << "step,t";
  for (const std::string& name : coordinates) stream_ << ',' << name;
  for (const std::string& name : coordinates) stream_ << ",v_" << name;
  stream_ << '\n' << std::flush;
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
}

void TrajectoryWriter::add(int step, const State& state) {
  fmt::memory_buffer line;
  fmt::format_to(std::back_inserter(line), "{},{:.17g}", step, state.t);
  for (const double x : state.x) fmt::format_to(std::back_inserter(line), ",{:.17g}", x);
  for (const double v : state.v) fmt::format_to(std::back_inserter(line), ",{:.17g}", v);
  line.push_back('\n');
  stream_.write(line.data(), static_cast<std::streamsize>(line.size()));
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
  last_ = step;
  last_t_ = state.t;
}

void TrajectoryWriter::finish(int step, const State& state) {
  if (last_ != step || last_t_ != state.t) add(step, state);
  stream_.flush();
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
}

}  // namespace lilyan
