// glTF 2.0.
//
// Layout: Khronos Group, "glTF 2.0 Specification" (2021); the container of a .glb file is
// section 4. The binary buffer holds, for each part in turn,
//   indices of triangles, indices of edges            32-bit numbers, each a bufferView
//   places in the texture's picture                   floats, one bufferView
//   positions and normals of frame 0, 1, 2, ...       floats, one bufferView; from frame 1 on less
//                                                     those of frame 0
// then indices, positions and normals of each prop, and then the times, the weights, and the shifts and
// turns (quaternions) of each prop that moves. Everything is 4 bytes wide, so aligned.
#include "app/files/surface_writer.hpp"
#include "app/files/vital_memory.hpp"

#include <fmt/format.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "app/files/file.hpp"
#include "lilyan/base/error.hpp"
#include "lilyan/base/version.hpp"

namespace lilyan {
namespace {

using Json = nlohmann::ordered_json;

constexpr int kFloat = 5126;
constexpr int kUint32 = 5125;
constexpr int kVertexBuffer = 34962;
constexpr int kIndexBuffer = 34963;
constexpr int kLines = 1;
constexpr int kTriangles = 4;
constexpr std::uint64_t kVector = 3 * sizeof(float);

// Positions and normals of a part in one frame, as they are or less those of the first.
struct Attributes {
  std::vector<float> positions;
  std::vector<float> normals;
};

// A vertex of glTF has one place in the picture, so along the seams of a texture there are several of the
// same position.
struct Split {
  std::vector<std::uint32_t> corners;  // of the triangles
  std::vector<int> copies;             // vertices behind those of the part, and of which they are
  std::vector<float> places;           // of all vertices; empty: there is no texture

  explicit Split(const SurfacePart& part) {
    for (const auto& t : part.triangles) corners.insert(corners.end(), t.begin(), t.end());
    if (part.texture.empty()) return;
    places.assign(2 * part.vertices.size(), 0);
    std::vector<char> placed(part.vertices.size(), 0);
    std::map<std::tuple<std::uint32_t, float, float>, std::uint32_t> made;
    for (std::size_t k = 0; k < corners.size(); ++k) {
      const std::uint32_t v = corners[k];
      // As glTF has it, v grows downwards.
      const float x = part.texture[k / 3][2 * (k % 3)];
      const float y = 1 - part.texture[k / 3][2 * (k % 3) + 1];
      if (!placed[v]) {
        placed[v] = 1;
        made[{v, x, y}] = v;
        places[2 * v] = x;
        places[2 * v + 1] = y;
      }
      const auto [entry, added] = made.try_emplace(
          {v, x, y}, static_cast<std::uint32_t>(part.vertices.size() + copies.size()));
      corners[k] = entry->second;
      if (!added) continue;
      copies.push_back(static_cast<int>(v));
      places.insert(places.end(), {x, y});
    }
  }
};

class GltfWriter {
 public:
  GltfWriter(std::span<const SurfacePart> parts, const FrameSource& frames,
             std::span<const Prop> props)
      : parts_(parts), frames_(frames), props_(props) {
    // Times must grow, also when they are rounded to single precision.
    float last = 0;
    for (std::size_t k = 0; k < frames.frames(); ++k) {
      const auto t = static_cast<float>(frames.time(k) - frames.time(0));
      if (k > 0 && !(t > last)) continue;
      used_.push_back(k);
      times_.push_back(t);
      last = t;
    }
    for (const SurfacePart& part : parts) splits_.emplace_back(part);
  }

