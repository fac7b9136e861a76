"""An old file goes only if what the run was given opens its container, which lies where it stays."""

import os
import re
import shutil
import tempfile

import pytest
from conftest import CHUNK, KEY, OLD, TREE, random_bytes, seal_old, unknown_format

TEXT = b"a text that anybody can read, long enough\n"


@pytest.fixture
def keys(files):
    """Identities `old.id` and `new.id`, their public keys by name, and two old files."""
    files.public = {}
    for name in ("old.id", "new.id"):
        files.public[name] = re.search(r"age1\w+", files.run("keygen", "--identity", name, check=0).stderr.decode())[0]
    for name in ("a", "b"):
        seal_old(files, f"old/{name}", TEXT)
    return files


def left(files):
    return sorted(path.name for path in (files.folder / "old").iterdir())


def test_an_identity_that_is_not_the_given_public_keys_says_nothing_of_it(keys):
    old, new = keys.public["old.id"], keys.public["new.id"]
    keys.run(*TREE, *OLD, "-r", old, "-i", "old.id", check=0)
    done = keys.run(*TREE, *OLD, "-r", new, "-i", "old.id", "--delete-source")
    assert done.returncode == 2 and b"none of its public keys" in done.stderr and left(keys) == ["a", "b"], done.stderr
    done = keys.run(*TREE, *OLD, "-r", new, "-i", "new.id", "--delete-source")
    assert done.returncode == 2 and b"is not the container of this file" in done.stderr and left(keys) == ["a", "b"], done.stderr
    done = keys.run(*TREE, *OLD, "-r", old, "-r", new, "-i", "old.id", "--delete-source")
    assert done.returncode == 2 and left(keys) == ["a", "b"], done.stderr
    done = keys.run(*TREE, *OLD, "-r", new, "-i", "old.id", "--verify-only")
    assert done.returncode == 4 and done.stdout.count(b"differs ") == 2, done
    assert keys.run("decrypt", "-i", "old.id", "new/a.phalanx", check=0).stdout == TEXT
    keys.run(*TREE, *OLD, "-r", old, "-i", "old.id", "--delete-source", check=0)
    assert left(keys) == []


def test_a_public_key_whose_identity_is_not_given_counts_only_where_the_run_makes_the_header(keys):
    mine, other = keys.public["old.id"], keys.public["new.id"]
    both = ["-r", mine, "-r", other]
    keys.run(*TREE, *OLD, *both, check=0)
    # An earlier run made these, for whom nobody can say.
    done = keys.run(*TREE, *OLD, *both, "-i", "old.id", "--delete-source")
    assert done.returncode == 1 and b"recipient 2 of those that are given, a public key" in done.stderr, done.stderr
    assert done.stderr.count(b"is kept: ") == 2 and b"--force" in done.stderr and left(keys) == ["a", "b"]
    assert b'"kept":"nothing shows' in keys.read("M")
    keys.run(*TREE, *OLD, *both, "-i", "old.id", "-i", "new.id", "--delete-source", "--from-list", keys.write("list", b"a"), check=0)
    assert left(keys) == ["b"]
    keys.run(*TREE, *OLD, *both, "-i", "old.id", "--delete-source", "--force", check=0)
    assert left(keys) == []
    for name in ("old.id", "new.id"):
        for container in ("a", "b"):
            assert keys.run("decrypt", "-i", name, f"new/{container}.phalanx", check=0).stdout == TEXT


def test_a_key_beside_them_does_not_vouch_for_a_public_key(keys):
    keys.run(*TREE, *OLD, *KEY, "-r", keys.public["old.id"], check=0)
    done = keys.run(*TREE, *OLD, *KEY, "-r", keys.public["new.id"], "--delete-source")
    assert done.returncode == 1 and done.stderr.count(b"is kept: ") == 2 and left(keys) == ["a", "b"]
    # The manifest's line is not proof either: the same once more, and with another manifest.
    assert keys.run(*TREE, *OLD, *KEY, "-r", keys.public["new.id"], "--delete-source").returncode == 1
    (keys.folder / "M").unlink()
    assert keys.run(*TREE, *OLD, *KEY, "-r", keys.public["new.id"], "--delete-source").returncode == 1
    assert left(keys) == ["a", "b"]


def begin(files, faults, command):
    """Killed when the container is begun, and a piece of it written."""
    done = files.run(*command, env=faults("pwrite:phalanx-partial@2=kill-after"))
    assert done.returncode == -9 and any(path.name.endswith("-partial") for path in files.folder.rglob("*"))


