"""The index of a folder of containers: written by seal_tree and migrate_tree, and compared."""

import pathlib

import pytest

import phalanx

KEY, OTHER = bytes(range(32)), bytes(32)


@pytest.fixture
def photos(tmp_path: pathlib.Path) -> pathlib.Path:
    folder = tmp_path / "photos"
    folder.mkdir()
    for name in ("a", "b", "c"):
        (folder / name).write_bytes(name.encode() * 100)
    return folder


def swap(one: pathlib.Path, two: pathlib.Path) -> None:
    held = one.with_name("held")
    one.rename(held)
    two.rename(one)
    held.rename(two)


def test_what_became_of_each(tmp_path: pathlib.Path, photos: pathlib.Path) -> None:
    backup, index = tmp_path / "backup", phalanx.TreeIndex(tmp_path / "index", key=OTHER)
    written = phalanx.seal_tree(photos, backup, update="time", key=KEY, index=index).index
    assert (written.number, written.containers, written.cut_bytes) == (1, 3, 0)
    right = phalanx.verify_tree_index(backup, index, key=KEY)
    assert (right.right, right.opened, right.wrong, right.generation.digest) == (3, 3, 0, written.digest)
    swap(backup / "a.phalanx", backup / "b.phalanx")
    (backup / "c.phalanx").unlink()
    (backup / "d.phalanx").write_bytes(phalanx.seal(b"new", key=KEY))
    heard: dict[str, phalanx.IndexedFile] = {}
    counts = phalanx.verify_tree_index(backup, index, on_file=lambda file: heard.update({file.name: file}))
    assert (counts.right, counts.wrong, counts.added) == (0, 3, 1)
    verdicts = {name.removesuffix(".phalanx"): file.verdict for name, file in heard.items()}
    assert verdicts == {"a": "swapped", "b": "swapped", "c": "removed", "d": "added"}
    assert heard["a.phalanx"].other == "b.phalanx"


def test_headers_that_were_changed_or_put_back(tmp_path: pathlib.Path, photos: pathlib.Path) -> None:
    backup, index = tmp_path / "backup", phalanx.TreeIndex(tmp_path / "index", key=OTHER)
    phalanx.seal_tree(photos, backup, update="time", key=KEY, index=index)
    before = (backup / "a.phalanx").read_bytes()
    phalanx.change_recipients(backup / "a.phalanx", key=KEY, add_key=bytes(32))
    heard: dict[str, str] = {}
    counts = phalanx.verify_tree_index(backup, index, on_file=lambda file: heard.update({file.name: file.verdict}))
    assert (counts.right, counts.headers_changed, heard) == (2, 1, {"a.phalanx": "header_changed"})
    taken = phalanx.seal_tree(photos, backup, update="time", key=KEY, index=index)
    assert (taken.unchanged, taken.index.headers_taken, taken.index.without_header) == (3, 1, 0)
    (backup / "a.phalanx").write_bytes(before)
    counts = phalanx.verify_tree_index(backup, index, on_file=lambda file: heard.update({file.name: file.verdict}))
    assert (counts.wrong, heard) == (1, {"a.phalanx": "header_older"})


def test_an_older_index(tmp_path: pathlib.Path, photos: pathlib.Path) -> None:
    backup, path = tmp_path / "backup", tmp_path / "index"
    index = phalanx.TreeIndex(path, key=OTHER)
    for number in (1, 2):
        assert phalanx.seal_tree(photos, backup, update="time", key=KEY, index=index).index.number == number
    assert phalanx.verify_tree_index(backup, phalanx.TreeIndex(path, key=OTHER, at_least=2)).right == 3
    with pytest.raises(phalanx.AuthenticationError):
        phalanx.verify_tree_index(backup, phalanx.TreeIndex(path, key=OTHER, at_least=3))
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.verify_tree_index(backup, phalanx.TreeIndex(path, key=KEY))


def test_signed(tmp_path: pathlib.Path, photos: pathlib.Path) -> None:
    backup, path = tmp_path / "backup", tmp_path / "index"
    signing_key, public_key = phalanx.make_index_keys()
    with pytest.raises(phalanx.UsageError):
        phalanx.seal_tree(photos, backup, key=KEY, index=phalanx.TreeIndex(path, signing_key=signing_key))
    index = phalanx.TreeIndex(path, signing_key=signing_key, digest=True)
    phalanx.seal_tree(photos, backup, update="time", key=KEY, index=index)
    assert phalanx.verify_tree_index(backup, phalanx.TreeIndex(path, public_key=public_key)).digests == 3


def test_migrated(tmp_path: pathlib.Path, photos: pathlib.Path) -> None:
    cipher = phalanx.Cipher("aes-256-ctr", KEY)
    for path in photos.iterdir():
        path.write_bytes(cipher.encrypt(b"a text that anybody can read\n", iv=bytes(16)))
    old, index = phalanx.ForeignFormat("aes-256-ctr", key=KEY, iv=bytes(16)), phalanx.TreeIndex(tmp_path / "index", key=OTHER)
    counts = phalanx.migrate_tree(photos, tmp_path / "new", tmp_path / "manifest", [old], key=KEY, index=index)
    assert counts.done == 3 and counts.index.number == 1
    assert phalanx.verify_tree_index(tmp_path / "new", index, key=KEY).opened == 3


def test_what_an_index_is(tmp_path: pathlib.Path) -> None:
    index = phalanx.TreeIndex(tmp_path / "index", key=OTHER)
    assert index.path == str(tmp_path / "index") and repr(OTHER) not in repr(index)
    for wrong in ({}, {"key": OTHER, "public_key": OTHER}, {"key": bytes(31)}):
        with pytest.raises(phalanx.UsageError):
            phalanx.TreeIndex("index", **wrong)  # type: ignore[arg-type]
    with pytest.raises(phalanx.UsageError, match="phalanx.TreeIndex"):
        phalanx.seal_tree(tmp_path, tmp_path / "to", key=KEY, index="index")  # type: ignore[arg-type]
