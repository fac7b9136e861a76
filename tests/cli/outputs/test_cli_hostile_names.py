"""Names of files that hold what a terminal would obey: C0 and C1 controls, DEL, in UTF-8 or as bytes. None of it is printed."""

import json
import os

import pytest
from conftest import KEY, OLD, RAW_CTR, TREE, random_bytes, run_on_terminal, seal_old

NAMES = {
    "C1": "a\u009b2J".encode(),
    "a byte of C1": b"a\x9b2J",
    "escape": b"a\x1b[2J",
    "DEL": b"a\x7f",
    "new line": b"a\nphalanx: b",
    "no UTF-8": b"a\xff\xc2",
    "overlong": b"a\xe0\x82\x9b",
    "NEL and CSI": "a\u0085b\u009b31m".encode(),
}
USUAL = "M\u00fcller \u00a0\u20ac\U0001f347"


def is_harmless(shown):
    """Bytes that are no UTF-8 are controls of Latin-1, or nothing."""
    codes = [ord(character) & 0xFF if 0xDC80 <= ord(character) < 0xDD00 else ord(character) for character in shown.decode(errors="surrogateescape")]
    return all(code == 10 or not (code < 32 or 127 <= code < 160) for code in codes)


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"open sesame\n")
    (phalanx.folder / "d").mkdir()
    return phalanx


def put(files, name, content=b"nothing"):
    path = os.fsencode(files.folder) + b"/" + name
    with open(path, "wb") as file:
        file.write(content)


@pytest.mark.parametrize("kind", NAMES)
@pytest.mark.parametrize("command", [
    ["verify", *KEY, "d"], ["decrypt", "--each", *KEY, "d"], ["encrypt", "--each", *KEY, "d"], ["verify", *KEY, "NAME"],
    ["inspect", "NAME"], ["decrypt", *KEY, "NAME", "out"], ["decrypt", "--key-file", "NAME", "key"], ["recipients", "add", *KEY, "--add-key-file", "key", "NAME"],
    ["raw", "encrypt", *RAW_CTR, "--in-place", "NAMEx"], ["encrypt", *KEY, "key", "NAME"], ["keygen", "NAME"], ["NAME"], ["help", "NAME"],
    ["encrypt", "--NAME"], ["raw", "encrypt", "--cipher", "NAME"], ["encrypt", "--key-env", "NAME"],
])  # fmt: skip
def test_no_message_holds_a_control(files, command, kind):
    name = NAMES[kind]
    for container in (name + b".phalanx", name + b".phalanx-partial"):
        put(files, b"d/" + container)
    os.mkfifo(os.fsencode(files.folder) + b"/d/" + name)
    put(files, name)
    done = files.run(*(word.replace("NAME", os.fsdecode(name)) for word in command))
    assert done.stderr and is_harmless(done.stderr), done.stderr
    assert is_harmless(done.stdout)


@pytest.mark.parametrize("kind", NAMES)
def test_nor_do_the_lines_of_migrate(files, kind):
    name = os.fsdecode(NAMES[kind])
    seal_old(files, f"old/{name}", b"a text that anybody can read, long enough\n")
    seal_old(files, f"old/{name}.txt", b"short")
    os.symlink("key", files.folder / f"old/link {name}")
    for look in ([], ["--dry-run"], ["--verify-only"]):
        for form in ([], ["--json"], ["--sha256"] if not look else []):
            keys = [] if look == ["--dry-run"] else KEY
            done = files.run(*TREE, *OLD, *keys, *look, *form)
            assert is_harmless(done.stdout) and is_harmless(done.stderr), (look, form)
            if form == ["--json"]:
                lines = [json.loads(line) for line in done.stdout.decode().splitlines()]
                if look:
                    assert os.fsencode(name) in [bytes.fromhex(line["name_hex"]) if "name_hex" in line else os.fsencode(line.get("name", "")) for line in lines]


def test_other_names_are_shown_as_they_are(files):
    put(files, f"d/{USUAL}.phalanx".encode())
    assert USUAL in files.run("verify", *KEY, "d").stderr.decode()


def test_a_terminal_gets_none_either(files):
    put(files, b"d/a\xc2\x9b2J.phalanx")
    code, shown = run_on_terminal(["verify", "--progress", "bar", *KEY, "d"], files.folder)
    assert code != 0 and b"d/a?2J.phalanx" in shown and b"\x9b" not in shown