  // Everything but the data: needs one pass over the frames, for the bounds of each.
  Json describe(UpAxis up) {
    Json json;
    json["asset"] = {{"version", "2.0"}, {"generator", "lilyan " + std::string(version())}};
    json["scene"] = 0;
    Json roots = Json::array();
    json["nodes"] = Json::array();
    json["materials"] = Json::array();
    json["meshes"] = Json::array();
    for (std::size_t p = 0; p < parts_.size(); ++p) describe_part(p, json, roots);
    for (const Prop& prop : props_) describe_prop(prop, json, roots);
    if (up == UpAxis::z) {
      constexpr double kHalf = 0.70710678118654752;  // a quarter turn about x takes z to y
      json["nodes"].push_back(
          {{"name", "z up"}, {"rotation", {-kHalf, 0, 0, kHalf}}, {"children", roots}});
      roots = Json::array({json["nodes"].size() - 1});
    }
    json["scenes"] = Json::array({{{"nodes", roots}}});
    if (used_.size() > 1) describe_animation(json);
    json["bufferViews"] = views_;
    json["accessors"] = accessors_;
    return json;
  }

  [[nodiscard]] std::uint64_t bytes() const { return offset_; }

  template <class Sink>
  void write_data(const Sink& sink) const {
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      const SurfacePart& part = parts_[p];
      std::vector<std::uint32_t> indices = splits_[p].corners;
      for (const auto& e : part.edges) indices.insert(indices.end(), e.begin(), e.end());
      sink(std::as_bytes(std::span(indices)));
      sink(std::as_bytes(std::span(splits_[p].places)));
      Attributes first;
      Attributes frame;
      for (const std::size_t k : used_) {
        load(p, k, frame);
        if (k == used_.front()) {
          first = frame;
        } else {
          subtract(first, frame);
        }
        sink(std::as_bytes(std::span(frame.positions)));
        sink(std::as_bytes(std::span(frame.normals)));
      }
    }
    for (const Prop& prop : props_) {
      std::vector<std::uint32_t> indices;
      for (const auto& t : prop.triangles) indices.insert(indices.end(), t.begin(), t.end());
      sink(std::as_bytes(std::span(indices)));
      sink(std::as_bytes(std::span(prop.points)));
      sink(std::as_bytes(std::span(prop.normals)));
    }
    if (used_.size() < 2) return;
    sink(std::as_bytes(std::span(times_)));
    std::vector<float> weights(used_.size() - 1);
    for (std::size_t k = 0; k < used_.size(); ++k) {
      std::ranges::fill(weights, 0.0F);
      if (k > 0) weights[k - 1] = 1;
      sink(std::as_bytes(std::span(weights)));
    }
    for (const Prop& prop : props_) {
      if (!prop.motion.moves()) continue;
      const Path path = path_of(prop);
      sink(std::as_bytes(std::span(path.shifts)));
      sink(std::as_bytes(std::span(path.turns)));
    }
  }

 private:
  // Where a prop is in each frame.
  struct Path {
    std::vector<float> shifts;  // three numbers each
    std::vector<float> turns;   // quaternions x, y, z, w, each near the one before
  };
  [[nodiscard]] Path path_of(const Prop& prop) const {
    Path path;
    Eigen::Quaterniond last = Eigen::Quaterniond::Identity();
    for (const std::size_t k : used_) {
      const Pose pose = prop.motion.at(frames_.time(k));
      const Vec3 shift = pose.apply(Vec3::Zero());
      Eigen::Quaterniond turn(pose.rotation);
      if (turn.dot(last) < 0) turn.coeffs() = -turn.coeffs();
      last = turn;
      for (const double x : shift) path.shifts.push_back(static_cast<float>(x));
      for (const double x : turn.coeffs()) path.turns.push_back(static_cast<float>(x));
    }
    return path;
  }

  [[nodiscard]] std::size_t first_vertex(std::size_t p) const {
    return vertex_count(parts_.first(p));
  }

