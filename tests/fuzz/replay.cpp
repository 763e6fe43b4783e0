// Runs inputs that fuzzing found before through what is fuzzed, without libFuzzer, with any compiler: a quick test,
// among all others. `lilyan_replay NAME FOLDER` gives every file of the folder to the target of that name.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iostream>
#include <iterator>
#include <map>
#include <string>
#include <vector>

#include "support/readers.hpp"

#define LLVMFuzzerTestOneInput fuzz_checkpoint
#define LLVMFuzzerInitialize initialize_checkpoint
#include "fuzz_checkpoint.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_command
#include "fuzz_command.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_expression
#include "fuzz_expression.cpp"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_scene
#include "fuzz_scene.cpp"
#undef LLVMFuzzerTestOneInput

namespace {

using Target = std::function<void(const std::string&)>;

Target of_libfuzzer(int (*target)(const std::uint8_t*, std::size_t)) {
  return [=](const std::string& input) {
    target(reinterpret_cast<const std::uint8_t*>(input.data()), input.size());
  };
}

std::map<std::string, Target> targets() {
  std::map<std::string, Target> all = {{"checkpoint", of_libfuzzer(fuzz_checkpoint)},
                                       {"command", of_libfuzzer(fuzz_command)},
                                       {"expression", of_libfuzzer(fuzz_expression)},
                                       {"scene", of_libfuzzer(fuzz_scene)}};
  for (const lilyan::test::Reader& reader : lilyan::test::readers()) {
    all[reader.name] = [&](const std::string& input) {
      if (input.empty()) return;  // fuzz_reader.cpp says why
      try {
        reader.read(input);
      } catch (const lilyan::InputError&) {
      }
    };
  }
  return all;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 3) {
    std::cerr << "usage: lilyan_replay NAME FOLDER\n";
    return 2;
  }
  (void)initialize_checkpoint(&count,
                              &arguments);  // writes inputs to begin with, if it is asked to
  const Target target = targets().at(arguments[1]);
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(arguments[2])) {
    files.push_back(entry.path());
  }
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::ifstream in(file, std::ios::binary);
    const std::string input((std::istreambuf_iterator<char>(in)), {});
    try {
      target(input);
    } catch (const std::exception& error) {
      std::cerr << file << ": " << error.what() << "\n";
      return 1;
    }
  }
  std::cout << files.size() << " inputs\n";
  return files.empty() ? 1 : 0;
}
