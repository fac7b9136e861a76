"""The words that a placeholder of a page can use: cells of printed tables, of kept runs and of sources, and functions over them.

A page is written as README.md.in, and render_pages.py makes README.md of it. A placeholder stands between double braces:

  {{h200("1", "131072 (1MB)", "GPU", "method", "kernel time")}}   a cell of the runs that runs.toml calls h200: table, row, column,
                              method, quantity; the median of the runs; with three digits
  {{printed("1", "131072 (1MB)", "GPU-1")}}   a cell of paper_table_1.csv; alone, as it is printed
  {{text("threads of a block")}}    a cell of paper_table_text.csv: the figures that stand in the paper's prose
  {{at("131072 (1MB)")}}            a row, a column or a heading that is there: "1 MB"
  {{source("table_sizes.hpp", r"...([0-9]+)")}}   what a file beside the page says
  {{spread: EXPRESSION}}            the figure, and behind it the least and the most of the runs where there are several
  {{table([...], [...])}}           a table of headings and rows of figures
  {{true: CONDITION}}               nothing; but rendering fails if it is false. Words that figures may belie stand beside one.
  <!-- when NAME --> ... <!-- end -->   lines that stand only where NAME is something

A figure knows what it is (quantities.py), and rendering fails where unlike figures are reckoned with each other. Expressions are
Python. A page's first comment, <!-- figures ... -->, is Python too, for names that only this page needs. In
reproductions/README.md a run is altinok2020.h200, and the other words take the paper first.
"""

import re
import statistics
import tomllib

import paper_results
import quantities
from paper_figures import shown
from quantities import DERIVED, HERE, PRINTED, Quantity, Words, said_by

FOLDER = paper_results.REPRODUCTIONS


class Missing(Exception):
    """A placeholder names what is not there."""


def printed_quantity(text, kind):
    """A number as a paper prints it. One paper has commas for decimal points."""
    number = re.sub(r"(?<=[0-9]),(?=[0-9]{3}\b)", "", text).replace(",", ".")
    return Quantity(re.match(r"-?[0-9.]+", number).group(), PRINTED, kind, re.sub(r",(?=[0-9]{1,2}(?![0-9]))", ".", text))


class Series:
    """Runs that runs.toml names; a call is a cell of theirs. `used`: the names of all that were asked since it was emptied."""

    def __init__(self, paper, name, told, used):
        path = paper_results.KEPT / paper / told["run"]
        if not path.exists():
            raise Missing(f"runs.toml: {paper} has no {told['run']}")
        self.results, self.key, self.called, self.used = paper_results.series_of(path), f"{paper}.{name}", told["called"], used
        self.paper = paper
        self.num_runs, self.date, self.cores = len(self.results.runs), self.results.date, int(self.results.cores)

    def __call__(self, table, row, column, method, quantity=None):
        self.used.add(self)
        value = self.results.value(table, row, column, method, quantity)
        if value is None:
            raise Missing(f"{self.key} has no cell {table} / {row} / {column} / {method} / {quantity}")
        recorded, unit = self.results.facts[table, row, column, method, quantity]
        kind = quantities.kind_of(self.paper, unit, table=table, row=row, column=column, method=method, quantity=recorded)
        if kind is None:
            raise Missing(f"quantities.toml does not say what {self.paper} / {table} / {row} / {column} / {method} / {recorded} is")
        return Quantity(value, HERE, kind)

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

    def seconds_of_runs(self):
        """How long each run took, as far as it is known."""
        self.used.add(self)
        return [Quantity(seconds, HERE, quantities.Kind("s")) for seconds in paper_results.seconds_of_runs(self.results)]

    def sum_of_times(self):
        """All times of the newest run, added up."""
        self.used.add(self)
        return Quantity(sum(row["value"] for row in self.results.rows if row["quantity"] == "time"), HERE, quantities.Kind("s"))

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


def rounded(value):
    """What a figure becomes that is shown in other words than the paper's."""
    if isinstance(value, Quantity) and value.origin == PRINTED:
        return Quantity(value, DERIVED, value.kind)
    return value


def percent(value, digits=0):
    return said_by(lambda percents: f"{float(percents):.{digits}f} %", rounded(100 * value))


def digits(value, number):
    """With so many digits behind the point."""
    return said_by(lambda figure: f"{float(figure):,.{number}f}", rounded(value))


def whole_number(value):
    """Without a point; a printed one stays a printed one."""
    return said_by(lambda figure: f"{int(figure):,}", value if int(value) == float(value) else rounded(value))


def change(value, than):
    """How much slower or faster it is: times or cycles."""
    return said_by(lambda percents: f"{abs(float(percents)):.0f} % {'slower' if percents > 0 else 'faster'}", 100 * (value / than - 1))


def span(values, say=shown):
    """From the least to the most; one number where they show alike."""
    least, most = say(min(values)), say(max(values))
    return Words(least if least == most else f"{least} to {most}", values)


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def table(headings, rows):
    """A table of figures, with `-` for None. A row is of one kind, and what stands under `printed` is printed."""
    lines = ["| " + " | ".join(headings) + " |", "| --- |" + " ---: |" * (len(headings) - 1)]
    for label, *values in rows:
        kinds = [value.kind for value in values if isinstance(value, Quantity)]
        for other in kinds[1:]:
            kinds[0].like(other)
        for heading, value in zip(headings[1:], values):
            claimed = "printed" in f"{label} {heading}"
            if isinstance(value, Quantity) and (value.origin == PRINTED) != claimed:
                raise quantities.Unlike(f"{label}, {heading}: {say(value)} is {value.origin}")
        lines.append("| " + " | ".join([label, *("-" if value is None else say(value) for value in values)]) + " |")
    return Words("\n".join(lines), [])


def listed(words):
    said = [say(word) for word in words]
    return Words(said[0] if len(said) == 1 else ", ".join(said[:-1]) + " and " + said[-1], words)


def falls(values):
    """Each is less than the one before."""
    return all(after < before for before, after in zip(values, values[1:]))


def rises(values):
    return all(after > before for before, after in zip(values, values[1:]))


def say(value):
    if isinstance(value, Quantity) and value.text:
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
        kind = quantities.kind_of(paper, table=table, row=row, column=column, method="printed")
        if kind is None:
            raise Missing(f"quantities.toml does not say what {paper}/paper_table_{table}.csv has at {row} / {column}")
        used.add(PRINTED)
        return printed_quantity(text, kind)

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


FUNCTIONS = {"mean": mean, "percent": percent, "digits": digits, "whole_number": whole_number, "change": change, "span": span,
             "listed": listed, "falls": falls, "rises": rises, "provenance": provenance, "shown": shown, "table": table,
             "takes_less": quantities.takes_less, "sum_of_stages": quantities.sum_of_stages, "share": quantities.share, "excess": quantities.excess}  # fmt: skip
