"""Containers that are bound to a context, a name, or both: in memory, in files, and in folders."""

import pathlib
from typing import Any

import pytest

import phalanx
from phalanx import Binding

KEY, OTHER = bytes(range(32)), bytes(32)
DATA = b"in lockstep"


def test_in_memory() -> None:
    container = phalanx.seal(DATA, key=KEY, binding=Binding(context="diary", name="a/b"))
    assert container[8] == 2 and phalanx.seal(DATA, key=KEY)[8] == 1
    for binding in (Binding(context=b"diary", name="a/b"), Binding(context="diary", any_name=True)):
        assert phalanx.unseal(container, key=KEY, binding=binding) == DATA
    with pytest.raises(phalanx.WrongKeyError, match="wrong context, or changed"):
        phalanx.unseal(container, key=KEY, binding=Binding(context="other", name="a/b"))
    with pytest.raises(phalanx.AuthenticationError, match="'a/b', and is called 'a/c'"):
        phalanx.unseal(container, key=KEY, binding=Binding(context="diary", name="a/c"))
    for missing in (None, Binding(name="a/b"), Binding(context="diary")):
        with pytest.raises(phalanx.UsageError):
            phalanx.unseal(container, key=OTHER, binding=missing)
    with pytest.raises(phalanx.UsageError, match="bound to no context"):
        phalanx.unseal(phalanx.seal(DATA, key=KEY), key=KEY, binding=Binding(context="diary"))
    with pytest.raises(phalanx.UsageError, match="bound to no name"):
        phalanx.unseal(phalanx.seal(DATA, key=KEY), key=KEY, binding=Binding(needs_name=True))


def test_what_a_binding_is() -> None:
    binding = Binding(context="diary", name=b"\xff")
    assert binding.context == b"diary" and binding.name == "\udcff"
    assert repr(Binding(name="a")) == "Binding(context=b'', name='a')"
    for wrong in ({"context": ""}, {"name": ""}):
        with pytest.raises(phalanx.UsageError):
            Binding(**wrong)  # type: ignore[arg-type]
    anything: Any = "diary"
    with pytest.raises(phalanx.UsageError, match="Binding"):
        phalanx.seal(DATA, key=KEY, binding=anything)


def test_in_files(tmp_path: pathlib.Path) -> None:
    source, container, moved = tmp_path / "data", tmp_path / "data.phalanx", tmp_path / "moved.phalanx"
    source.write_bytes(DATA)
    phalanx.seal_file(source, container, verify=True, key=KEY, binding=Binding(context="diary", name="data"))
    seen = phalanx.inspect(container)
    assert seen.version == 2 and seen.needs_context and seen.has_name
    diary, any_name = Binding(context="diary"), Binding(context="diary", any_name=True)
    with phalanx.open(container, key=KEY, binding=diary) as file:
        assert file.read() == DATA
    phalanx.change_recipients(container, key=KEY, add_key=OTHER, binding=diary)
    container.rename(moved)
    (found,) = phalanx.verify_many([tmp_path / "moved.phalanx"], key=OTHER, binding=diary)
    assert not found.authentic and "'data', and is called 'moved'" in found.why
    with pytest.raises(phalanx.AuthenticationError, match="is called 'moved'"):
        phalanx.unseal_file(moved, tmp_path / "back", key=KEY, binding=diary)
    assert phalanx.verify(moved, key=KEY, binding=any_name).plain_bytes == len(DATA)
    phalanx.unseal_file(moved, tmp_path / "back", key=KEY, binding=any_name)
    assert (tmp_path / "back").read_bytes() == DATA
    with phalanx.open(tmp_path / "written", "wb", key=KEY, binding=Binding(name="written")) as writer:
        writer.write(DATA)
    with phalanx.open(tmp_path / "written", key=KEY) as file:
        assert file.read() == DATA


def test_in_folders(tmp_path: pathlib.Path) -> None:
    old = phalanx.ForeignFormat("aes-256-ctr", key=KEY, iv=bytes(16))
    (tmp_path / "old").mkdir()
    cipher = phalanx.Cipher("aes-256-ctr", KEY)
    for name in ("a", "b"):
        (tmp_path / "old" / name).write_bytes(cipher.encrypt(b"a text that anybody can read\n", iv=bytes(16)))
    tree = tmp_path / "old", tmp_path / "new", tmp_path / "moved.jsonl", [old]
    assert phalanx.migrate_tree(*tree, key=KEY, bind_names=True).done == 2
    assert phalanx.verify_tree(*tree, key=KEY).same == 2
    (tmp_path / "new" / "a.phalanx").rename(tmp_path / "held")
    (tmp_path / "new" / "b.phalanx").rename(tmp_path / "new" / "a.phalanx")
    (tmp_path / "held").rename(tmp_path / "new" / "b.phalanx")
    assert phalanx.verify_tree(*tree, key=KEY).differing == 2
    assert phalanx.verify_tree(*tree, key=KEY, binding=Binding(any_name=True)).same == 2
    found = phalanx.verify_many([tmp_path / "new"], key=KEY)
    assert [file.authentic for file in found] == [False, False]
