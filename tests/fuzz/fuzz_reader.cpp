// One reader under libFuzzer: LILYAN_FUZZ_READER names it. Anything but a sound mesh or InputError
// is a finding. See CMakeLists.txt here for how it is built.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "support/readers.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const lilyan::test::Reader& reader = []() -> const lilyan::test::Reader& {
    for (const auto& r : lilyan::test::readers()) {
      if (std::string_view(r.name) == LILYAN_FUZZ_READER) return r;
    }
    throw std::logic_error("no such reader: " LILYAN_FUZZ_READER);
  }();
  // As read_file() does: readers are never given an empty file.
  if (size == 0) return 0;
  try {
    reader.read({reinterpret_cast<const char*>(data), size});
  } catch (const lilyan::InputError&) {
  }
  return 0;
}
