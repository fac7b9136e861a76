#!/usr/bin/env python3
"""Checks that docs/processes.md says of each class of the public headers what becomes of it in a process that was forked.

usage: check_processes.py REPOSITORY      exits 0 if it does, and each row's test is there; 1 listing what is not
"""

import pathlib
import re
import sys

from check_test_names import tests_there

ROW = re.compile(r"^\| `(\w+)` \| ([^|]+) \| `(?:(\w+\.py)|(\w+)\.(\w+))` \|$", re.MULTILINE)


def classes_of(headers):
    """C++'s classes, and C's handles: a struct of which the header shows nothing."""
    for path in sorted(headers.rglob("*.h*")):
        text = path.read_text()
        if path.suffix == ".hpp":
            yield from re.findall(r"^class (\w+)\b(?!;)", text, re.MULTILINE)
        else:
            yield from re.findall(r"^typedef struct (\w+) \1;", text, re.MULTILINE)


def problems_of(repository):
    scripts, suites = tests_there(repository)
    rows = {row[1]: row for row in ROW.finditer((repository / "docs/processes.md").read_text())}
    classes = set(classes_of(repository / "include/phalanx"))
    for name in sorted(classes - rows.keys()):
        yield f"docs/processes.md does not say what {name} does in a process that was forked"
    for name in sorted(rows.keys() - classes):
        yield f"docs/processes.md tells of {name}, which no header has"
    for name, row in sorted(rows.items()):
        is_there = row[3] in scripts if row[3] else (row[4], row[5]) in suites
        if not is_there:
            yield f"docs/processes.md: the test of {name} is not there"


def main(repository):
    found = list(problems_of(repository))
    print("\n".join(found) or f"{len(set(classes_of(repository / 'include/phalanx')))} classes are told of")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
