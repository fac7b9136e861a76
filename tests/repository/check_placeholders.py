#!/usr/bin/env python3
"""Checks that HACKING.md lists every placeholder that the maintainer fills in before publishing, and none that is filled in.

usage: check_placeholders.py REPOSITORY [--none-left]      exits 0 if so, 1 listing what is not, 77 (skipped) outside a git checkout
--none-left: fails while there is one, for a release
"""

import pathlib
import re
import sys

import check_tree

PLACEHOLDER = re.compile(r"\[to be filled in: [^\]]+\]|\b[a-z]+@example\.org\b")
# Where such words are no placeholders: the list itself, and what tests are given.
NOT_SEARCHED = re.compile(r"(HACKING\.md$|tests/|bindings/python/phalanx/tests/|results/)")
LIST = re.compile(r"^## Before publishing\n(.*?)(?=^## |\Z)", re.MULTILINE | re.DOTALL)
ROW = re.compile(r"^\| ([^|]+) \| `([^`|]+)` \|", re.MULTILINE)


def placeholders_of(repository, files):
    for file in files:
        if not NOT_SEARCHED.match(str(file)):
            yield from ((str(file), found) for found in PLACEHOLDER.findall(check_tree.text_of(repository / file) or ""))


def listed(repository):
    section = LIST.search((repository / "HACKING.md").read_text(encoding="utf-8"))
    for names, placeholder in ROW.findall(section[1] if section else ""):
        yield from ((name, placeholder) for name in names.split(", "))


def problems_of(there, known):
    for name, placeholder in sorted(there - known):
        yield f"{name}: {placeholder} is not in the list of HACKING.md, \"Before publishing\""
    for name, placeholder in sorted(known - there):
        yield f"HACKING.md, \"Before publishing\": {name} has no {placeholder} any more"


def main(arguments):
    repository = pathlib.Path(arguments[0]).resolve()
    files = check_tree.tracked_files(repository)
    if files is None:
        print("skipped: not a git checkout")
        return 77
    there, known = set(placeholders_of(repository, files)), set(listed(repository))
    problems = list(problems_of(there, known))
    if "--none-left" in arguments:
        problems += [f"{name}: {placeholder} is to be filled in" for name, placeholder in sorted(there)]
    print("\n".join(problems) or f"{len(there)} placeholders, all listed")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
