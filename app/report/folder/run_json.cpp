// Writes run.json, which tells other programs what a run did. The next run into the same folder reads
// from it which pictures to remove.
#include <fmt/format.h>

#include <algorithm>

#include <fstream>
#include <nlohmann/json.hpp>

#include "app/files/vital_memory.hpp"
#include "app/report/folder/result_folder.hpp"
#include "app/run/checkpoint.hpp"
#include "app/run/runner.hpp"
#include "app/scene/body/distribution.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/base/version.hpp"
#include "lilyan/conservation/drift.hpp"
#include "lilyan/numeric/dispatch.hpp"
#include "lilyan/parallel/threads.hpp"
#include "lilyan/solve/linear_solver.hpp"

namespace lilyan {
namespace {

using Json = nlohmann::ordered_json;

Json deviation(const Deviation& d, double initial, bool symmetry) {
  return {{"initial", initial},
          {"worst_deviation", d.worst},
          {"relative_to", d.size().value},
          {"relative_to_what", describe(d.size().of)},
          {"worst_relative_deviation", d.worst_relative()},
          {"relative_band", d.relative_band()},
          {"relative_drift", d.relative_drift()},
          {"verdict", symmetry ? Json(name(d.kept())) : Json()},
          {"is_invariant_of_the_scene", symmetry}};
}

}  // namespace

std::string ResultFolder::run_json(std::string_view status, std::string_view message,
                                   const RunSummary& summary, const DriftTracker& drift) const {
  const VitalMemory guard;
  const System& system = *scene_.system;
  const Invariants& start = drift.start();
  Json json;
  json["program"] = "lilyan";
  json["version"] = version();
  json["commit"] = commit();
  json["scene"] = scene_.name;
  json["title"] = scene_.title;
  json["method"] = scene_.settings.scheme.label;
  json["solve"] = name(scene_.settings.scheme.solve);
  if (const auto& from = scene_.start) {
    json["start"] = {{"run", from->run}, {"frame", from->frame}, {"t", from->t}};
  }
  json["status"] = status;
  if (!message.empty()) json["message"] = message;
  if (summary.end == RunEnd::failed) json["diverged"] = summary.diverged;
  if (!notes().empty()) json["notes"] = notes();
  json["step_size"] = scene_.settings.step;
  if (!scene_.settings.variable_steps()) json["steps_asked"] = scene_.settings.steps;
  json["duration_asked"] = scene_.settings.duration;
  json["steps_done"] = summary.steps;
  json["t_end"] = summary.t;
  json["step_control"] = {{"kind", name(scene_.settings.control.kind)},
                          {"shortest_step", summary.shortest_step},
                          {"longest_step", summary.longest_step},
                          {"rejected_steps", summary.rejected_steps}};
  for (const auto& [quantity, value] : last_state(scene_, summary)) {
    json["last_state"][quantity] = value;
  }
  json["wall_seconds"] = summary.wall_seconds;
  if (summary.processor_seconds > 0) json["processor_seconds"] = summary.processor_seconds;
  // The same number: the same first state and masses, wherever they are from.
  json["start_digest"] = fmt::format("{:016x}", start_digest(scene_));
  // The same digest: the same states to the last bit, after every step.
  json["digest"] = fmt::format("{:016x}", summary.digest.value());
  json["build"] = {{"compiler", compiler()},
                   {"flags", compiler_flags()},
                   {"lanes", lanes_in_use()},
                   {"cholesky", cholesky_library()},
                   {"blas", blas_library()}};
  json["size"] = {{"bodies", scene_.bodies().names},
                  {"vertices", size_of(scene_).vertices},
                  {"fixed_vertices", size_of(scene_).fixed},
                  {"tets", size_of(scene_).tets},
                  {"triangles", scene_.bodies().triangles.size()},
                  {"edges", scene_.bodies().edges.size()},
                  {"springs", scene_.bodies().springs}};
  Json switches = Json::array();
  for (const auto& [step, from, to] : summary.switches) {
    switches.push_back({{"step", step}, {"from", from}, {"to", to}});
  }
  json["solver"] = {{"linear", summary.linear_solver},
                    {"linear_switches", switches},
                    {"linear_iterations", summary.solver_work.linear_iterations},
                    {"threads", threads()},
                    {"ranks", scene_.shared ? scene_.shared->ranks->count() : 1},
                    {"definiteness", name(scene_.settings.solver.newton.definiteness)},
                    {"lanes", lanes_in_use()},
                    {"iterations", summary.solver_work.iterations},
                    {"factorisations", summary.solver_work.factorisations},
                    {"evaluations", summary.solver_work.evaluations},
                    {"definiteness_fixes", summary.solver_work.definiteness_fixes},
                    {"halved_steps", summary.halved_steps},
                    {"steps_at_rounding_error", summary.round_off_steps},
                    {"fewest_quadrature_points", summary.fewest_points},
                    {"most_quadrature_points", summary.most_points},
                    {"seconds_stepping", summary.step_seconds},
                    {"seconds_assembly", summary.times.assembly},
                    {"seconds_factorisation", summary.times.factorisation},
                    {"seconds_solve", summary.times.solve},
                    {"seconds_evaluation", summary.times.evaluation}};
  json["drift"] = {
      {"energy", deviation(drift.energy(), start.total, true)},
      {"linear_momentum", deviation(drift.linear_momentum(), start.linear_momentum.norm(),
                                    system.translation_invariant())},
      {"angular_momentum",
       deviation(drift.angular_momentum(), start.angular_momentum.norm(), drift.spin().any())}};
  json["remarks"] = scene_.remarks;
  json["verdicts"] = Json::array();
  for (const auto& [kept, text] : verdicts(system, summary, drift)) {
    json["verdicts"].push_back({{"verdict", kept ? Json(name(*kept)) : Json()}, {"text", text}});
  }
  if (!summary.bodies.empty()) {
    Json bodies = Json::array();
    for (const BodySpins::Body& body : summary.bodies) {
      Json entry = deviation(body.angular, body.initial, true);
      if (body.steps_apart == 0) entry["verdict"] = Json();
      entry["final"] = body.now;
      entry["body"] = body.name;
      entry["steps_apart"] = body.steps_apart;
      bodies.push_back(entry);
    }
    json["drift"]["angular_momentum_of_bodies"] = bodies;
  }
  if (!watch_.invariants().empty()) {
    Json invariants = Json::object();
    for (const Watch::Quantity& q : watch_.invariants()) {
      invariants[q.name] = {{"initial", q.start},
                            {"final", q.now},
                            {"worst_deviation", q.deviation.worst},
                            {"relative_to", q.deviation.size().value},
                            {"relative_to_what", describe(q.deviation.size().of)},
                            {"worst_relative_deviation", q.worst_relative()},
                            {"verdict", name(q.deviation.kept())},
                            {"found_as_a_symmetry", q.found}};
    }
    json["invariants"] = invariants;
  }
  if (watch_.has_exact()) {
    json["exact_solution"] = {{"final_error", watch_.error()},
                              {"worst_error", watch_.worst_error()}};
  }
  if (!summary.orbits.empty()) {
    const std::size_t worst = summary.worst_orbit();
    const RunSummary::OrbitEnd& orbit = summary.orbits[worst];
    json["orbits"] = {
        {"further", summary.orbits.size()},
        {"failed",
         std::ranges::count_if(summary.orbits, [](const auto& o) { return !o.failed.empty(); })},
        {"worst_orbit", worst + 1},
        {"worst_start", orbit.start},
        {"worst_relative_energy_error", orbit.energy.worst_relative()},
        {"worst_verdict", name(orbit.energy.kept())}};
  }
  if (!scene_.bodies().obstacles.empty()) {
    json["obstacles"] = {{"vertices_through", summary.passages},
                         {"longest_step_over_thickness", summary.longest_to_obstacle}};
  }
  if (scene_.bodies().have_contact()) {
    json["contact_depth"] = {{"deepest", summary.deepest},
                             {"deepest_over_size_of_body", summary.deepest_share}};
    if (const auto& [depth, asked, explained] = summary.beyond; depth > 0) {
      json["contact_depth"]["beyond_asked"] = {
          {"depth", depth}, {"asked", asked}, {"explained_by_speed", explained}};
    }
  }
  if (!scene_.bodies().contacts.empty()) {
    json["contacts"] = {{"vertices_through", summary.passages_of_bodies}};
  }
  if (events_) json["events"] = event_counts();
  if (figures_) json["pictures"] = picture_files_;
  if (recorder_) json["report"] = "report.html";
  json["ledger"] = {
      {"solver", summary.ledger.solver}, {"quadrature", summary.ledger.quadrature},
      {"work", summary.ledger.work},     {"dissipation", summary.ledger.dissipation},
      {"method", summary.ledger.method}, {"worst_imbalance_of_a_step", summary.worst_imbalance}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::vector<std::string> listed_pictures(const std::filesystem::path& folder) {
  std::ifstream stream(folder / "run.json");
  const VitalMemory guard;
  // Without a file, or with one that is not JSON, the result is a value that is no object.
  const Json json = Json::parse(stream, nullptr, false);
  std::vector<std::string> names;
  if (!json.is_object() || !json.contains("pictures") || !json["pictures"].is_array()) return names;
  for (const Json& entry : json["pictures"]) {
    if (entry.is_string()) names.push_back(entry.get<std::string>());
  }
  return names;
}

}  // namespace lilyan
