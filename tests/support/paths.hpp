// Where the sources and the program are. Defined in one file, so that no other depends on the
// place.
#pragma once

#include <filesystem>

namespace lilyan::test {

[[nodiscard]] std::filesystem::path source_folder();
[[nodiscard]] std::filesystem::path program();
[[nodiscard]] std::filesystem::path faults_library();  // support/faults.cpp

}  // namespace lilyan::test
