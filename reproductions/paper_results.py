"""The papers' tables as printed, and the runs kept under results/papers/<paper>/<CPU or GPU model>/<cores>_cores_<date>_<time>.json.xz."""

import csv
import dataclasses
import datetime
import functools
import pathlib
import re
import statistics
import subprocess
import sys
import tomllib

REPRODUCTIONS = pathlib.Path(__file__).resolve().parent
ROOT = REPRODUCTIONS.parent
sys.path.insert(0, str(ROOT / "results"))
import kept_results  # noqa: E402

KEPT = kept_results.FOLDER / "papers"
MADE = ROOT / "build" / "papers" / "results"  # where runs go that nobody asked to keep
PAPERS = [  # in the order of README.md
    "altinok2020_bit_level_3des_gpu",
    "swierczewski2013_3des_ecb_cuda",
    "lin2017_cbc_3des_cpu",
    "shorman2018_2des_mpi",
    "alshamsi2009_block_ciphers_gpu",
]
# `paper` is the folder; table, row and column are those of paper_table_<table>.csv where there is such a cell; method: see
# paper_program.hpp; machine names the folder of results: the GPU if one took part, else the CPU. flags: as they were for this row's
# code; library: whose, of a row that times one; compared: with reference/, byte for byte, the "whole" output that was timed, "part"
# of it or "no", and empty where there is no output. What an older run did not record is empty. A kept file is an object of the columns
# that are the same in all rows, and `rows` with the others; what is empty is left out.
COLUMNS = ["paper", "table", "row", "column", "method", "quantity", "unit", "value", "threads", "program",
           "machine", "cpu", "cores", "compiler", "flags", "library", "mpi", "driver", "system", "compared", "commit", "date"]  # fmt: skip
FILE_NAME = re.compile(r"(?P<cores>[0-9]+)_cores_(?P<date>[0-9]{4}-[0-9]{2}-[0-9]{2})_[0-9]{4}([0-9]{2})?[.]json[.]xz")
DURATION = "duration of the run"
NUMBERS = {"value", "threads", "cores"}


@dataclasses.dataclass
class PaperTable:
    """A table as printed: `rows` hold strings; `notes` are its `# ` lines, the caption first."""

    headings: list
    rows: list
    notes: list

    def cell(self, row, column):
        """The printed text, or None."""
        for cells in self.rows:
            if cells[0] == row and column in self.headings:
                return cells[self.headings.index(column)]
        return None

    def numbers(self):
        """The row and the column of every cell that is a number."""
        return [(cells[0], column) for cells in self.rows for column in self.headings[1:] if self.number(cells[0], column) is not None]

    def number(self, row, column):
        """The printed number (a comma may be its decimal point), or None."""
        text = (self.cell(row, column) or "").replace(",", ".")
        return float(text) if re.fullmatch(r"-?[0-9]+([.][0-9]+)?", text) else None


@functools.lru_cache(maxsize=None)
def read_paper_table(paper, table):
    """paper_table_<table>.csv: `# ` lines, the headings, then a line a row; the first cell names the row."""
    lines = (REPRODUCTIONS / paper / f"paper_table_{table}.csv").read_text().splitlines()
    notes = [line[2:] for line in lines if line.startswith("# ")]
    headings, *rows = csv.reader(line for line in lines if not line.startswith("# "))
    return PaperTable(headings, rows, notes)


class Results:
    """A series: the runs of one build on one machine, oldest first. `only`: the number of the run that figures are taken from, or
    None for the median of all."""

    def __init__(self, paths):
        self.paths = sorted(paths)
        self.machine_folder = self.paths[0].parent
        self.runs = [read_rows(path) for path in self.paths]
        self.only = None
        self.rows = self.runs[-1]
        first = self.rows[0]
        self.machine, self.cpu, self.cores, self.date = first["machine"], first["cpu"], first["cores"], first["date"]
        self.commit = first["commit"]
        self.values = [{}, {}]
        self.facts = {}  # of a cell, with its quantity and without: that quantity and the unit
        for row, run in ((row, number) for number, rows in enumerate(self.runs) for row in rows):
            key = tuple(row[name] for name in ("table", "row", "column", "method"))
            for index, full_key in ((0, key), (1, (*key, row["quantity"]))):
                self.values[index].setdefault(full_key, {}).setdefault(run, float(row["value"]))
                self.facts.setdefault(full_key if index else (*key, None), (row["quantity"], row["unit"]))

    def value(self, table, row, column, method, quantity=None):
        """The figure, or None if it was not measured."""
        index, key = (1, (table, row, column, method, quantity)) if quantity else (0, (table, row, column, method))
        by_run = self.values[index].get(key)
        if not by_run:
            return None
        return statistics.median(by_run.values()) if self.only is None else by_run.get(self.only)

    def keys(self, table, name):
        """The distinct values of a column, `row` say, among a table's figures, in the order in which they were measured."""
        return list(dict.fromkeys(figure[name] for figure in self.rows if figure["table"] == table))

    def picture(self, name):
        """Where a picture of these results goes, without its ending: no page shows one, so none is kept."""
        return ROOT / "build" / "papers" / "pictures" / self.rows[0]["paper"] / self.machine_folder.name / f"{self.cores}_cores_{name}"

    def title(self):
        cpu = f"{self.cores} cores of {self.cpu}"
        machine = cpu if self.machine == self.cpu else f"{self.machine}; {cpu}"
        return f"{machine}; {self.date}; {len(self.runs)} run{'s' * (len(self.runs) > 1)}"


