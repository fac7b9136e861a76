"""Trees of many small files, which are made durable together: what a failure of the file system, a kill and a signal leave, and
how few calls to the system they take."""

import os
import shutil
import signal
import subprocess
import sys

import pytest
from conftest import KEY, OLD, PROGRAM, TREE, random_bytes, seal_old

NUM_FILES = 120
DOUBTFUL = 7  # the exit code: noise says nothing of the key
SEAL = ["encrypt", "--each", *KEY, "src", "--to-tree", "bk"]
OPEN = ["decrypt", "--each", *KEY, "bk", "--to-tree", "back"]
MOMENTS = ["syncfs@1=kill", "syncfs@1=kill-after", "syncfs@2=kill-after", "rename@1=kill", "rename@5=kill-after", "rename@60=kill",
           "fsync@1=kill", "pwrite@100=kill", "pwrite@100=tear", "close@200=kill"]  # fmt: skip


def name_of(number):
    return f"{'abc'[number % 3]}/{number}"


def plain_of(number):
    return random_bytes(number * 37 % 5000, seed=number)


@pytest.fixture
def tree(phalanx):
    phalanx.write("key", random_bytes(32))
    for name in ("src/a", "src/b", "src/c"):
        (phalanx.folder / name).mkdir(parents=True)
    for number in range(NUM_FILES):
        phalanx.write(f"src/{name_of(number)}", plain_of(number))
    return phalanx


@pytest.fixture
def together(tree, faults):
    """A tree on a file system whose syncs of all are believed."""
    if faults.count(tree, "syncfs", *SEAL) == 0:
        pytest.skip("this file system is not one whose syncs of all files are believed")
    shutil.rmtree(tree.folder / "bk")
    return tree


def assert_sealed(tree, missing=()):
    """Each container opens to its file, and nothing else lies there."""
    shutil.rmtree(tree.folder / "back", ignore_errors=True)
    tree.run(*OPEN, "-q", check=0)
    for number in range(NUM_FILES):
        name = name_of(number)
        assert (tree.folder / "back" / name).exists() == (name not in missing), name
        assert name in missing or (tree.folder / "back" / name).read_bytes() == plain_of(number), name
    assert not list(tree.folder.rglob("*.phalanx-*[a-z]")) or [path.name for path in tree.folder.rglob("*.phalanx-*")] == [".phalanx-tree"]


def test_a_tree_takes_few_syncs(together, faults):
    assert faults.count(together, "sync", *SEAL) < NUM_FILES
    assert_sealed(together)
    shutil.rmtree(together.folder / "back")
    assert faults.count(together, "sync", *OPEN) < NUM_FILES


def test_a_failure_of_the_file_system_has_each_file_synced(together, faults):
    log = together.folder / "log"
    together.run(*SEAL, env=faults("syncfs@1=EIO", log=log), check=0)
    calls = [line.split()[0] for line in log.read_text().splitlines()]
    assert calls.count("syncfs") == 1 and calls.count("fsync") >= NUM_FILES
    assert_sealed(together)


def test_the_file_that_was_lost_fails_alone(together, faults):
    done = together.run(*SEAL, env=faults("syncfs@1=EIO;fsync:/7.phalanx.phalanx-partial@1=EIO"))
    assert done.returncode == 1 and b"119 encrypted, 1 failed" in done.stderr and b"7.phalanx" in done.stderr
    assert_sealed(together, missing={name_of(7)})
    together.run(*SEAL, check=0)
    assert_sealed(together)


def test_a_name_that_was_lost_is_a_failure_too(together, faults):
    """The file has its name by then, and the next run finds it."""
    done = together.run(*SEAL, env=faults("syncfs@1=EIO;fsync:/7.phalanx@1=EIO"))
    assert done.returncode == 1 and b"119 encrypted, 1 failed" in done.stderr
    together.run(*SEAL, check=0)
    assert_sealed(together)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_while_files_are_sealed_loses_nothing(tree, faults, moment):
    done = tree.run(*SEAL, env=faults(moment))
    assert done.returncode in (-9, 0), done.stderr
    for path in (tree.folder / "bk").rglob("*.phalanx"):
        tree.run("verify", *KEY, path, check=0)
    tree.run(*SEAL, check=0)
    assert_sealed(tree)


@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_while_files_are_opened_loses_nothing(tree, faults, moment):
    tree.run(*SEAL, check=0)
    done = tree.run(*OPEN, env=faults(moment))
    assert done.returncode in (-9, 0), done.stderr
    for path in (tree.folder / "back").rglob("*"):
        if path.is_file() and not path.name.endswith("-partial"):
            assert path.read_bytes() == plain_of(int(path.name)), path
    tree.run(*OPEN, "-f", check=0)
    for number in range(NUM_FILES):
        assert (tree.folder / "back" / name_of(number)).read_bytes() == plain_of(number)


