#include "app/report/folder/folder_run.hpp"

#include <cstddef>
#include <cstdint>

#include "app/files/file.hpp"
#include "app/run/conservation.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/error.hpp"

namespace lilyan {

FolderRun::FolderRun(const std::filesystem::path& folder, const Scene& scene,
                     const std::atomic<bool>* stop)
    : folder_(folder), scene_(scene), drift_(follow_drift(scene)), run_(scene, drift_, stop) {}

FolderRun::FolderRun(const std::filesystem::path& folder, const Scene& scene,
                     const std::atomic<bool>* stop, const Checkpoint* saved)
    : FolderRun(folder, scene, stop) {
  results_ =
      std::make_unique<ResultFolder>(folder, scene, saved ? Opening::resumed : Opening::fresh);
  if (!saved) return;
  resume(*saved);
  replace_file(folder / "scene.resolved.toml", scene.resolved);
  results_->show_running(run_.summary(), run_.state(), drift_);
}

FolderRun::~FolderRun() = default;

void FolderRun::resume(const Checkpoint& saved) {
  Archive a(saved.content);
  std::uint64_t start = 0;
  try {
    a(start);
    if (start != start_digest(scene_)) {
      throw Error("the scene starts from another state now: a file that it names has changed");
    }
    a(run_, *results_);
    a.require_end();
  } catch (const Error& error) {
    throw InputError({saved.file.string(), 0, 0}, error.what());
  }
}

void FolderRun::save() {
  Archive a(&buffer_);
  CheckpointHead head{scene_.name, scene_.resolved, run_.summary().steps, run_.summary().t};
  std::uint64_t start = start_digest(scene_);
  a(head, start, run_, *results_);
  write_checkpoint(folder_, buffer_);
  results_->show_running(run_.summary(), run_.state(), drift_);
}

bool FolderRun::due(int step) const {
  constexpr auto kInterval = std::chrono::seconds(30);
  const std::optional<int>& every = scene_.settings.output.checkpoint_every;
  const bool now =
      every ? *every > 0 && step % *every == 0 : anywhere(Clock::now() - saved_at_ > kInterval);
  return now && step > 0;
}

template <class Part>
void FolderRun::attempt(const Part& part) {
  std::string reason = reason_anywhere(reason_of_failure(part));
  if (reason.empty()) return;
  if (failure_.empty()) failure_ = reason;
  run_.fail(std::move(reason));
}

const RunSummary& FolderRun::make(const RunObserver& observer, const std::function<void()>& ended) {
  // When memory is not enough, some is needed to say so.
  constexpr std::size_t kReserve = 1 << 20;
  auto reserve = std::make_unique_for_overwrite<char[]>(kReserve);
  const RunSummary& summary = run_to_end(run_, [&](const RunMoment& moment) {
    take_in(moment);
    const bool go_on = observer(moment);
    if (due(moment.step)) {
      save();
      saved_at_ = Clock::now();
    }
    return go_on;
  });
  reserve.reset();
  if (ended) ended();
  const bool written = anywhere(results_ && results_->written());
  if (written) attempt([&] { add_last_frame(); });
  if (written && summary.end != RunEnd::failed) attempt([&] { save(); });
  attempt([&] { finish(); });
  return summary;
}

}  // namespace lilyan
