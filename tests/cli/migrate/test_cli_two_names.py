"""migrate: two names of old files that lead to one container, as where the file system takes upper and lower case for the same.
A container whose old file is gone is never replaced, and no message says how."""

import json
import os
import signal
import subprocess

import pytest
from conftest import KEY, OLD, PROGRAM, TREE, seal_old

PLAINS = {"a/x": b"a text that anybody can read, of the first file\n", "b/x": b"a text that anybody can read, of the second one\n"}
MOST_SECONDS = 120


@pytest.fixture
def old(files):
    for name, plain in PLAINS.items():
        seal_old(files, f"old/{name}", plain)
    for name in "ab":
        (files.folder / "new" / name).mkdir(parents=True)
    return files


@pytest.fixture
def run(old, faults):
    """The command where new/b is new/a: two folders that are one have all that names of one file have in common."""

    def run(*options, rules="", actor=None):
        script = 'mount --bind new/a new/b || exit 99; exec "$@"'
        command = ["unshare", "-rm", "sh", "-c", script, "sh", PROGRAM, *TREE, *OLD, *KEY, *options]
        environment = {**faults(rules, actor), "SHIM": faults.library}
        del environment["LD_PRELOAD"]
        command[4] = script.replace("exec", 'exec env "LD_PRELOAD=$SHIM"')
        done = subprocess.run(command, cwd=old.folder, capture_output=True, timeout=MOST_SECONDS, env=environment)
        if done.returncode == 99 or b"unshare" in done.stderr:
            pytest.skip("this system does not let us mount a folder a second time")
        return done

    return run


def assert_nothing_lost(files, plains=PLAINS):
    """What an old file held is in it, or in the one container."""
    opened = [files.run("decrypt", *KEY, box, check=0).stdout for box in (files.folder / "new").rglob("*.phalanx")]
    for name, plain in plains.items():
        assert (files.folder / "old" / name).exists() or plain in opened, name


def records(files):
    return {line["name"]: line for line in map(json.loads, files.read("M").splitlines()[1:])}


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
@pytest.mark.parametrize("delete", [[], ["--delete-source"]], ids=["stay", "delete"])
def test_the_second_of_two_names_fails(old, run, force, delete):
    done = run(*force, *delete, "--jobs", "1")
    assert done.returncode == 2 and b"b/x: " in done.stderr and b"both names lead to one file" in done.stderr
    assert b"--force" not in done.stderr and (old.folder / "old/b/x").exists()
    assert (old.folder / "old/a/x").exists() == (not delete)
    assert old.run("decrypt", *KEY, "new/a/x.phalanx", check=0).stdout == PLAINS["a/x"]
    assert records(old)["b/x"]["state"] == "failed"


def test_two_files_that_hold_the_same_do_not_share_a_container(old, run):
    """Their names would not both come back."""
    (old.folder / "old/b/x").write_bytes(old.read("old/a/x"))
    assert run("--delete-source", "--jobs", "1").returncode == 2 and (old.folder / "old/b/x").exists()


@pytest.mark.parametrize("gone", ["deleted", "by hand", "killed"])
@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
def test_a_container_of_an_earlier_run_is_not_replaced(old, run, gone, force):
    """The old file is gone: by that run, by somebody else, or by a run that was killed before it could write that down."""
    old.write("list", b"a/x\n")
    rules = {"deleted": "", "by hand": "", "killed": "unlink:x@1=kill-after"}[gone]
    done = run("--from-list", "list", *([] if gone == "by hand" else ["--delete-source"]), rules=rules)
    assert done.returncode == (-signal.SIGKILL if gone == "killed" else 0)
    (old.folder / "old/a/x").unlink(missing_ok=True)
    done = run(*force, "--delete-source")
    assert done.returncode == 2 and b"is never replaced" in done.stderr and b"--force" not in done.stderr
    assert old.run("decrypt", *KEY, "new/a/x.phalanx", check=0).stdout == PLAINS["a/x"] and (old.folder / "old/b/x").exists()
    (old.folder / "old/b/x").rename(old.folder / "old/b/y")
    run("--delete-source")
    assert not (old.folder / "old/b/y").exists()
    assert_nothing_lost(old, {"a/x": PLAINS["a/x"], "b/y": PLAINS["b/x"]})


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
def test_threads_do_not_replace_each_others_containers(old, run, force):
    plains = {f"{folder}/{number}": b"a text that anybody can read %d %s\n" % (number, folder.encode()) for folder in "ab" for number in range(12)}
    for name, plain in plains.items():
        seal_old(old, f"old/{name}", plain)
    done = run(*force, "--delete-source", "--jobs", "8", "-q")
    assert done.returncode == 2 and b"--force" not in done.stderr
    wrong = [line for line in done.stderr.splitlines() if b"names lead to one file" not in line]
    assert done.stderr.count(b"names lead to one file") == 13, wrong
    assert_nothing_lost(old, {**plains, **PLAINS})


def test_what_the_first_leaves_is_the_seconds(old, run):
    """A container that came to nothing claims nothing."""
    (old.folder / "old/a/x").write_bytes(old.read("old/a/x")[:-3])
    done = run("--force", "--delete-source", "--jobs", "1")
    assert done.returncode == 5 and not (old.folder / "old/b/x").exists()
    assert_nothing_lost(old)


