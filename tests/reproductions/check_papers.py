#!/usr/bin/env python3
"""Checks the tables that reproductions/ carries: the shape of what is printed, the results' columns and names, and that
the processors' models are known. check_prose.py checks the pages.

usage: check_papers.py REPOSITORY        exits 0 if all hold, 1 listing what does not
"""

import pathlib
import re
import sys
import tempfile

METHODS = ("method", "baseline", "published", "ours", "library", "processor", "model")  # see paper_program.hpp
# Commits of which runs were kept one by one.
SINGLE_RUNS = {"10738603ba86", "85f84e5ff174", "d17b9ad5cb50", "a4f992d06613", "274de18a9a4e", "3e0b98437cc9"}
COMPARED = ("whole", "part", "no", "")  # see paper_results.py


def check_shape(paper_results, paper, path):
    """The printed table has the rows and columns that its `# shape: ROWS x COLUMNS` line states, headings not counted."""
    table = paper_results.read_paper_table(paper, path.stem.removeprefix("paper_table_"))
    stated = [re.fullmatch(r"shape: (\d+) x (\d+)", note) for note in table.notes]
    stated = [tuple(map(int, match.groups())) for match in stated if match]
    if len(stated) != 1:
        yield f"{path}: no line '# shape: ROWS x COLUMNS'"
        return
    shape = (len(table.rows), len(table.headings))
    if shape != stated[0] or any(len(row) != len(table.headings) for row in table.rows):
        yield f"{path}: {shape[0]} rows of {sorted({len(row) for row in table.rows})} cells under {shape[1]} headings, not the shape stated"
    if len({row[0] for row in table.rows}) != len(table.rows):
        yield f"{path}: two rows have the same first cell"


def check_results(paper_results, path):
    rows = paper_results.read_rows(path)
    if not rows or any(set(row) != set(paper_results.COLUMNS) for row in rows):
        yield f"{path}: not the columns of paper_results.py"
        return
    name = paper_results.FILE_NAME.fullmatch(path.name)
    for figure in rows:
        if not name or any(str(figure[part]) != name[part] for part in ("cores", "date")):
            yield f"{path}: not named by the cores and the date of its figures"
            return
        if figure["method"] not in METHODS or figure["value"] < 0 or not figure["commit"] or figure["compared"] not in COMPARED:
            yield f"{path}: {figure}"
            return


def check_number_of_runs(paper_results, paths):
    """Three runs at least of each series, so that their spread is seen; those of before that was asked have one."""
    series = {}
    for path in paths:
        row = paper_results.read_rows(path)[0]
        series.setdefault((path.parent, row["cores"], row["commit"]), []).append(path)
    for (_, _, commit), files in series.items():
        if len(files) < 3 and commit not in SINGLE_RUNS:
            yield f"{files[0]}: {len(files)} run(s) of its build on its machine; three at least"


def check_named(paper_results, paper, paths):
    """Only runs that a page speaks of are kept: those of the series that runs.toml names."""
    named = {path for series in paper_results.named_series(paper) for path in series.paths}
    for path in sorted(set(paths) - named):
        yield f"{path}: of no series that runs.toml names: name it there, or remove it"


def check_no_run_is_lost(paper_results):
    """A run of the same second as another is refused, not written over it."""
    row = {"machine": "a machine", "cores": "2", "date": "2026-01-01", "value": "1"}
    with tempfile.TemporaryDirectory() as folder:
        path = paper_results.write_results(pathlib.Path(folder), [row])
        if not paper_results.FILE_NAME.fullmatch(path.name):
            yield f"paper_results.py names a run {path.name}"
        try:
            paper_results.write_results(pathlib.Path(folder), [row])
            yield "paper_results.py writes one run over another"
        except FileExistsError:
            pass


def check_naming():
    """A run that is kept gets the first name of its paper and machine in runs.toml, and no other."""
    import keep_runs

    told = '[one]\nfirst = { run = "GPU/2_cores_a.json.xz", called = "G" }\nsecond = { run = "GPU/2_cores_a.json.xz", called = "S" }\n[two]\n'
    changed, name = keep_runs.name_run(told, "one", "GPU", "4_cores_b.json.xz")
    if name != "first" or changed != told.replace("GPU/2_cores_a", "GPU/4_cores_b", 1):
        yield f"keep_runs.py names {name} in {changed}"
    if keep_runs.name_run(told, "two", "GPU", "4_cores_b.json.xz") != (told, None):
        yield "keep_runs.py names a run of another paper"


def check_cores(reproductions):
    """port_model.py knows a processor by the family and model that results have."""
    sys.path.insert(0, str(reproductions / "lin2017_cbc_3des_cpu"))
    import port_model

    cores = {"family 25 model 1": "Zen 3", "family 25 model 33": "Zen 3", "family 25 model 17": "Zen 4", "family 25 model 97": "Zen 4",
             "family 25 model 160": "Zen 4", "family 6 model 207": "Golden Cove", "family 6 model 61": "Broadwell", "family 6 model 1": None}  # fmt: skip
    for cpu, expected in cores.items():
        core = port_model.core_of(f"a processor, {cpu}")
        if (core.name if core else None) != expected:
            yield f"port_model.py takes {cpu} for {core}, not {expected}"


def main():
    reproductions = pathlib.Path(sys.argv[1]).resolve() / "reproductions"
    sys.path.insert(0, str(reproductions))
    import paper_results

    problems = []
    for paper in filter(lambda name: (reproductions / name).is_dir(), paper_results.PAPERS):
        tables = sorted((reproductions / paper).glob("paper_table_*.csv"))
        results = sorted((paper_results.KEPT / paper).glob(f"*/*{paper_results.kept_results.ENDING}"))
        for path in tables:
            problems.extend(check_shape(paper_results, paper, path))
        for path in results:
            problems.extend(check_results(paper_results, path))
        problems.extend(check_number_of_runs(paper_results, results))
        problems.extend(check_named(paper_results, paper, results))
        print(f"{paper}: {len(tables)} printed tables, {len(results)} results")
    problems.extend(check_cores(reproductions))
    problems.extend(check_no_run_is_lost(paper_results))
    problems.extend(check_naming())
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
