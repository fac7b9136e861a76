#!/usr/bin/env python3
"""Checks the rules that no compiler knows, over every file that git tracks. See HACKING.md, "Conventions".

usage: check_tree.py REPOSITORY        exits 0 if all hold, 1 listing what does not, 77 (skipped) outside a git checkout
"""

import collections
import functools
import pathlib
import re
import subprocess
import sys

MAX_SOURCE_LINES = 450
MAX_MODULES = 20  # in a folder of HOUSE
MAX_LINE_COLUMNS = 125  # of comments too, which clang-format leaves alone where it cannot tell words from tables
VAGUE_NAMES = {"util", "utils", "common", "helper", "helpers", "impl", "misc"}
# Names that tools prescribe: they may repeat within a room and need not be snake_case.
PRESCRIBED_NAMES = re.compile(r"(CMakeLists\.txt|Containerfile|CMakePresets\.json|Makefile|[A-Z]+(\.md|\.cff)?|\.[a-z-]+|__(init|main)__\.py|conftest\.py)$")
# What every folder of reproductions/ has under the same name, so that a reader of one finds the way in all; kept results go by date.
# What earlier programs wrote has the names that they gave it.
# phalanx.compat has the names of the packages that it stands for; a stub has that of its module.
PRESCRIBED_PATHS = re.compile(r"results/(bench|papers)/|tests/vectors/releases/[a-z0-9._]+/|debian/|bindings/python/phalanx/(compat/|_native\.pyi$)|reproductions/README\.md\.in$|reproductions/[a-z0-9_]+/(README\.md\.in|run|compare|tables\.md|paper_table_[a-z0-9_]+\.csv)$")
SNAKE_CASE = re.compile(r"[a-z0-9]+(_[a-z0-9]+)*(\.[a-z0-9]+)*$")

# Written with classes so that this file does not match itself.
FORBIDDEN_TEXT = [
    (re.compile(r"(^|[\s\"'(=:`])/(work|farm|root|home)/"), "a path of one machine"),
    (re.compile(r"[.][.]/shared[/\b]"), "a path outside the repository"),
    (re.compile(r"(deb|security|snapshot|archive)[.](debian|ubuntu)[.]|pypi[.]org|pythonhosted[.]|registry[.]npmjs"), "a registry's host"),
    (re.compile(r"\bissue #?[0-9]", re.IGNORECASE), "a number of an issue"),
]

# Dependencies go one way: a room of src/ may include from itself and from those before it. All below its folder is the room's, but what
# is a room itself. src/CMakeLists.txt and those below it have the same lists. A part is what can be had alone, with those before it.
ROOMS_OF_PARTS = {
    "engine": """bytes host secrets threads text lanes ciphers modes engines library chunked""".split(),
    "files": """libcrypto age system system/output pipeline container/format container/file container/recipients
        container/index container/results container/trees foreign foreign/asn1 foreign/aead foreign/cms foreign/luks foreign/openpgp/packets foreign/openpgp in_place recognition foreign/search inspection migration
        migration/manifest migration/trees""".split(),
    "parquet": [""],
    "program": """cli/console cli/engine cli/secrets cli/plugins cli/options cli/bench cli/migrate cli/commands cli
        cluster""".split(),
}
PARTS = {part: [f"{part}/{room}".rstrip("/") for room in rooms] for part, rooms in ROOMS_OF_PARTS.items()}
ROOMS = [room for rooms in PARTS.values() for room in rooms]
# A public header (NAME.hpp of C++, NAME.h of C) belongs to the room that has what it declares. The umbrella of a part is for users alone.
PUBLIC_HEADERS = {
    "engine/bytes": "bytes error streams version",
    "engine/threads": "threads",
    "engine/engines": "options",
    "engine/library": "aead catalog cipher device_aead device_batch secret",
    "engine/chunked": "chunked",
    "files/libcrypto": "files/key_derivation",
    "files/pipeline": "files/cancellation",
    "files/container/format": "files/container",
    "files/container/file": "files/chunked_file files/container_file files/verification",
    "files/container/recipients": "files/recipients",
    "files/container/index": "files/tree_index",
    "files/container/trees": "files/trees",
    "files/foreign": "files/foreign files/padding",
    "files/foreign/cms": "files/cms",
    "files/foreign/openpgp": "files/openpgp",
    "files/foreign/luks": "files/volume",
    "files/foreign/search": "files/doubt",
    "files/in_place": "files/in_place",
    "files/inspection": "files/inspect",
    "files/migration": "files/migration",
    "parquet": "parquet/modular_encryption",
}
ROOM_OF_PUBLIC = {f"phalanx/{name}{end}": room for room, names in PUBLIC_HEADERS.items() for name in names.split() for end in (".hpp", ".h")}
UMBRELLAS = {"phalanx/phalanx.hpp", *(f"phalanx/{part}{end}" for part in ("files", "parquet") for end in (".hpp", ".h"))}
ROOM_OF_PUBLIC["phalanx/phalanx.h"] = "engine/library"
SOURCES = {".hpp", ".cpp", ".cu"}
# Where a folder is a room, and a script is a module as well.
HOUSE = {"src", "bindings", "tests", "tools"}
MODULES = {*SOURCES, ".c", ".h", ".py", ".sh", ""}
# A kernel or a word for each of these is one module.
INSTRUCTION_SET = re.compile(r"_(scalar|aesni|avx2|avx2_vaes|avx512|avx512_half|neon|neon_sha3|gpu|x86_64|aarch64|portable)$")
# And never from these: what users install has nothing of them.
NOT_FROM_SRC = {"bench", "reference", "reproductions", "tests"}
OPTION_IN_TEXT = re.compile(r'"[^"]*--[a-z][^"]*"')
CITED_RESULT = re.compile(r"results/(?:bench|migration)/[A-Za-z0-9_./-]+\.json\.xz")
INCLUDE = re.compile(r'^\s*#\s*include\s+["<]([^">]+)[">]', re.MULTILINE)


