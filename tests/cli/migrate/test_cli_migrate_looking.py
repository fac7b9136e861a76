"""migrate --dry-run and --verify-only: what they say, and that they change nothing."""

import json
import os

import pytest
from conftest import KEY, OLD, TREE, contents, seal_old, unknown_format

DRY = [*TREE, *OLD, "--dry-run"]
VERIFY = [*TREE, *OLD, *KEY, "--verify-only"]


def state_of(files):
    """Every name, with its times and content: all but when it was read."""
    status = {path: os.lstat(path) for path in [files.folder, *files.folder.rglob("*")]}
    return contents(files), {path: (it.st_ino, it.st_mode, it.st_mtime_ns, it.st_ctime_ns) for path, it in status.items()}


@pytest.fixture
def old(files):
    seal_old(files, "old/text", b"a text that anybody can read, long enough\n")
    seal_old(files, "old/sub/block", unknown_format(800))
    (files.folder / "old/cut").write_bytes((files.folder / "old/sub/block").read_bytes()[:-3])
    (files.folder / "old/notes").write_bytes(b"notes that are no ciphertext at all, but text\n")
    (files.folder / "old/box").write_bytes(files.read("BOX"))
    (files.folder / "old/link").symlink_to("text")
    return files


def test_a_dry_run_says_what_a_run_does_and_writes_nothing(old):
    before = state_of(old)
    done = old.run(*DRY, "--json")
    assert state_of(old) == before and done.returncode == 1
    *lines, summary = [json.loads(line) for line in done.stdout.splitlines()]
    states = {line["name"]: line["state"] for line in lines}
    fails = dict.fromkeys(["cut", "notes"], "fails")
    assert states == {"text": "opens", "sub/block": "opens", "box": "skipped", "link": "skipped", **fails}
    block = next(line for line in lines if line["name"] == "sub/block")
    assert block["found"] == "des-ede3-cbc, sha256" and block["padding_bytes"] == 8
    in_bytes = sum((old.folder / "old" / name).stat().st_size for name in ("text", "sub/block"))
    assert summary == {"fails": 2, "opens": 2, "skipped": 2, "bytes": in_bytes}
    # The run itself agrees, and then there is no more to do.
    assert old.run(*TREE, *OLD, *KEY).returncode == 1
    newest = {line["name"]: line["state"] for line in map(json.loads, old.read("M").splitlines()[1:])}
    assert newest == {name: {"opens": "done", "fails": "failed"}.get(state, state) for name, state in states.items()}
    before = state_of(old)
    done = old.run(*DRY)
    assert done.stdout.count(b"by an earlier run") == 2 and b"opens    " not in done.stdout and state_of(old) == before


def test_a_dry_run_of_one_file(old):
    before = state_of(old)
    done = old.run("migrate", *OLD, "--dry-run", "old/sub/block", check=0)
    assert done.stdout == b"opens    old/sub/block: des-ede3-cbc, sha256, 8 bytes of padding\n"
    assert old.run("migrate", *OLD, "--dry-run", "old/cut").returncode == 5
    stream = ["migrate", "--from-cipher", "aes-256-ctr", "--from-key-file", "key", "--from-iv", "00" * 16]
    assert b"opens    old/text" not in old.run(*stream, "--dry-run", "old/text").stdout  # "Salted__": it has a passphrase
    assert b"opens    old/notes" in old.run(*stream, "--dry-run", "--doubt-is-ok", "old/notes", check=0).stdout
    assert state_of(old) == before


def test_what_was_made_is_verified(old):
    old.run(*TREE, *OLD, *KEY)
    (old.folder / "old/text").unlink()
    before = state_of(old)
    done = old.run(*VERIFY, check=0)
    lines = done.stdout.decode().splitlines()
    assert lines == ["same     sub/block", "same     text: its container is whole; the old file is gone"]
    assert b"2 same" in done.stderr and state_of(old) == before


def test_what_differs_is_said(old):
    old.run(*TREE, *OLD, *KEY)
    seal_old(old, "old/text", b"another text that anybody can read, long enough\n")
    box = old.folder / "new/sub/block.phalanx"
    changed = bytearray(box.read_bytes())
    changed[-30] ^= 1
    box.write_bytes(bytes(changed))
    before = state_of(old)
    done = old.run(*VERIFY)
    assert done.returncode == 1 and b"differs  text: " in done.stdout and b"another plaintext" in done.stdout
    assert b"differs  sub/block: " in done.stdout and state_of(old) == before
    box.write_bytes(bytes(changed[:-1]))
    assert b"when it was made" in old.run(*VERIFY).stdout
    box.unlink()
    assert b"differs  sub/block: " in old.run(*VERIFY).stdout


def test_one_container_is_verified(old):
    old.run("migrate", *OLD, *KEY, "old/text", "OUT", check=0)
    before = state_of(old)
    one = ["migrate", *OLD, *KEY, "--verify-only"]
    assert old.run(*one, "old/text", "OUT", check=0).stdout == b"same     OUT\n"
    assert old.run(*one, "old/sub/block", "OUT").returncode == 1
    assert state_of(old) == before


