#!/usr/bin/env python3
"""Checks that every test that a page names is there.

usage: check_test_names.py REPOSITORY      exits 0 if all are, 1 listing those that are not

A page names a test in code quotes: `test_cli_output.py::test_a_full_disk`, `test_cli_output.py` for all of a file, or
`StackWipe.KeepsNoKeyOfAMessage` for one of GoogleTest's; a name alone, `::test_a_full_disk`, is of the file named before it.
"""

import pathlib
import re
import sys

PAGES = ("SECURITY.md", "docs/compatibility.md", "docs/faults.md", "docs/migration.md", "docs/processes.md",
         "docs/notes/changes_of_behaviour.md", "docs/notes/frictions.md", "docs/audit/invariants.md")
OF_PYTEST = re.compile(r"`(?:(\w+\.py)(?:::(test_\w+))?|::(test_\w+))`")
OF_GOOGLETEST = re.compile(r"`([A-Z]\w+)\.([A-Z]\w+)`")
NAMED = re.compile(rf"{OF_PYTEST.pattern}|{OF_GOOGLETEST.pattern}")


def tests_there(repository):
    """The functions of each test file of Python, and all tests of GoogleTest."""
    scripts = {}
    for folder in ("tests", "bindings/python"):
        for path in (repository / folder).rglob("*.py"):
            scripts.setdefault(path.name, set()).update(re.findall(r"^def (test_\w+)", path.read_text(), re.MULTILINE))
    suites = set()
    for path in (repository / "tests").rglob("*.cpp"):
        suites.update(re.findall(r"^TEST(?:_F|_P)?\((\w+),\s*(\w+)\)", path.read_text(), re.MULTILINE))
    return scripts, suites


def missing(page, text, scripts, suites):
    file = None
    for number, line in enumerate(text.splitlines(), start=1):
        for match in NAMED.finditer(line):
            script, test, further, suite, name = match.groups()
            file = script or file
            there = (suite, name) in suites if suite else file in scripts and (test or further or "") in scripts[file] | {""}
            if not there:
                yield f"{page}:{number}: {match[0]} is no test"


def main(repository):
    scripts, suites = tests_there(repository)
    found, num_named = [], 0
    for page in PAGES:
        text = (repository / page).read_text() if (repository / page).exists() else ""
        num_named += len(NAMED.findall(text))
        found += missing(page, text, scripts, suites)
    print("\n".join(found) or f"{num_named} tests are named, and all are there")
    return 1 if found or num_named == 0 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