@functools.lru_cache(maxsize=None)
def read_rows(path):
    result = kept_results.read(path)
    shared = {**dict.fromkeys(COLUMNS, ""), **result}
    rows = shared.pop("rows")
    return [{**shared, **row} for row in rows]


@functools.lru_cache(maxsize=None)
def series_of(path):
    """All runs of the build and the machine of the one in that file, as far as they are kept."""
    first = read_rows(path)[0]
    return Results([other for other in path.parent.glob(f"*{kept_results.ENDING}") if same_series(first, read_rows(other)[0])])


def same_series(row, other):
    return all(row[name] == other[name] for name in ("machine", "cores", "commit"))


def seconds_of_runs(series):
    """How long its runs took: as they recorded it, and those that did not, until the next one began on the same machine. One after
    which none began is left out."""
    return [seconds for seconds in map(seconds_of_run, series.paths) if seconds is not None]


def seconds_of_run(path):
    recorded = [row["value"] for row in read_rows(path) if row["quantity"] == DURATION]
    if recorded:
        return recorded[0]
    first, begin = read_rows(path)[0], begin_of(path)
    others = [other for other in KEPT.glob(f"*/*/*{kept_results.ENDING}") if same_machine(first, read_rows(other)[0])]
    return min(((begin_of(other) - begin).total_seconds() for other in others if begin_of(other) > begin), default=None)


def same_machine(row, other):
    return all(row[name] == other[name] for name in ("cpu", "cores", "commit"))


def begin_of(path):
    return datetime.datetime.strptime(time_of_run(path).removesuffix(kept_results.ENDING).ljust(17, "0"), "%Y-%m-%d_%H%M%S")


def time_of_run(path):
    return path.name.split("_cores_")[1]


def named_series(paper):
    """The series that runs.toml names."""
    told = tomllib.loads((REPRODUCTIONS / "runs.toml").read_text())[paper]
    return [series_of(KEPT / paper / one["run"]) for one in told.values()]


def newest_results(paper, made=True):
    """The newest series of every machine and number of cores, and those that runs.toml names: a machine's newest last. made: those
    that are not kept as well."""
    shown = {}
    for folder in (KEPT, MADE) if made else (KEPT,):
        for path in sorted((folder / paper).glob(f"*/[0-9]*{kept_results.ENDING}"), key=time_of_run):
            shown[folder, path.parent.name, path.name.split("_cores_")[0]] = path
    series = {tuple(one.paths): one for one in [*map(series_of, shown.values()), *named_series(paper)]}
    return sorted(series.values(), key=lambda one: (one.machine_folder.name, int(one.cores), time_of_run(one.paths[-1])))


def cpu_name():
    fields = {}
    for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines():
        name, _, value = line.partition(":")
        fields.setdefault(name.strip(), value.strip())
    return f"{fields.get('model name', 'unknown')}, family {fields.get('cpu family', '?')} model {fields.get('model', '?')}"


def commit_here():
    git = ["git", "-c", f"safe.directory={ROOT}", "-C", str(ROOT), "describe", "--always", "--exclude=*", "--abbrev=12", "--dirty=-modified"]
    described = subprocess.run(git, capture_output=True, text=True)
    return described.stdout.strip() if described.returncode == 0 else "unknown"


def write_results(into, rows):
    """Writes the rows of one run to <into>/<machine>/<cores>_cores_<date>_<time>.json.xz, when it began; the path. No run overwrites another."""
    folder = into / re.sub(r"[^A-Za-z0-9]+", "_", rows[0]["machine"]).strip("_")
    path = folder / f"{rows[0]['cores']}_cores_{begun:%Y-%m-%d_%H%M%S}{kept_results.ENDING}"
    if path.exists():
        raise FileExistsError(path)
    write_rows(path, rows)
    return path


def write_rows(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = [{name: number(row[name]) if name in NUMBERS else row[name] for name in COLUMNS if row.get(name, "") != ""} for row in rows]
    shared = {name: rows[0][name] for name in rows[0] if all(row.get(name) == rows[0][name] for row in rows)}
    kept_results.write(path, {**shared, "rows": [{name: value for name, value in row.items() if name not in shared} for row in rows]})


def number(value):
    """A figure as JSON has it, whole numbers without a point."""
    value = float(value)
    return int(value) if value.is_integer() else value


begun = datetime.datetime.now(datetime.timezone.utc)  # the run: one that goes on past midnight has one date all the same


def today():
    return begun.strftime("%Y-%m-%d")
