"""openpgp_open: a message of `gpg -c`, by its passphrase and by its session key; and what is refused."""

import base64
import pathlib
from typing import Any

import phalanx
import pytest

# GnuPG 2.2.40 wrote this message by `gpg --compress-algo none --s2k-count 1024 -c`, and it prints the session key by
# `gpg --show-session-key -d`.
MESSAGE = base64.b64decode(
    "jA0ECQMCl+5uvCV7zqP/0jwBLddXYiarcok9TU9swgnvmQknzKSWJ+4JO5vpMpdpV8S4d8SwDHd2kwiZ8pPcwUTqmqNeV41KNcardE8="
)
SESSION_KEY = "9:8AE259A268F85339D3CD9C466932DAAF36643F81AC0F7C04F23FE9E003CD936E"
PLAIN = b"in lockstep"


@pytest.fixture
def path(tmp_path: pathlib.Path) -> pathlib.Path:
    path = tmp_path / "message"
    path.write_bytes(MESSAGE)
    return path


@pytest.mark.parametrize("is_armored", [False, True])
def test_both_secrets_open_it(path: pathlib.Path, is_armored: bool) -> None:
    if is_armored:
        path.write_bytes(b"-----BEGIN PGP MESSAGE-----\n\n" + base64.encodebytes(MESSAGE) + b"-----END PGP MESSAGE-----\n")
    said = f"gpg: session key: '{SESSION_KEY}'\n"
    ways: list[dict[str, Any]] = [
        {"passphrase": "secret"}, {"passphrase": phalanx.Secret(b"secret")}, {"session_key": SESSION_KEY}, {"session_key": said.encode()},
    ]  # fmt: skip
    for secrets in ways:
        with phalanx.openpgp_open(path, threads=1, **secrets) as file:
            assert file.read(2) + file.read() == PLAIN
            raw: Any = file.raw
            assert raw._reader.cipher == "aes-256-cfb" and raw._reader.is_authenticated


def test_what_is_refused(path: pathlib.Path) -> None:
    with pytest.raises(phalanx.UsageError):
        phalanx.openpgp_open(path)
    with pytest.raises(phalanx.UsageError):
        phalanx.openpgp_open(path, passphrase="secret", session_key=SESSION_KEY)
    with pytest.raises(phalanx.UsageError):
        phalanx.openpgp_open(path, session_key="9:12")
    wrongs: list[dict[str, Any]] = [{"passphrase": "another"}, {"passphrase": ""}, {"session_key": "9:" + "00" * 32}]
    for wrong in wrongs:
        with pytest.raises(phalanx.WrongKeyError):
            phalanx.openpgp_open(path, **wrong)
    for place in range(18, len(MESSAGE)):
        path.write_bytes(MESSAGE[:place] + bytes([MESSAGE[place] ^ 1]) + MESSAGE[place + 1 :])
        with pytest.raises(phalanx.WrongKeyError):
            phalanx.openpgp_open(path, session_key=SESSION_KEY)
    path.write_bytes(MESSAGE[:-1])
    with pytest.raises(phalanx.TruncatedError):
        phalanx.openpgp_open(path, passphrase="secret")
    path.write_bytes(b"no message")
    with pytest.raises(phalanx.FormatError):
        phalanx.openpgp_open(path, passphrase="secret")
    with pytest.raises(FileNotFoundError):
        phalanx.openpgp_open(path.with_name("none"), passphrase="secret")
