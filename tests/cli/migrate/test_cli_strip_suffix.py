"""migrate --strip-suffix: what old names lose, what two of them must not share, and what later runs make of it."""

import json

import pytest
from conftest import KEY, OLD, TREE, seal_old

PLAINS = {
    "a.tar.des3": b"a text that anybody can read, of the first file\n",
    "sub/b.des3": b"a text that anybody can read, of the second one\n",
    "plain": b"a text that anybody can read, of a name that has no suffix\n",
}
STRIP = ["--strip-suffix", ".des3"]


@pytest.fixture
def old(files):
    for name, plain in PLAINS.items():
        seal_old(files, f"old/{name}", plain)
    return files


def containers(files):
    new = files.folder / "new"
    return sorted(str(path.relative_to(new)) for path in new.rglob("*") if path.is_file())


def migrate(files, *options, check=0):
    return files.run(*TREE, *OLD, *KEY, *options, check=check)


STRIPPED = ["a.tar.phalanx", "plain.phalanx", "sub/b.phalanx"]


def test_each_decrypts_to_the_name_without_it(old):
    assert migrate(old, *STRIP, "--dry-run").stdout.count(b"opens") == 3
    assert not (old.folder / "new").exists()
    migrate(old, *STRIP, "--strip-suffix", ".aes")
    assert containers(old) == STRIPPED
    old.run("decrypt", "--each", *KEY, "new", "--to-tree", "back", check=0)
    assert old.read("back/a.tar") == PLAINS["a.tar.des3"] and old.read("back/sub/b") == PLAINS["sub/b.des3"]


def test_the_name_that_a_container_is_bound_to_is_the_shorter_one(old):
    migrate(old, *STRIP, "--bind-name")
    assert migrate(old, "--bind-name", "--verify-only").stdout.count(b"same") == 3
    assert b"3 verified" in old.run("verify", "--require-name", *KEY, "new", check=0).stderr


@pytest.mark.parametrize("later", [[], ["--strip-suffix", ".tar.des3"], STRIP], ids=["without", "another", "the same"])
def test_a_later_run_leaves_containers_their_names(old, later):
    migrate(old, *STRIP)
    assert b"0 done, 3 done before" in migrate(old, *later).stderr
    assert migrate(old, *later, "--verify-only").stdout.count(b"same") == 3
    assert b"3 deleted" in migrate(old, *later, "--delete-source").stderr
    assert containers(old) == STRIPPED
    assert not [path for path in (old.folder / "old").rglob("*") if path.is_file()]
    assert migrate(old, *later, "--verify-only").stdout.count(b"same") == 3


def test_an_old_file_that_changed_has_its_container_replaced_only_by_force(old):
    migrate(old, *STRIP)
    seal_old(old, "old/a.tar.des3", b"another text that anybody can read\n")
    assert migrate(old, check=None).returncode != 0
    assert containers(old) == STRIPPED
    migrate(old, "--force")
    assert containers(old) == STRIPPED
    assert old.run("decrypt", *KEY, "new/a.tar.phalanx", check=0).stdout == b"another text that anybody can read\n"


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
def test_two_that_would_share_a_container_fail_and_stay(old, force):
    seal_old(old, "old/a.tar", b"a text that anybody can read, of another file\n")
    done = migrate(old, *STRIP, *force, "--delete-source", check=2)
    assert b"a.tar.des3: its container would be a.tar.phalanx, as that of a.tar" in done.stderr
    assert b"a.tar: its container would be a.tar.phalanx, as that of a.tar.des3" in done.stderr
    assert containers(old) == ["plain.phalanx", "sub/b.phalanx"]
    assert (old.folder / "old/a.tar").exists() and (old.folder / "old/a.tar.des3").exists()
    assert b"2 deleted" in migrate(old, "--delete-source").stderr  # under their whole names
    assert containers(old) == ["a.tar.des3.phalanx", "a.tar.phalanx", "plain.phalanx", "sub/b.phalanx"]


@pytest.mark.parametrize("strip", [[], STRIP], ids=["without", "with"])
def test_the_only_copy_is_never_replaced(old, strip):
    migrate(old, *STRIP, "--delete-source")
    seal_old(old, "old/a.tar", b"a text that anybody can read, of another file\n")
    done = migrate(old, *strip, "--force", check=2)
    assert b"that of a.tar.des3, as the manifest says: rename the old file" in done.stderr
    assert old.run("decrypt", *KEY, "new/a.tar.phalanx", check=0).stdout == PLAINS["a.tar.des3"]


def test_the_manifest_says_what_was_taken_off(old):
    migrate(old, *STRIP)
    lines = {line["name"]: line for line in map(json.loads, old.read("M").splitlines()[1:])}
    assert lines["a.tar.des3"]["stripped"] == ".des3" and "stripped" not in lines["plain"]


def test_what_is_no_suffix_is_refused(old):
    assert b"give .des3" in migrate(old, "--strip-suffix", "des3", check=2).stderr
    assert b"is none" in migrate(old, "--strip-suffix", "a/b", check=2).stderr
    done = old.run("migrate", "old/plain", "out", *OLD, *KEY, *STRIP, check=2)
    assert b"--strip-suffix is for many files: give --manifest" in done.stderr
