// report.html: what is in it, that it needs nothing else, and that it tells of failures.
#include "app/report/page/report.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>

#include "app/report/folder/result_folder.hpp"
#include "app/report/picture/html.hpp"
#include "app/report/record/run_record.hpp"
#include "app/report/record/summary_table.hpp"
#include "app/run/runner.hpp"
#include "app/scene/scene.hpp"
#include "lilyan/assemble/invariants.hpp"
#include "lilyan/conservation/drift.hpp"
#include "support/temp_folder.hpp"

namespace lilyan::test::report_test {
namespace {

const std::string kBar =
    "title = \"A <b>bar</b> & more\"\n[integrator]\nstep = 0.02\nsteps = 40\n[[body]]\nmass = 1\n"
    "material = { mu = 30, lambda = 20 }\n"
    "shape = { kind = \"bar\", size = [2, 1, 1], cells = [2, 1, 1] }\n"
    "deform = [{ kind = \"stretch\", factors = [1.3, 1, 1] }]\n";

const std::string kPendulum =
    "[integrator]\nmethod = \"stoermer-verlet\"\nstep = 0.05\nsteps = 100\n[system]\n"
    "kind = \"lagrangian\"\ncoordinates = [\"a\"]\nkinetic = \"a'^2/2\"\npotential = \"-cos(a)\"\n"
    "position = { a = 1 }\n[system.invariants]\nH = \"a'^2/2 - cos(a)\"\n"
    "[[system.event]]\nname = \"down\"\nzero = \"a\"\n";

// Runs into DIR/out; stops after so many steps if asked to.
RunRecord run_into(const TempFolder& folder, const std::string& text, int stop = -1,
                   std::vector<std::string> settings = {}) {
  const Scene scene = load_scene(folder.write("s.toml", text), {.settings = std::move(settings)});
  ResultFolder results(folder.path() / "out", scene);
  DriftTracker drift(*scene.system, scene.initial, invariants(*scene.system, scene.initial));
  const FinishedRun summary = run_scene(scene, drift, [&](const RunMoment& moment) {
    results.add(moment);
    return moment.step != stop;
  });
  results.finish(summary, summary.state, drift);
  return results.record() ? std::move(*results.record()) : RunRecord{};
}

std::string html_of(const TempFolder& folder) {
  return read_text(folder.path() / "out" / "report.html");
}

int count(const std::string& text, const std::string& word) {
  int n = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += word.size()) ++n;
  return n;
}

// Everything that a browser would fetch must be in the page. The page's own style and script are
// checked where they are made (web/test/report.test.mjs): they are left out here.
void expect_self_contained(const std::string& html) {
  const std::string page(html::page_template());
  const std::size_t body = page.find("<!-- body -->");
  ASSERT_NE(body, std::string::npos);
  const std::size_t start = html.find("<main>");
  ASSERT_NE(start, std::string::npos);
  const std::string text = html.substr(start, html.rfind("</main>") - start);
  const std::regex loads(R"re((src|href|data|action)\s*=\s*"([^"]{0,12}))re");
  for (auto it = std::sregex_iterator(text.begin(), text.end(), loads);
       it != std::sregex_iterator(); ++it) {
    const std::string target = (*it)[2];
    EXPECT_TRUE(target.starts_with("data:") || target.starts_with("#") || target.starts_with("./"))
        << it->str();
  }
  for (const char* word : {"<link", "<iframe", "@import", "url(http", "src=\"http"}) {
    EXPECT_EQ(text.find(word), std::string::npos) << word;
  }
  EXPECT_EQ(count(text, "<script"), count(text, "<script type=\"application/json\">"));
  EXPECT_TRUE(html.ends_with(page.substr(page.find("</main>")))) << "the script of the charts";
  EXPECT_NE(html.find("default-src 'none'"), std::string::npos);
}

// The data of all charts, as the script of the page reads them.
std::vector<nlohmann::json> charts_of(const std::string& html) {
  std::vector<nlohmann::json> charts;
  const std::string mark = "<script type=\"application/json\">";
  for (std::size_t at = 0; (at = html.find(mark, at)) != std::string::npos;) {
    at += mark.size();
    charts.push_back(nlohmann::json::parse(html.substr(at, html.find("</script>", at) - at)));
  }
  return charts;
}

TEST(Report, OfABodyHasFramesCurvesLedgerAndTheSceneAndNeedsNothingElse) {
  const TempFolder folder;
  run_into(folder, kBar);
  const std::string html = html_of(folder);
  expect_self_contained(html);
  // Five pictures and an animation, each on light and on dark; of the animation a still picture as well.
  EXPECT_EQ(count(html, "<picture>"), 6);
  EXPECT_EQ(count(html, "data:image/png;base64,iVBORw0KGgo"), 5 * 2 + 4);
  std::vector<std::string> titles;
  for (const nlohmann::json& chart : charts_of(html)) {
    titles.push_back(chart["title"]);
    EXPECT_TRUE(chart["over_time"]);
    EXPECT_EQ(chart["x_label"], "time (s)");
    for (const nlohmann::json& series : chart["series"]) {
      EXPECT_EQ(series["x"].size(), series["y"].size());
      EXPECT_EQ(series["x"].back(), 0.8);
    }
  }
  EXPECT_EQ(titles, (std::vector<std::string>{"Energy: the parts and their sum", "Energy error",
                                              "Linear momentum", "Angular momentum",
                                              "Where the energy went", "Iterations of each step"}));
  for (const char* text :
       {"40 steps of 0.02 s, 40 done", "energy conserved", "linear momentum conserved", "avf(auto)",
        "t = 0.8 s", "Ledger", "worst imbalance", "<details>", "step = 0.02",
        "href=\"./series.csv\"", "href=\"./run.json\"", "href=\"./frames/\""}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  const std::string json = read_text(folder.path() / "out" / "run.json");
  EXPECT_NE(json.find("\"report\": \"report.html\""), std::string::npos);
}

TEST(Report, ThePartsOfTheEnergyAddUp) {
  const TempFolder folder;
  run_into(folder, kBar + "[world]\ngravity = [0, -2, 0]\n");
  for (const nlohmann::json& chart : charts_of(html_of(folder))) {
    if (chart["title"] != "Energy: the parts and their sum") continue;
    EXPECT_EQ(chart["y_label"], "J");
    const nlohmann::json& series = chart["series"];
    ASSERT_EQ(series.size(), 4U);
    EXPECT_EQ(series[0]["label"], "kinetic");
    EXPECT_EQ(series[2]["label"], "gravity");
    EXPECT_EQ(series[3]["label"], "sum");
    double largest = 0;
    for (std::size_t i = 0; i < series[3]["y"].size(); ++i) {
      double sum = 0;
      for (std::size_t k = 0; k < 3; ++k) {
        sum += series[k]["y"][i].get<double>();
        largest = std::max(largest, std::abs(series[k]["y"][i].get<double>()));
      }
      EXPECT_NEAR(sum, series[3]["y"][i].get<double>(), 1e-3 * largest);
    }
    return;
  }
  FAIL() << "there is no such chart";
}

TEST(Report, EscapesWhatTheSceneSays) {
  const TempFolder folder;
  run_into(folder, kBar);
  const std::string html = html_of(folder);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
  EXPECT_NE(html.find("<h1>A &lt;b&gt;bar&lt;/b&gt; &amp; more</h1>"), std::string::npos);
  EXPECT_NE(html.find("title = &#39;A &lt;b&gt;bar"), std::string::npos);
}

TEST(Report, WithoutScriptsChartsAreTables) {
  Figure figure{.title = "Energy <1>", .x_label = "time", .y_label = "E & more", .over_time = true};
  figure.series = {{.x = {0, 1, 2, 3}, .y = {1, -7.5, std::nan(""), 4}, .label = "</script>"}};
  const std::string html = html::chart(figure);
  EXPECT_NE(html.find("<figcaption>Energy &lt;1&gt;: E &amp; more over time</figcaption>"),
            std::string::npos);
  EXPECT_NE(
      html.find(
          "<tr><td>&lt;/script&gt;</td><td data-head=\"start\">1</td><td data-head=\"end\">4</td>"
          "<td data-head=\"least\">-7.5</td><td data-head=\"largest\">4</td></tr>"),
      std::string::npos)
      << html;
  EXPECT_EQ(count(html, "</script>"), 1) << "a label cannot end the data";
  const nlohmann::json data = charts_of(html)[0];
  EXPECT_EQ(data["series"][0]["label"], "</script>");
  EXPECT_EQ(data["series"][0]["y"], (nlohmann::json{1, -7.5, nullptr, 4}));
  EXPECT_EQ(data["cut"], nullptr);
}

TEST(Report, DataOfChartsHaveTheDigitsThatShow) {
  Figure figure{.over_time = true, .cut = 3};
  for (int i = 0; i <= 100; ++i) {
    const double t = 0.1 * i;
    if (figure.series.empty()) figure.series.resize(3);
    for (PlotSeries& s : figure.series) s.x.push_back(1e6 + t);
    figure.series[0].y.push_back(std::sin(t));
    figure.series[1].y.push_back(1 + 1e-9 * std::sin(t));
    figure.series[2].y.push_back(std::pow(10, -t));
  }
  const nlohmann::json data = charts_of(html::chart(figure))[0];
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<double> x = data["series"][k]["x"];
    const std::vector<double> y = data["series"][k]["y"];
    const double height = k == 0 ? 2 : 2e-9;
    for (std::size_t i = 0; i <= 100; ++i) {
      EXPECT_NEAR(x[i], figure.series[k].x[i], 1e-4 * 10);
      EXPECT_NEAR(y[i], figure.series[k].y[i], 1e-4 * height);
    }
  }
  EXPECT_LT(data["series"][0]["y"].dump().size(), 1000U) << "five digits, not seventeen";
  EXPECT_EQ(data["cut"], 3);
  figure.log_y = true;
  const std::vector<double> small = charts_of(html::chart(figure))[0]["series"][2]["y"];
  for (std::size_t i = 0; i <= 100; ++i) {
    EXPECT_NEAR(small[i] / figure.series[2].y[i], 1, 1e-4);
  }
}

TEST(Report, OfASmallSystemShowsItsMotionInvariantsAndEvents) {
  const TempFolder folder;
  run_into(folder, kPendulum);
  const std::string html = html_of(folder);
  expect_self_contained(html);
  EXPECT_EQ(count(html, "data:image/png"), 0);
  for (const char* text : {"<h2>Motion</h2>", "<h2>Invariants</h2>", "<h2>Events</h2>", ">H</td>",
                           ">down</td>", "href=\"./trajectory.csv\""}) {
    EXPECT_NE(html.find(text), std::string::npos) << text;
  }
  const std::vector<nlohmann::json> charts = charts_of(html);
  ASSERT_GE(charts.size(), 4U);
  EXPECT_TRUE(charts[0]["over_time"]);
  EXPECT_FALSE(charts[1]["over_time"]) << "the phase portrait";
  EXPECT_EQ(charts[1]["y_label"], "a′");
  EXPECT_EQ(charts[1]["series"][0]["x"].size(), 101U);
  EXPECT_EQ(charts[1]["series"][0]["x"][0], 1);
  EXPECT_EQ(html.find("momentum"), std::string::npos);
}

TEST(Report, TellsThatARunWasInterruptedOrFailed) {
  const TempFolder folder;
  const RunRecord stopped = run_into(folder, kBar, 7);
  EXPECT_NE(html_of(folder).find("The run was interrupted after step 7."), std::string::npos);
  EXPECT_EQ(stopped.frames.back().step, 7);
  const TempFolder other;
  run_into(other, kBar, -1, {"solver.max_iterations=1", "solver.on_failure=stop"});
  const std::string html = html_of(other);
  EXPECT_NE(html.find("The run failed after step 0: step 1"), std::string::npos);
  EXPECT_NE(html.find("did not converge within the iteration limit"), std::string::npos);
  expect_self_contained(html);
}

TEST(Report, CanBeTurnedOffAndAnEarlierOneIsRemoved) {
  const TempFolder folder;
  run_into(folder, kBar, 3);
  ASSERT_TRUE(std::filesystem::exists(folder.path() / "out/report.html"));
  run_into(folder, kBar, 3, {"output.report=false"});
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "out/report.html"));
  EXPECT_EQ(read_text(folder.path() / "out/run.json").find("report.html"), std::string::npos);
}

// However long a run is, and wherever it ends.
TEST(Report, KeepsAFewEvenlySpacedFrames) {
  for (const int steps : {1, 10, 37, 40, 200}) {
    for (const int stop : {-1, steps / 3}) {
      const TempFolder folder;
      const RunRecord record =
          run_into(folder, kBar, stop, {"integrator.steps=" + std::to_string(steps)});
      const int end = stop < 0 ? steps : stop;
      const std::vector<KeptFrame>& frames = record.frames;
      ASSERT_FALSE(frames.empty());
      EXPECT_LE(frames.size(), 32U);
      EXPECT_EQ(frames.front().step, 0);
      EXPECT_EQ(frames.back().step, end);
      EXPECT_GE(frames.size(), std::min<std::size_t>(8, static_cast<std::size_t>(end + 1)));
      int widest = 0;
      for (std::size_t i = 1; i < frames.size(); ++i) {
        ASSERT_GT(frames[i].step, frames[i - 1].step);
        widest = std::max(widest, frames[i].step - frames[i - 1].step);
      }
      EXPECT_LE(widest, end / 5 + 1) << steps << ", stopped after " << stop;
    }
  }
}

TEST(Report, OfSeveralRunsHasARowForEachAndSaysWhoCouldNotRun) {
  const TempFolder folder;
  const RunRecord avf = run_into(folder, kBar);
  const RunRecord euler = run_into(folder, kBar, 10, {"integrator.method=backward-euler"});
  RunRecord none;
  none.method = "nobody";
  none.started = false;
  none.summary.message = "cannot do <this>";
  const std::vector<const RunRecord*> runs = {&none, &avf, &euler};
  const std::string html = report_html({.title = "Three", .files = {"table.csv"}}, runs);
  expect_self_contained(html);
  EXPECT_NE(html.find("nobody could not run this scene: cannot do &lt;this&gt;."),
            std::string::npos);
  EXPECT_NE(html.find("backward-euler was interrupted after step 10"), std::string::npos);
  EXPECT_EQ(count(html, "did not run</div>"), 6);
  EXPECT_EQ(count(html, "stopped at t = 0.2 s</div>"), 4);
  // Eight pictures on light and on dark, and two animations with a still picture each.
  EXPECT_EQ(count(html, "data:image/png"), 8 * 2 + 2 * 4);

  const SummaryTable table = summary_table(runs);
  ASSERT_EQ(table.rows.size(), 3U);
  EXPECT_EQ(table.rows[0][2], "could not start");
  EXPECT_EQ(table.rows[1][2], "finished");
  EXPECT_EQ(table.rows[2][1], "10");
  EXPECT_NE(as_markdown(table).find("| \\|ΔE\\|/E₀ |"), std::string::npos);
  const std::string csv = summary_csv(runs);
  EXPECT_EQ(count(csv, "\n"), 4);
  EXPECT_NE(csv.find("\nnobody,,0,could not start,,,,,,,cannot do <this>\n"), std::string::npos);
}

TEST(Report, NumbersHaveThreeDigitsAndNoNeedlessExponent) {
  EXPECT_EQ(three_digits(0.012345), "0.0123");
  EXPECT_EQ(three_digits(999.4), "999");
  EXPECT_EQ(three_digits(1284.2), "1284");
  EXPECT_EQ(three_digits(-45678.9), "-45679");
  EXPECT_EQ(three_digits(1.5e9), "1.5e+09");
  EXPECT_EQ(three_digits(0), "0");
}

TEST(Report, TheFoldersOfATableAreReadBack) {
  RunRecord plain, odd;
  plain.method = "avf";
  plain.folder = "avf";
  odd.method = "a \"b\", c";
  odd.folder = "a \"b\", c";
  odd.summary.message = "two\nlines,avf2,x";
  const std::vector<const RunRecord*> runs = {&odd, &plain};
  EXPECT_EQ(listed_folders(summary_csv(runs)), (std::vector<std::string>{"a \"b\", c", "avf"}));
  EXPECT_TRUE(listed_folders("").empty());
  EXPECT_TRUE(listed_folders("name,size\na,b\n").empty());
}

TEST(Report, Base64AndLinks) {
  EXPECT_EQ(base64(""), "");
  EXPECT_EQ(base64("M"), "TQ==");
  EXPECT_EQ(base64("Ma"), "TWE=");
  EXPECT_EQ(base64("Man"), "TWFu");
  EXPECT_EQ(base64(std::string("\xff\x00\xfe", 3)), "/wD+");
  EXPECT_EQ(html::url_path("hp-alpha=0.25/a b#c.svg"), "./hp-alpha=0.25/a%20b%23c.svg");
}

}  // namespace
}  // namespace lilyan::test::report_test