@pytest.mark.parametrize(
    "options, word",
    [
        ("--dry-run --verify-only", "--verify-only"), ("--dry-run --delete-source", "--delete-source"),
        ("--verify-only --force", "--force"), ("--verify-only --no-verify", "--no-verify"), ("--verify-only old/text", "OUT"),
    ],
)  # fmt: skip
def test_refused(old, options, word):
    before = state_of(old)
    old.assert_refused(old.run("migrate", *OLD, *KEY, *options.split()), 2, word)
    assert state_of(old) == before


def test_only_a_dry_run_goes_without_a_manifest(old):
    """A typing error in its name must not pass for containers that were verified."""
    old.run(*TREE, *OLD, *KEY)
    old.write("empty", b"")
    before = state_of(old)
    for name, words in (("typo", "no manifest of that name"), ("empty", "nothing to verify")):
        verify = [name if word == "M" else word for word in VERIFY]
        old.assert_refused(old.run(*verify), 2, name, words)
    assert b"opens    text" in old.run(*["typo" if word == "M" else word for word in DRY]).stdout
    assert state_of(old) == before


@pytest.mark.parametrize("kind", ["a pipe", "a folder"])
def test_a_container_that_is_no_file_is_not_waited_for(old, kind):
    old.run(*TREE, *OLD, *KEY)
    for name in ("OUT", "new/text.phalanx"):
        (old.folder / name).unlink(missing_ok=True)
        (os.mkfifo if kind == "a pipe" else os.mkdir)(old.folder / name)
    words = {"a pipe": "is not a regular file", "a folder": "is a folder"}[kind]
    before = state_of(old)
    old.assert_refused(old.run("migrate", *OLD, *KEY, "--verify-only", "old/text", "OUT"), 2, "OUT ", words)
    done = old.run(*VERIFY)
    assert done.returncode == 2 and f"new/text.phalanx {words}".encode() in done.stdout
    assert b"same     sub/block" in done.stdout and state_of(old) == before
    (old.folder / "M").unlink()
    done = old.run(*TREE, *OLD, *KEY, "--jobs", "1")
    words = {"a pipe": "is a FIFO", "a folder": "is a folder"}[kind]
    assert b"done     sub/block" in done.stdout and f"new/text.phalanx {words}".encode() in done.stderr
    assert (old.folder / "old/text").exists()


MADE = [*TREE, *KEY, "--verify-only"]


def test_containers_are_verified_without_an_old_key(old):
    """docs/migration.md: the manifest, --to-tree and the new key are enough to see that the containers are whole."""
    old.run(*TREE, *OLD, *KEY)
    before = state_of(old)
    done = old.run(*MADE, "--doubt-is-ok")
    assert done.returncode == 7 and done.stdout.count(b"not compared ") == 2 and b"differs" not in done.stdout
    assert b"not compared text: its container is whole; the old file was not opened: no old cipher" in done.stdout
    assert b"2 not compared, " in done.stderr and state_of(old) == before
    said = [json.loads(line) for line in old.run(*MADE, "--json").stdout.splitlines()]
    assert [line["state"] for line in said[:-1]] == ["not compared"] * 2 and said[-1]["not compared"] == 2
    (old.folder / "old/text").unlink()
    (old.folder / "old/sub/block").unlink()
    done = old.run(*MADE, check=0)  # nothing is left to compare with
    assert done.stdout.count(b"the old file is gone") == 2
    box = old.folder / "new/text.phalanx"
    content = box.read_bytes()
    box.write_bytes(content[:-1] + bytes([content[-1] ^ 1]))
    done = old.run(*MADE)
    assert done.returncode == 3 and b"differs  text: " in done.stdout


def test_what_is_said_of_the_old_files_is_said_whole(old):
    old.run(*TREE, *OLD, *KEY)
    for half in (["--from-passphrase-file", "pass"], ["--from-auto"], ["--from-openssl"]):
        old.assert_refused(old.run(*MADE, *half), 2, "--from-cipher is required")
    old.assert_refused(old.run(*TREE, *KEY), 2, "--from-cipher is required")


def test_an_old_file_that_nothing_opens_is_not_compared(old):
    """Neither is it shown to be another, nor is its container: the code is that of the failure to open it."""
    old.run(*TREE, *OLD, *KEY)
    old.write("wrong", b"another passphrase\n")
    wrong = ["wrong" if word == "pass" else word for word in OLD]
    done = old.run(*TREE, *wrong, *KEY, "--verify-only", "--doubt-is-ok")
    assert done.returncode == 4 and done.stdout.count(b"not compared ") == 2 and b"differs" not in done.stdout
    (old.folder / "old/text").write_bytes((old.folder / "old/text").read_bytes()[:-3])
    done = old.run(*VERIFY)
    assert done.returncode == 5 and b"not compared text: " in done.stdout and b"same     sub/block" in done.stdout


def test_one_container_is_verified_without_an_old_key(old):
    old.run("migrate", *OLD, *KEY, "old/text", "OUT", check=0)
    done = old.run("migrate", *KEY, "--verify-only", "old/text", "OUT")
    assert done.returncode == 7 and done.stdout.startswith(b"not compared OUT: its container is whole; ")
