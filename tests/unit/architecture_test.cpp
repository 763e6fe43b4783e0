// Which folder may include which: the arrows of docs/architecture.md, read off the #include lines.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "support/paths.hpp"

namespace lilyan::test::architecture_test {
namespace {

using Folders = std::set<std::string>;

// A folder and the folders that its files may include, besides itself. Rows come in order: a folder
// includes only folders of rows above, so that there is no cycle.
struct Row {
  std::string folder;
  Folders may_include;
};

const std::vector<Row>& allowed() {
  static const std::vector<Row> rows = [] {
    Folders library;
    std::vector<Row> all = {
        {"base", {}},
        {"numeric", {"base"}},
        {"saving", {"base"}},
        {"parallel", {"base"}},
        {"model", {"base", "saving", "parallel"}},
        {"conservation", {"base", "saving", "model"}},
        {"method", {"base", "numeric"}},
        {"assemble", {"base", "numeric", "parallel", "model", "conservation"}},
        {"material", {"base", "numeric", "model", "assemble"}},
        {"physics", {"base", "numeric", "saving", "parallel", "model", "assemble"}},
        {"contact", {"base", "numeric", "saving", "parallel", "model", "assemble", "physics"}},
        {"solve", {"base", "saving", "parallel", "model", "conservation", "assemble"}},
        {"step",
         {"base", "numeric", "saving", "parallel", "model", "conservation", "method", "assemble",
          "solve"}},
        {"control",
         {"base", "numeric", "saving", "parallel", "model", "conservation", "method", "assemble",
          "solve", "step"}},
        {"lagrangian", {"base", "numeric", "parallel", "model", "method", "assemble", "physics"}},
    };
    for (const Row& row : all) library.insert(row.folder);
    all.push_back({"verify", library});
    library.insert("verify");
    // lilyan.hpp and plugin.hpp, the public surface.
    all.push_back({"lilyan", library});
    library.insert("lilyan");
    // The program. Every folder may use the library.
    Folders program = library;
    const auto add = [&](const std::string& folder, const std::vector<std::string>& others) {
      Folders may_include = library;
      may_include.insert(others.begin(), others.end());
      all.push_back({folder, may_include});
      program.insert(folder);
    };
    add("app/files", {});
    add("app/scene/toml", {"app/files"});
    add("app/scene/body", {"app/files", "app/scene/toml"});
    add("app/scene/contact", {"app/files", "app/scene/toml", "app/scene/body"});
    add("app/scene/small", {"app/scene/toml", "app/scene/body"});
    for (const char* folder :
         {"app/scene", "app/run", "app/report/picture", "app/report/record", "app/report/film",
          "app/report/page", "app/report/folder", "app/view", "app/pages", "app/cli", "app/bench",
          "app/distributed"}) {
      all.push_back({folder, program});
      program.insert(folder);
    }
    return all;
  }();
  return rows;
}

// "step" of "lilyan/step/minimise.hpp", "app/run" of "app/run/runner.hpp";
// "lilyan" of a header that is in no folder. Generated headers have none: empty.
std::string folder_of(const std::string& path) {
  const std::size_t end = path.rfind('/');
  std::string folder = path.substr(0, end);
  if (path.starts_with("lilyan/all_") || path == "lilyan/build.hpp" ||
      path == "lilyan/version.hpp") {
    return "";
  }
  if (folder == "lilyan") return folder;
  if (folder.starts_with("lilyan/")) folder = folder.substr(7);
  // Folders below those of the table belong to them: method/detail, lagrangian/problem.
  std::string found;
  for (const Row& row : allowed()) {
    const bool within = folder == row.folder || folder.starts_with(row.folder + "/");
    if (within && row.folder.size() > found.size()) found = row.folder;
  }
  return found.empty() ? folder : found;
}

struct Include {
  std::string from, to;  // folders
  std::string place;     // "src/lilyan/model/system.hpp:8: #include …"
};

std::vector<Include> includes() {
  std::vector<Include> all;
  for (const char* root : {"src/lilyan", "app"}) {
    for (const auto& entry :
         std::filesystem::recursive_directory_iterator(source_folder() / root)) {
      const std::string extension = entry.path().extension().string();
      if (extension != ".hpp" && extension != ".cpp") continue;
      const std::string path =
          std::filesystem::relative(entry.path(), source_folder()).generic_string();
      std::ifstream in(entry.path());
      std::string line;
      for (int number = 1; std::getline(in, line); ++number) {
        if (!line.starts_with("#include \"")) continue;
        const std::string to = line.substr(10, line.find('"', 10) - 10);
        const std::string from = path.starts_with("src/") ? path.substr(4) : path;
        all.push_back(
            {folder_of(from), folder_of(to), path + ":" + std::to_string(number) + ": " + line});
      }
    }
  }
  return all;
}

TEST(Architecture, RowsIncludeOnlyRowsAbove) {
  Folders above;
  for (const Row& row : allowed()) {
    for (const std::string& folder : row.may_include) {
      EXPECT_TRUE(above.contains(folder)) << row.folder << " may include " << folder
                                          << ", which comes after it in the table: a cycle";
    }
    above.insert(row.folder);
  }
}

TEST(Architecture, FilesIncludeOnlyWhatTheirFolderMay) {
  const std::vector<Include> all = includes();
  EXPECT_GT(all.size(), 500U) << "the sources were not found";
  for (const Include& include : all) {
    if (include.to.empty() || include.to == include.from) continue;
    const auto row = std::ranges::find(allowed(), include.from, &Row::folder);
    if (row == allowed().end()) {
      ADD_FAILURE() << include.place << "\n  " << include.from << " is not in the table";
      continue;
    }
    EXPECT_TRUE(row->may_include.contains(include.to))
        << include.place << "\n  files of " << include.from << " must not include files of "
        << include.to;
  }
}

}  // namespace
}  // namespace lilyan::test::architecture_test
