#!/usr/bin/python3
"""Puts the table of results into reproductions/README.md, from the papers' headlines.csv, tables and kept results.

update_readme.py [--check]      --check: changes nothing, exits 1 if the table is not what the results say

headlines.csv of a paper has a line for each table and figure of it:
  item           "Table 1"
  what           what the number is: "AES, 64 MB, total time, ms"
  table          the cell of paper_table_<table>.csv, and of the results
  row, column
  row_here       the results' row and column, if the paper's name a machine of its own (empty or left out: the same)
  column_here
  quantity       the results' quantity (empty: any)
  picture        drawn by `compare` beside the results, without its ending (empty: none)
  note           one clause for the status, such as a misprint (empty: none)
"""

import csv
import sys

import paper_results
from paper_figures import shown

README = paper_results.REPRODUCTIONS / "README.md"
BEGIN, END = "<!-- results: written by update_readme.py -->\n", "<!-- end of results -->\n"
HEADINGS = ["paper", "table or figure", "what", "theirs", "their method here", "ours here", "machine", "date", "status"]


def headlines(paper):
    path = paper_results.REPRODUCTIONS / paper / "headlines.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def item_cell(paper, headline, results):
    picture = headline["picture"] and results.machine_folder / (headline["picture"] + ".svg")
    if not picture or not picture.exists():
        return headline["item"]
    return f"[{headline['item']}]({picture.relative_to(paper_results.REPRODUCTIONS)})"


def lines_of(paper):
    """A row for each headline and each machine that has a figure for it."""
    kept = paper_results.newest_results(paper)
    for headline in headlines(paper):
        table = headline["table"]
        theirs = paper_results.read_paper_table(paper, table).cell(headline["row"], headline["column"])
        row = headline.get("row_here") or headline["row"]
        column = headline["column_here"] or headline["column"]
        found = False
        for results in kept:
            method, baseline, ours = (results.value(table, row, column, name, headline["quantity"])
                                      for name in ("method", "baseline", "ours"))  # fmt: skip
            method = baseline if method is None else method
            if method is None and ours is None:
                continue
            found = True
            status = "; ".join(filter(None, ["rerun", headline["note"]]))
            cpu = f"{results.cores} cores of {results.cpu}"
            machine = cpu if results.machine == results.cpu else f"{results.machine}; {cpu}"
            yield [f"[{paper.split('_')[0]}]({paper})", item_cell(paper, headline, results), headline["what"], theirs or "-",
                   shown(method), shown(ours), machine, results.date, status]  # fmt: skip
        if not found:
            status = "; ".join(filter(None, ["no figures kept", headline["note"]]))
            yield [f"[{paper.split('_')[0]}]({paper})", headline["item"], headline["what"], theirs or "-", "-", "-", "-", "-", status]


def main():
    rows = [HEADINGS, ["---"] * 3 + ["---:"] * 3 + ["---"] * 3, *(line for paper in paper_results.PAPERS for line in lines_of(paper))]
    table = "".join(f"| {' | '.join(row)} |\n" for row in rows)
    text = README.read_text()
    before, after = text.split(BEGIN)[0], text.split(END)[1]
    updated = before + BEGIN + table + END + after
    if "--check" in sys.argv:
        if updated != text:
            print("reproductions/README.md is not what the results say: run reproductions/update_readme.py")
        return updated != text
    README.write_text(updated)
    return 0


if __name__ == "__main__":
    sys.exit(main())
