#include "support/paths.hpp"

namespace lilyan::test {

std::filesystem::path source_folder() { return LILYAN_SOURCE_DIR; }
std::filesystem::path program() { return LILYAN_PROGRAM; }
std::filesystem::path faults_library() { return LILYAN_FAULTS; }

}  // namespace lilyan::test
