#include "app/view/messages.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "app/files/file.hpp"
#include "app/view/pane.hpp"
#include "lilyan/base/version.hpp"
#include "lilyan/method/method.hpp"

namespace lilyan::view {
namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr std::uint32_t kMagic = 0x594C494C;  // "LILY"
enum class MessageKind : std::uint32_t { mesh = 1, frame = 2, cloud = 3, path = 5, section = 6 };

Message share(std::string text) { return std::make_shared<const std::string>(std::move(text)); }

// Texts come from files, which may hold anything.
Message share(const OrderedJson& json) {
  return share(json.dump(-1, ' ', false, OrderedJson::error_handler_t::replace));
}

class BinaryMessage {
 public:
  BinaryMessage(MessageKind kind, PaneId id) {
    for (const std::uint32_t word : {kMagic, static_cast<std::uint32_t>(kind), id.pane, id.run}) {
      add(word);
    }
  }
  template <class T>
  BinaryMessage& add(const T& value) {
    append_raw(bytes_, value);
    return *this;
  }
  BinaryMessage& count(std::size_t n) { return add(static_cast<std::uint32_t>(n)); }
  template <class T>
  BinaryMessage& array(std::span<const T> values) {
    append_raw(bytes_, values);
    return *this;
  }
  Message take() { return share(std::move(bytes_)); }

 private:
  std::string bytes_;
};

OrderedJson numbers_of(const Vec3& v) { return {v[0], v[1], v[2]}; }

struct DescribeShape {
  OrderedJson operator()(const PlaneShape& s) const {
    return {{"kind", "plane"}, {"point", numbers_of(s.point)}, {"normal", numbers_of(s.normal)}};
  }
  OrderedJson operator()(const SphereShape& s) const {
    return {{"kind", "sphere"}, {"center", numbers_of(s.center)}, {"radius", s.radius}};
  }
  OrderedJson operator()(const BoxShape& s) const {
    return {{"kind", "box"}, {"center", numbers_of(s.center)}, {"half", numbers_of(s.half)}};
  }
  OrderedJson operator()(const CapsuleShape& s) const {
    return {{"kind", "capsule"},
            {"from", numbers_of(s.from)},
            {"to", numbers_of(s.to)},
            {"radius", s.radius}};
  }
};

OrderedJson describe_obstacles(const std::vector<Obstacle>& all) {
  OrderedJson list = OrderedJson::array();
  for (const Obstacle& obstacle : all) {
    OrderedJson entry = std::visit(DescribeShape{}, obstacle.shape);
    entry["insideOut"] = obstacle.inside_out;
    entry["moves"] = obstacle.motion.moves();
    list.push_back(std::move(entry));
  }
  return list;
}

OrderedJson describe_drawing(const PaneInfo::Draw& draw) {
  if (draw.empty()) return nullptr;
  return {{"radii", draw.radii},     {"names", draw.names},   {"rods", draw.rods},
          {"springs", draw.springs}, {"trails", draw.trails}, {"flat", draw.flat},
          {"held", draw.held}};
}

OrderedJson describe_links(const std::vector<Link>& all) {
  OrderedJson list = OrderedJson::array();
  for (const Link& link : all) {
    const auto& [from, to] = link.ends;
    list.push_back({{"kind", name(link.kind)}, {"held", {from.in_space(), to.in_space()}}});
  }
  return list;
}

OrderedJson describe_verdicts(const std::vector<Verdict>& all) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [kept, text] : all) {
    list.push_back({{"verdict", kept ? OrderedJson(name(*kept)) : OrderedJson()}, {"text", text}});
  }
  return list;
}

OrderedJson describe_sections(const std::vector<PaneInfo::Section>& all) {
  OrderedJson list = OrderedJson::array();
  for (const auto& [name, x, y] : all) list.push_back({{"name", name}, {"x", x}, {"y", y}});
  return list;
}

OrderedJson describe_pane(PaneId id, const PaneInfo& info) {
  return {{"type", "pane"},
          {"pane", id.pane},
          {"run", id.run},
          {"scene", info.scene},
          {"title", info.title},
          {"method", info.method},
          {"methodName", info.method_name},
          {"step", info.step},
          {"steps", info.steps},
          {"duration", info.duration},
          {"period", info.period},
          {"orbits", info.orbits},
          {"kind", info.system ? "system" : "body"},
          {"replay", info.replay},
          {"watched", info.watched},
          {"vertices", info.vertices},
          {"coordinates", info.coordinates},
          {"settings", info.settings},
          {"columns", info.columns},
          {"obstacles", describe_obstacles(info.obstacles)},
          {"fixed", info.fixed},
          {"links", describe_links(info.links)},
          {"compare", info.compare},
          {"draw", describe_drawing(info.draw)},
          {"sections", describe_sections(info.sections)},
          {"material", nullptr},
          {"damping", nullptr},
          {"error", nullptr}};
}

}  // namespace

Message setup_message(const std::vector<std::string>& scenes) {
  OrderedJson all = OrderedJson::array();
  for (const Method& m : methods()) all.push_back({{"name", m.name}, {"summary", m.summary}});
  return share(OrderedJson{{"type", "setup"},
                           {"protocol", kProtocol},
                           {"version", version()},
                           {"methods", all},
                           {"scenes", scenes}});
}

