#include "app/run/event_writer.hpp"

#include <fmt/format.h>

#include "app/scene/observables.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {

EventWriter::EventWriter(const std::filesystem::path& file, const Scene& scene)
    : file_(file), stream_(file), scene_(scene) {
  stream_ << "event,t";
  for (const std::string& name : scene.coordinates) stream_ << ',' << name;
  for (const std::string& name : scene.coordinates) stream_ << ",v_" << name;
  stream_ << ",energy_total";
  for (const auto& invariant : scene.observables->invariants) {
    stream_ << ",invariant_" << invariant.name;
  }
  stream_ << '\n';
  for (const auto& event : scene.observables->events) counts_[event.name] = 0;
  check();
}

void EventWriter::check() const {
  if (!stream_) throw Error(fmt::format("cannot write {}", file_.string()));
}

void EventWriter::add(std::span<const EventHit> events) {
  for (const auto& [event, state] : events) {
    const std::string& name = scene_.observables->events[static_cast<std::size_t>(event)].name;
    ++counts_[name];
    fmt::memory_buffer line;
    const auto out = std::back_inserter(line);
    fmt::format_to(out, "{},{:.17g}", name, state.t);
    for (const double x : state.x) fmt::format_to(out, ",{:.17g}", x);
    for (const double v : state.v) fmt::format_to(out, ",{:.17g}", v);
    fmt::format_to(out, ",{:.17g}", invariants(*scene_.system, state).total);
    const double* values = scene_.observables->invariant_values(state);
    for (std::size_t i = 0; i < scene_.observables->invariants.size(); ++i) {
      fmt::format_to(out, ",{:.17g}", values[i]);
    }
    line.push_back('\n');
    stream_.write(line.data(), static_cast<std::streamsize>(line.size()));
    check();
  }
}

void EventWriter::finish() {
  stream_.flush();
  check();
}

}  // namespace lilyan
