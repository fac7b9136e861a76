"""`encrypt --each` and `decrypt --each` of several sources with --to-tree: each folder keeps its name, so that nothing is mixed."""

import os
import shutil
import subprocess

import pytest
from conftest import KEY, contents, random_bytes
from pruned_trees import OLD_TIME, put

BOTH = ["encrypt", "--each", *KEY, "docs", "pics", "--to-tree", "d"]
NIGHTLY = [*BOTH, "--update", "--prune"]
RESTORE = ["decrypt", "--each", *KEY, "d", "--to-tree", "back"]


@pytest.fixture
def sources(phalanx):
    """Two folders with equal names in them, one of which is in a folder of its own."""
    phalanx.write("key", random_bytes(32))
    for name in ("docs/a", "docs/sub/b", "pics/a", "pics/sub/b", "pics/c"):
        put(phalanx, name, name.encode(), time=OLD_TIME)
    (phalanx.folder / "pics/empty").mkdir()
    return phalanx


def counts_of(done):
    return done.stderr.decode().splitlines()[-1].removeprefix("phalanx: ")


def containers(files, folder="d"):
    return sorted(str(path.relative_to(files.folder / folder)) for path in (files.folder / folder).rglob("*.phalanx"))


def assert_same(files, restored="back"):
    for name in ("docs", "pics"):
        subprocess.run(["diff", "-r", name, f"{restored}/{name}"], cwd=files.folder, check=True)
    assert sorted(os.listdir(files.folder / restored)) == ["docs", "pics"]


ALL = ["docs/a.phalanx", "docs/sub/b.phalanx", "pics/a.phalanx", "pics/c.phalanx", "pics/sub/b.phalanx"]


@pytest.mark.parametrize("spelled", [("docs", "pics"), ("docs/", "./pics/."), ("pics", "docs")])
def test_each_folder_keeps_its_name_and_comes_back(sources, spelled):
    done = sources.run("encrypt", "--each", *KEY, *spelled, "--to-tree", "d/", check=0)
    assert counts_of(done) == "5 encrypted, 0 failed, 0 skipped" and containers(sources) == ALL
    assert counts_of(sources.run(*RESTORE, check=0)) == "5 decrypted, 0 failed, 0 skipped"
    assert_same(sources)
    assert (sources.folder / "back/docs/a").stat().st_mtime_ns == OLD_TIME
    assert b"5 verified, 0 failed, 0 skipped" in sources.run("verify", *KEY, "d", check=0).stderr


def test_nights_seal_what_changed_and_remove_what_is_gone(sources):
    sources.run(*NIGHTLY, check=0)
    before = contents(sources)
    assert counts_of(sources.run(*NIGHTLY, check=0)) == "0 encrypted, 5 unchanged, 0 failed, 0 skipped"
    assert contents(sources) == before
    (sources.folder / "docs/a").unlink()
    put(sources, "pics/c", b"another")
    done = sources.run(*NIGHTLY, check=0)
    assert counts_of(done) == "1 encrypted, 3 unchanged, 0 failed, 0 skipped, 1 removed"
    assert b"d/docs/a.phalanx: removed" in done.stderr and containers(sources) == [name for name in ALL if name != "docs/a.phalanx"]
    sources.run(*RESTORE, check=0)
    assert_same(sources)
    assert sources.run(*NIGHTLY, "--expect-tree", check=0).stderr.count(b"unchanged") == 1
    assert counts_of(sources.run(*BOTH, "--update", "--dry-run", check=0)) == "0 to encrypt, 4 unchanged, 0 failed, 0 skipped"


def test_what_one_source_lost_takes_nothing_of_the_other(sources):
    """Nothing is removed of a folder of which nothing is left: its disk may be missing. That is said, and the other is pruned."""
    sources.run(*NIGHTLY, check=0)
    shutil.rmtree(sources.folder / "docs")
    (sources.folder / "docs").mkdir()
    (sources.folder / "pics/c").unlink()
    done = sources.run(*NIGHTLY)
    assert done.returncode == 7 and b"kept" in done.stderr and b"d/pics/c.phalanx: removed" in done.stderr
    assert containers(sources) == [name for name in ALL if name != "pics/c.phalanx"]


def test_names_are_bound_as_they_lie_in_the_tree(sources):
    sources.run(*NIGHTLY, "--bind-name", check=0)
    sources.run("verify", *KEY, "--require-name", "d", check=0)
    sources.run(*RESTORE, "--require-name", check=0)
    assert_same(sources)
    sources.run("decrypt", "--each", *KEY, "--below", "docs", "--require-name", "d/docs", "--to-tree", "part", check=0)
    assert sources.read("part/sub/b") == b"docs/sub/b"
    one, other = sources.folder / "d/docs/a.phalanx", sources.folder / "d/pics/a.phalanx"
    first, second = one.read_bytes(), other.read_bytes()
    one.write_bytes(second)
    other.write_bytes(first)
    done = sources.run("verify", *KEY, "d")
    assert done.returncode == 3 and done.stderr.count(b"/a.phalanx: ") == 2
    os.utime(one, ns=(OLD_TIME, OLD_TIME))
    os.utime(other, ns=(OLD_TIME, OLD_TIME))
    assert counts_of(sources.run(*BOTH, "--bind-name", "--update=content", check=0)).startswith("2 encrypted, 3 unchanged")
    sources.run("verify", *KEY, "--require-name", "d", check=0)


