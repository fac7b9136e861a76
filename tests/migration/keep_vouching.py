#!/usr/bin/env python3
"""The two tables of what migrate vouches for, from what vouching_table counted.

usage: keep_vouching.py COUNTED.json      keeps it as results/migration/vouching.json.xz, and writes docs/notes/vouching_counted.md's tables
       keep_vouching.py --check COUNTED.json   exits 1 unless the page has the tables of what is kept, and that has the rows and
                                               columns of COUNTED.json
"""

import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "results"))
import kept_results  # noqa: E402

KEPT = kept_results.FOLDER / "migration/vouching.json.xz"
PAGE = ROOT / "docs/notes/vouching_counted.md"
MARKS = {name: (f"<!-- {name} descriptions: by tests/migration/keep_vouching.py -->\n", f"<!-- end of {name} descriptions -->\n") for name in ("wrong", "right")}


def condense(counted):
    """By row: a number for each kind of plaintext. What may be doubtful though the description is right stands in brackets."""
    result = {"files": counted["files"], "kinds": [], "wrong": {}, "right": {}}
    for cell in counted["cells"]:
        if cell["kind"] not in result["kinds"]:
            result["kinds"].append(cell["kind"])
        right = cell["description"] == "right"
        share = (cell["doubtful"] if right else cell["faults"]) * counted["files"] // cell["files"]
        text = str(share) if cell["must"] else f"({share})"
        result[cell["description"]].setdefault(cell["row"], []).append(text)
    return result


def table(result, description):
    lines = [["", *result["kinds"]], ["---", *["---:"] * len(result["kinds"])]]
    lines += [[row, *counts] for row, counts in result[description].items()]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def with_tables(page, result):
    for description, (begin, end) in MARKS.items():
        before, rest = page.split(begin)
        page = before + begin + "\n" + table(result, description) + "\n" + end + rest.split(end)[1]
    return page


def check(counted):
    kept, page = kept_results.read(KEPT), PAGE.read_text()
    if with_tables(page, kept) != page:
        sys.exit(f"the tables of {PAGE} are not those of {KEPT}: run make vouching")
    for part in ("wrong", "right"):
        if list(kept[part]) != list(counted[part]) or kept["kinds"] != counted["kinds"]:
            sys.exit(f"{KEPT} has other rows or columns than are counted: run make vouching")


def main():
    if len(sys.argv) == 3 and sys.argv[1] == "--check":
        return check(condense(json.loads(pathlib.Path(sys.argv[2]).read_text())))
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    result = condense(json.loads(pathlib.Path(sys.argv[1]).read_text()))
    kept_results.write(KEPT, result)
    PAGE.write_text(with_tables(PAGE.read_text(), result))


if __name__ == "__main__":
    main()
