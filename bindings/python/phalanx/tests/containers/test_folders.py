"""migrate_tree, preview_tree and verify_tree: what they make, tell and remove, and how they are ended."""

from __future__ import annotations

import os
import pathlib
import tempfile

import pytest

import phalanx

KEY = bytes(range(32))
OLD_KEY, OTHER_KEY = bytes(range(24)), bytes(range(1, 33))
TEXT = b"This is a line of text that anybody can read.\n" * 50
OLD = [
    phalanx.ForeignFormat("des-ede3-cbc", key=OLD_KEY, iv=bytes(8)),
    phalanx.ForeignFormat("aes-256-cbc", key=OTHER_KEY, iv=bytes(16)),
]


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    first = phalanx.Cipher("des-ede3-cbc", OLD_KEY, allow_legacy=True).encrypt(TEXT, iv=bytes(8), padding="pkcs7")
    second = phalanx.Cipher("aes-256-cbc", OTHER_KEY).encrypt(TEXT[:999], iv=bytes(16), padding="pkcs7")
    (tmp_path / "old" / "sub").mkdir(parents=True)
    (tmp_path / "old" / "first").write_bytes(first)
    (tmp_path / "old" / "sub" / os.fsdecode(b"second \xff")).write_bytes(second)
    (tmp_path / "old" / "cut").write_bytes(first[:99])
    return tmp_path


def test_a_folder(folder: pathlib.Path) -> None:
    told: dict[str, phalanx.TreeFileMigration] = {}
    paths = (folder / "old", folder / "new", folder / "manifest")
    counts = phalanx.migrate_tree(*paths, OLD, key=KEY, on_file=lambda file: told.update({file.name: file}), sha256=True)
    assert (counts.done, counts.failed, counts.left) == (2, 1, 0)
    second = os.path.join("sub", os.fsdecode(b"second \xff"))
    assert sorted(told) == sorted(["first", second, "cut"])
    assert told["first"].state == "done" and told["first"].verified and told["first"].doubt == ""
    assert len(told["first"].sha256) == 64 and "format 2" in told[second].found
    assert told["cut"].state == "failed" and told["cut"].why
    with phalanx.open(folder / "new" / "first.phalanx", key=KEY) as file:
        assert file.read() == TEXT
    assert phalanx.migrate_tree(*paths, OLD, key=KEY).done_before == 2
    with pytest.raises(phalanx.UsageError, match="is the manifest of"):
        phalanx.migrate_tree(folder / "old", folder / "other", folder / "manifest", OLD, key=KEY)


def test_old_files_whose_containers_lie_in_memory_stay(folder: pathlib.Path) -> None:
    memory = pathlib.Path("/dev/shm")
    mounts = pathlib.Path("/proc/self/mounts").read_text()
    if f" {memory} tmpfs " not in mounts or not os.access(memory, os.W_OK) or memory.stat().st_dev == folder.stat().st_dev:
        pytest.skip(f"{memory} is no tmpfs of its own here that may be written to")
    with tempfile.TemporaryDirectory(dir=memory) as new:
        paths = (folder / "old", pathlib.Path(new) / "new", folder / "manifest")
        counts = phalanx.migrate_tree(*paths, OLD, key=KEY, delete_source=True)
        assert (counts.deleted, counts.kept) == (0, 2) and (folder / "old" / "first").exists()
        assert phalanx.migrate_tree(*paths, OLD, key=KEY, delete_source=True, delete_volatile=True).deleted == 2


def test_old_files_go_where_that_is_asked_for(folder: pathlib.Path) -> None:
    paths = (folder / "old", folder / "new", folder / "manifest")
    assert phalanx.migrate_tree(*paths, OLD, key=KEY, delete_source=True).deleted == 2
    assert [path.name for path in (folder / "old").iterdir() if path.is_file()] == ["cut"]
    with pytest.raises(phalanx.UsageError, match="verify"):
        phalanx.migrate_tree(*paths, OLD, key=KEY, delete_source=True, verify=False)


def test_suffixes_are_taken_off_old_names(folder: pathlib.Path) -> None:
    (folder / "old" / "first").rename(folder / "old" / "first.des3")
    (folder / "old" / "cut").unlink()
    paths = (folder / "old", folder / "new", folder / "manifest")
    told: dict[str, phalanx.TreeFileMigration] = {}
    assert phalanx.preview_tree(*paths, OLD, strip_suffixes=[".des3"]).opening == 2
    phalanx.migrate_tree(*paths, OLD, key=KEY, on_file=lambda file: told.update({file.name: file}), strip_suffixes=[".des3"])
    assert told["first.des3"].container == "first.phalanx" and (folder / "new" / "first.phalanx").exists()
    assert phalanx.migrate_tree(*paths, OLD, key=KEY).done_before == 2
    (folder / "old" / "first").write_bytes((folder / "old" / "first.des3").read_bytes())
    assert phalanx.preview_tree(*paths, OLD, strip_suffixes=[".aes", ".des3"]).failing == 1
    assert phalanx.migrate_tree(*paths, OLD, key=KEY, replace=True).failed == 1
    with pytest.raises(phalanx.UsageError, match="put it into a list"):
        phalanx.preview_tree(*paths, OLD, strip_suffixes=".des3")


