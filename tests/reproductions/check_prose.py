#!/usr/bin/env python3
"""Checks that the papers' pages say what their sources and the kept results say, and that no figure in them is typed by hand.

usage: check_prose.py REPOSITORY      exits 0 if all holds, 1 listing what does not
"""

import pathlib
import re
import sys

import prose_rules

# What a run needs and how long it takes, with a link to the paper's first table of times, which the page shows.
TO_RERUN = re.compile(r"^\*\*To rerun\*\*: .*?(?=\n\n)", re.MULTILINE | re.DOTALL)
FIRST_TABLE = re.compile(r"\[[Tt]able\s([12I])\]\(#")
PAPERS_BLOCK = re.compile(r"^## [^\n]*papers[^\n]*\n(.*?)(?=^## )", re.MULTILINE | re.DOTALL | re.IGNORECASE)


def check_pages(render_pages):
    for path, text, _ in render_pages.pages([]):
        name = path.relative_to(render_pages.FOLDER.parent)
        if not path.exists() or path.read_text() != text:
            yield f"{name} is not what its source and the results say: run reproductions/render_pages.py"


def check_sources(render_pages):
    for path in sorted([*render_pages.FOLDER.glob("README.md.in"), *render_pages.FOLDER.glob("*/README.md.in")]):
        page = render_pages.Page(path)
        for problem in prose_rules.problems_of(page, render_pages.blocks_of(page.body)):
            yield f"{path.relative_to(render_pages.FOLDER.parent)}: {problem}"


def problems_of_first_screen(text):
    to_rerun = TO_RERUN.search(text)
    if not to_rerun or " s on the " not in to_rerun[0]:
        yield "does not say under 'To rerun' what a run needs and how many seconds it takes"
        return
    table = FIRST_TABLE.search(to_rerun[0])
    if not table or f"\n**Table {table[1]}**" not in text:
        yield "has no link under 'To rerun' to its first table, or not the table"


def check_first_screens(render_pages):
    for path in sorted(render_pages.FOLDER.glob("*/README.md")):
        yield from (f"{path.relative_to(render_pages.FOLDER.parent)} {problem}" for problem in problems_of_first_screen(path.read_text()))


def check_readme(repository):
    """The block about the papers in README.md has no placeholders, and so no figure at all."""
    block = PAPERS_BLOCK.search((repository / "README.md").read_text())
    if not block:
        yield "README.md: no block about the papers"
        return
    for _, token in prose_rules.bare_numbers(block.group(1)):
        yield f"README.md, the papers: {token} is typed by hand; figures stand in reproductions/README.md"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    sys.path.insert(0, str(repository / "reproductions"))
    import render_pages

    problems = [*check_pages(render_pages), *check_sources(render_pages), *check_first_screens(render_pages), *check_readme(repository)]
    print("\n".join(problems))
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