def test_one_index_is_of_all(sources):
    index = ["--index", "index", "--index-key-file", "key2"]
    sources.write("key2", random_bytes(32, seed=2))
    sources.run(*NIGHTLY, *index, check=0)
    verify = ["verify", *KEY, *index, "d"]
    assert b"5 as the index has them" in sources.run(*verify, check=0).stderr
    (sources.folder / "docs/a").unlink()
    done = sources.run(*NIGHTLY, *index, check=0)
    assert b"generation 2" in done.stdout + done.stderr and b"4 containers" in done.stdout + done.stderr
    assert b"4 as the index has them" in sources.run(*verify, check=0).stderr
    (sources.folder / "d/pics/a.phalanx").rename(sources.folder / "d/docs/a.phalanx")
    done = sources.run(*verify)
    assert done.returncode == 3 and b"d/pics/a.phalanx: renamed: its container is called docs/a.phalanx" in done.stderr


def test_files_that_are_named_lie_beside_the_folders(sources):
    put(sources, "x/note", b"note")
    sources.run("encrypt", "--each", *KEY, "docs", "x/note", "--to-tree", "d", check=0)
    assert containers(sources) == ["docs/a.phalanx", "docs/sub/b.phalanx", "note.phalanx"]
    sources.run(*RESTORE, check=0)
    assert sources.read("back/note") == b"note" and sources.read("back/docs/a") == b"docs/a"


def test_a_container_that_is_named_is_replaced_by_no_other_source(sources):
    sources.run(*BOTH, check=0)
    put(sources, "docs/a", b"changed")
    before = sources.read("d/docs/a.phalanx")
    done = sources.run("encrypt", "--each", *KEY, "docs", "pics", "d/docs/a.phalanx", "--to-tree", "d", "--update")
    assert done.returncode == 2 and b"one of the files to read" in done.stderr and sources.read("d/docs/a.phalanx") == before


def test_several_containers_and_folders_are_opened_by_the_same_rule(sources):
    sources.run(*BOTH, check=0)
    sources.run("decrypt", "--each", *KEY, "d/docs", "d/pics", "--to-tree", "back", check=0)
    assert_same(sources)
    sources.run("decrypt", "--each", *KEY, "d/docs/sub", "d/pics/c.phalanx", "--to-tree", "some", check=0)
    assert sources.read("some/sub/b") == b"docs/sub/b" and sources.read("some/c") == b"pics/c"


@pytest.mark.parametrize("command, words", [
    ("encrypt --each docs x/docs --to-tree d", "docs and x/docs are both called docs"),
    ("encrypt --each docs docs/ --to-tree d", "docs and docs/ are both called docs"),
    ("encrypt --each docs y/docs --to-tree d", "docs and y/docs are both called docs"),
    ("decrypt --each docs x/docs --to-tree d", "both called docs"),
    ("encrypt --each . pics --to-tree ../d", ". has no name"),
    ("encrypt --each docs .. --to-tree ../d", ".. has no name"),
    ("encrypt --each docs pics --to-tree pics/d", "lies in the other"),
    ("encrypt --each docs pics --to-tree docs", "both are one"),
    ("encrypt --each docs pics key --to-tree d --prune", "--prune is for folders"),
    ("encrypt --each docs nosuch --to-tree d --prune", "nosuch: No such file"),
    ("encrypt --each docs pics --to-tree one", "one has containers of a run over one folder straight in it"),
    ("encrypt --each docs --to-tree several", "several/docs has containers of a run over several folders"),
])  # fmt: skip
def test_what_does_not_fit_is_refused_in_one_line(sources, command, words):
    put(sources, "x/docs/a", b"other")
    put(sources, "y/docs", b"a file")
    sources.run("encrypt", "--each", *KEY, "docs", "--to-tree", "one", check=0)
    sources.run("encrypt", "--each", *KEY, "docs", "pics", "--to-tree", "several", check=0)
    before = contents(sources), sorted(sources.folder.rglob("*")), sorted(sources.folder.parent.glob("*"))
    done = sources.run(*command.split(), *KEY)
    assert done.returncode in (1, 2) and words.encode() in done.stderr and len(done.stderr.splitlines()) == 1, done.stderr
    assert (contents(sources), sorted(sources.folder.rglob("*")), sorted(sources.folder.parent.glob("*"))) == before


def test_one_of_them_goes_on_alone_in_its_folder(sources):
    sources.run(*NIGHTLY, "--bind-name", check=0)
    put(sources, "docs/new", b"new")
    alone = ["encrypt", "--each", *KEY, "docs", "--to-tree", "d/docs", "--update", "--prune", "--bind-name", "--below", "docs"]
    assert counts_of(sources.run(*alone, check=0)) == "1 encrypted, 2 unchanged, 0 failed, 0 skipped"
    sources.run("verify", *KEY, "--require-name", "d", check=0)
    assert counts_of(sources.run(*NIGHTLY, "--bind-name", check=0)) == "0 encrypted, 6 unchanged, 0 failed, 0 skipped"


def test_a_kill_between_two_sources_goes_on(sources, faults):
    for rule in ("rename@1=kill", "rename@3=kill-after", "rename@5=kill"):
        shutil.rmtree(sources.folder / "d", ignore_errors=True)
        assert sources.run(*NIGHTLY, env=faults(rule)).returncode == -9, rule
        sources.run(*NIGHTLY, check=0)
        assert containers(sources) == ALL
        sources.run(*RESTORE, "--force", check=0)
        assert_same(sources)
