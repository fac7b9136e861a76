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
    "src/engine/bytes/inline.hpp": "",
    "src/files/system/input.hpp": INCLUDE("engine/bytes/inline.hpp"),
    "src/files/system/output/output.cpp": INCLUDE("files/system/input.hpp"),
    "src/program/cli/main.cpp": INCLUDE("files/system/output/output.hpp") + INCLUDE("program/cli/commands/decrypt.hpp"),
    "src/program/cli/commands/decrypt.hpp": "",
    "src/program/cluster/worker.cpp": INCLUDE("program/cli/commands/decrypt.hpp"),
    "src/files/container/format/reader.cpp": "#include <phalanx/files/container.hpp>\n",
    "src/files/foreign/reader.cpp": "",
    "src/engine/engines/cpu/kernels/aes_avx2.cpp": INCLUDE("engine/bytes/inline.hpp"),
    "tests/files/input_test.cpp": INCLUDE("program/cluster/worker.hpp"),
    "tests/cli/input_test.cpp": "",
}
PLANTED = [  # files that are put beside the good ones, and what must be said
    ({"src/engine/bytes/order.hpp": INCLUDE("engine/secrets/secret_bytes.hpp")}, "engine/bytes/ must not include engine/secrets/secret_bytes.hpp"),
    ({"src/files/system/paths.cpp": INCLUDE("files/system/output/output.hpp")}, "files/system/ must not include files/system/output/output.hpp"),
    ({"src/files/foreign/message.cpp": INCLUDE("files/foreign/search/search.hpp")}, "files/foreign/ must not include files/foreign/search/search.hpp"),
    ({"src/files/pipeline/piece.cpp": INCLUDE("program/cluster/worker.hpp")}, "files/pipeline/ must not include program/cluster/worker.hpp"),
    ({"src/program/cli/commands/raw.cpp": INCLUDE("program/cli/program.hpp")}, "program/cli/commands/ must not include program/cli/program.hpp"),
    ({"src/program/cli/program.cpp": "#  include  " + '"program/cluster/worker.hpp"\n'}, "program/cli/ must not include program/cluster/worker.hpp"),
    ({"src/program/cluster/ranks.cpp": INCLUDE("tests/cluster/ranks.hpp")}, "program/cluster/ must not include tests/cluster/ranks.hpp"),
    ({"src/attic/old.cpp": ""}, "src/attic/old.cpp: in none of the rooms"),
    ({"src/files/container/old.cpp": ""}, "src/files/container/old.cpp: in none of the rooms"),
    ({"src/engine/engines/kernels/aes_avx2.cpp": ""}, "more than one file of engine/engines has this name"),
    ({"src/engine/text/hex.cpp": "/// Digits.\n"}, "src/engine/text/hex.cpp:1: `///` is for headers"),
    ({"src/engine/text/hex.hpp": INCLUDE("phalanx/error.hpp")}, "src/engine/text/hex.hpp: includes a public header by"),
    ({"src/engine/text/hex.hpp": "#include <phalanx/phalanx.hpp>\n"}, "engine/text/ must not include phalanx/phalanx.hpp"),
    ({"src/engine/engines/engine.hpp": "#include <phalanx/files/container.hpp>\n"}, "engine/engines/ must not include phalanx/files/container.hpp"),
    ({"include/phalanx/cipher.hpp": "#include <phalanx/files/trees.hpp>\n"}, "engine/library/ must not include phalanx/files/trees.hpp"),
    ({"include/phalanx/novel.hpp": ""}, "include/phalanx/novel.hpp: belongs to no room"),
    ({f"src/engine/text/text_{number}.cpp": "" for number in range(check_tree.MAX_MODULES + 1)}, "src/engine/text: 21 modules"),
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