def tracked_files(repository):
    git = ["git", "-c", f"safe.directory={repository}", "-C", str(repository)]
    listing = subprocess.run([*git, "ls-files", "-z"], capture_output=True, text=True)
    if listing.returncode != 0:
        return None
    return [pathlib.PurePosixPath(name) for name in listing.stdout.split("\0") if name]


def text_of(path):
    try:
        return path.read_text(encoding="utf-8")
    except (UnicodeDecodeError, FileNotFoundError):
        return None  # not text, or removed but not yet committed


@functools.cache
def room_of(path):
    """The longest room that a path below src/ begins with; "" if none does."""
    return max((room for room in ROOMS if path.startswith(room + "/")), key=len, default="")


def room_of_included(included):
    return ROOM_OF_PUBLIC.get(included) or room_of(included)


def below_src(file):
    return "/".join(file.parts[1:])


def is_source(file):
    return file.parts[0] == "src" and file.suffix in SOURCES


def check_names(files):
    """A name is unique in its room; outside of src/ each folder is one."""
    places = collections.defaultdict(list)
    for file in files:
        if PRESCRIBED_NAMES.match(file.name) or PRESCRIBED_PATHS.match(str(file)):
            continue
        places[room_of(below_src(file)) if is_source(file) else file.parent, file.name].append(file)
        if not SNAKE_CASE.match(file.name):
            yield f"{file}: the name is not snake_case"
        for part in file.parts:
            if part.split(".")[0] in VAGUE_NAMES:
                yield f"{file}: '{part}' says nothing of what is in it"
    for (room, name), where in places.items():
        if len(where) > 1:
            yield f"{name}: more than one file of {room} has this name: {', '.join(map(str, where))}"


def check_rooms(files):
    modules = collections.defaultdict(set)
    for file in files:
        if file.parts[0] in HOUSE and file.suffix in MODULES and "corpus" not in file.parts:
            modules[file.parent].add(INSTRUCTION_SET.sub("", file.stem))
        if is_source(file) and not room_of(below_src(file)):
            yield f"{file}: in none of the rooms that check_tree.py lists"
    for folder, names in modules.items():
        if len(names) > MAX_MODULES:
            yield f"{folder}: {len(names)} modules; divide it by subject (at most {MAX_MODULES})"