# --- A new old file under the name of one that is gone.


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
def test_a_new_file_under_the_old_name_replaces_nothing(old, force):
    old.run(*TREE, *OLD, *KEY, "--delete-source", check=0)
    seal_old(old, "old/a/x", PLAINS["a/x"])  # another salt, the same plaintext
    old.run(*TREE, *OLD, *KEY, "--delete-source", *force, check=0)
    seal_old(old, "old/a/x", b"another text that anybody can read, long enough\n")
    done = old.run(*TREE, *OLD, *KEY, "--delete-source", *force)
    assert done.returncode == 2 and b"is not the container of this file: move it away" in done.stderr
    assert b"--force" not in done.stderr and (old.folder / "old/a/x").exists()
    assert old.run("decrypt", *KEY, "new/a/x.phalanx", check=0).stdout == PLAINS["a/x"]
    os.rename(old.folder / "new/a/x.phalanx", old.folder / "before")
    old.run(*TREE, *OLD, *KEY, "--delete-source", *force, check=0)
    assert old.run("decrypt", *KEY, "new/a/x.phalanx", check=0).stdout.startswith(b"another text")


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
def test_nor_does_one_behind_a_kill(old, faults, force):
    """The run removed the old file, and could not write that down any more."""
    old.write("list", b"a/x\n")
    done = old.run(*TREE, *OLD, *KEY, "--from-list", "list", "--delete-source", env=faults("unlink:x@1=kill-after"))
    assert done.returncode == -signal.SIGKILL and not (old.folder / "old/a/x").exists()
    assert records(old)["a/x"]["removing"] is True and not records(old)["a/x"]["deleted"]
    seal_old(old, "old/a/x", b"another text that anybody can read, long enough\n")
    done = old.run(*TREE, *OLD, *KEY, "--delete-source", *force)
    assert done.returncode == 2 and b"is not the container of this file: move it away" in done.stderr
    assert (old.folder / "old/a/x").exists()
    assert old.run("decrypt", *KEY, "new/a/x.phalanx", check=0).stdout == PLAINS["a/x"]


def refuse_for_ever(old):
    """However often, and whatever else is given; and the container of the file that is gone is verified."""
    for force in ([], ["--force"], [], ["--force"]):
        done = old.run(*TREE, *OLD, *KEY, "--delete-source", *force)
        assert done.returncode == 2 and b"is not the container of this file: move it away" in done.stderr, done.stderr
        assert b"--force" not in done.stderr and (old.folder / "old/a/x").exists()
        assert old.run("decrypt", *KEY, "new/a/x.phalanx", check=0).stdout == PLAINS["a/x"]
    (old.folder / "old/a/x").unlink()
    assert b"2 same" in old.run(*TREE, *OLD, *KEY, "--verify-only", check=0).stderr


ANOTHER = b"another text that anybody can read, long enough\n"


def test_a_refusal_does_not_hide_what_was_done(old):
    old.run(*TREE, *OLD, *KEY, "--delete-source", check=0)
    seal_old(old, "old/a/x", ANOTHER)
    refuse_for_ever(old)


def test_nor_does_a_file_that_was_skipped(old):
    old.run(*TREE, *OLD, *KEY, "--delete-source", check=0)
    (old.folder / "old/a/x").write_bytes(old.read("new/b/x.phalanx"))
    old.run(*TREE, *OLD, *KEY, "--delete-source", check=0)
    assert records(old)["a/x"]["state"] == "skipped"
    (old.folder / "old/a/x").unlink()
    seal_old(old, "old/a/x", ANOTHER)
    refuse_for_ever(old)


def test_nor_does_a_removal_that_failed(old, faults):
    done = old.run(*TREE, *OLD, *KEY, "--delete-source", env=faults("unlink:x@1=EACCES"))
    assert done.returncode == 1
    name = next(name for name, line in records(old).items() if line["state"] == "failed")
    (old.folder / "old" / name).unlink()
    seal_old(old, f"old/{name}", ANOTHER)
    for force in ([], ["--force"], ["--force"]):
        done = old.run(*TREE, *OLD, *KEY, "--delete-source", *force)
        assert done.returncode == 2 and b"--force" not in done.stderr
    assert old.run("decrypt", *KEY, f"new/{name}.phalanx", check=0).stdout == PLAINS[name]


@pytest.mark.parametrize("delete", [[], ["--delete-source"]], ids=["stay", "delete"])
def test_another_file_of_the_same_length_is_not_done(old, delete):
    """Under the name of one that is gone, or in its place."""
    old.run(*TREE, *OLD, *KEY, *delete, check=0)
    seal_old(old, "old/a/x", PLAINS["a/x"].replace(b"first", b"third"))
    looked = old.run(*TREE, *OLD, *KEY, "--dry-run", check=0)
    assert b"opens a/x" in b" ".join(looked.stdout.split()), looked.stdout
    done = old.run(*TREE, *OLD, *KEY)
    assert done.returncode == 2 and b"is not the container of this file" in done.stderr
    assert (b"--force" in done.stderr) == (not delete)


@pytest.mark.parametrize("force", [[], ["--force"]], ids=["plain", "force"])
def test_a_kill_before_the_removal_is_gone_on_from(old, faults, force):
    done = old.run(*TREE, *OLD, *KEY, "--delete-source", env=faults("unlink:x@every=kill"))
    assert done.returncode == -signal.SIGKILL and (old.folder / "old/a/x").exists()
    old.run(*TREE, *OLD, *KEY, "--delete-source", *force, check=0)
    assert not (old.folder / "old/a/x").exists() and "removing" not in records(old)["a/x"]
    assert_nothing_lost(old)


def test_force_makes_a_container_anew_whose_old_file_is_there(old):
    old.run(*TREE, *OLD, *KEY, check=0)
    before = old.read("new/a/x.phalanx")
    (old.folder / "M").unlink()
    old.run(*TREE, *OLD, *KEY, "--force", check=0)
    assert old.read("new/a/x.phalanx") != before
    assert_nothing_lost(old)
