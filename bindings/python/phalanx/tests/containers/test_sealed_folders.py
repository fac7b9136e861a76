"""seal_tree and unseal_tree: nights that follow a folder, what comes back, what is told, and how a call is ended."""

from __future__ import annotations

import os
import pathlib
from typing import Any

import pytest

import phalanx

KEY = bytes(range(32))
ODD = os.fsdecode(b"odd \xff")


@pytest.fixture
def folder(tmp_path: pathlib.Path) -> pathlib.Path:
    (tmp_path / "src" / "sub").mkdir(parents=True)
    (tmp_path / "src" / "one").write_bytes(b"one" * 1000)
    (tmp_path / "src" / "sub" / ODD).write_bytes(b"two" * 40_000)
    (tmp_path / "src" / "one").chmod(0o750)
    (tmp_path / "src" / "sub" / ODD).chmod(0o600)
    os.utime(tmp_path / "src" / "one", ns=(1, 1_000_000_000_123_456_789))
    return tmp_path


def content(folder: pathlib.Path) -> dict[str, tuple[bytes, int, int]]:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name != ".phalanx-tree"]
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o777, path.stat().st_mtime_ns)
        for path in files
    }


def seal(folder: pathlib.Path, **settings: Any) -> phalanx.SealTreeCounts:
    return phalanx.seal_tree(folder / "src", folder / "dst", key=KEY, **settings)


def test_other_recipients_are_told_and_taken(folder: pathlib.Path) -> None:
    assert seal(folder, update="time").why_other_wish == ""
    both = [KEY, bytes(32)]
    counts = phalanx.seal_tree(folder / "src", folder / "dst", key=both, update="time")
    assert counts.unchanged == 2
    assert "update_recipients" in counts.why_other_wish
    counts = phalanx.seal_tree(folder / "src", folder / "dst", key=both, update="time", update_recipients=True)
    assert (counts.unchanged, counts.why_other_wish) == (2, "")
    assert phalanx.unseal_tree(folder / "dst", folder / "back", key=bytes(32)).opened == 2


def test_nights_that_follow_a_folder(folder: pathlib.Path) -> None:
    src, told = folder / "src", list[tuple[str, str]]()

    def night() -> phalanx.SealTreeCounts:
        told.clear()
        return seal(folder, update="time", prune=True, on_file=lambda file: told.append((file.state, file.path)))

    assert (night().sealed, night().unchanged) == (2, 2)
    assert not told
    (src / "one").write_bytes(b"another")
    (src / "three").write_bytes(b"")
    (src / "sub" / ODD).rename(src / "sub" / "renamed")
    counts = night()
    assert (counts.sealed, counts.unchanged, counts.removed, counts.failed) == (3, 0, 1, 0)
    assert counts.why_not_removed == ""
    assert ("removed", str(folder / "dst" / "sub" / (ODD + ".phalanx"))) in told
    for again in range(2):
        restored = phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY)
        assert (restored.opened, restored.skipped) == ((0, 3) if again else (3, 0))
        assert content(folder / "back") == content(src)
    there = folder / "back" / "one"
    times = there.stat()
    there.write_bytes(b"?" * times.st_size)
    os.utime(there, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY).failed == 1
    assert phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY, update="time").unchanged == 3
    restored = phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY, update="content")
    assert (restored.opened, restored.unchanged, restored.failed) == (0, 2, 1)
    (folder / "back" / "three").unlink()
    restored = phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY, update="content", replace=True)
    assert (restored.opened, restored.unchanged, restored.failed) == (2, 1, 0) and content(folder / "back") == content(src)
    with pytest.raises(phalanx.UsageError, match="compares the times"):
        phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY, update="time", keep=False)
    (src / "three").write_bytes(b"of the same time")
    os.utime(src / "three", ns=(1, 1))
    assert seal(folder, update="content").sealed == 1


def test_modes_and_times_are_kept_or_not(folder: pathlib.Path) -> None:
    seal(folder)
    with_them = content(folder / "dst")["one.phalanx"]
    assert with_them[1:] == (0o750, 1_000_000_000_123_456_789)
    phalanx.seal_tree(folder / "src", folder / "other", key=KEY, keep=False)
    without = content(folder / "other")["one.phalanx"]
    assert without[1] & 0o111 == 0 and without[2] != with_them[2]
    phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY, keep=False)
    assert content(folder / "back")["one"][1] & 0o111 == 0


