#include "app/scene/motion.hpp"

#include <Eigen/Geometry>
#include <numbers>

#include "app/scene/body.hpp"
#include "lilyan/core/error.hpp"

namespace lilyan {

RigidMotion read_motion(TableReader& reader, const Vec3& standard_center) {
  reader.expect({"keys", "axis", "center", "easing", "repeat"});
  std::vector<Keyframe> keys;
  for (TableReader& table : reader.tables("keys")) {
    Keyframe key;
    key.t = table.number("t");
    key.shift = table.vector("shift", Vec3::Zero());
    key.angle = table.number("angle", 0.0) * std::numbers::pi / 180;
    if (!keys.empty() && !(key.t > keys.back().t)) {
      table.fail("t", "the keys of a motion must come in the order of their times");
    }
    table.finish();
    keys.push_back(key);
  }
  if (keys.size() < 2) {
    reader.fail("keys",
                "a motion needs two keys or more, as in keys = [{ t = 0 }, { t = 1, shift "
                "= [0, 1, 0] }]");
  }
  const Vec3 axis = reader.vector("axis", Vec3(Vec3::UnitY()));
  if (axis.isZero(0)) reader.fail("axis", "'axis' must not be zero");
  const Vec3 center = reader.vector("center", standard_center);
  const std::string easing = reader.choice("easing", {"linear", "smooth"}, "smooth");
  const bool repeat = reader.flag("repeat", false);
  return {std::move(keys), axis, center, easing == "smooth" ? Easing::smooth : Easing::linear,
          repeat};
}

SceneScript read_script(TableReader reader, const Vector& rest, const Vector& x) {
  reader.expect({"region"});
  if (!reader.has("region")) {
    reader.fail("region", "a script needs a 'region': which vertices it moves");
  }
  SceneScript script;
  script.vertices = read_region(reader.table("region"), rest);
  Eigen::AlignedBox3d box;
  for (const int i : script.vertices) box.extend(Vec3(x.segment<3>(3 * i)));
  script.motion = read_motion(reader, box.center());
  const Pose start = script.motion.at(0);
  if (!start.shift.isZero(0) || !start.rotation.isIdentity(0)) {
    reader.fail("keys",
                "at t = 0 the motion must leave the vertices where they are: begin with a "
                "key { t = 0 }, without shift and angle");
  }
  reader.finish();
  return script;
}

}  // namespace lilyan
