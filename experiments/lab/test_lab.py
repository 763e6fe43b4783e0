"""What the experiments rely on."""

import json
import re
import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

import reproduce
from lab import figure, page, surface
from lab.experiment import FOLDER, LabError, all_experiments, choose
from lab.run import Lab
from lab.table import Data, read_table, write_table
from lab.verdict import FAILS, FURTHER, HOLDS, NOT_REPRODUCED, PAPER, Verdict, number


class Tables(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def test_numbers_come_back_to_the_last_digit(self):
        values = np.array([1 / 3, -1e-300, 2.0**70, 0.0])
        write_table(self.folder / "a.csv", {"x": values, "y": [1]})
        table = read_table(self.folder / "a.csv")
        np.testing.assert_array_equal(table["x"], values)
        np.testing.assert_array_equal(table["y"], [1, np.nan, np.nan, np.nan])

    def test_words_and_single_rows(self):
        write_table(self.folder / "a.csv", {"method": ["avf", "bdf, two"], "n": [1, 2]})
        table = read_table(self.folder / "a.csv")
        self.assertEqual(list(table["method"]), ["avf", "bdf, two"])
        self.assertEqual(list(table["n"]), [1, 2])
        write_table(self.folder / "b.csv", {"x": 3.0})
        self.assertEqual(read_table(self.folder / "b.csv")["x"], [3.0])

    def test_shapes_come_back(self):
        lab = Lab(SimpleNamespace(id="X-1"), self.folder, Path("lilyan"), quick=False, say=print)
        lab.shape("a", np.array([[1, 2, 3], [4, 5.5, 6]]))
        np.testing.assert_array_equal(Data(self.folder, False).shape("a"), [[1, 2, 3], [4, 5.5, 6]])

    def test_rows_are_found_by_a_column(self):
        write_table(self.folder / "data" / "t.csv", {"method": ["avf", "bdf2"], "n": [1, 2]})
        self.assertEqual(Data(self.folder, False).row("t", "method", "bdf2")["n"], 2)


class Verdicts(unittest.TestCase):
    def statuses(self, fill):
        verdict = Verdict()
        fill(verdict)
        return [claim.status for claim in verdict.claims], verdict.failed

    def test_a_claim_that_does_not_hold_needs_a_reason(self):
        self.assertEqual(self.statuses(lambda v: v.below("a", 1, 2)), ([HOLDS], False))
        self.assertEqual(self.statuses(lambda v: v.below("a", 3, 2)), ([FAILS], True))
        self.assertEqual(self.statuses(lambda v: v.below("a", 3, 2, reason="why")), ([NOT_REPRODUCED], False))
        self.assertEqual(self.statuses(lambda v: v.between("a", 3, 3, 4)), ([HOLDS], False))
        self.assertEqual(self.statuses(lambda v: v.above("a", 3, 3)), ([FAILS], True))

    def test_what_is_not_a_number_fails(self):
        for judge in (lambda v: v.below("a", np.nan, 2), lambda v: v.above("a", np.nan, 2),
                      lambda v: v.between("a", np.nan, 1, 2)):
            self.assertTrue(self.statuses(judge)[1])

    def test_a_reason_is_only_given_where_it_is_needed(self):
        verdict = Verdict()
        verdict.below("a", 1, 2, reason="why")
        self.assertEqual(verdict.claims[0].reason, "")

    def test_the_sentence_and_what_was_measured_are_kept_apart(self):
        verdict = Verdict()
        verdict.below("The energy stays: largest change: of all", 1, 2)
        verdict.further.below("The energy stays", 1, 2)
        paper, further = verdict.claims
        self.assertEqual((paper.text, paper.of, paper.origin), ("The energy stays", "largest change: of all", PAPER))
        self.assertEqual((further.text, further.of, further.origin), ("The energy stays", "", FURTHER))

    def test_a_further_check_can_fail(self):
        verdict = Verdict()
        verdict.further.below("The energy stays: change", 3, 2)
        self.assertTrue(verdict.failed)

    def test_numbers_as_people_write_them(self):
        self.assertEqual(number(7.43e-14, "E₀"), "7.4e-14 E₀")
        self.assertEqual(number(0.25), "0.25")
        self.assertEqual(number(123456.7), "123457")
        self.assertEqual(number(np.inf), "∞")


class Definitions(unittest.TestCase):
    def test_every_experiment_says_what_it_is(self):
        names = set()
        for experiment in all_experiments():
            self.assertTrue(experiment.title and experiment.source and experiment.shows, experiment.id)
            for name in (experiment.id, *experiment.also):
                self.assertNotIn(name.lower(), names)
                names.add(name.lower())

    def test_all_of_the_papers_are_there(self):
        wanted = """K-fig1 SD-fig2 SD-fig1 SD-fig3 SF-refine SF-landscape SF-damped SF-order K-fig2 K-fig3 K-damp-h
            K-sec5.4 K-fig4 K-sec3.5 A-fig2 A-fig3 A-fig4 A-fig5 A-fig6 A-fig7 A-fig8 A-fig9 A-fig10 A-fig11 A-fig12
            A-fig13 A-fig14 A-table1 open-contact open-neo-hookean open-energy-momentum open-fourth-order""".split()
        there = {name for e in all_experiments() for name in (e.id, *e.also)}
        self.assertEqual([name for name in wanted if name not in there], [])

    def test_names_in_any_case(self):
        self.assertEqual([e.id for e in choose(["sd-FIG2", "K-fig1"])], ["K-fig1"])
        self.assertEqual(len(choose(["all"])), len(all_experiments()))
        with self.assertRaisesRegex(LabError, "did you mean K-fig1"):
            choose(["K-fgi1"])


class Command(unittest.TestCase):
    """The program that runs them, with one experiment of its own that needs no simulation."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory())) / "with space"
        self.arguments = SimpleNamespace(output=self.folder, quick=True, redraw=False, keep_runs=False,
                                         program=Path("lilyan"))
        self.enterContext(mock.patch("sys.stdout"))
        self.enterContext(mock.patch("sys.stderr"))

    def experiment(self, value=1.0):
        import matplotlib.pyplot as plt

        return SimpleNamespace(id="X-1", also=(), title="Title", source="Paper", shows="", given={}, chosen={},
                               simulate=lambda lab: lab.table("t", {"x": [value]}),
                               judge=lambda data, verdict: verdict.below("small", data["t"]["x"][0], 2),
                               draw=lambda data: plt.figure())

    def test_figure_data_and_verdict_are_written(self):
        self.assertTrue(reproduce.reproduce(self.experiment(), self.arguments))
        self.assertFalse(reproduce.reproduce(self.experiment(3), self.arguments))
        files = {str(f.relative_to(self.folder)) for f in self.folder.rglob("*") if f.is_file()}
        self.assertEqual(files, {f"X-1-quick/{name}" for name in
                                 ("data/t.csv", "figure.png", "figure.svg", "verdict.json")})

    def test_redrawing_uses_the_tables(self):
        reproduce.reproduce(self.experiment(3), self.arguments)
        self.arguments.redraw = True
        self.assertFalse(reproduce.reproduce(self.experiment(1), self.arguments))  # the table has 3

    def test_results_stay_until_the_new_ones_are_there(self):
        reproduce.reproduce(self.experiment(), self.arguments)
        broken = self.experiment()
        broken.simulate = mock.Mock(side_effect=LabError("broken"))
        with self.assertRaises(LabError):
            reproduce.reproduce(broken, self.arguments)
        self.assertTrue((self.folder / "X-1-quick" / "verdict.json").exists())

    def test_a_folder_of_something_else_is_refused(self):
        other = self.folder / "X-1-quick" / "experiment.py"
        other.parent.mkdir(parents=True)
        other.write_text("mine")
        with self.assertRaisesRegex(LabError, "something else"):
            reproduce.reproduce(self.experiment(), self.arguments)
        self.assertEqual(other.read_text(encoding="utf-8"), "mine")


class Palette(unittest.TestCase):
    """One colour for a method, in the figures as on the page."""

    def test_the_methods_of_the_page_have_its_colours(self):
        text = figure.PALETTE.read_text(encoding="utf-8")
        listed = re.findall(r'^ {2}"([a-z0-9-]+)": \["(#\w{6})", "#\w{6}"\],$', text, re.MULTILINE)
        self.assertGreaterEqual(len(listed), 9)
        for method, shade in listed:
            self.assertEqual(figure.colour(method), shade, method)

    def test_our_own_colours_are_of_methods_that_the_page_does_not_know(self):
        page_has = figure.read_palette(figure.PALETTE.read_text(encoding="utf-8"))
        self.assertFalse(figure.OWN.keys() & page_has.keys())
        self.assertFalse({c.lower() for c in figure.OWN.values()} & {c.lower() for c in page_has.values()})

    def test_every_label_has_a_colour(self):
        self.assertLessEqual(figure.NAMES.keys(), figure.COLOURS.keys())


class Surfaces(unittest.TestCase):
    def test_cells_of_a_grid(self):
        np.testing.assert_array_equal(surface.grid_faces(2, 3), [[0, 1, 4, 3], [1, 2, 5, 4]])

    def test_the_boundary_of_two_tets_has_no_side_that_they_share(self):
        found = surface.boundary(np.array([[0, 1, 2, 3], [1, 2, 3, 4]]))
        self.assertEqual(len(found), 6)
        self.assertNotIn((1, 2, 3), {tuple(sorted(side)) for side in found})

    def test_the_sides_of_a_tet_look_outwards(self):
        x = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1.0]])
        for side in surface.boundary(np.array([[0, 1, 2, 3]])):
            a, b, c = x[side]
            self.assertGreater(np.cross(b - a, c - a) @ ((a + b + c) / 3 - x.mean(axis=0)), 0)

    def test_the_camera_sees_up_as_up(self):
        right, up, depth = surface.camera((0, 0, 2))
        np.testing.assert_allclose((right, up, depth), np.eye(3), atol=1e-15)


class Page(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(page, "FOLDER", self.folder / "experiments"))
        self.results = self.folder / "results" / "X-1"
        for made in (self.results, self.folder / "docs", self.folder / "experiments" / "X-1"):
            made.mkdir(parents=True)
        (self.results / "figure.png").write_bytes(b"png")
        self.file = self.folder / "docs" / "page.md"

    def text(self, verdict):
        """The page of one experiment with this verdict, and the names that are missing on it."""
        experiment = SimpleNamespace(id="X-1", also=(), title="A title", source="Paper", shows="Shows.",
                                     given={"h =": "1"}, chosen={"size:": "2"})
        verdict.write(self.results / "verdict.json", seconds=2, machine="Abacus, 2 cores")
        page.keep(self.file, experiment, self.folder / "results")
        missing = page.write_page(self.file, [experiment, SimpleNamespace(id="X-2")])
        return self.file.read_text(encoding="utf-8"), missing

    def test_the_page_has_what_was_measured(self):
        verdict = Verdict()
        verdict.below("A thing is | small: its size", 1, 2, paper="0.5")
        text, missing = self.text(verdict)
        self.assertEqual(missing, ["X-2"])
        self.assertIn("| A thing is \\| small | its size | 1 | < 2 | 0.5 |", text)
        self.assertIn("(#x-1-a-title)", text)
        self.assertIn("took 2 s (Abacus, 2 cores, busy with other work at times)", text)
        self.assertIn("\n- h = 1\n", text)
        self.assertIn("\n- size: 2\n", text)
        self.assertEqual((self.folder / "docs/images/reproduction/X-1.png").read_bytes(), b"png")

    def test_what_the_paper_claims_comes_before_further_checks(self):
        verdict = Verdict()
        verdict.further.below("We found more: it", 1, 2)
        verdict.below("The paper is right: it", 1, 2)
        verdict.below("The paper is wrong: it", 3, 2, reason="why not")
        text, _ = self.text(verdict)
        order = [text.index(words) for words in ("**What the paper claims** (1 of 2 hold)", "The paper is right",
                                                 "**Further checks** (1 of 1 hold)", "We found more")]
        self.assertEqual(order, sorted(order))
        self.assertIn("Of the papers' claims, 1 of 2 hold. Of the further checks, 1 of 1 hold.", text)
        self.assertIn("| 1 of 2 | 1 of 1 | 2 s |", text)

    def test_what_holds_is_folded_and_what_does_not_is_open(self):
        verdict = Verdict()
        verdict.below("It holds: x", 1, 2)
        verdict.below("It does not hold: |x|", 3, 2, paper="1", reason="why not.")
        text, _ = self.text(verdict)
        folded = "".join(re.findall(r"<details>.*?</details>", text, re.DOTALL))
        self.assertIn("It holds", folded)
        self.assertIn("<summary>✓ 1 holds</summary>", folded)
        self.assertNotIn("It does not hold", folded)
        self.assertIn("- ✗ **It does not hold.** \\|x\\|: 3 (asked: < 2; the paper: 1). Why not.\n", text)
        self.assertEqual(text.count("<details>"), text.count("</details>"))
        for inside in re.findall(r"</summary>(..)", text, re.DOTALL):  # or Markdown is not read there
            self.assertEqual(inside, "\n\n")

    def test_an_experiment_of_further_checks_only_has_no_list_of_claims(self):
        verdict = Verdict()
        verdict.further.below("We found more: it", 1, 2)
        text, _ = self.text(verdict)
        self.assertNotIn("What the paper claims", text)
        self.assertIn("| – | 1 of 1 | 2 s |", text)


class ProjectPage(unittest.TestCase):
    def test_the_page_is_that_of_the_verdicts(self):
        text, missing = page.page_text(all_experiments())
        self.assertEqual(missing, [])
        self.assertEqual((FOLDER.parent / "docs" / "reproduction.md").read_text(encoding="utf-8"), text)

    def test_every_claim_stands_alone(self):
        """A sentence with a subject of its own; each is there once, and says what was measured."""
        for experiment in all_experiments():
            claims = json.loads(page.kept_verdict(experiment).read_text(encoding="utf-8"))["claims"]
            texts = [claim["text"] for claim in claims]
            self.assertEqual(len(texts), len(set(texts)), experiment.id)
            for claim in claims:
                self.assertRegex(claim["text"], r"^[A-ZÖ0-9]", experiment.id)
                self.assertNotRegex(claim["text"], r"^(And|But|Nor|While|Which|It|The same|Its)\b(?! is the)", experiment.id)
                self.assertNotRegex(claim["text"], r"[.:]$", experiment.id)
                self.assertTrue(claim["of"], f"{experiment.id}: {claim['text']}")
                self.assertNotRegex(claim["of"], r"\bthe same\b$", experiment.id)


if __name__ == "__main__":
    unittest.main()
