// The frames of a run in the order of time (run.pvd): written while it goes on, and read again.
#include <fcntl.h>
#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

#include "app/files/file.hpp"
#include "app/files/scanner.hpp"
#include "app/files/vtu.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {

namespace fs = std::filesystem;

namespace {
constexpr std::string_view kPvdHead =
    "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"1.0\">\n<Collection>\n";
constexpr std::string_view kPvdEnd = "</Collection>\n</VTKFile>\n";
}  // namespace

PvdWriter::PvdWriter(const std::filesystem::path& path, Opening opening) : path_(path) {
  if (opening == Opening::resumed) return;
  file_ = FileHandle(path, O_RDWR | O_CREAT | O_TRUNC);
  file_.write_at(0, std::string(kPvdHead) + std::string(kPvdEnd));
  tail_ = kPvdHead.size();
}

void PvdWriter::add(double t, const std::filesystem::path& frame) {
  const std::string entry = fmt::format("<DataSet timestep=\"{:.17g}\" file=\"{}\"/>\n", t,
                                        escaped(frame.generic_string()));
  // Blank lines behind the end do no harm. Once there is room for them, there is for the entry.
  file_.write_at(tail_ + kPvdEnd.size(), std::string(entry.size(), '\n'));
  file_.write_at(tail_, entry + std::string(kPvdEnd));
  tail_ += entry.size();
}

void PvdWriter::archive(Archive& a) {
  if (!a.loading()) file_.sync();
  a(tail_);
  if (!a.loading()) return;
  file_ = FileHandle(path_, O_RDWR);
  if (file_.size() < tail_ + kPvdEnd.size()) {
    throw Error(fmt::format("{} is shorter than it was when the run was saved", path_.string()));
  }
  file_.write_at(tail_, kPvdEnd);
  file_.cut(tail_ + kPvdEnd.size());
}

std::vector<ListedFrame> listed_frames(const fs::path& folder) {
  const fs::path path = folder / "run.pvd";
  if (!fs::exists(path)) {
    throw InputError({folder.string(), 0, 0},
                     "there is no run.pvd in it: expected the result folder of a run of bodies, "
                     "with \"vtu\" in its output.formats");
  }
  const std::string bytes = read_file(path);
  XmlScanner xml(path.string(), bytes);
  std::vector<ListedFrame> frames;
  while (const std::optional<XmlTag> tag = xml.next()) {
    if (tag->name != "DataSet") continue;
    const std::string_view time = tag->attribute("timestep");
    ListedFrame frame;
    const auto [end, error] = std::from_chars(time.data(), time.data() + time.size(), frame.t);
    if (error != std::errc() || end != time.data() + time.size() || !tag->has("file")) {
      xml.fail(tag->line, "expected a DataSet with timestep=\"a number\" and file=\"a name\"");
    }
    frame.file = folder / tag->attribute("file");
    frames.push_back(std::move(frame));
  }
  if (frames.empty()) throw InputError({path.string(), 0, 0}, "it lists no frames");
  return frames;
}

}  // namespace lilyan
