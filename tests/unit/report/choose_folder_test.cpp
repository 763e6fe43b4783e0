// Which folder a run writes into: no run that is finished or interrupted is lost.
#include "app/report/folder/choose_folder.hpp"

#include <gtest/gtest.h>

#include <filesystem>

#include "lilyan/base/error.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::choose_folder_test {
namespace {

namespace fs = std::filesystem;

// Stands in a temporary folder while it exists.
class Inside {
 public:
  explicit Inside(const TempFolder& folder) : before_(fs::current_path()) {
    fs::current_path(folder.path());
  }
  ~Inside() { fs::current_path(before_); }
  Inside(const Inside&) = delete;
  Inside& operator=(const Inside&) = delete;

 private:
  fs::path before_;
};

void put_run(const TempFolder& folder, const std::string& name, const std::string& scene,
             const std::string& status) {
  fs::create_directories(folder.path() / name);
  folder.write(name + "/scene.resolved.toml", scene);
  folder.write(name + "/run.json", "{ \"status\": \"" + status + "\" }");
  if (status != "finished") folder.write(name + "/checkpoint.bin", "x");
}

TEST(ChooseFolder, AFreshOneAndTheSameSceneAgain) {
  const TempFolder folder;
  const Inside inside(folder);
  EXPECT_EQ(choose_folder({.name = "s-avf", .identity = "a"}).folder, "results/s-avf");
  put_run(folder, "results/s-avf", "a", "finished");
  const FolderChoice again = choose_folder({.name = "s-avf", .identity = "a"});
  EXPECT_EQ(again.folder, "results/s-avf");
  EXPECT_EQ(again.note, "");
}

TEST(ChooseFolder, AnotherSceneOfTheSameNameGetsItsOwn) {
  const TempFolder folder;
  const Inside inside(folder);
  put_run(folder, "results/s-avf", "a", "finished");
  put_run(folder, "results/s-avf-2", "b", "finished");
  const FolderChoice third = choose_folder({.name = "s-avf", .identity = "c"});
  EXPECT_EQ(third.folder, "results/s-avf-3");
  EXPECT_NE(third.note.find("results/s-avf holds the results of another scene"), third.note.npos);
  EXPECT_EQ(choose_folder({.name = "s-avf", .identity = "b"}).folder, "results/s-avf-2");
  EXPECT_EQ(choose_folder({.name = "s-avf", .identity = "c", .overwrite = true}).folder,
            "results/s-avf");
}

TEST(ChooseFolder, AnInterruptedRunIsNeverReplaced) {
  for (const char* status : {"interrupted", "running"}) {
    const TempFolder folder;
    const Inside inside(folder);
    put_run(folder, "results/s-avf", "a", status);
    const FolderChoice choice = choose_folder({.name = "s-avf", .identity = "a"});
    EXPECT_EQ(choice.folder, "results/s-avf-2");
    EXPECT_NE(choice.note.find("--resume results/s-avf"), choice.note.npos) << choice.note;
    EXPECT_THROW((void)choose_folder({.given = "results/s-avf", .identity = "a"}), Error);
    EXPECT_EQ(choose_folder({.given = "results/s-avf", .identity = "a", .overwrite = true}).folder,
              "results/s-avf");
  }
}

TEST(ChooseFolder, AGivenFolderIsTakenOrRefused) {
  const TempFolder folder;
  const Inside inside(folder);
  put_run(folder, "mine", "a", "finished");
  EXPECT_EQ(choose_folder({.given = "mine", .identity = "a"}).folder, "mine");
  try {
    (void)choose_folder({.given = "mine", .identity = "b"});
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("--overwrite"), std::string::npos) << error.what();
  }
}

TEST(ChooseFolder, NamesSayWhatDiffers) {
  EXPECT_EQ(name_of_changes({}, {}), "");
  EXPECT_EQ(name_of_changes({"integrator.method=newmark"}, {}), "");
  EXPECT_EQ(name_of_changes({"integrator.step=0.01", "body.0.material.model=\"neo-hookean\""}, 60),
            "-step=0.01-material=neo-hookean-steps=60");
  EXPECT_EQ(name_of_changes({"body.1.velocity = [1, 0, -2.5]"}, {}), "-velocity=1_0_-2.5");
  // Never a path.
  EXPECT_EQ(name_of_changes({"body.0.mesh=../../x/y.vtu"}, {}).find('/'), std::string::npos);
  // Long ones are cut, and stay apart.
  const std::string a = name_of_changes({"system.energy=" + std::string(200, 'a')}, {});
  const std::string b = name_of_changes({"system.energy=" + std::string(201, 'a')}, {});
  EXPECT_LT(a.size(), 60U);
  EXPECT_NE(a, b);
  const std::vector<std::string> many(40, "integrator.step=0.123456");
  EXPECT_LT(name_of_changes(many, {}).size(), 120U);
}

}  // namespace
}  // namespace lilyan::test::choose_folder_test
