"""Containers for public keys of age: sealed with no secret at hand, and opened by whoever has the identity."""

import base64
import pathlib
import subprocess
import sys
from typing import Any, NoReturn

import pytest

import phalanx

KEY, DATA = bytes(range(32)), b"in lockstep"
# Bech32 (BIP 173) of 32 zeros: a point of low order, with which every secret shares zeros (RFC 7748 section 6.1).
LOW_ORDER = "age1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq5cu47z"


def run(*arguments: object) -> None:
    done = subprocess.run([sys.executable, "-m", "phalanx", *map(str, arguments)], capture_output=True)
    assert done.returncode == 0, done.stderr.decode()


def new_identity(path: pathlib.Path) -> tuple[str, str]:
    """As the program makes it: a file, of which these are the identity and the recipient."""
    run("keygen", "--identity", path)
    lines = path.read_text().splitlines()
    (identity,) = (line for line in lines if line.startswith("AGE-SECRET-KEY-1"))
    return identity, next(line for line in lines if line.startswith("#") and "age1" in line).split()[-1]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> pathlib.Path:
    return tmp_path_factory.mktemp("keys")


@pytest.fixture(scope="module")
def pair(folder: pathlib.Path) -> tuple[str, str]:
    return new_identity(folder / "identity")


@pytest.fixture(scope="module")
def other(folder: pathlib.Path) -> tuple[str, str]:
    return new_identity(folder / "other")


def test_in_memory(pair: tuple[str, str], other: tuple[str, str]) -> None:
    container = phalanx.seal(DATA, recipient=pair[1], suite="twofish-256")
    assert phalanx.unseal(container, identity=pair[0]) == DATA
    assert phalanx.unseal(container, identity=[other[0], phalanx.Secret(pair[0].encode())], key=KEY) == DATA
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.unseal(container, identity=other[0])
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.unseal(container, key=KEY)


def test_beside_a_key(pair: tuple[str, str], other: tuple[str, str]) -> None:
    container = phalanx.seal(DATA, recipient=[pair[1], other[1]], key=KEY)
    assert phalanx.unseal(container, key=KEY) == DATA
    for identity, _ in (pair, other):
        assert phalanx.unseal(container, identity=identity) == DATA


def test_what_is_refused(pair: tuple[str, str]) -> None:
    identity, recipient = pair
    with pytest.raises(phalanx.UsageError, match="low order"):
        phalanx.seal(DATA, recipient=LOW_ORDER)
    for wrong in (recipient[:-1], recipient + "q", "age1", "", "ssh-ed25519 AAAA", identity):
        with pytest.raises(phalanx.UsageError) as raised:
            phalanx.seal(DATA, recipient=wrong)
        assert identity not in str(raised.value)
    container = phalanx.seal(DATA, recipient=recipient)
    for wrong in (recipient, identity[:-1], "AGE-SECRET-KEY-PQ-1QQ", ""):
        with pytest.raises(phalanx.UsageError) as raised:
            phalanx.unseal(container, identity=wrong)
        assert "AGE-SECRET-KEY-1" + identity[16:40] not in str(raised.value)
    with pytest.raises(phalanx.UsageError, match="recipient_file"):
        phalanx.seal(DATA)
    with pytest.raises(phalanx.UsageError, match="identity_file"):
        phalanx.unseal(container)


def test_with_the_program(tmp_path: pathlib.Path, folder: pathlib.Path, pair: tuple[str, str]) -> None:
    plain, container, back = tmp_path / "plain", tmp_path / "plain.phalanx", tmp_path / "back"
    plain.write_bytes(DATA)
    phalanx.seal_file(plain, container, recipient=pair[1])
    run("decrypt", "-i", folder / "identity", container, back)
    assert back.read_bytes() == DATA
    run("encrypt", "-r", pair[1], plain, "-f", container)
    assert phalanx.unseal_file(container, tmp_path / "again", identity_file=folder / "identity").written_bytes == len(DATA)
    assert phalanx.verify(container, identity=pair[0]).plain_bytes == len(DATA)
    (listed,) = phalanx.list_recipients(container)
    assert listed.kind == "public_key" and listed.stanza_types == ["X25519"] and listed.labels == []


def test_files_of_keys(tmp_path: pathlib.Path, folder: pathlib.Path, pair: tuple[str, str], other: tuple[str, str]) -> None:
    recipients, container = tmp_path / "recipients", tmp_path / "letters.phalanx"
    recipients.write_text(f"# who reads it\n{pair[1]}\n\n{other[1]}\n")
    with phalanx.open(container, "wb", recipient_file=recipients) as file:
        file.write(DATA)
    for name in ("identity", "other"):
        with phalanx.open(container, identity_file=folder / name) as opened:
            assert opened.read() == DATA
    with pytest.raises(phalanx.UsageError, match="public keys"):
        phalanx.seal_file(container, recipients, replace=True, recipient_file=recipients)
    with pytest.raises(FileNotFoundError):
        phalanx.seal(DATA, recipient_file=tmp_path / "none")