  // Normals stay empty where there are no triangles.
  void load(std::size_t p, std::size_t frame, Attributes& out) const {
    std::vector<float> all;
    frames_.read(frame, all);
    const SurfacePart& part = parts_[p];
    const std::span<const float> own =
        std::span<const float>(all).subspan(3 * first_vertex(p), 3 * part.vertices.size());
    out.positions.assign(own.begin(), own.end());
    out.normals.clear();
    if (!part.triangles.empty()) vertex_normals(own, part.triangles, out.normals);
    for (const int v : splits_[p].copies) {
      const auto at = 3 * static_cast<std::size_t>(v);
      for (std::size_t a = 0; a < 3; ++a) {
        out.positions.push_back(out.positions[at + a]);
        out.normals.push_back(out.normals[at + a]);
      }
    }
  }

  static void subtract(const Attributes& first, Attributes& frame) {
    for (std::size_t i = 0; i < frame.positions.size(); ++i)
      frame.positions[i] -= first.positions[i];
    for (std::size_t i = 0; i < frame.normals.size(); ++i) frame.normals[i] -= first.normals[i];
  }

  std::size_t add_view(std::uint64_t size, int target) {
    Json view = {{"buffer", 0}, {"byteOffset", offset_}, {"byteLength", size}};
    if (target != 0) view["target"] = target;
    if (target == kVertexBuffer) view["byteStride"] = kVector;
    views_.push_back(view);
    offset_ += size;
    return views_.size() - 1;
  }

  std::size_t add_accessor(std::size_t view, std::uint64_t offset, int type, std::uint64_t count,
                           const char* shape) {
    accessors_.push_back({{"bufferView", view},
                          {"byteOffset", offset},
                          {"componentType", type},
                          {"count", count},
                          {"type", shape}});
    return accessors_.size() - 1;
  }

  void add_bounds(std::span<const float> points) {
    std::array<float, 3> least = {points[0], points[1], points[2]};
    std::array<float, 3> most = least;
    for (std::size_t i = 0; i < points.size(); ++i) {
      least[i % 3] = std::min(least[i % 3], points[i]);
      most[i % 3] = std::max(most[i % 3], points[i]);
    }
    accessors_.back()["min"] = least;
    accessors_.back()["max"] = most;
  }

  // Returns the accessor of the texture's places; anything where there is no texture.
  std::size_t add_texture(const Split& split) {
    if (split.places.empty()) return 0;
    const std::size_t view = add_view(split.places.size() * sizeof(float), kVertexBuffer);
    views_.back()["byteStride"] = 2 * sizeof(float);
    return add_accessor(view, 0, kFloat, split.places.size() / 2, "VEC2");
  }

  std::size_t add_indices(std::uint64_t count) {
    const std::size_t view = add_view(count * sizeof(std::uint32_t), kIndexBuffer);
    return add_accessor(view, 0, kUint32, count, "SCALAR");
  }

  static std::size_t add_material(Json& json, const std::string& name,
                                  const std::array<double, 4>& colour) {
    json["materials"].push_back(
        {{"name", name},
         {"pbrMetallicRoughness",
          {{"baseColorFactor", colour}, {"metallicFactor", 0}, {"roughnessFactor", 0.7}}},
         {"doubleSided", true}});
    return json["materials"].size() - 1;
  }

  void describe_prop(const Prop& prop, Json& json, Json& roots) {
    const std::uint64_t count = prop.points.size() / 3;
    const std::size_t material = add_material(json, prop.name, {0.62, 0.64, 0.68, 1});
    Json primitive = {{"mode", kTriangles},
                      {"material", material},
                      {"indices", add_indices(3 * prop.triangles.size())}};
    const std::size_t view = add_view(2 * count * kVector, kVertexBuffer);
    primitive["attributes"]["POSITION"] = add_accessor(view, 0, kFloat, count, "VEC3");
    add_bounds(prop.points);
    primitive["attributes"]["NORMAL"] = add_accessor(view, count * kVector, kFloat, count, "VEC3");
    Json node = {{"name", prop.name}, {"mesh", json["meshes"].size()}};
    if (prop.motion.moves()) {
      const Path path = path_of(prop);
      node["translation"] = std::vector<float>(path.shifts.begin(), path.shifts.begin() + 3);
      node["rotation"] = std::vector<float>(path.turns.begin(), path.turns.begin() + 4);
    }
    roots.push_back(json["nodes"].size());
    json["nodes"].push_back(node);
    json["meshes"].push_back({{"name", prop.name}, {"primitives", Json::array({primitive})}});
  }

