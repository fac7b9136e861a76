#!/usr/bin/python3
"""Puts results into what reproductions/ says: the overview of README.md, every_figure.md, and the tables of the papers' READMEs.

update_readme.py [--check]      --check: changes nothing, exits 1 if a text is not what the results say

headlines.csv of a paper has a line of every_figure.md for each table and figure of it:
  item           "Table 1"
  what           what the number is: "AES, 64 MB, total time, ms"
  table          the cell of paper_table_<table>.csv, and of the results
  row, column
  table_here     the results' table, row and column, where they are not the paper's (empty or left out: the same)
  row_here
  column_here
  row_ours       the row of ours, where it has another name
  method_here    which of the results' methods is theirs, if it is not the method or its baseline
  quantity       the results' quantity (empty: any)
  picture        drawn by `compare` beside the results, without its ending (empty: none)
  note           one clause for the status, such as a misprint (empty: none)

overview.toml says what stands in the overview, and which figures in it and in the tables of the papers' READMEs: see its top.
"""

import csv
import sys
import tomllib

import paper_results
from paper_figures import shown

FOLDER = paper_results.REPRODUCTIONS
BEGIN, END = "<!-- results: written by update_readme.py -->\n", "<!-- end of results -->\n"
HEADINGS = ["paper", "table or figure", "what", "theirs", "their method here", "ours here", "machine", "date", "status"]
OVERVIEW_HEADINGS = ["paper", "what it claims", "its method here", "ours here", "where the paper does not hold"]


def headlines(paper):
    path = FOLDER / paper / "headlines.csv"
    if not path.exists():
        return []
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def item_cell(paper, headline, results):
    picture = headline["picture"] and results.machine_folder / (headline["picture"] + ".svg")
    if not picture or not picture.exists():
        return headline["item"]
    return f"[{headline['item']}]({picture.relative_to(FOLDER)})"


def lines_of(paper):
    """A row of every_figure.md for each headline and each machine that has a figure for it."""
    kept = paper_results.newest_results(paper)
    for headline in headlines(paper):
        table = headline["table"]
        theirs = paper_results.read_paper_table(paper, table).cell(headline["row"], headline["column"])
        table = headline.get("table_here") or table
        row = headline.get("row_here") or headline["row"]
        column = headline["column_here"] or headline["column"]
        found = False
        for results in kept:
            theirs_here = [headline["method_here"]] if headline.get("method_here") else ["method", "baseline"]
            values = [results.value(table, row, column, name, headline["quantity"]) for name in theirs_here]
            method = next((value for value in values if value is not None), None)
            ours = results.value(table, headline.get("row_ours") or row, column, "ours", headline["quantity"])
            ours = None if headline.get("method_here") else ours
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


def kept_value(paper, spec):
    """The figure that `spec` names, times `times`; exits 1 if no machine's newest results have it."""
    for results in paper_results.newest_results(paper):
        if results.machine.startswith(spec["machine"]):
            # The sequential program of a method is kept as the baseline.
            for method in (spec["method"], "baseline") if spec["method"] == "method" else (spec["method"],):
                value = results.value(spec["table"], spec["row"], spec["column"], method, spec.get("quantity"))
                if value is not None:
                    return value * spec.get("times", 1)
    sys.exit(f"overview.toml: {paper} has no figure {spec}")


def text_of(paper, spec):
    """A figure with three digits; against `than`, how much faster or slower; divided by `by`, the ratio."""
    value = kept_value(paper, spec)
    if "than" in spec:
        change = 100 * (value / kept_value(paper, {**spec, **spec["than"]}) - 1)
        return f"{abs(change):.0f} % {'slower' if change > 0 else 'faster'}"
    if "by" in spec:
        value /= kept_value(paper, {**spec, **spec["by"]})
    return shown(value)


def table_text(headings, alignment, rows):
    return "".join(f"| {' | '.join(row)} |\n" for row in (headings, alignment, *rows))


def overview_rows(overview):
    for paper in paper_results.PAPERS:
        said = overview[paper]
        figures = {name: text_of(paper, {**said.get("defaults", {}), **spec}) for name, spec in said["figures"].items()}
        yield [f"[{said['name']}]({paper})", *(said[part].format(**figures).strip().replace("\n", " ") for part in ("claims", "method", "ours", "fails"))]


def paper_table(paper, said):
    """The table of a paper's own README: `rows` and `columns` each say a part of which figure stands where they meet."""
    rows = []
    for row in said["rows"]:
        cells = []
        for column in said["columns"]:
            spec = {**said.get("defaults", {}), **row, **column}
            printed = row.get("printed", {}).get(column["heading"])
            cells.append(printed if printed else "-" if column.get("paper") or row.get("paper") else text_of(paper, spec))
        rows.append([row["label"], *cells])
    return table_text(["", *(column["heading"] for column in said["columns"])], ["---", *["---:"] * len(said["columns"])], rows)


def updated(path, table):
    """The file's text with the table between its marks."""
    text = path.read_text()
    return text.split(BEGIN)[0] + BEGIN + table + END + text.split(END)[1]


def texts():
    """Every file that results are written into, and what it should say."""
    overview = tomllib.loads((FOLDER / "overview.toml").read_text())
    yield FOLDER / "README.md", table_text(OVERVIEW_HEADINGS, ["---"] * 5, overview_rows(overview))
    lines = (line for paper in paper_results.PAPERS for line in lines_of(paper))
    yield FOLDER / "every_figure.md", table_text(HEADINGS, ["---"] * 3 + ["---:"] * 3 + ["---"] * 3, lines)
    for paper in paper_results.PAPERS:
        if "table" in overview[paper]:
            yield FOLDER / paper / "README.md", paper_table(paper, overview[paper]["table"])


def main():
    wrong = 0
    for path, table in texts():
        text = updated(path, table)
        if text == path.read_text():
            continue
        wrong += 1
        if "--check" in sys.argv:
            print(f"{path.relative_to(FOLDER.parent)} is not what the results say: run reproductions/update_readme.py")
        else:
            path.write_text(text)
    return "--check" in sys.argv and wrong > 0


if __name__ == "__main__":
    sys.exit(main())
