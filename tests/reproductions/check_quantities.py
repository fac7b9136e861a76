#!/usr/bin/env python3
"""Checks reproductions/quantities.py: arithmetic keeps what a figure is, and refuses what is not like with like; and that
quantities.toml says it of every cell.

usage: check_quantities.py REPOSITORY      exits 0 if all holds
"""

import pathlib
import sys
import unittest

REPOSITORY = pathlib.Path(sys.argv.pop(1)).resolve()
sys.path.insert(0, str(REPOSITORY / "reproductions"))

import page_figures  # noqa: E402
import paper_results  # noqa: E402
import quantities  # noqa: E402
from quantities import ANY, BOTH, DERIVED, HERE, PRINTED, Kind, Quantity, Unlike  # noqa: E402

WHOLE, SUM, KERNELS = Kind("s", "whole", "with copies"), Kind("s", "sum of stages", "with copies"), Kind("s", "whole", "computation")


def printed(value, kind=WHOLE):
    return Quantity(value, PRINTED, kind, str(value))


def here(value, kind=WHOLE):
    return Quantity(value, HERE, kind)


class Arithmetic(unittest.TestCase):
    def test_what_is_reckoned_from_printed_figures_is_derived(self):
        for reckoned in (printed(4) / printed(2), printed(4) + printed(2), printed(4) / 2, round(printed(4.4)), 1 / printed(4)):
            self.assertEqual((reckoned.origin, reckoned.text), (DERIVED, None))
        self.assertEqual((printed(4) / here(2)).origin, BOTH)
        self.assertEqual((here(4) / here(2)).origin, HERE)

    def test_another_unit_is_the_printed_figure_still(self):
        self.assertEqual(((1e3 * printed(4)).origin, (1e3 * printed(4)).kind.unit), (PRINTED, "ms"))
        self.assertEqual((1000 * printed(4)).kind.unit, "ms")
        self.assertEqual((3 * printed(4)).origin, DERIVED)

    def test_unlike_figures_are_refused(self):
        for other in (here(1, SUM), here(1, KERNELS), here(1, Kind("ms", "whole", "with copies"))):
            for reckon in (lambda a, b: a + b, lambda a, b: a - b, lambda a, b: a < b, lambda a, b: a >= b):
                self.assertRaises(Unlike, reckon, here(2), other)
        for other in (here(1, SUM), here(1, KERNELS)):
            self.assertRaises(Unlike, lambda a, b: a / b, here(2), other)
            self.assertRaises(Unlike, lambda a, b: max(a, b), here(2), other)

    def test_a_sum_begins_with_nothing(self):
        self.assertEqual(sum([here(1), here(2)]).kind, WHOLE)
        self.assertRaises(Unlike, sum, [here(1), here(2, KERNELS)])

    def test_what_makes_no_difference_is_like_all(self):
        self.assertEqual((here(2) / here(1, Kind("s", "whole"))).kind, Kind("times", "whole", "with copies"))
        self.assertEqual(Kind("s", ANY, ANY).like(WHOLE), WHOLE)

    def test_stages_and_shares_say_what_they_are(self):
        total = quantities.sum_of_stages("with copies", here(1, KERNELS), here(2, Kind("s", "stage")))
        self.assertEqual((float(total), total.kind), (3.0, SUM))
        self.assertRaises(Unlike, lambda: total / here(3))
        self.assertEqual(quantities.share(here(1, KERNELS), here(2)).kind.unit, "times")

    def test_conversions_keep_the_value(self):
        self.assertEqual(float(100 * (here(3) / here(2) - 1)), 50.0)
        self.assertEqual(float(1 - here(0.25)), 0.75)
        self.assertEqual(float(abs(here(1) - here(3))), 2.0)


    def test_unlike_times_are_set_against_each_other_on_purpose_alone(self):
        command = here(3, Kind("s", "whole", "command"))
        self.assertRaises(Unlike, lambda: here(2) < command)
        self.assertTrue(quantities.takes_less(here(2), command))
        self.assertFalse(quantities.takes_less(command, here(2)))
        for other in (here(1, SUM), here(1, Kind("ms", "whole", "command"))):
            self.assertRaises(Unlike, quantities.takes_less, here(2), other)

    def test_a_row_is_of_one_kind(self):
        self.assertEqual(quantities.of_one_kind([None, here(1), here(2)]), [None, here(1), here(2)])
        self.assertRaises(Unlike, quantities.of_one_kind, [here(1), None, here(2, KERNELS)])


