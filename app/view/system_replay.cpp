#include "app/view/system_replay.hpp"

#include <algorithm>

#include "app/view/encode.hpp"
#include "app/view/simulation.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan::view {
namespace {

// Columns of trajectory.csv: step, t, the coordinates, their velocities.
constexpr std::size_t kTime = 1;
constexpr std::size_t kFirst = 2;

}  // namespace

SystemReplay::SystemReplay(PaneId id, const PaneRequest& request,
                           const std::filesystem::path& folder)
    : Replay(id, request, folder), trajectory_(read_numbers(folder / "trajectory.csv")) {
  const std::vector<std::string>& columns = trajectory_.columns;
  if (columns.size() <= kFirst || columns.size() % 2 != 0 || columns[kTime] != "t" ||
      trajectory_.rows() == 0) {
    throw InputError({(folder / "trajectory.csv").string(), 1, 0},
                     "this is not the trajectory of a small system");
  }
  const auto n = static_cast<std::ptrdiff_t>((columns.size() - kFirst) / 2);
  info_.system = true;
  info_.vertices = static_cast<int>(n);
  info_.coordinates.assign(columns.begin() + kFirst, columns.begin() + kFirst + n);
  std::vector<double> times;
  for (std::size_t i = 0; i < trajectory_.rows(); ++i) times.push_back(trajectory_.at(i, kTime));
  set_times(std::move(times));
}

State SystemReplay::state(std::size_t frame) const {
  const auto n = static_cast<Eigen::Index>(info_.coordinates.size());
  const double* row = trajectory_.values.data() + frame * trajectory_.columns.size();
  State state;
  state.t = row[kTime];
  state.x = Eigen::Map<const Vector>(row + kFirst, n);
  state.v = Eigen::Map<const Vector>(row + kFirst + n, n);
  return state;
}

Message SystemReplay::picture(std::size_t frame) {
  return system_message(id_, step_of(frame), state(frame));
}

void SystemReplay::add_to_path(double t, std::vector<double>& path) const {
  const auto after = std::ranges::upper_bound(times_, t + slack());
  const auto count = static_cast<std::size_t>(after - times_.begin());
  view::add_to_path(state(count > 0 ? count - 1 : 0), path);
}

}  // namespace lilyan::view
