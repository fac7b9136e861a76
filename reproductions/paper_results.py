"""The papers' tables as printed, and the results kept under <paper>/results/<CPU or GPU model>/<date>.csv."""

import csv
import dataclasses
import datetime
import pathlib
import re
import subprocess

REPRODUCTIONS = pathlib.Path(__file__).resolve().parent
ROOT = REPRODUCTIONS.parent
PAPERS = [  # in the order of README.md
    "altinok2020_bit_level_3des_gpu",
    "swierczewski2013_3des_ecb_cuda",
    "lin2017_cbc_3des_cpu",
    "shorman2018_2des_mpi",
    "alshamsi2009_block_ciphers_gpu",
]
# `paper` is the folder; table, row and column are those of paper_table_<table>.csv where there is such a cell; method: see
# paper_program.hpp; machine names the folder of results: the GPU if one took part, else the CPU.
COLUMNS = ["paper", "table", "row", "column", "method", "quantity", "unit", "value", "threads", "program",
           "machine", "cpu", "cores", "compiler", "flags", "commit", "date"]  # fmt: skip


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

    def number(self, row, column):
        """The printed number (a comma may be its decimal point), or None."""
        text = (self.cell(row, column) or "").replace(",", ".")
        return float(text) if re.fullmatch(r"-?[0-9]+([.][0-9]+)?", text) else None


def read_paper_table(paper, table):
    """paper_table_<table>.csv: `# ` lines, the headings, then a line a row; the first cell names the row."""
    lines = (REPRODUCTIONS / paper / f"paper_table_{table}.csv").read_text().splitlines()
    notes = [line[2:] for line in lines if line.startswith("# ")]
    headings, *rows = csv.reader(line for line in lines if not line.startswith("# "))
    return PaperTable(headings, rows, notes)


class Results:
    """One run on one machine."""

    def __init__(self, path):
        self.path = path
        self.machine_folder = path.parent
        with open(path, newline="") as file:
            self.rows = list(csv.DictReader(file))
        first = self.rows[0]
        self.machine, self.cpu, self.cores, self.date = first["machine"], first["cpu"], first["cores"], first["date"]

    def value(self, table, row, column, method, quantity=None):
        """The figure, or None if this run did not measure it."""
        wanted = {"table": table, "row": row, "column": column, "method": method}
        if quantity:
            wanted["quantity"] = quantity
        for figure in self.rows:
            if all(figure[name] == value for name, value in wanted.items()):
                return float(figure["value"])
        return None

    def keys(self, table, name):
        """The distinct values of a column, `row` say, among a table's figures, in the order in which they were measured."""
        return list(dict.fromkeys(figure[name] for figure in self.rows if figure["table"] == table))


def newest_results(paper):
    """The newest run of every machine."""
    folders = sorted(path for path in (REPRODUCTIONS / paper / "results").glob("*") if path.is_dir())
    return [Results(max(folder.glob("*.csv"))) for folder in folders if any(folder.glob("*.csv"))]


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
    """Writes the rows of one run to <into>/<machine>/<date>.csv; the path."""
    folder = into / re.sub(r"[^A-Za-z0-9]+", "_", rows[0]["machine"]).strip("_")
    path = folder / f"{rows[0]['date']}.csv"
    write_rows(path, rows)
    return path


def write_rows(path, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)


def today():
    return datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d")