def check_results(files):
    """Figures are of commits that anybody can build, and a picture is there once."""
    for file in files:
        if "results" in file.parts and "-modified" in file.name:
            yield f"{file}: figures of a modified tree"
        if file.parts[0] == "results" and len(file.parts) > 2 and not file.name.endswith(".json.xz"):
            yield f"{file}: kept results are JSON, packed by xz: see results/README.md"
        if file.suffix == ".png" and file.with_suffix(".svg") in files:
            yield f"{file}: there is an SVG of it"


def check_citations(files, pages):
    """A kept result has a link in a page, and such a link leads somewhere. Of the papers' runs tests/reproductions/ knows."""
    cited = {name for text in pages for name in CITED_RESULT.findall(text)}
    kept = {str(file) for file in files if CITED_RESULT.fullmatch(str(file))}
    for name in sorted(kept - cited):
        yield f"{name}: no page has a link to it: cite it, or remove it"
    for name in sorted(cited - kept):
        yield f"{name}: a page has a link to it, and it is not there"


def check_text(file, text):
    for number, line in enumerate(text.splitlines(), start=1):
        for pattern, what in FORBIDDEN_TEXT:
            if pattern.search(line):
                yield f"{file}:{number}: names {what}"


def check_size(file, text):
    lines = text.count("\n")
    if file.parts[0] == "src" and lines > MAX_SOURCE_LINES and not text.startswith("// Generated by "):
        yield f"{file}: {lines} lines; split it (at most {MAX_SOURCE_LINES})"


def check_width(file, text):
    if file.parts[0] not in {"src", "include"} or file.suffix not in {".hpp", ".cpp", ".cu", ".h"}:
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if line.lstrip().startswith("//") and len(line) > MAX_LINE_COLUMNS and not text.startswith("// Generated by "):
            yield f"{file}:{number}: a comment of {len(line)} columns (at most {MAX_LINE_COLUMNS})"


def check_comments(file, text):
    """`///` documents a declaration in a header; all else, and all of a .cpp, is `//`."""
    if file.suffix in {".cpp", ".cu"}:
        for number, line in enumerate(text.splitlines(), start=1):
            if re.match(r"\s*///", line) or "///<" in line:
                yield f"{file}:{number}: `///` is for headers: write `//`"


def check_public_includes(file, text):
    """What users see is included as they include it."""
    if file.suffix in {".cpp", ".cu", ".hpp", ".h"} and re.search(r'^\s*#\s*include\s+"phalanx/', text, re.MULTILINE):
        yield f"{file}: includes a public header by \"phalanx/...\": write <phalanx/...>"


def check_layers(file, text):
    is_public = str(file).startswith("include/phalanx/")
    public = str(file).removeprefix("include/")
    room = ROOM_OF_PUBLIC.get(public) if is_public else is_source(file) and room_of(below_src(file))
    if is_public and not room and public not in UMBRELLAS and file.suffix in {".h", ".hpp"}:
        yield f"{file}: belongs to no room: PUBLIC_HEADERS of check_tree.py has each"
    if not room:
        return
    for included in INCLUDE.findall(text):
        other = room_of_included(included)
        is_above = other and ROOMS.index(other) > ROOMS.index(room)
        if included.split("/")[0] in NOT_FROM_SRC or is_above or included in UMBRELLAS:
            yield f"{file}: {room}/ must not include {included}"


def check_options(file, text):
    """The program alone has options: below src/program/cli/ no text of a message names one."""
    if not is_source(file) or file.parts[1] == "program":
        return
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.lstrip().startswith("//") and OPTION_IN_TEXT.search(line):
            yield f"{file}:{number}: names an option of the program: say what is the case, and let src/program/cli/ find the words"


def main():
    repository = pathlib.Path(sys.argv[1]).resolve()
    files = tracked_files(repository)
    if files is None:
        print("skipped: not a git checkout")
        return 77
    problems = [*check_names(files), *check_results(files), *check_rooms(files)]
    problems.extend(check_citations(files, [text_of(repository / file) or "" for file in files if file.suffix == ".md"]))
    for file in files:
        text = text_of(repository / file)
        if text is not None:
            for check in (check_text, check_size, check_width, check_comments, check_public_includes, check_layers, check_options):
                problems.extend(check(file, text))
    print("\n".join(problems) if problems else f"{len(files)} files checked")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
