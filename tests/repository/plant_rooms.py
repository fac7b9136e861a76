#!/usr/bin/env python3
"""Checks the check of the tree: an arrow up between rooms that is planted in a small tree must be found, and all else that it says of rooms.

usage: plant_rooms.py      exits 0 if each is found, 1 listing what is not, 77 (skipped) without git
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_tree

INCLUDE = '#include "{}"\n'.format
GOOD = {
    "src/bytes/inline.hpp": "",
    "src/files/input.hpp": INCLUDE("bytes/inline.hpp"),
    "src/files/output/output.cpp": INCLUDE("files/input.hpp"),
    "src/cli/main.cpp": INCLUDE("files/output/output.hpp") + INCLUDE("cli/commands/decrypt.hpp"),
    "src/cli/commands/decrypt.hpp": "",
    "src/cluster/worker.cpp": INCLUDE("cli/commands/decrypt.hpp"),
    "src/container/format/reader.cpp": "#include <phalanx/container.hpp>\n",
    "src/foreign/reader.cpp": "",
    "src/engines/cpu/kernels/aes_avx2.cpp": INCLUDE("bytes/inline.hpp"),
    "tests/files/input_test.cpp": INCLUDE("cluster/worker.hpp"),
    "tests/cli/input_test.cpp": "",
}
PLANTED = [  # files that are put beside the good ones, and what must be said
    ({"src/bytes/order.hpp": INCLUDE("secrets/secret_bytes.hpp")}, "bytes/ must not include secrets/secret_bytes.hpp"),
    ({"src/files/paths.cpp": INCLUDE("files/output/output.hpp")}, "files/ must not include files/output/output.hpp"),
    ({"src/foreign/message.cpp": INCLUDE("foreign/search/search.hpp")}, "foreign/ must not include foreign/search/search.hpp"),
    ({"src/pipeline/piece.cpp": INCLUDE("cluster/worker.hpp")}, "pipeline/ must not include cluster/worker.hpp"),
    ({"src/cli/commands/raw.cpp": INCLUDE("cli/program.hpp")}, "cli/commands/ must not include cli/program.hpp"),
    ({"src/cli/program.cpp": "#  include  " + '"cluster/worker.hpp"\n'}, "cli/ must not include cluster/worker.hpp"),
    ({"src/cluster/ranks.cpp": INCLUDE("tests/cluster/ranks.hpp")}, "cluster/ must not include tests/cluster/ranks.hpp"),
    ({"src/attic/old.cpp": ""}, "src/attic/old.cpp: in none of the rooms"),
    ({"src/container/old.cpp": ""}, "src/container/old.cpp: in none of the rooms"),
    ({"src/engines/kernels/aes_avx2.cpp": ""}, "more than one file of engines has this name"),
    ({"src/text/hex.cpp": "/// Digits.\n"}, "src/text/hex.cpp:1: `///` is for headers"),
    ({"src/text/hex.hpp": INCLUDE("phalanx/error.hpp")}, "src/text/hex.hpp: includes a public header by"),
    ({"src/text/hex.hpp": "#include <phalanx/phalanx.hpp>\n"}, "text/ must not include phalanx/phalanx.hpp"),
    ({"src/engines/engine.hpp": "#include <phalanx/container.hpp>\n"}, "engines/ must not include phalanx/container.hpp"),
    ({"include/phalanx/cipher.hpp": "#include <phalanx/trees.hpp>\n"}, "library/ must not include phalanx/trees.hpp"),
    ({"include/phalanx/novel.hpp": ""}, "include/phalanx/novel.hpp: belongs to no room"),
    ({f"src/text/text_{number}.cpp": "" for number in range(check_tree.MAX_MODULES + 1)}, "src/text: 21 modules"),
    ({f"tests/text/test_text_{number}.py": "" for number in range(check_tree.MAX_MODULES + 1)}, "tests/text: 21 modules"),
]


def said_of(files):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for path, text in files.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        subprocess.run(["git", "-C", name, "init", "--quiet"], check=True)
        subprocess.run(["git", "-C", name, "add", "--all"], check=True)
        result = subprocess.run([sys.executable, check_tree.__file__, name], capture_output=True, text=True)
        return result.returncode, result.stdout


def main():
    if shutil.which("git") is None:
        print("skipped: no git")
        return 77
    problems = []
    status, said = said_of(GOOD)
    if status != 0:
        problems.append(f"found where nothing is: {said}")
    for files, expected in PLANTED:
        status, said = said_of(GOOD | files)
        if status != 1 or expected not in said:
            problems.append(f"not found: {expected} ({said.strip()})")
        elif len(said.splitlines()) != 1:
            problems.append(f"more was said than: {expected} ({said.strip()})")
    print("\n".join(problems) or f"{len(PLANTED)} mistakes found")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
