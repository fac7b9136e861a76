#!/usr/bin/env python3
"""Checks the checks of pages, comments and scripts: a long sentence, a long README, a dead link, a placeholder, a fragment and a
pipe that are planted in a small tree must be found.

usage: plant_pages.py      exits 0 if each is found, 1 listing what is not
"""

import pathlib
import sys
import tempfile

import check_links
import check_placeholders
import check_plain_english
import check_scripts

LONG = " ".join(["word"] * (check_plain_english.MAX_SENTENCE_WORDS + 1)) + "."
SHORT = "A [link](docs/guide.md#a-part) and `a command of several words` are a sentence.\n"
LONG_COMMENT = " ".join(["is"] * (check_plain_english.MAX_COMMENT_WORDS + 1)) + "."
PLAIN_COMMENTS = f"""// A title

/// Says whether `{LONG_COMMENT}` holds.
/// - An item of a list is a sentence of its own
/* The block ends here. */
const char* literal = "// Of no comment. {LONG_COMMENT}";
int number = 1'000;  // Of a noun phrase, which a note may be.
"""
GOOD = {
    "README.md": f"# A page\n\n{SHORT}\n```\n{LONG}\n```\n\n> A quote is prose.\n\n| a cell | another |\n|---|---|\n| one. | two |\n",
    "docs/guide.md": f"# Guide\n\n## A part\n\nSee [above](#a-part), and [the page](../README.md).\n{'Words. ' * 20}\n" + "\n" * 25 + LONG,
    "docs/notes/journal.md": LONG,
    "SECURITY.md": "[to be filled in: an address]\n",
    "include/plain.hpp": PLAIN_COMMENTS,
    "HACKING.md": "## Before publishing\n\n| SECURITY.md | `[to be filled in: an address]` | one |\n\n## Else\n",
}
PLANTED = [  # a page that takes the place of a good one, and what must be said of it
    ("README.md", f"# A page\n\n{LONG}\n", "README.md:3: a sentence of 26 words"),
    ("README.md", f"- an item\n- {LONG}\n", "README.md:2: a sentence of 26 words"),
    ("README.md", f"> {LONG}\n", "README.md:1: a sentence of 26 words"),
    ("README.md", f"| a | b |\n|---|---|\n| c | {LONG} |\n", "README.md:3: a sentence of 26 words"),
    ("README.md", LONG.replace(" ", "\n") + "\n", "README.md:1: a sentence of 26 words"),
    ("README.md", "A word. " * 451, "README.md: 902 words (at most 900)"),
    ("README.md", "`two words`. " * 451, "README.md: 902 words (at most 900)"),
    ("docs/guide.md", f"# Guide\n## A part\n\n{LONG}\n", "docs/guide.md:4: a sentence of 26 words"),
    ("docs/guide.md", f"```\n## A part\n```\n", "README.md:3: docs/guide.md#a-part has no such heading"),
    ("docs/guide.md", "## A part\n[here](notes/none.md)\n", "docs/guide.md:2: notes/none.md is not there"),
    ("docs/guide.md", "## A part\n[here](#another-part)\n", "docs/guide.md:2: #another-part has no such heading"),
    ("SECURITY.md", f"[to be filled in: an address] {'word ' * 61}\n", "SECURITY.md:1: a line of 335 characters"),
    ("SECURITY.md", "Write to somebody.\n", "SECURITY.md has no [to be filled in: an address] any more"),
    ("docs/guide.md", "## A part\nWrite to maintainer@example.org.\n", "docs/guide.md: maintainer@example.org is not in the list"),
    ("include/plain.hpp", f"// {LONG_COMMENT}\n", "include/plain.hpp:1: a sentence of 31 words"),
    ("include/plain.hpp", f"int a;  // {LONG_COMMENT}\n", "include/plain.hpp:1: a sentence of 31 words"),
    ("include/plain.hpp", "\n/* A comment is here.\n * Of what is\n * no more. */", "include/plain.hpp:2: begins with 'Of'"),
    ("include/plain.hpp", "/// That of a folder is read.\n", "include/plain.hpp:1: begins with 'That of'"),
    ("include/plain.hpp", "// What is it?\n", "include/plain.hpp:1: begins with 'What'"),
    ("include/plain.hpp", "// It tells whoever asked.\n", "include/plain.hpp:1: who calls is the caller"),
    ("include/plain.hpp", "// The last\n// part of a message.\n", "include/plain.hpp:1: has no verb"),
    ("docs/notes/journal.md", "[up](../guide.md#part)\n", "docs/notes/journal.md:1: ../guide.md#part has no such heading"),
]


def said_of(pages):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, text in pages.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        of_words = [problem for check in check_plain_english.CHECKS for problem in check(folder)]
        of_links = [problem for page in check_links.pages_of(folder) for problem in check_links.dead_links(folder, page)]
        there = set(check_placeholders.placeholders_of(folder, pages))
        return of_words + of_links + list(check_placeholders.problems_of(there, set(check_placeholders.listed(folder))))


SCRIPTS = [  # a script, and whether something must be said of it
    ("set -o pipefail\nls | head -n 1\n", True),
    ("set -euo pipefail\nif nm x | grep -qw y; then :; fi\n", True),
    ("ls | head -n 1\n", False),
    ("set -o pipefail\nls | sed -n 1p; nm x | grep -w y >/dev/null  # as | head -n 1\n", False),
]


def main():
    wrong = [text for text, is_wrong in SCRIPTS if bool([*check_scripts.early_leavers("script", text)]) != is_wrong]
    problems = [f"a script is judged wrongly: {text!r}" for text in wrong]
    problems += [f"found where nothing is: {said}" for said in said_of(GOOD)]
    for path, text, expected in PLANTED:
        said = said_of(GOOD | {path: text})
        if len(said) != 1 or expected not in said[0]:
            problems.append(f"not found alone: {expected} ({'; '.join(said)})")
    print("\n".join(problems) or f"{len(PLANTED) + len(SCRIPTS)} mistakes and their like judged")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