def test_what_a_function_raises_ends_the_call(folder: pathlib.Path) -> None:
    def stop(anything: object) -> None:
        raise LookupError("enough")

    paths = (folder / "old", folder / "new", folder / "manifest")
    with pytest.raises(LookupError, match="enough"):
        phalanx.migrate_tree(*paths, OLD, key=KEY, progress=stop)
    with pytest.raises(LookupError, match="enough"):
        phalanx.migrate_tree(*paths, OLD, key=KEY, on_file=stop)
    counts = phalanx.migrate_tree(*paths, OLD, key=KEY)
    assert (counts.done + counts.done_before, counts.failed) == (2, 1)


def test_arguments_that_do_not_fit(folder: pathlib.Path) -> None:
    paths = (folder / "old", folder / "new", folder / "manifest")
    with pytest.raises(phalanx.UsageError, match="a list of formats"):
        phalanx.migrate_tree(*paths, OLD[0], key=KEY)  # type: ignore[arg-type]
    with pytest.raises(phalanx.UsageError, match="one at least"):
        phalanx.migrate_tree(*paths, [], key=KEY)
    (folder / "new").mkdir()
    (folder / "new" / "key").write_bytes(KEY)
    with pytest.raises(phalanx.UsageError, match="move it elsewhere"):
        phalanx.migrate_tree(*paths, OLD, key_file=folder / "new" / "key")


def test_a_folder_is_looked_at(folder: pathlib.Path) -> None:
    told: dict[str, phalanx.TreeFileFinding] = {}

    def hear(file: phalanx.TreeFileFinding) -> None:
        told[file.name] = file

    paths = (folder / "old", folder / "new", folder / "manifest")
    second = os.path.join("sub", os.fsdecode(b"second \xff"))
    counts = phalanx.preview_tree(*paths, OLD, on_file=hear)
    assert sorted(path.name for path in folder.iterdir()) == ["old"]
    assert (counts.opening, counts.failing, counts.skipped, counts.doubtful) == (2, 1, 0, 0)
    assert told["first"].verdict == "opens" and "format 2" in told[second].detail and told["cut"].verdict == "fails"
    with pytest.raises(phalanx.UsageError, match="no manifest"):
        phalanx.verify_tree(*paths, OLD, key=KEY)
    phalanx.migrate_tree(*paths, OLD, key=KEY)
    container, counted = folder / "new" / "first.phalanx", list[int]()
    told.clear()
    counts = phalanx.verify_tree(*paths, OLD, key=KEY, on_file=hear, progress=counted.append)
    assert (counts.same, counts.differing) == (2, 0) and sum(counted) > 0
    assert told["first"].verdict == "same" and told["first"].num_bytes == container.stat().st_size
    counts = phalanx.verify_tree(*paths, [], key=KEY, on_file=hear)
    assert (counts.same, counts.differing, counts.not_compared) == (0, 0, 2) and told["first"].verdict == "not compared"
    container.write_bytes(container.read_bytes()[:-1])
    assert phalanx.verify_tree(*paths, OLD, key=KEY, jobs=2).differing == 1
    with pytest.raises(phalanx.UsageError):
        phalanx.verify_tree(*paths, OLD)


def test_what_a_function_raises_ends_a_look(folder: pathlib.Path) -> None:
    def stop(anything: object) -> None:
        raise LookupError("enough")

    paths = (folder / "old", folder / "new", folder / "manifest")
    with pytest.raises(LookupError, match="enough"):
        phalanx.preview_tree(*paths, OLD, on_file=stop)
    phalanx.migrate_tree(*paths, OLD, key=KEY)
    with pytest.raises(LookupError, match="enough"):
        phalanx.verify_tree(*paths, OLD, key=KEY, progress=stop)
    with pytest.raises(phalanx.UsageError, match="a list of formats"):
        phalanx.preview_tree(*paths, OLD[0])  # type: ignore[arg-type]


@pytest.mark.parametrize("kind", ["FIFO", "link"])
def test_nothing_goes_through_what_stands_at_a_containers_name(folder: pathlib.Path, kind: str) -> None:
    (folder / "new").mkdir()
    container = folder / "new" / "first.phalanx"
    if kind == "FIFO":
        os.mkfifo(container)
        listening = os.open(container, os.O_RDONLY | os.O_NONBLOCK)
    else:
        container.symlink_to("elsewhere")
    paths = (folder / "old", folder / "new", folder / "manifest")
    counts = phalanx.migrate_tree(*paths, OLD, key=KEY, replace=True, delete_source=True)
    assert (counts.failed, counts.deleted) == (2, 1) and (folder / "old" / "first").exists()
    if kind == "FIFO":
        assert os.read(listening, 1) == b""
        os.close(listening)
    assert not (folder / "new" / "elsewhere").exists()
