#!/usr/bin/env python3
"""Checks that each link of a page to another file of the repository, or to a heading, leads somewhere.

usage: check_links.py REPOSITORY      exits 0 if all do, 1 listing those that do not
"""

import collections
import pathlib
import re
import sys

import check_plain_english

LINK = re.compile(r"\]\(([^)\s]+)\)")
HEADING = re.compile(r"^#+\s+(.*?)\s*$")
NOT_OURS = re.compile(r"[a-z]+:")
WITHOUT_PAGES = {"build", ".git"}


def anchors_of(text):
    """As the sites that show Markdown make them of headings."""
    found, times = set(), collections.Counter()
    for _, line in check_plain_english.prose_lines(text):
        heading = HEADING.match(line)
        if heading:
            words = LINK.sub("]", heading[1]).lower()
            anchor = re.sub(r"[^\w\- ]", "", words).replace(" ", "-")
            found.add(f"{anchor}-{times[anchor]}" if times[anchor] else anchor)
            times[anchor] += 1
    return found


def dead_links(repository, page):
    text = page.read_text(encoding="utf-8")
    for number, line in check_plain_english.prose_lines(text):
        for target in LINK.findall(check_plain_english.CODE.sub("", line)):
            name, _, anchor = target.partition("#")
            if NOT_OURS.match(target):
                continue
            path = page.parent / name if name else page
            if not path.exists():
                yield f"{page.relative_to(repository)}:{number}: {target} is not there"
            elif anchor and anchor not in anchors_of(path.read_text(encoding="utf-8")):
                yield f"{page.relative_to(repository)}:{number}: {target} has no such heading"


def pages_of(repository):
    for page in sorted(repository.rglob("*.md")):
        if page.relative_to(repository).parts[0] not in WITHOUT_PAGES:
            yield page


def main(repository):
    problems = [problem for page in pages_of(repository) for problem in dead_links(repository, page)]
    print("\n".join(problems) or "all links lead somewhere")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
