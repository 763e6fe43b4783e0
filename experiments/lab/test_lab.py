"""What the experiments rely on."""

import tempfile
import unittest
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

import numpy as np

import reproduce
from lab import page
from lab.experiment import FOLDER, LabError, all_experiments, choose
from lab.table import Data, read_table, write_table
from lab.verdict import FAILS, HOLDS, NOT_REPRODUCED, Verdict, number


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


class Page(unittest.TestCase):
    def test_the_page_has_what_was_measured(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.enterContext(mock.patch.object(page, "FOLDER", folder / "experiments"))
        experiment = SimpleNamespace(id="X-1", also=(), title="A title", source="Paper", shows="Shows.",
                                     given={"h =": "1"}, chosen={})
        results = folder / "results" / "X-1"
        for made in (results, folder / "docs", folder / "experiments" / "X-1"):
            made.mkdir(parents=True)
        (results / "figure.png").write_bytes(b"png")
        verdict = Verdict()
        verdict.below("small | thing", 3, 2, reason="why not")
        verdict.write(results / "verdict.json", seconds=2, machine="Abacus, 2 cores")
        file = folder / "docs" / "page.md"
        page.keep(file, experiment, folder / "results")
        missing = page.write_page(file, [experiment, SimpleNamespace(id="X-2")])
        text = file.read_text(encoding="utf-8")
        self.assertEqual(missing, ["X-2"])
        self.assertIn("| small \\| thing | 3 | < 2 |", text)
        self.assertIn("does not hold: why not", text)
        self.assertIn("(#x-1-a-title)", text)
        self.assertIn("took 2 s (Abacus, 2 cores, busy with other work at times)", text)
        self.assertEqual((folder / "docs/images/reproduction/X-1.png").read_bytes(), b"png")

    def test_the_page_of_the_project_is_that_of_its_verdicts(self):
        text, missing = page.page_text(all_experiments())
        self.assertEqual(missing, [])
        self.assertEqual((FOLDER.parent / "docs" / "reproduction.md").read_text(encoding="utf-8"), text)


if __name__ == "__main__":
    unittest.main()