def test_what_a_killed_run_began_for_another_public_key_is_not_gone_on_with(keys, faults):
    seal_old(keys, "old/a", unknown_format(3 * CHUNK))
    (keys.folder / "old/b").unlink()
    old, new = keys.public["old.id"], keys.public["new.id"]
    begin(keys, faults, [*TREE, *OLD, "-r", old, "-i", "old.id"])
    keys.run(*TREE, *OLD, "-r", new, "-i", "new.id", "-i", "old.id", "--delete-source", check=0)
    assert left(keys) == []
    assert keys.run("decrypt", "-i", "new.id", "new/a.phalanx", check=0).stdout == unknown_format(3 * CHUNK)


def test_a_tree_begins_afresh_where_an_identity_is_not_given(keys, faults):
    seal_old(keys, "old/a", unknown_format(3 * CHUNK))
    (keys.folder / "old/b").unlink()
    old, new = keys.public["old.id"], keys.public["new.id"]
    begin(keys, faults, [*TREE, *OLD, *KEY, "-r", old])
    keys.run(*TREE, *OLD, *KEY, "-r", new, "--delete-source", check=0)
    assert left(keys) == []
    assert keys.run("decrypt", "-i", "new.id", "new/a.phalanx", check=0).stdout == unknown_format(3 * CHUNK)


def test_one_file_that_is_gone_on_with_is_kept(keys, faults):
    seal_old(keys, "OLD", unknown_format(3 * CHUNK))
    old, new = keys.public["old.id"], keys.public["new.id"]
    command = ["migrate", *OLD, *KEY, "--resume", "OLD", "OUT"]
    begin(keys, faults, [*command, "-r", old])
    done = keys.run(*command, "-r", new, "--delete-source")
    assert done.returncode == 1 and b"a public key" in done.stderr and b"--force" in done.stderr and "OLD" in keys.names()


@pytest.mark.parametrize("begun, given, identities", [("old.id", "new.id", ["old.id"]), ("old.id", "new.id", ["new.id"])])
def test_encrypt_does_not_go_on_for_another_public_key_where_that_can_be_known(keys, faults, begun, given, identities):
    keys.write("BIG", random_bytes(3 * CHUNK))
    command = ["encrypt", *KEY, "--resume", "BIG", "OUT"]
    begin(keys, faults, [*command, "-r", keys.public[begun]])
    held = [word for name in identities for word in ("-i", name)]
    done = keys.run(*command, "-r", keys.public[given], *held)
    keys.assert_refused(done, 2, "was begun for other public keys", "--force")
    keys.run(*command, "-r", keys.public[begun], *held, check=0)


@pytest.fixture
def memory(files):
    """A folder in memory, on another file system than the old files."""
    shared = "/dev/shm"
    mounts = [line.split() for line in open("/proc/self/mounts", encoding="utf-8")]
    if ["tmpfs"] not in [mount[2:3] for mount in mounts if mount[1] == shared] or not os.access(shared, os.W_OK):
        pytest.skip(f"{shared} is no tmpfs here that may be written to")
    if os.stat(shared).st_dev == os.stat(files.folder).st_dev:
        pytest.skip("the tests' own folder lies there, too")
    folder = tempfile.mkdtemp(dir=shared, prefix="phalanx-test-")
    yield folder
    shutil.rmtree(folder)


def test_a_container_in_memory_keeps_the_old_file(files, memory):
    for name in ("old/a", "old/b", "OLD"):
        seal_old(files, name, TEXT)
    tree = [*TREE[:-1], f"{memory}/new", *OLD, *KEY]
    done = files.run(*tree, "--delete-source")
    assert done.returncode == 1 and done.stderr.count(b"lies in memory") == 2 and b"--delete-volatile" in done.stderr
    assert left(files) == ["a", "b"] and b'"kept":"' in files.read("M")
    one = ["migrate", *OLD, *KEY, "OLD", f"{memory}/OUT"]
    done = files.run(*one, "--delete-source")
    assert done.returncode == 1 and b"lies in memory" in done.stderr and "OLD" in files.names()
    files.assert_refused(files.run(*one, "--delete-volatile"), 2, "--delete-volatile", "--delete-source")
    files.run(*tree, "--delete-source", "--delete-volatile", check=0)
    files.run(*one, "--force", "--delete-source", "--delete-volatile", check=0)
    assert left(files) == [] and "OLD" not in files.names()


def test_a_link_into_memory_is_seen_through(files, memory):
    seal_old(files, "OLD", TEXT)
    (files.folder / "OUT").symlink_to(f"{memory}/OUT")
    done = files.run("migrate", *OLD, *KEY, "--delete-source", "--force", "OLD", "OUT")
    assert done.returncode == 1 and b"lies in memory" in done.stderr and "OLD" in files.names()


def test_what_lay_in_memory_may_go_to_the_same_memory(files, memory):
    seal_old(files, "OLD", TEXT)
    shutil.copy(files.folder / "OLD", f"{memory}/OLD")
    files.run("migrate", *OLD, *KEY, "--delete-source", f"{memory}/OLD", f"{memory}/OUT", check=0)
    assert os.listdir(memory) == ["OUT"]
