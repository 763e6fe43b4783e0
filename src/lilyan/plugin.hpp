// Methods and materials of your own in a shared object, which the program loads with --plugin:
//
//   #include <lilyan/plugin.hpp>
//
//   LILYAN_PLUGIN {
//     lilyan::add_material(Silicone::info());
//     lilyan::add_method(my_method());
//   }
//
// Scenes then name them like those of the library. A scene is data and never names a plugin itself. The object is
// compiled against the headers of the very version that the program has, and is not linked to the library: it finds
// the library in the program. examples/plugin has one that is complete.
#pragma once

#include "lilyan/assemble/tets.hpp"
#include "lilyan/lilyan.hpp"

#define LILYAN_TEXT_OF_(x) #x
#define LILYAN_TEXT_OF(x) LILYAN_TEXT_OF_(x)
#ifdef LILYAN_REFERENCE
#define LILYAN_PLUGIN_LANES "one kind of lanes"
#else
#define LILYAN_PLUGIN_LANES "the widest lanes"
#endif
// Program and plugin must agree on this text. It is all that changes the layout of what they share.
#define LILYAN_PLUGIN_FIT \
  "lilyan " LILYAN_VERSION_STRING ", Eigen " LILYAN_TEXT_OF(EIGEN_WORLD_VERSION) "." LILYAN_TEXT_OF( \
      EIGEN_MAJOR_VERSION) "." LILYAN_TEXT_OF(EIGEN_MINOR_VERSION) " aligned to " LILYAN_TEXT_OF( \
      LILYAN_EIGEN_ALIGNMENT) ", " LILYAN_PLUGIN_LANES

// Followed by a block that adds what the plugin has.
#define LILYAN_PLUGIN                                                         \
  extern "C" [[gnu::visibility("default")]] const char* lilyan_plugin_fit() { \
    return LILYAN_PLUGIN_FIT;                                                 \
  }                                                                           \
  extern "C" [[gnu::visibility("default")]] void lilyan_plugin_add()
