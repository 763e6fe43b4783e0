// docs/materials.md is generated: it is what the files of materials and energies state today.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "app/pages/pages.hpp"
#include "lilyan/material/material.hpp"
#include "lilyan/physics/energies.hpp"
#include "support/paths.hpp"

namespace lilyan::test::material_page_test {
namespace {

TEST(MaterialPage, IsUpToDate) {
  std::ifstream file(source_folder() / "docs" / "materials.md");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), material_page()) << "run `lilyan materials --page docs/materials.md`";
}

TEST(MaterialPage, HasTheFormulaOfEveryMaterialAndEnergy) {
  const std::string page = material_page();
  for (const MaterialInfo& m : materials()) {
    ASSERT_FALSE(m.formula.empty()) << m.name;
    EXPECT_NE(page.find(m.formula), std::string::npos) << m.name;
  }
  for (const EnergyInfo& e : energy_infos()) {
    ASSERT_FALSE(e.formula.empty()) << e.name;
    EXPECT_NE(page.find("| " + e.name + " |"), std::string::npos) << e.name;
  }
}

}  // namespace
}  // namespace lilyan::test::material_page_test
