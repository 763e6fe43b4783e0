#include "app/view/replay.hpp"

#include <fstream>
#include <nlohmann/json.hpp>
#include <utility>

#include "app/view/body_replay.hpp"
#include "app/view/system_replay.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::view {
namespace {

constexpr double kSameTime = 1e-9;  // of a step
constexpr std::size_t kTime = 1;    // column of the series

}  // namespace

Replay::Replay(PaneId id, const PaneRequest& request, const std::filesystem::path& folder)
    : id_(id), series_(read_numbers(folder / "series.csv")) {
  if (!request.settings.empty()) {
    throw InputError({folder.string()}, "a run that is done cannot be changed");
  }
  if (series_.columns.size() <= kTime || series_.columns[kTime] != "t") {
    throw InputError({(folder / "series.csv").string(), 1, 0}, "this is not the series of a run");
  }
  info_.replay = true;
  info_.scene = request.scene;
  info_.title = folder.filename().string();
  info_.columns = series_.columns;
  read_summary(folder / "run.json");
}

void Replay::set_times(std::vector<double> times) {
  times_ = std::move(times);
  if (info_.step == 0 && times_.size() > 1) info_.step = times_[1] - times_[0];
  // The number of the step that each frame was taken after.
  std::size_t row = 0;
  for (const double t : times_) {
    while (row + 1 < series_.rows() && series_.at(row, kTime) < t - slack()) ++row;
    steps_.push_back(static_cast<int>(series_.rows() > 0 ? series_.at(row, 0) : 0));
  }
  info_.steps = steps_.empty() ? 0 : steps_.back();
}

double Replay::slack() const { return kSameTime * info_.step; }

// Only for what is written beside the picture: one that cannot be read leaves that empty.
void Replay::read_summary(const std::filesystem::path& file) {
  std::ifstream stream(file);
  const nlohmann::json json = nlohmann::json::parse(stream, nullptr, false);
  const auto text = [&](const char* key, std::string& to) {
    if (json.is_object() && json.contains(key) && json[key].is_string()) {
      to = json[key].get<std::string>();
    }
  };
  text("title", info_.title);
  text("method", info_.method);
  std::string status;
  text("status", status);
  if (status == "failed") {
    failed_ = "the run failed";
    text("message", failed_);
  }
  if (json.is_object() && json.contains("step_size") && json["step_size"].is_number()) {
    info_.step = json["step_size"].get<double>();
  }
  info_.method_name = info_.method.substr(0, info_.method.find('('));
}

PaneMoment Replay::show(std::size_t frame) {
  PaneMoment moment{.frame = steps_[frame], .t = times_[frame], .done = frame + 1 == times_.size()};
  if (moment.done) moment.failed = failed_;
  try {
    moment.picture = picture(frame);
  } catch (const Error& error) {
    return {.done = true, .failed = error.what()};
  }
  shown_ = frame;
  // With the rows up to here.
  const std::size_t columns = series_.columns.size();
  const std::size_t first = rows_shown_;
  for (; rows_shown_ < series_.rows(); ++rows_shown_) {
    const double t = series_.at(rows_shown_, kTime);
    if (!moment.done && t > moment.t + slack()) break;
    add_to_path(t, moment.path);
  }
  moment.row.assign(series_.values.begin() + static_cast<std::ptrdiff_t>(first * columns),
                    series_.values.begin() + static_cast<std::ptrdiff_t>(rows_shown_ * columns));
  return moment;
}

void Replay::pull(const std::optional<Pull>& pull) {
  if (pull) throw Error("a run that is done cannot be pulled at");
}

void Replay::cloud(const CloudRequest& /*request*/) {
  throw Error("a run that is done carries no cloud along");
}

std::unique_ptr<Pane> make_replay(PaneId id, const PaneRequest& request,
                                  const std::filesystem::path& folder) {
  if (std::filesystem::exists(folder / "run.pvd")) {
    return std::make_unique<BodyReplay>(id, request, folder);
  }
  if (std::filesystem::exists(folder / "trajectory.csv")) {
    return std::make_unique<SystemReplay>(id, request, folder);
  }
  throw InputError({folder.string()},
                   "there is neither run.pvd nor trajectory.csv in it: expected the result folder "
                   "of a run, with \"vtu\" in its output.formats and output.every not 0");
}

}  // namespace lilyan::view
