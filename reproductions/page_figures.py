"""The words that a placeholder of a page can use: cells of printed tables, of kept runs and of sources, and functions over them.

A page is written as README.md.in, and render_pages.py makes README.md of it. A placeholder stands between double braces:

  {{h200("1", "131072 (1MB)", "GPU", "method", "kernel time")}}   a cell of the runs that runs.toml calls h200: table, row, column,
                              method, quantity; the median of the runs; with three digits
  {{printed("1", "131072 (1MB)", "GPU-1")}}   a cell of paper_table_1.csv; alone, as it is printed
  {{text("threads of a block")}}    a cell of paper_table_text.csv: the figures that stand in the paper's prose
  {{at("131072 (1MB)")}}            a row, a column or a heading that is there: "1 MB"
  {{source("table_sizes.hpp", r"...([0-9]+)")}}   what a file beside the page says
  {{spread: EXPRESSION}}            the figure, and behind it the least and the most of the runs where there are several
  {{true: CONDITION}}               nothing; but rendering fails if it is false. Words that figures may belie stand beside one.
  <!-- when NAME --> ... <!-- end -->   lines that stand only where NAME is something

Expressions are Python. A page's first comment, <!-- figures ... -->, is Python too, for names that only this page needs. In
reproductions/README.md a run is altinok2020.h200, and the other words take the paper first.
"""

import csv
import re
import statistics
import tomllib

import paper_results
from paper_figures import shown

FOLDER = paper_results.REPRODUCTIONS


class Missing(Exception):
    """A placeholder names what is not there."""


class Printed(float):
    """A number as a paper prints it."""

    def __new__(cls, text):
        number = re.sub(r"(?<=[0-9]),(?=[0-9]{3}\b)", "", text).replace(",", ".")
        value = super().__new__(cls, re.match(r"-?[0-9.]+", number).group())
        value.text = re.sub(r",(?=[0-9]{1,2}$)", ".", text)  # one paper has commas for decimal points
        return value


class Series:
    """Runs that runs.toml names; a call is a cell of theirs. `used`: the names of all that were asked since it was emptied."""

    def __init__(self, paper, name, told, used):
        path = paper_results.KEPT / paper / told["run"]
        if not path.exists():
            raise Missing(f"runs.toml: {paper} has no {told['run']}")
        self.results, self.key, self.called, self.used = paper_results.series_of(path), f"{paper}.{name}", told["called"], used
        self.num_runs, self.date, self.cores = len(self.results.runs), self.results.date, int(self.results.cores)

    def __call__(self, table, row, column, method, quantity=None):
        self.used.add(self)
        value = self.results.value(table, row, column, method, quantity)
        if value is None:
            raise Missing(f"{self.key} has no cell {table} / {row} / {column} / {method} / {quantity}")
        return value

    def rows(self, table):
        return self.results.keys(table, "row")

    def columns(self, table):
        return self.results.keys(table, "column")

    def has(self, table, row, column, method, quantity=None):
        return self.results.value(table, row, column, method, quantity) is not None

    @property
    def name(self):
        self.used.add(self)
        return self.results.title()

    @property
    def short(self):
        """The machine, without its processor's full name."""
        self.used.add(self)
        runs = "one run" if self.num_runs == 1 else f"{self.num_runs} runs"
        return f"{self.called}, {self.cores} cores, {self.date}, {runs}"

    def compared(self):
        """The distinct words of the column `compared`, of rows that have an output."""
        return {row["compared"] for row in self.results.rows} - {""}


def fact_of(series, name):
    """What stands in a column of a series, each once."""
    return "; ".join(dict.fromkeys(row[name] for row in series.results.rows if row[name])) or "not recorded"


def not_compared(series):
    """What of a series was not compared whole, as a list of words."""
    found = {}
    for row in series.results.rows:
        if row["compared"] in ("no", "part"):
            what = f"{row['method']}, table {row['table']}" if row["method"] != "baseline" or row["program"] != "openssl speed" else "openssl speed"
            found.setdefault((what, row["compared"]), None)
    return "; ".join(f"{what} ({'in part' if compared == 'part' else 'not'})" for what, compared in found) or "nothing"