  void describe_part(std::size_t p, Json& json, Json& roots) {
    const SurfacePart& part = parts_[p];
    const std::size_t material = add_material(json, part.name, colour(part.body));
    Json triangles;
    Json lines;
    if (!part.triangles.empty()) {
      triangles = {{"mode", kTriangles},
                   {"material", material},
                   {"indices", add_indices(3 * part.triangles.size())}};
    }
    if (!part.edges.empty()) {
      lines = {{"mode", kLines},
               {"material", material},
               {"indices", add_indices(2 * part.edges.size())}};
    }
    const std::uint64_t count = part.vertices.size() + splits_[p].copies.size();
    const std::size_t places = add_texture(splits_[p]);
    const std::uint64_t frame_bytes = count * kVector * (part.triangles.empty() ? 1 : 2);
    const std::size_t view = add_view(used_.size() * frame_bytes, kVertexBuffer);
    Json names = Json::array();
    Attributes first;
    Attributes frame;
    for (std::size_t k = 0; k < used_.size(); ++k) {
      load(p, used_[k], frame);
      if (k == 0) {
        first = frame;
      } else {
        subtract(first, frame);
        names.push_back(fmt::format("t = {:.6g}", frames_.time(used_[k])));
      }
      Json attributes;
      attributes["POSITION"] = add_accessor(view, k * frame_bytes, kFloat, count, "VEC3");
      add_bounds(frame.positions);
      if (!lines.is_null()) put_attributes(lines, k, attributes);
      if (!triangles.is_null()) {
        attributes["NORMAL"] =
            add_accessor(view, k * frame_bytes + count * kVector, kFloat, count, "VEC3");
        put_attributes(triangles, k, attributes);
      }
    }
    if (!part.texture.empty()) triangles["attributes"]["TEXCOORD_0"] = places;
    Json mesh = {{"name", part.name}, {"primitives", Json::array()}};
    for (const Json& primitive : {triangles, lines}) {
      if (!primitive.is_null()) mesh["primitives"].push_back(primitive);
    }
    if (used_.size() > 1) {
      mesh["weights"] = std::vector<int>(used_.size() - 1, 0);
      mesh["extras"] = {{"targetNames", names}};
    }
    roots.push_back(json["nodes"].size());
    json["nodes"].push_back({{"name", part.name}, {"mesh", json["meshes"].size()}});
    json["meshes"].push_back(mesh);
  }

  static void put_attributes(Json& primitive, std::size_t frame, const Json& attributes) {
    if (frame == 0) {
      primitive["attributes"] = attributes;
    } else {
      primitive["targets"].push_back(attributes);
    }
  }

  void describe_animation(Json& json) {
    const std::uint64_t count = used_.size();
    const std::size_t time_view = add_view(count * sizeof(float), 0);
    const std::size_t input = add_accessor(time_view, 0, kFloat, count, "SCALAR");
    accessors_.back()["min"] = {times_.front()};
    accessors_.back()["max"] = {times_.back()};
    const std::size_t weight_view = add_view(count * (count - 1) * sizeof(float), 0);
    const std::size_t output = add_accessor(weight_view, 0, kFloat, count * (count - 1), "SCALAR");
    Json channels = Json::array();
    for (std::size_t p = 0; p < parts_.size(); ++p) {
      channels.push_back({{"sampler", 0}, {"target", {{"node", p}, {"path", "weights"}}}});
    }
    Json samplers = Json::array();
    const auto add_sampler = [&](std::size_t values) {
      samplers.push_back({{"input", input}, {"output", values}, {"interpolation", "LINEAR"}});
      return samplers.size() - 1;
    };
    add_sampler(output);
    for (std::size_t p = 0; p < props_.size(); ++p) {
      if (!props_[p].motion.moves()) continue;
      const auto add_channel = [&](const char* path, std::uint64_t numbers, const char* shape) {
        const std::size_t values = add_view(count * numbers * sizeof(float), 0);
        const std::size_t sampler = add_sampler(add_accessor(values, 0, kFloat, count, shape));
        channels.push_back(
            {{"sampler", sampler}, {"target", {{"node", parts_.size() + p}, {"path", path}}}});
      };
      add_channel("translation", 3, "VEC3");
      add_channel("rotation", 4, "VEC4");
    }
    json["animations"] =
        Json::array({{{"name", "run"}, {"channels", channels}, {"samplers", samplers}}});
  }

