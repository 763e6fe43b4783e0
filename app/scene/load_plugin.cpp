#include "app/scene/load_plugin.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "lilyan/base/error.hpp"
#include "lilyan/plugin.hpp"

namespace lilyan {
namespace {

// Within what this function is in, which may itself be a shared object (that of Python), is what plugins look for.
void show_library_to_plugins() {
  Dl_info here;
  if (::dladdr(reinterpret_cast<void*>(&load_plugin), &here) == 0) return;
  ::dlopen(here.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
}

std::string last_fault() {
  const char* fault = ::dlerror();
  return fault ? fault : "it cannot be loaded";
}

}  // namespace

void load_plugin(const std::filesystem::path& file) {
  const SourceLocation where{file.string()};
  if (!std::filesystem::is_regular_file(file)) throw InputError(where, "there is no such plugin");
  show_library_to_plugins();
  // With a folder in its name, so that it is not looked for among the libraries of the system.
  const std::string path = std::filesystem::absolute(file).string();
  // What a plugin of another version lacks is bound after the text that says which version it is for.
  void* plugin = ::dlopen(path.c_str(), RTLD_LAZY | RTLD_LOCAL);
  if (!plugin) throw InputError(where, "not a plugin: " + last_fault());
  const auto fit = reinterpret_cast<const char* (*)()>(::dlsym(plugin, "lilyan_plugin_fit"));
  const auto add = reinterpret_cast<void (*)()>(::dlsym(plugin, "lilyan_plugin_add"));
  if (!fit || !add) {
    throw InputError(where, "not a plugin: it has no block LILYAN_PLUGIN (lilyan/plugin.hpp)");
  }
  if (std::string_view(fit()) != LILYAN_PLUGIN_FIT) {
    throw InputError(where, fmt::format("compiled for {}, but this is {}; compile it again", fit(),
                                        LILYAN_PLUGIN_FIT));
  }
  if (!::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) throw InputError(where, last_fault());
  try {
    add();
  } catch (const Error& error) {
    throw InputError(where, error.what());
  }
}

}  // namespace lilyan
