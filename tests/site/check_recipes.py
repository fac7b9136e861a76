#!/usr/bin/env python3
"""Checks that docs/cookbook.md shows the whole programs that it has links to, as they are in examples/: tests run those. What
another page calls the core of a program must stand in that program, line by line.

usage: check_recipes.py REPOSITORY      exits 0 if it does, 1 listing what differs
"""

import pathlib
import re
import sys

# A link to a program, and the first block behind it.
SHOWN = re.compile(r"\[[\w.]+\]\(\.\./(examples/[\w./]+)\)[^`]*?\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
FEWEST = 3
# The same behind the words that announce a part.
CORE = re.compile(r"the core of\s+" + SHOWN.pattern, re.DOTALL | re.MULTILINE)
PAGES_WITH_CORES = ["docs/gpu.md", "docs/library.md"]


def problems_of_cores(repository):
    for page in PAGES_WITH_CORES:
        cores = CORE.findall((repository / page).read_text(encoding="utf-8"))
        yield from (f"{page}: what it shows of {name} is not there" for name, text in cores if "\n" + text not in (repository / name).read_text(encoding="utf-8"))
        if not cores:
            yield f"{page}: shows the core of no program"


def main(repository):
    shown = SHOWN.findall((repository / "docs/cookbook.md").read_text(encoding="utf-8"))
    problems = [f"docs/cookbook.md: shows {name} otherwise than it is" for name, text in shown if (repository / name).read_text(encoding="utf-8") != text]
    if len(shown) < FEWEST:
        problems.append(f"docs/cookbook.md: shows {len(shown)} whole programs, which were {FEWEST}")
    problems += problems_of_cores(repository)
    print("\n".join(problems) or f"{len(shown)} programs are shown as they are")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