def test_a_file_that_fails_is_told_and_not_raised(folder: pathlib.Path) -> None:
    seal(folder)
    container = folder / "dst" / "one.phalanx"
    sealed = container.read_bytes()
    container.write_bytes(sealed[:-1] + bytes([sealed[-1] ^ 1]))
    told: dict[str, phalanx.TreeFileResult] = {}
    counts = phalanx.unseal_tree(
        folder / "dst", folder / "back", key=KEY, on_file=lambda file: told.update({file.path: file})
    )
    assert (counts.opened, counts.failed) == (1, 1)
    assert told[str(container)].state == "failed" and told[str(container)].why
    assert not (folder / "back" / "one").exists()
    wrong = phalanx.unseal_tree(folder / "dst", folder / "wrong", key=bytes(32))
    assert (wrong.opened, wrong.failed) == (0, 2)


def test_nothing_is_removed_for_an_empty_folder(folder: pathlib.Path) -> None:
    seal(folder)
    (folder / "src" / "one").unlink()
    (folder / "src" / "sub" / ODD).unlink()
    told: list[tuple[str, str]] = []
    counts = seal(folder, update="time", prune=True, on_file=lambda file: told.append((file.state, file.why)))
    assert (counts.removed, counts.gone, counts.newly_kept) == (0, 2, 2)
    assert [state for state, why in told] == ["kept", "kept"] and "its disk may be missing" in told[0][1]
    assert seal(folder, update="time", prune=True).newly_kept == 0
    assert (folder / "dst" / "one.phalanx").exists()
    counts = seal(folder, update="time", prune=True, prune_also="emptied", dry_run=True)
    assert counts.removed == 2 and (folder / "dst" / "one.phalanx").exists()
    assert seal(folder, update="time", prune=True, prune_also=["emptied"]).removed == 2
    assert not (folder / "dst" / "one.phalanx").exists()
    with pytest.raises(phalanx.UsageError, match=r"expect_tree"):
        phalanx.seal_tree(folder / "src", folder / "nowhere", key=KEY, expect_tree=True)


def test_containers_of_several_suites_are_opened(folder: pathlib.Path) -> None:
    seal(folder)
    phalanx.seal_file(folder / "src" / "one", folder / "dst" / "short.phalanx", key=bytes(16), suite="aes-128")
    assert phalanx.unseal_tree(folder / "dst", folder / "back", key=[KEY, bytes(16)]).opened == 3


def test_what_a_function_raises_ends_the_call(folder: pathlib.Path) -> None:
    def stop(anything: object) -> None:
        raise LookupError("enough")

    stops: list[dict[str, Any]] = [{"progress": stop}, {"on_file": stop}]
    for settings in stops:
        with pytest.raises(LookupError, match="enough"):
            seal(folder, **settings)
    seal(folder, update="time")
    for settings in stops:
        with pytest.raises(LookupError, match="enough"):
            phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY, **settings)
    phalanx.unseal_tree(folder / "dst", folder / "back", key=KEY)
    assert content(folder / "back") == content(folder / "src")


def test_arguments_that_do_not_fit(folder: pathlib.Path) -> None:
    with pytest.raises(phalanx.UsageError, match='"time" or "content"'):
        seal(folder, update="newer")
    with pytest.raises(phalanx.UsageError, match="`update`"):
        seal(folder, update="time", keep=False)
    with pytest.raises(phalanx.UsageError, match="lies in the other"):
        phalanx.seal_tree(folder / "src", folder / "src" / "sub", key=KEY)
    with pytest.raises(phalanx.UsageError, match="is no folder"):
        phalanx.unseal_tree(folder / "missing", folder / "back", key=KEY)
    (folder / "dst").mkdir(exist_ok=True)
    (folder / "dst" / "key").write_bytes(KEY)
    with pytest.raises(phalanx.UsageError, match="move it elsewhere"):
        phalanx.seal_tree(folder / "src", folder / "dst", key_file=folder / "dst" / "key")
    with pytest.raises(TypeError, match="prune"):
        seal(folder, prunes=True)