def test_changed_recipients(tmp_path: pathlib.Path, pair: tuple[str, str], other: tuple[str, str]) -> None:
    container = tmp_path / "letters.phalanx"
    container.write_bytes(phalanx.seal(DATA, key=KEY))
    assert phalanx.change_recipients(container, key=KEY, add_recipient=pair[1], remove=[1]).num_recipients == 1
    assert phalanx.change_recipients(container, identity=pair[0], add_recipient=[other[1]]).num_recipients == 2
    assert phalanx.recipients_opened_by(container, identity=other[0]) == [2]
    assert phalanx.unseal(container.read_bytes(), identity=other[0]) == DATA


def test_folders(tmp_path: pathlib.Path, folder: pathlib.Path, pair: tuple[str, str], other: tuple[str, str]) -> None:
    source, sealed, back = tmp_path / "source", tmp_path / "sealed", tmp_path / "back"
    source.mkdir()
    (source / "a").write_bytes(DATA)
    assert phalanx.seal_tree(source, sealed, recipient=pair[1], bind_names=True).sealed == 1
    assert phalanx.seal_tree(source, sealed, recipient=pair[1], bind_names=True, update="time").unchanged == 1
    assert phalanx.unseal_tree(sealed, back, identity=other[0]).failed == 1
    assert phalanx.unseal_tree(sealed, back, identity_file=folder / "identity").opened == 1
    assert (back / "a").read_bytes() == DATA
    (found,) = phalanx.verify_many([sealed / "a.phalanx"], identity=pair[0])
    assert found.authentic
    (sealed / "identity").write_text(pair[0])
    with pytest.raises(phalanx.UsageError, match="lies in the folder"):
        phalanx.unseal_tree(source, sealed, identity_file=sealed / "identity")


def in_base64(data: bytes) -> str:
    return base64.b64encode(data).decode().rstrip("=")


def test_functions(tmp_path: pathlib.Path) -> None:
    """A public key of no use, whose one stanza has the file key itself."""

    def wrap(file_key: bytes) -> tuple[list[str], list[str]]:
        return [f"-> test of {len(file_key)}\n{in_base64(file_key)}\n"], []

    def unwrap(stanzas: list[str]) -> bytes | None:
        return base64.b64decode(stanzas[0].split("\n")[1] + "==") if stanzas[0].startswith("-> test") else None

    container = phalanx.seal(DATA, recipient=[wrap], key=KEY)
    assert phalanx.unseal(container, identity=unwrap) == DATA
    assert phalanx.unseal(container, key=KEY) == DATA
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.unseal(container, identity=lambda stanzas: None)
    path = tmp_path / "letters.phalanx"
    (tmp_path / "letters").write_bytes(DATA)
    phalanx.seal_file(tmp_path / "letters", path, recipient=wrap, binding=phalanx.Binding(context="diary"))
    with phalanx.open(path, identity=[unwrap], binding=phalanx.Binding(context="diary")) as file:
        assert file.read() == DATA
    (listed,) = phalanx.list_recipients(path)
    assert listed.stanza_types == ["test"]


def test_functions_that_fail(tmp_path: pathlib.Path, pair: tuple[str, str]) -> None:
    def fails(data: object) -> NoReturn:
        raise KeyError("the token is not there")

    with pytest.raises(KeyError, match="the token"):
        phalanx.seal(DATA, recipient=fails)
    container = phalanx.seal(DATA, recipient=pair[1])
    with pytest.raises(KeyError, match="the token"):
        phalanx.unseal(container, identity=fails)
    results: list[Any] = [None, [], ["-> test\n\n"], ("-> test\n\n", []), ([], [])]
    for wrong in results:
        with pytest.raises(phalanx.Error):
            phalanx.seal(DATA, recipient=lambda file_key, wrong=wrong: wrong)
    with pytest.raises(phalanx.Error):
        phalanx.unseal(container, identity=lambda stanzas: bytes(15))
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "a").write_bytes(DATA)
    heard: list[phalanx.TreeFileResult] = []
    assert phalanx.seal_tree(tmp_path / "source", tmp_path / "to", recipient=fails, on_file=heard.append).failed == 1
    assert heard[0].why == "the function of a public key raised KeyError: 'the token is not there'"
