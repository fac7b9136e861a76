"""migrate_tree: what it makes, tells and removes, and how it is ended."""

from __future__ import annotations

import os
import pathlib

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


def test_old_files_go_where_that_is_asked_for(folder: pathlib.Path) -> None:
    paths = (folder / "old", folder / "new", folder / "manifest")
    assert phalanx.migrate_tree(*paths, OLD, key=KEY, delete_source=True).deleted == 2
    assert [path.name for path in (folder / "old").iterdir() if path.is_file()] == ["cut"]
    with pytest.raises(phalanx.UsageError, match="verify"):
        phalanx.migrate_tree(*paths, OLD, key=KEY, delete_source=True, verify=False)


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