def provenance(*all_series):
    """A table of where the runs come from."""
    lines = ["| | " + " | ".join(f"{series.called}" for series in all_series) + " |", "| --- |" + " --- |" * len(all_series)]
    rows = [("machine", lambda s: s.name), ("files", lambda s: ", ".join(path.name for path in s.results.paths)), ("commit", lambda s: s.results.commit)]
    rows += [(heading, lambda s, name=name: fact_of(s, name)) for heading, name in (
        ("compiler", "compiler"), ("flags, by row", "flags"), ("libraries", "library"), ("MPI", "mpi"), ("driver and profiler", "driver"),
        ("system", "system"))]  # fmt: skip
    rows.append(("timed, but not compared with `reference/`", not_compared))
    return "\n".join(lines + ["| " + " | ".join([heading, *(value(series) for series in all_series)]) + " |" for heading, value in rows])


def percent(value, digits=0):
    return f"{100 * value:.{digits}f} %"


def digits(value, number):
    """With so many digits behind the point."""
    return f"{value:,.{number}f}"


def change(value, than):
    """How much slower or faster it is: times or cycles."""
    ratio = value / than - 1
    return f"{abs(100 * ratio):.0f} % {'slower' if ratio > 0 else 'faster'}"


def span(values, say=shown):
    """From the least to the most; one number where they show alike."""
    least, most = say(min(values)), say(max(values))
    return least if least == most else f"{least} to {most}"


def listed(words):
    words = [say(word) for word in words]
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1]


def falls(values):
    """Each is less than the one before."""
    return all(after < before for before, after in zip(values, values[1:]))


def rises(values):
    return all(after > before for before, after in zip(values, values[1:]))


def say(value):
    if isinstance(value, Printed):
        return value.text
    if isinstance(value, bool):
        raise Missing("a condition where a figure should stand")
    return f"{value:,}" if isinstance(value, int) else shown(value)


def words_of_paper(paper, used):
    """What a page of this paper can name."""
    told = tomllib.loads((FOLDER / "runs.toml").read_text())[paper]
    series = {name: Series(paper, name, one, used) for name, one in told.items()}
    tables = {path.stem.removeprefix("paper_table_"): path for path in (FOLDER / paper).glob("paper_table_*.csv")}

    def printed(table, row, column):
        text = table in tables and paper_results.read_paper_table(paper, table).cell(row, column)
        if not text or not re.match(r"-?[0-9]", text):
            raise Missing(f"{paper}/paper_table_{table}.csv has no number at {row} / {column}")
        return Printed(text)

    def rows(table):
        return [cells[0] for cells in paper_results.read_paper_table(paper, table).rows]

    places = {name for table in tables for name in (*rows(table), *paper_results.read_paper_table(paper, table).headings)}
    places.update(row[key] for one in series.values() for row in one.results.rows for key in ("row", "column"))

    def at(name):
        if name not in places:
            raise Missing(f"{paper}: no table has a row or a column {name}")
        return re.sub(r"^([0-9]+)([KMG]?B)$", r"\1 \2", re.sub(r".*\((.*)\)", r"\1", name))

    def source(file, pattern):
        found = re.search(pattern, (FOLDER / paper / file).read_text())
        if not found:
            raise Missing(f"{paper}/{file} has no {pattern}")
        return int(found.group(1))

    def text(row):
        return printed("text", row, "Printed")

    return {**series, "printed": printed, "printed_rows": rows, "at": at, "source": source, "text": text, "folder": FOLDER / paper}


FUNCTIONS = {"mean": statistics.fmean, "percent": percent, "digits": digits, "change": change, "span": span, "listed": listed,
             "falls": falls, "rises": rises, "provenance": provenance, "shown": shown}  # fmt: skip
