#!/usr/bin/env python3
"""Checks that each public type and function of C and C++ has words in its header, and that the names of C in pages are there.

usage: check_words.py REPOSITORY      exits 0 if all have and are, 1 listing those that have none or are not

A comment is about all that stands below it up to the next blank line. A type without a comment of its own has them in its members, and
an _INIT of C is described once for all, in phalanx.h.
"""

import pathlib
import re
import sys

from public_names import public_names

PAGES = ("docs/library.md", "docs/gpu.md", "docs/parquet.md")
NAME_OF_C = re.compile(r"`(phalanx_\w+)(?:\(\))?`")


def owner(name):
    return name.rsplit("::", 1)[0] if "::" in name else name.rsplit(".", 1)[0]


def wordless(names):
    with_words = {owner(name.name) for name in names if name.kind != "type" and name.has_words}
    constants_with_words = {name.where.split(":")[0] for name in names if name.language == "c" and name.kind == "member" and name.has_words}
    for name in names:
        is_told_inside = name.kind == "type" and (name.name in with_words or (name.language == "c" and name.where.split(":")[0] in constants_with_words))
        if name.kind != "member" and not name.has_words and not is_told_inside and not name.name.endswith("_INIT"):
            yield f"{name.where}: {name.name} has no words"


def unknown_names(repository, names):
    known = {name.name for name in names if name.language == "c"}
    for page in PAGES:
        yield from (f"{page}: no header has {name}" for name in NAME_OF_C.findall((repository / page).read_text(encoding="utf-8")) if name not in known)


def main(repository):
    names = list(public_names(repository))
    problems = [*wordless(names), *unknown_names(repository, names)]
    print("\n".join(problems) or f"{len(names)} public names")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