Message error_message(std::string_view what) {
  return share(OrderedJson{{"type", "error"}, {"message", what}});
}

Message pane_message(PaneId id, const PaneInfo& info) {
  OrderedJson json = describe_pane(id, info);
  if (info.material) {
    json["material"] = {{"mu", info.material->mu}, {"lambda", info.material->lambda}};
  }
  if (info.damping) {
    json["damping"] = {{"mass", info.damping->mass}, {"stiffness", info.damping->stiffness}};
  }
  return share(json);
}

Message pane_error(PaneId id, const PaneRequest& request, const std::string& why) {
  // The method that was asked for, so that what is opened next can have the same.
  constexpr std::string_view kMethod = "integrator.method=";
  std::string method;
  for (const std::string& setting : request.settings) {
    if (setting.starts_with(kMethod)) method = setting.substr(kMethod.size());
  }
  OrderedJson json = describe_pane(id, {.scene = request.scene,
                                        .title = request.scene,
                                        .method_name = method,
                                        .settings = request.settings});
  json["error"] = why;
  return share(json);
}

Message rows_message(PaneId id, std::span<const double> numbers, std::size_t columns) {
  std::string text = fmt::format(R"({{"type":"rows","pane":{},"run":{},"rows":[)", id.pane, id.run);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    text += i % columns == 0 ? (i == 0 ? "[" : "],[") : ",";
    // JSON knows no infinities. Doubles are written so that they are read back as they were.
    if (std::isfinite(numbers[i])) {
      fmt::format_to(std::back_inserter(text), "{}", numbers[i]);
    } else {
      text += "null";
    }
  }
  text += numbers.empty() ? "]}" : "]]}";
  return share(std::move(text));
}

Message refused_message(std::size_t pane, const std::vector<std::string>& settings,
                        std::string_view why) {
  return share(
      OrderedJson{{"type", "refused"}, {"pane", pane}, {"settings", settings}, {"message", why}});
}

Message state_message(const Pace& pace, std::span<const PaneStatus> panes) {
  OrderedJson list = OrderedJson::array();
  for (const PaneStatus& p : panes) {
    OrderedJson entry = {{"pane", p.id.pane},         {"run", p.id.run},        {"frame", p.frame},
                         {"frames", p.frames},        {"finished", p.finished}, {"failed", nullptr},
                         {"msPerStep", p.ms_per_step}};
    if (!p.failed.empty()) entry["failed"] = p.failed;
    entry["interrupted"] = p.interrupted;
    entry["kept"] = describe_verdicts(p.verdicts);
    list.push_back(std::move(entry));
  }
  return share(OrderedJson{{"type", "state"},
                           {"playing", pace.playing},
                           {"speed", pace.speed},
                           {"usualSpeed", pace.usual},
                           {"panes", list}});
}

Message mesh_message(PaneId id, const MeshArrays& mesh) {
  BinaryMessage bytes(MessageKind::mesh, id);
  bytes.count(mesh.body.size()).count(mesh.triangles.size()).count(mesh.edges.size());
  bytes.count(static_cast<std::size_t>(mesh.bodies));
  return bytes.array(mesh.triangles).array(mesh.edges).array(mesh.body).array(mesh.rest).take();
}

Message frame_message(PaneId id, int frame, double t, const FrameArrays& arrays) {
  BinaryMessage bytes(MessageKind::frame, id);
  bytes.count(static_cast<std::size_t>(frame)).count(arrays.speed.size()).add(t);
  bytes.array(arrays.x).array(arrays.speed).array(arrays.energy);
  bytes.count(arrays.poses.size() / kPoseNumbers).array(arrays.poses);
  return bytes.count(arrays.links.size() / kLinkNumbers).array(arrays.links).take();
}

Message system_message(PaneId id, int frame, double t, std::span<const double> q,
                       std::span<const double> v, std::span<const float> places) {
  BinaryMessage bytes(MessageKind::frame, id);
  bytes.count(static_cast<std::size_t>(frame)).count(q.size()).add(t);
  return bytes.array(q).array(v).array(places).take();
}

Message path_message(PaneId id, std::size_t first, const PathShape& shape,
                     std::span<const double> entries) {
  const std::size_t n = shape.n;
  const std::size_t length = shape.width();
  const std::size_t count = entries.size() / length;
  BinaryMessage bytes(MessageKind::path, id);
  bytes.count(first).count(count).count(n).count(shape.trails);
  const auto column = [&](std::size_t begin, std::size_t size) {
    for (std::size_t i = 0; i < count; ++i) bytes.array(entries.subspan(i * length + begin, size));
  };
  column(0, 1);
  column(1, n);
  column(1 + n, n);
  column(1 + 2 * n, shape.trails);
  return bytes.take();
}

Message section_message(PaneId id, std::size_t first, std::span<const double> points) {
  BinaryMessage bytes(MessageKind::section, id);
  bytes.count(first).count(points.size() / 3).count(0).count(0);
  return bytes.array(points).take();
}

Message cloud_message(PaneId id, int frame, double t, std::span<const float> q,
                      std::span<const float> v) {
  BinaryMessage bytes(MessageKind::cloud, id);
  bytes.count(static_cast<std::size_t>(frame)).count(q.size()).add(t);
  return bytes.array(q).array(v).take();
}

}  // namespace lilyan::view
