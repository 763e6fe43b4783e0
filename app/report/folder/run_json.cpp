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

// The program and the plan: what was asked for.
void add_plan(const Scene& scene, Json& json) {
  json["program"] = "lilyan";
  json["version"] = version();
  json["commit"] = commit();
  json["scene"] = scene.name;
  json["title"] = scene.title;
  json["method"] = scene.settings.scheme.label;
  json["solve"] = name(scene.settings.scheme.solve);
  if (const auto& from = scene.start) {
    json["start"] = {{"run", from->run}, {"frame", from->frame}, {"t", from->t}};
  }
}

void add_end(const Scene& scene, const RunSummary& summary, const State& state, Json& json) {
  json["step_size"] = scene.settings.step;
  if (!scene.settings.variable_steps()) json["steps_asked"] = scene.settings.steps;
  json["duration_asked"] = scene.settings.duration;
  json["steps_done"] = summary.steps;
  json["t_end"] = summary.t;
  json["step_control"] = {{"kind", name(scene.settings.control.kind)},
                          {"shortest_step", summary.shortest_step},
                          {"longest_step", summary.longest_step},
                          {"rejected_steps", summary.rejected_steps}};
  for (const auto& [quantity, value] : last_state(scene, state, summary.invariants.total)) {
    json["last_state"][quantity] = value;
  }
  json["wall_seconds"] = summary.wall_seconds;
  if (summary.processor_seconds > 0) json["processor_seconds"] = summary.processor_seconds;
  // The same number: the same first state and masses, wherever they are from.
  json["start_digest"] = fmt::format("{:016x}", start_digest(scene));
  // The same digest: the same states to the last bit, after every step.
  json["digest"] = fmt::format("{:016x}", summary.digest.value());
}

void add_size(const Scene& scene, Json& json) {
  const Bodies& bodies = scene.bodies();
  const SceneSize size = size_of(scene);
  json["build"] = {{"compiler", compiler()},
                   {"flags", compiler_flags()},
                   {"lanes", lanes_in_use()},
                   {"cholesky", cholesky_library()},
                   {"blas", blas_library()}};
  json["size"] = {{"bodies", bodies.names},
                  {"vertices", size.vertices},
                  {"fixed_vertices", size.fixed},
                  {"tets", size.tets},
                  {"triangles", bodies.triangles.size()},
                  {"edges", bodies.edges.size()},
                  {"springs", bodies.springs}};
}

void add_solver(const Scene& scene, const RunSummary& summary, Json& json) {
  Json switches = Json::array();
  for (const auto& [step, from, to] : summary.switches) {
    switches.push_back({{"step", step}, {"from", from}, {"to", to}});
  }
  json["solver"] = {{"linear", summary.linear_solver},
                    {"linear_switches", switches},
                    {"linear_iterations", summary.solver_work.linear_iterations},
                    {"threads", threads()},
                    {"ranks", scene.shared ? scene.shared->ranks->count() : 1},
                    {"definiteness", name(scene.settings.solver.newton.definiteness)},
                    {"lanes", lanes_in_use()},
                    {"iterations", summary.solver_work.iterations},
                    {"factorisations", summary.solver_work.factorisations},
                    {"evaluations", summary.solver_work.evaluations},
                    {"definiteness_fixes", summary.solver_work.definiteness_fixes},
                    {"halved_steps", summary.halved_steps},
                    {"steps_at_rounding_error", summary.round_off_steps},
                    {"fewest_quadrature_points", summary.fewest_points},
                    {"most_quadrature_points", summary.most_points},
                    {"seconds_stepping", summary.step_seconds}};
  if (!summary.times.timed) return;
  json["solver"]["seconds_assembly"] = summary.times.assembly;
  json["solver"]["seconds_factorisation"] = summary.times.factorisation;
  json["solver"]["seconds_solve"] = summary.times.solve;
  json["solver"]["seconds_evaluation"] = summary.times.evaluation;
}

void add_drift(const Scene& scene, const RunSummary& summary, const DriftTracker& drift,
               Json& json) {
  const System& system = *scene.system;
  const Invariants& start = drift.start();
  json["drift"] = {
      {"energy", deviation(drift.energy(), start.total, true)},
      {"linear_momentum", deviation(drift.linear_momentum(), start.linear_momentum.norm(),
                                    system.translation_invariant())},
      {"angular_momentum",
       deviation(drift.angular_momentum(), start.angular_momentum.norm(), drift.spin().any())}};
  json["remarks"] = scene.remarks;
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
}

void add_watch(const Watch& watch, Json& json) {
  if (!watch.invariants().empty()) {
    Json invariants = Json::object();
    for (const Watch::Quantity& q : watch.invariants()) {
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
  if (watch.has_exact()) {
    json["exact_solution"] = {{"final_error", watch.error()}, {"worst_error", watch.worst_error()}};
  }
}

void add_orbits(const RunSummary& summary, Json& json) {
  if (summary.orbits.empty()) return;
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

void add_contact(const Scene& scene, const RunSummary& summary, Json& json) {
  if (!scene.bodies().obstacles.empty()) {
    json["obstacles"] = {{"vertices_through", summary.passages.through_obstacles},
                         {"longest_step_over_thickness", summary.passages.longest_step}};
  }
  if (scene.bodies().have_contact()) {
    json["contact_depth"] = {{"deepest", summary.contact.deepest},
                             {"deepest_over_size_of_body", summary.contact.deepest_share}};
    if (const auto& [depth, asked, explained] = summary.contact.beyond; depth > 0) {
      json["contact_depth"]["beyond_asked"] = {
          {"depth", depth}, {"asked", asked}, {"explained_by_speed", explained}};
    }
  }
  if (summary.gap.any) {
    json["contact_gap"] = {{"smallest_over_reach", summary.gap.smallest},
                           {"reach", summary.gap.reach},
                           {"most_pairs", summary.gap.most_pairs}};
  }
  if (!scene.bodies().contacts.empty()) {
    json["contacts"] = {{"vertices_through", summary.passages.through_bodies}};
  }
}

}  // namespace

std::string ResultFolder::run_json(std::string_view status, std::string_view message,
                                   const RunSummary& summary, const State& state,
                                   const DriftTracker& drift) const {
  const VitalMemory guard;
  Json json;
  add_plan(scene_, json);
  json["status"] = status;
  if (!message.empty()) json["message"] = message;
  if (summary.end == RunEnd::failed) json["diverged"] = summary.diverged;
  if (!notes().empty()) json["notes"] = notes();
  add_end(scene_, summary, state, json);
  add_size(scene_, json);
  add_solver(scene_, summary, json);
  add_drift(scene_, summary, drift, json);
  add_watch(watch_, json);
  add_orbits(summary, json);
  add_contact(scene_, summary, json);
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
