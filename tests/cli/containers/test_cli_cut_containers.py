"""Containers that were cut, and what never was one: the exit codes that docs/program.md lists, from each command that opens."""

import os
import re

import pytest
from conftest import KEY, random_bytes

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../../docs/program.md")
PREFIX, PLAIN_CHUNK, SEALED_CHUNK, TAG = 56, 16384, 16400, 16


@pytest.fixture
def sealed(phalanx):
    """The container of 2 full chunks and a third of 5,000 bytes."""
    phalanx.write("key", random_bytes(32))
    phalanx.write("other", random_bytes(32, seed=2))
    phalanx.write("IN", random_bytes(2 * PLAIN_CHUNK + 5000))
    phalanx.run("encrypt", *KEY, "IN", "BOX.phalanx", check=0)
    return phalanx


def places(container):
    """Where it is cut, by the words of the page."""
    header = 12 + int.from_bytes(container[10:12], "big") + 64
    chunks = header + PREFIX
    one, two = chunks + SEALED_CHUNK, chunks + 2 * SEALED_CHUNK
    return {
        "to 0 bytes": [0],
        "in its header, or in the 56 bytes of salt and commitment behind it": [1, 7, 11, 12, header - 1, header, chunks - 1],
        "at the end of a chunk, or less than 16 bytes behind one": [chunks, chunks + TAG - 1, one, one + TAG - 1, two, two + TAG - 1],
        "elsewhere inside of a chunk": [chunks + TAG, one - 1, one + TAG, one + 8000, two + TAG, len(container) - 1],
    }


def listed_codes():
    """The page's table of cuts."""
    with open(PAGE) as page:
        table = page.read().split("| where it was cut | code |\n")[1].split("\n\n")[0]
    rows = re.findall(r"^\| (.+) \| (\d) \|$", table, re.MULTILINE)
    assert len(rows) == table.count("\n")  # all below the line under the heads
    return {where: int(code) for where, code in rows}


def codes_of(files, content):
    """What each way to open it ends with, and where a line is said."""
    for name in ("CUT.phalanx", "tree/CUT.phalanx"):
        files.write(name, content)
    commands = [
        ["decrypt", *KEY, "CUT.phalanx", "OUT"],
        ["decrypt", *KEY, "--range", "0:1", "CUT.phalanx", "OUT"],
        ["decrypt", "--each", *KEY, "tree", "--to-tree", "back"],
        ["verify", *KEY, "CUT.phalanx"],
        ["verify", *KEY, "tree"],
        ["recipients", "add", *KEY, "--add-key-file", "other", "CUT.phalanx"],
    ]
    runs = [(command, files.run(*command)) for command in commands]
    runs.append((["decrypt", "-"], files.run("decrypt", *KEY, stdin=content)))
    assert files.read("CUT.phalanx") == content and not [name for name in files.names() if name.startswith("OUT")]
    assert all(done.stderr for _, done in runs)
    return {" ".join(command): done.returncode for command, done in runs}


def test_a_cut_container_ends_with_the_code_of_the_page(sealed):
    (sealed.folder / "tree").mkdir()
    container = sealed.read("BOX.phalanx")
    listed, cuts = listed_codes(), places(container)
    assert list(listed) == list(cuts)
    for where, sizes in cuts.items():
        for size in sizes:
            codes = codes_of(sealed, container[:size])
            assert set(codes.values()) == {listed[where]}, (where, size, codes)


def test_what_never_was_a_container_ends_with_2(sealed):
    (sealed.folder / "tree").mkdir()
    for content in (b"x", b"a text that is no container\n", bytes(100), random_bytes(20_000)):
        codes = codes_of(sealed, content)
        assert set(codes.values()) == {2}, (content[:20], codes)