  static std::array<double, 4> colour(int body) {
    static constexpr std::array<std::array<double, 4>, 6> kColours = {{{0.80, 0.45, 0.32, 1},
                                                                       {0.30, 0.50, 0.72, 1},
                                                                       {0.45, 0.65, 0.38, 1},
                                                                       {0.82, 0.68, 0.34, 1},
                                                                       {0.58, 0.45, 0.66, 1},
                                                                       {0.50, 0.50, 0.50, 1}}};
    return kColours[static_cast<std::size_t>(body) % kColours.size()];
  }

  std::span<const SurfacePart> parts_;
  const FrameSource& frames_;
  std::span<const Prop> props_;
  std::vector<Split> splits_;      // of the parts
  std::vector<std::size_t> used_;  // frames
  std::vector<float> times_;
  Json views_ = Json::array();
  Json accessors_ = Json::array();
  std::uint64_t offset_ = 0;
};

// A size in a .glb file, 32 bits wide.
std::string glb_size(std::uint64_t value) {
  std::string bytes;
  append_raw(bytes, static_cast<std::uint32_t>(value));
  return bytes;
}

}  // namespace

std::uint64_t gltf_bytes(std::uint64_t vertices, std::uint64_t frames) {
  return frames * (2 * kVector * vertices + sizeof(float) * frames);
}

void write_gltf(const std::filesystem::path& path, std::span<const SurfacePart> parts,
                const FrameSource& frames, const AnimationLook& look) {
  const std::uint64_t size = gltf_bytes(vertex_count(parts), frames.frames());
  if (size > kGltfMost) {
    throw Error(fmt::format(
        "{} would have {:.1f} GB with {} frames of {} vertices, and 2 GiB is the "
        "most: take fewer frames (output.every, or --every of lilyan export)",
        path.string(), static_cast<double>(size) / 1e9, frames.frames(), vertex_count(parts)));
  }
  const VitalMemory guard;
  GltfWriter writer(parts, frames, look.props);
  Json json = writer.describe(look.up);
  Json buffer = {{"byteLength", writer.bytes()}};
  const auto text_of = [](const Json& j) {
    return j.dump(-1, ' ', false, Json::error_handler_t::replace);
  };
  OutputFile file(path, Opening::whole);
  if (extension_of(path) == ".gltf") {
    std::string data;
    writer.write_data([&](std::span<const std::byte> bytes) {
      data.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    });
    buffer["uri"] = "data:application/octet-stream;base64," + base64(data);
    json["buffers"] = Json::array({buffer});
    file.write(text_of(json) + "\n");
  } else {
    json["buffers"] = Json::array({buffer});
    std::string text = text_of(json);
    text.append((4 - text.size() % 4) % 4, ' ');
    const std::uint64_t total = 12 + 8 + text.size() + 8 + writer.bytes();
    file.write("glTF" + glb_size(2) + glb_size(total));
    file.write(glb_size(text.size()) + "JSON" + text);
    file.write(glb_size(writer.bytes()) + std::string("BIN\0", 4));
    writer.write_data([&](std::span<const std::byte> bytes) { file.write_raw(bytes); });
  }
  file.close();
}

}  // namespace lilyan
