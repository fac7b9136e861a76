#!/usr/bin/env python3
"""Checks that docs/cookbook.md shows the whole programs that it has links to, as they are in examples/: tests run those.

usage: check_recipes.py REPOSITORY      exits 0 if it does, 1 listing what differs
"""

import pathlib
import re
import sys

# A link to a program, and the first block behind it.
SHOWN = re.compile(r"\[[\w.]+\]\(\.\./(examples/[\w./]+)\)[^`]*?\n```\w+\n(.*?)^```", re.DOTALL | re.MULTILINE)
FEWEST = 3


def main(repository):
    shown = SHOWN.findall((repository / "docs/cookbook.md").read_text(encoding="utf-8"))
    problems = [f"docs/cookbook.md: shows {name} otherwise than it is" for name, text in shown if (repository / name).read_text(encoding="utf-8") != text]
    if len(shown) < FEWEST:
        problems.append(f"docs/cookbook.md: shows {len(shown)} whole programs, which were {FEWEST}")
    print("\n".join(problems) or f"{len(shown)} programs are shown as they are")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
