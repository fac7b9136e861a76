#!/usr/bin/env python3
"""Checks a built site: each public name has an entry, each link inside leads somewhere, and each link outside is well formed.

usage: check_site.py REPOSITORY HTML_FOLDER      exits 0 if all holds, 1 listing what does not, 77 where build_site has not come to its end

No link to elsewhere is followed.
"""

import collections
import functools
import html
import pathlib
import re
import sys
import urllib.parse
import zlib

from public_names import public_names

LINK = re.compile(r'\s(?:href|src)="([^"]*)"')
ANCHOR = re.compile(r'\s(?:id|name)="([^"]*)"')
HEADER_LINES = 4  # of objects.inv, before what is packed


def entries(inventory):
    """Of each language, the names that have an entry."""
    packed = inventory.split(b"\n", HEADER_LINES)[HEADER_LINES]
    found = collections.defaultdict(set)
    for line in zlib.decompress(packed).decode().splitlines():
        name, role = line.split(" ")[:2]
        found[role.split(":")[0]].add(name)
    return found


def names_without_entry(repository, folder):
    have = entries((folder / "objects.inv").read_bytes())
    for name in public_names(repository):
        if name.name not in have[name.language]:
            yield f"{name.where}: {name.name} has no entry in the site"


@functools.cache
def anchors_of(page):
    return set(ANCHOR.findall(page.read_text(encoding="utf-8")))


def is_well_formed(link):
    parts = urllib.parse.urlsplit(link)
    return parts.scheme in {"https", "http"} and "." in parts.netloc and " " not in link if parts.scheme != "mailto" else "@" in parts.path


def dead_links(folder):
    for page in sorted(folder.rglob("*.html")):
        for link in sorted({html.unescape(link) for link in LINK.findall(page.read_text(encoding="utf-8"))}):
            parts = urllib.parse.urlsplit(link)
            if parts.scheme == "data":
                continue
            if parts.scheme:
                problem = "" if is_well_formed(link) else "is not well formed"
            else:
                problem = where_it_fails(page, parts)
            if problem:
                yield f"{page.relative_to(folder)}: {link} {problem}"


def where_it_fails(page, parts):
    target = (page.parent / urllib.parse.unquote(parts.path)).resolve() if parts.path else page
    if not target.is_file():
        return "is not there"
    if parts.fragment and target.suffix == ".html" and urllib.parse.unquote(parts.fragment) not in anchors_of(target):
        return "has no such place"
    return ""


def main(repository, folder):
    if not (folder.parent / "site_is_built").exists():
        print("skipped: the site is not built")
        return 77
    problems = [*names_without_entry(repository, folder), *dead_links(folder)]
    print("\n".join(problems) or f"{len(list(folder.rglob('*.html')))} pages, whose links lead somewhere, and all public names")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(*(pathlib.Path(argument).resolve() for argument in sys.argv[1:])))
