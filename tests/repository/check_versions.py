#!/usr/bin/env python3
"""Checks that CITATION.cff and the parts of version.h have the version that version.h says.

usage: check_versions.py REPOSITORY      exits 0 if so, 1 listing what does not
"""

import pathlib
import re
import sys

CITED = ("cff-version", "message", "title", "authors", "version", "license")  # what Citation File Format 1.2.0 asks for, and what we add


def problems_of(repository):
    header = (repository / "include/phalanx/version.h").read_text(encoding="utf-8")
    version = re.search(r'^#define PHALANX_VERSION "([^"]+)"$', header, re.MULTILINE)[1]
    numbers = re.findall(r"^#define PHALANX_VERSION_(?:MAJOR|MINOR|PATCH) (\d+)$", header, re.MULTILINE)
    namespace = re.search(r"^#define PHALANX_VERSION_NAMESPACE (\w+)$", header, re.MULTILINE)[1]
    if re.match(r"\d+\.\d+\.\d+", version)[0] != ".".join(numbers):
        yield f"version.h: the numbers are {'.'.join(numbers)}, and the version is {version}"
    if not namespace.startswith(f"v{'_'.join(numbers)}"):
        yield f"version.h: the namespace is {namespace}, and the version is {version}"
    citation = (repository / "CITATION.cff").read_text(encoding="utf-8")
    found = dict(re.findall(r"^([a-z-]+):[ \t]*(.*)$", citation, re.MULTILINE))
    yield from (f"CITATION.cff has no {name}" for name in CITED if name not in found)
    if found.get("version") != version:
        yield f"CITATION.cff: the version is {found.get('version')}, and version.h has {version}"


def main(repository):
    problems = list(problems_of(repository))
    print("\n".join(problems) or "the version is one")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
