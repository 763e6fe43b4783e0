// The sponge and Ralston's method for Lilyan's program:
//
//   cmake -B build && cmake --build build
//   lilyan run falling-blob --plugin build/own_plugin.so --set body.0.material.model=sponge
//   lilyan verify ralston --plugin build/own_plugin.so
#include <lilyan/plugin.hpp>

#include "../own.hpp"

LILYAN_PLUGIN {
  lilyan::add_material(Sponge::info());
  lilyan::add_method(ralston());
}