@pytest.mark.parametrize("swap", ["mv bk/a elsewhere && mkdir bk/a", "mv bk/a elsewhere", "mv bk/a elsewhere && ln -s ../elsewhere bk/a"])
@pytest.mark.parametrize("moment", ["ftruncate@5=run", "ftruncate@70=run", "rename@20=run"])
def test_a_folder_that_another_takes_away_meanwhile_is_left(tree, faults, swap, moment):
    """It is open by then. What is made in it has not the name that was asked for, and nothing says that it had."""
    done = tree.run(*SEAL, env=faults(moment, actor=swap))
    assert done.returncode in (0, 1, 2), done.stderr
    told = done.stderr.decode()
    for number in range(NUM_FILES):
        here = tree.folder / "bk" / f"{name_of(number)}.phalanx"
        moved = tree.folder / "elsewhere" / f"{number}.phalanx"
        assert (here.exists() and not here.parent.is_symlink()) or moved.exists() or f"src/{name_of(number)}: " in told, number
    for path in [*(tree.folder / "bk").rglob("*.phalanx"), *(tree.folder / "elsewhere").rglob("*.phalanx")]:
        tree.run("verify", *KEY, path, check=0)
    assert not list(tree.folder.rglob("*-partial"))
    if (tree.folder / "bk/a").is_symlink():
        (tree.folder / "bk/a").unlink()
    tree.run(*SEAL, check=0)
    assert_sealed(tree)


@pytest.mark.parametrize("which", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_leaves_no_partial_file(tree, faults, which):
    done = tree.run(*SEAL, env=faults(f"pwrite@100={'term' if which == signal.SIGTERM else 'int'}"))
    assert done.returncode == 128 + which
    assert not list((tree.folder / "bk").rglob("*-partial"))
    tree.run(*SEAL, check=0)
    assert_sealed(tree)


@pytest.fixture
def old(phalanx):
    phalanx.write("key", random_bytes(32))
    phalanx.write("pass", b"a passphrase\n")
    (phalanx.folder / "old").mkdir()
    seal_old(phalanx, "old/0", plain_of(3))
    for number in range(1, NUM_FILES):
        shutil.copy(phalanx.folder / "old/0", phalanx.folder / f"old/{number}")
    return phalanx


@pytest.mark.parametrize("moment", [*MOMENTS, "fdatasync@3=kill", "unlink@1=kill", "unlink@40=kill-after"])
def test_a_kill_while_old_files_go_loses_none(old, faults, moment):
    command = [*TREE, *OLD, *KEY, "--delete-source", "--delete-doubtful", "--jobs", "3"]
    for _ in range(2):
        done = old.run(*command, env=faults(moment))
        assert done.returncode in (-9, DOUBTFUL), done.stderr
        left = {path.name for path in (old.folder / "old").iterdir()}
        for number in range(NUM_FILES):
            if str(number) not in left:
                assert old.run("decrypt", *KEY, f"new/{number}.phalanx", check=0).stdout == plain_of(3), number
    old.run(*command, env=faults(""), check=DOUBTFUL)
    assert not list((old.folder / "old").iterdir())
    assert len(list((old.folder / "new").rglob("*.phalanx"))) == NUM_FILES
    assert not list((old.folder / "new").rglob("*-partial"))


NO_LEFTOVERS = [b"somebody's own file", bytes(100) + b"and theirs too"]
LEFTOVERS = [b"", bytes(5000), b"PHALANX\0 and more"]


@pytest.mark.parametrize("command, partial", [(SEAL, "bk/a/0"), ([*TREE, *OLD, *KEY], "new/0")])
def test_only_what_a_killed_run_can_have_left_is_replaced(old, command, partial):
    """A small file has no record beside it. What its partial file begins with says whether it is one."""
    for name in ("src/a", "bk/a", "new"):
        (old.folder / name).mkdir(parents=True)
    for number in range(1, NUM_FILES):
        (old.folder / f"old/{number}").unlink()
    seal_old(old, "old/0", b"a text that anybody can read, long enough\n")
    old.write("src/a/0", plain_of(3))
    partial = partial + ".phalanx.phalanx-partial"
    for content in NO_LEFTOVERS:
        old.write(partial, content)
        assert b"exists: another run is writing it, or a killed one left it" in old.run(*command, check=2).stderr
        assert old.read(partial) == content
    for content in LEFTOVERS:
        old.write(partial, content)
        old.run(*command, check=0)
        assert partial.split("/")[-1] not in os.listdir((old.folder / partial).parent)
        (old.folder / partial.removesuffix(".phalanx-partial")).unlink()
        (old.folder / "M").unlink(missing_ok=True)


def calls_of(tree, *arguments):
    """How many calls to the system a run makes, but for those by which threads wait for each other."""
    counts = tree.folder.parent / "counts"
    few_files = ["sh", "-c", 'ulimit -n 100; exec "$@"', "sh"]  # and so few threads
    subprocess.run(["strace", "-f", "-c", "-o", counts, *few_files, PROGRAM, *arguments], cwd=tree.folder, check=True, capture_output=True)
    rows = [line.split() for line in counts.read_text().splitlines()]
    return sum(int(row[3]) for row in rows if len(row) > 4 and row[3].isdigit() and row[-1] not in ("futex", "total"))


@pytest.mark.skipif(shutil.which("strace") is None, reason="strace is not installed")
def test_how_many_calls_a_file_takes(tree):
    """A call more in every file is found here. docs/notes/speed_of_files.md has the counts."""
    def a_file(*arguments):
        few, many = (calls_of(tree, *arguments, *options) for options in (["src/a", "--to-tree", "few"], ["src", "--to-tree", "many"]))
        return (many - few) / (NUM_FILES * 2 / 3)

    sealed = a_file("encrypt", "--each", *KEY, "-q")
    unchanged = a_file("encrypt", "--each", *KEY, "-q", "--update")
    print(f"{sealed:.1f} calls for a file that is sealed, {unchanged:.1f} for one that is unchanged", file=sys.stderr)
    assert sealed < 60 and unchanged < 21, (sealed, unchanged)
    assert os.path.exists(tree.folder / "many/b/1.phalanx")
