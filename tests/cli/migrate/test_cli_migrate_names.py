"""migrate: names that are long, odd, or differ in their suffix only are done, or refused with a sentence."""

import os

import pytest
from conftest import CHUNK, KEY, OLD, TREE, openssl, seal_old, unknown_format

TEXT = b"a text that anybody can read, long enough\n"


def opened(files, name):
    return files.run("decrypt", *KEY, files.folder / f"new/{name}.phalanx", check=0).stdout


@pytest.mark.parametrize("name", ["x" * 230, "x" * 240, "x" * 247, "é" * 123, "n\n" * 100])
def test_long_names_are_done(files, name):
    """Partial and record files have shorter ones where theirs would be too long."""
    seal_old(files, f"old/{name}", TEXT)
    files.run(*TREE, *OLD, *KEY, check=0)
    assert opened(files, name) == TEXT and os.listdir(files.folder / "new") == [name + ".phalanx"]


@pytest.mark.parametrize("size", [248, 250, 255])
def test_a_name_that_is_too_long_is_refused_with_a_sentence(files, size):
    seal_old(files, "old/" + "x" * size, TEXT)
    seal_old(files, "old/short", TEXT)
    for dry in (["--dry-run"], []):
        done = files.run(*TREE, *OLD, *KEY, *dry)
        said = done.stdout + done.stderr
        assert done.returncode == 2 and f"would have {size + 8} bytes".encode() in said and b"rename the file" in said
    assert opened(files, "short") == TEXT and (files.folder / "old" / ("x" * size)).exists()


def test_a_long_name_is_gone_on_with_after_a_kill(files, faults):
    name = "x" * 200 + "y" * 45
    (files.folder / "old").mkdir()
    plain = unknown_format(6 * CHUNK)
    sealed = openssl("enc", "-aes-128-cbc", "-md", "sha256", "-pass", "file:pass", stdin=plain, cwd=files.folder)
    for other in (name, name[:-1] + "z"):  # the same beginning, and another partial file
        files.write(f"old/{other}", sealed)
    command = [*TREE, *["aes-128-cbc" if word == "des3" else word for word in OLD], *KEY, "--jobs", "1", "-v"]
    log = files.folder / "log"
    assert files.run(*command, env=faults("fsync:.phalanx-partial@1=kill", log=log)).returncode == -9
    left = os.listdir(files.folder / "new")
    assert len(left) == 2 and all("~" in part and part.startswith("x" * 200) for part in left)
    done = files.run(*command, check=0)
    assert b"that an earlier run has done, then going on" in done.stderr
    assert opened(files, name) == opened(files, name[:-1] + "z") == plain and len(os.listdir(files.folder / "new")) == 2


def test_a_single_long_name(files):
    seal_old(files, "IN", TEXT)
    name = "o" * 255
    files.run("migrate", *OLD, *KEY, "IN", name, check=0)
    assert files.run("decrypt", *KEY, name, check=0).stdout == TEXT
    files.assert_refused(files.run("migrate", *OLD, *KEY, "IN", name + "o"), 1, "name too long")
    assert not [left for left in files.names() if "~" in left]


def test_names_that_differ_in_their_suffix_only(files):
    names = ["a", "a.des3", "a.enc", "a.phalanx", "a.phalanx.phalanx"]
    for number, name in enumerate(names):
        seal_old(files, f"old/{name}", TEXT + bytes([65 + number]))
    files.run(*TREE, *OLD, *KEY, check=0)
    assert [opened(files, name) for name in names] == [TEXT + bytes([65 + number]) for number in range(len(names))]


def test_a_file_and_a_folder_that_would_share_a_name(files):
    """One of them fails with a sentence, the other is done, and both old files stay what they were."""
    seal_old(files, "old/a", TEXT)
    seal_old(files, "old/a.phalanx/b", TEXT)
    done = files.run(*TREE, *OLD, *KEY, "--jobs", "1", "--delete-source")
    lines = [line for line in done.stderr.splitlines() if b"a.phalanx" in line]
    assert done.returncode in (1, 2) and len(lines) == 1
    assert [(files.folder / "old" / name).exists() for name in ("a", "a.phalanx/b")].count(True) == 1


def test_a_list_with_line_ends_in_its_names(files):
    names = ["one\nfile", "other", "\n", " "]
    for name in [*names, "not named"]:
        seal_old(files, f"old/{name}", TEXT)
    files.write("list", b"\0".join(name.encode() for name in names))
    files.run(*TREE, *OLD, *KEY, "--from-list", "list", "--null", check=0)
    assert sorted(os.listdir(files.folder / "new")) == sorted(name + ".phalanx" for name in names)
    files.assert_refused(files.run(*TREE, *OLD, *KEY, "--null"), 2, "--from-list")


@pytest.mark.parametrize("list_name", ["-", "/dev/stdin", "/dev/fd/0"])
@pytest.mark.parametrize("key", [["--key-file", "-"], ["--key-fd", "0"], ["--key-file", "/dev/stdin"]], ids=" ".join)
def test_a_key_leaves_nothing_of_standard_input_for_a_list(files, key, list_name):
    seal_old(files, "old/a", b"a text that anybody can read, long enough\n")
    done = files.run(*TREE, *OLD, *key, "--from-list", list_name, stdin=files.read("key") + b"a\n")
    files.assert_refused(done, 2, "the key and --from-list cannot both be standard input")
    assert "M" not in files.names() and "new" not in files.names()


def test_nor_does_an_old_key_or_one_of_another_descriptor(files):
    (files.folder / "old").mkdir()
    old = "--from-cipher aes-256-ctr --from-iv-prefix --from-key-file -".split()
    files.assert_refused(files.run(*TREE, *old, *KEY, "--from-list", "-", stdin=files.read("key")), 2, "--from-list", "standard input")
    for command in ([*TREE, *OLD, "--from-list"], ["encrypt", "--force", "-o", "BOX"]):
        with open(files.folder / "key", "rb") as key:
            number = key.fileno()
            done = files.run(*command, f"/dev/fd/{number}", "--key-fd", number, pass_fds=[number])
        files.assert_refused(done, 2, f"cannot both be descriptor {number}")


def test_a_passphrase_leaves_the_rest_of_standard_input_for_a_list(files):
    seal_old(files, "old/a", b"a text that anybody can read, long enough\n")
    seal_old(files, "old/b", b"a text that anybody can read, long enough\n")
    old = [word if word != "pass" else "-" for word in OLD]
    files.run(*TREE, *old, *KEY, "--from-list", "-", stdin=files.read("pass") + b"b\n", check=0)
    assert [path.name for path in (files.folder / "new").iterdir()] == ["b.phalanx"]
