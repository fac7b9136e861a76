"""No key shows in what is printed, and none leaves by pickling."""

import copy
import pathlib
import pickle
import traceback
from collections.abc import Callable
from typing import Any

import pytest

import phalanx
from phalanx.compat.Crypto.Cipher import AES, DES, DES3
from phalanx.compat.Crypto.Cipher.block_modes import KeyedName
from phalanx.compat.cryptography import AESGCM, Cipher, algorithms, cobblestone, modes

KEY = b"do not show this key to anybody!"
SINGLE_DES = b"12345do 12345do not show"  # twice the same key
PASSPHRASE = "do not show this passphrase"


def objects() -> list[Any]:
    xts_context: Any = Cipher(algorithms.AES(KEY), modes.XTS(bytes(16))).encryptor()
    return [
        phalanx.Secret(KEY),
        phalanx.Cipher("aes-256-cbc", KEY),
        phalanx.Cipher("aes-256-cbc", KEY).encryptor(iv=bytes(16), padding="pkcs7"),
        phalanx.SectorCipher("aes-128-xts", KEY),
        phalanx.Aead("aes-256-gcm", KEY),
        phalanx.ForeignFormat("aes-256-cbc", key=KEY, iv=bytes(16)),
        phalanx.ForeignFormat("aes-256-cbc", passphrase=PASSPHRASE),
        phalanx.ChunkedAead("cobblestone-256", KEY),
        phalanx.ChunkedAead("cobblestone-256", KEY).sealer(),
        phalanx.ChunkedAead("cobblestone-256", KEY).opener(),
        cobblestone.Cobblestone256Encryptor(KEY, b""),
        cobblestone.Cobblestone256Decryptor(KEY, b""),
        AESGCM(KEY),
        algorithms.AES(KEY),
        algorithms.TripleDES(KEY[:24]),
        Cipher(algorithms.AES(KEY), modes.ECB()),
        Cipher(algorithms.AES(KEY), modes.CTR(bytes(16))).encryptor(),
        Cipher(algorithms.AES(KEY), modes.CFB8(bytes(16))).decryptor(),
        xts_context,
        xts_context._stream,
        Cipher(algorithms.AES(KEY), modes.GCM(bytes(12))).encryptor(),
        Cipher(algorithms.AES(KEY), modes.GCM(bytes(12))).decryptor(),
        AES.new(KEY, AES.MODE_CTR),
        AES.new(KEY, AES.MODE_GCM),
        DES.new(KEY[:8], DES.MODE_CBC),
        DES3.new(KEY[:24], DES3.MODE_ECB),
        KeyedName("aes-256", phalanx.Secret(KEY), 16),
    ]


def shows_a_secret(text: str) -> bool:
    numbers = ", ".join(map(str, KEY[:8]))
    return any(word in text for word in ("do not show", KEY.hex(), KEY.hex()[:16], numbers))


@pytest.mark.parametrize("value", objects(), ids=lambda value: type(value).__module__ + "." + type(value).__name__)
def test_no_key_shows_or_leaves(value: Any) -> None:
    assert not shows_a_secret(repr(value) + str(value) + repr(getattr(value, "__dict__", "")))
    for leave in (pickle.dumps, copy.copy, copy.deepcopy):
        with pytest.raises(phalanx.PicklingError):
            leave(value)