class Ranges(unittest.TestCase):
    def test_a_value_outside_of_its_range_is_found(self):
        self.assertIn("outside of its own range", quantities.outside_of_its_range(10, [8.71, 9.41]))
        self.assertIsNone(quantities.outside_of_its_range(9, [8.71, 9.41]))

    def test_the_middle_of_the_runs_is_within(self):
        for runs in ([3, 1, 2], [1, 2], [5]):
            middle = quantities.middle_of_runs([here(value) for value in runs])
            self.assertIsNone(quantities.outside_of_its_range(middle, runs))
        said = quantities.middle_of_runs([page_figures.digits(here(value), 1) for value in (3, 1, 2)])
        self.assertEqual(said, "2.0")


class Tables(unittest.TestCase):
    HEADINGS = ["", "printed", "ours"]

    def test_rows_of_one_kind(self):
        self.assertIn("| a | 4 | 2 |", page_figures.table(self.HEADINGS, [["a", printed(4), here(2)]]))

    def test_a_row_of_two_kinds_fails(self):
        self.assertRaises(Unlike, page_figures.table, self.HEADINGS, [["a", printed(4, SUM), here(2)]])

    def test_a_figure_under_a_wrong_heading_fails(self):
        for row in (["a", printed(4) / printed(2), here(2)], ["a", here(4), here(2)], ["a", printed(4), printed(2)]):
            self.assertRaises(Unlike, page_figures.table, self.HEADINGS, [row])


class Told(unittest.TestCase):
    def test_every_kept_figure_has_a_kind(self):
        for paper in paper_results.PAPERS:
            for series in paper_results.named_series(paper):
                for row in series.rows:
                    cell = {name: row[name] for name in ("table", "row", "column", "method", "quantity")}
                    self.assertIsNotNone(quantities.kind_of(paper, row["unit"], **cell), f"{paper}: {cell}")

    def test_every_printed_number_has_a_kind(self):
        for paper in paper_results.PAPERS:
            for path in sorted((paper_results.REPRODUCTIONS / paper).glob("paper_table_*.csv")):
                table = path.stem.removeprefix("paper_table_")
                for row, column in paper_results.read_paper_table(paper, table).numbers():
                    cell = {"table": table, "row": row, "column": column, "method": "printed"}
                    self.assertIsNotNone(quantities.kind_of(paper, **cell), f"{paper}: {cell}")

    def test_a_command_of_ours_is_of_another_kind_than_the_library_in_one_process(self):
        command, one_process, theirs = (quantities.kind_of("shorman2018_2des_mpi", "s", table="2", row="1MB", column=column, method=method, quantity="time")
                                        for column, method in (("16", "ours"), ("Sequential Implementation", "ours"), ("16", "method")))  # fmt: skip
        self.assertRaises(Unlike, command.like, one_process)
        self.assertRaises(Unlike, command.like, theirs)
        self.assertEqual(one_process.like(theirs), theirs)

    def test_a_cell_that_no_rule_knows_has_none(self):
        self.assertIsNone(quantities.kind_of("lin2017_cbc_3des_cpu", table="table of nobody", method="printed"))

    def test_every_extent_and_boundary_has_words(self):
        rules = [rule for paper in paper_results.PAPERS for rule in quantities.told()[paper]]
        for name in {rule[field] for rule in rules for field in ("extent", "boundary") if field in rule} | {"share"}:
            self.assertTrue(quantities.called(name))


if __name__ == "__main__":
    unittest.main()