def mistakes(path: pathlib.Path) -> list[Callable[[], Any]]:
    return [
        lambda: phalanx.Cipher("aes-128-cbc", KEY),
        lambda: phalanx.Cipher("aes-256-cbc", KEY, engine="abacus"),
        lambda: phalanx.Aead("aes-128-gcm", KEY),
        lambda: phalanx.seal(b"", key=KEY, suite="rot13"),
        lambda: phalanx.unseal(phalanx.seal(b"", key=bytes(32)), key=KEY),
        lambda: phalanx.open(path, key=KEY),
        lambda: phalanx.open(path, passphrase=PASSPHRASE),
        lambda: phalanx.openssl_open(path, passphrase=PASSPHRASE, digest="md5"),
        lambda: phalanx.foreign_open(path, phalanx.ForeignFormat("aes-128-cbc", key=KEY, iv=bytes(16))),
        lambda: phalanx.verify(path, passphrase=PASSPHRASE),
        lambda: phalanx.open_volume(path, passphrase=PASSPHRASE),
        lambda: phalanx.open(path, key=KEY.hex()),  # type: ignore[arg-type]
        lambda: phalanx.verify(path, key=[bytes(32), KEY.hex()]),  # type: ignore[list-item]
        lambda: phalanx.migrate(path, path, phalanx.ForeignFormat("aes-128-ctr"), key=KEY.hex()),  # type: ignore[arg-type]
        lambda: phalanx.seal(b"", key=KEY.hex()),  # type: ignore[arg-type]
        lambda: phalanx.unseal(phalanx.seal(b"", key=bytes(32)), identity=PASSPHRASE),
        lambda: phalanx.open(path, identity=[PASSPHRASE]),
        lambda: phalanx.ChunkedAead("cobblestone-128", KEY),
        lambda: phalanx.ChunkedAead("cobblestone-256", KEY).open(phalanx.ChunkedAead("cobblestone-256", bytes(32)).seal(b"")),
        lambda: cobblestone.Cobblestone128Encryptor(KEY, b""),
        lambda: cobblestone.Cobblestone256Encryptor(KEY, 5),  # type: ignore[arg-type]
        lambda: cobblestone.Cobblestone256Encryptor(KEY.hex(), b""),  # type: ignore[arg-type]
        lambda: AESGCM(KEY[:5]),
        lambda: AESGCM(KEY.hex()),  # type: ignore[arg-type]
        lambda: algorithms.AES(KEY.hex()),  # type: ignore[arg-type]
        lambda: DES3.new(KEY.hex(), DES3.MODE_ECB),  # type: ignore[arg-type]
        lambda: algorithms.TripleDES(KEY),
        lambda: DES3.new(KEY, DES3.MODE_ECB),
        lambda: DES3.adjust_key_parity(KEY),
        lambda: DES3.adjust_key_parity(SINGLE_DES),
        lambda: DES3.adjust_key_parity(KEY.hex()),  # type: ignore[arg-type]
        lambda: DES3.adjust_key_parity(list(KEY)),  # type: ignore[arg-type]
        lambda: DES3.new(SINGLE_DES, DES3.MODE_ECB),
    ]


@pytest.mark.parametrize("number", range(33))
def test_no_key_shows_in_tracebacks(tmp_path: pathlib.Path, number: int) -> None:
    """With the values of all variables of our frames, which some programs log."""
    path = tmp_path / "file"
    path.write_bytes(b"no container" * 10)
    with pytest.raises(phalanx.Error) as raised:
        mistakes(path)[number]()
    shown = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    ours = [frame for frame in shown.stack if "tests" not in frame.filename]
    assert not shows_a_secret(str(raised.value))
    assert not shows_a_secret("".join(f"{frame.line} {frame.locals}" for frame in ours))


def take_context(key: Any) -> Any:
    return cobblestone.Cobblestone256Encryptor(key, b"")


@pytest.mark.parametrize("take", [algorithms.AES, AESGCM, take_context, DES3.adjust_key_parity, *(m.new for m in (AES, DES, DES3))])
def test_no_key_in_pieces_shows_in_tracebacks(take: Callable[..., Any]) -> None:
    """An array shows its numbers, and one that is not in one piece is no key."""
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    twice = numpy.repeat(numpy.frombuffer(KEY, dtype="u1"), 2)
    arguments = [AES.MODE_ECB] if take.__name__ == "new" else []
    with pytest.raises(phalanx.StrideError) as raised:
        take(twice[::2], *arguments)
    shown = traceback.TracebackException.from_exception(raised.value, capture_locals=True)
    ours = [str(frame.locals) for frame in shown.stack if "tests" not in frame.filename]
    assert ours and not any(f"{KEY[0]}, {KEY[1]}" in " ".join(text.split()) for text in ours)


def test_secrets_are_taken_wherever_keys_are(tmp_path: pathlib.Path) -> None:
    secret = phalanx.Secret(KEY)
    assert len(secret) == 32
    assert phalanx.Cipher("aes-256-ctr", secret).encrypt(b"a", iv=bytes(16)) == phalanx.Cipher("aes-256-ctr", KEY).encrypt(
        b"a", iv=bytes(16)
    )
    sealed = phalanx.seal(b"data", key=secret)
    assert phalanx.unseal(sealed, key=[secret]) == b"data"
    with pytest.raises(TypeError):
        memoryview(secret)  # type: ignore[arg-type]
