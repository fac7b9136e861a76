"""What each layer of compat lets pass is what its model lets pass: asked of both, row by row, in both directions."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any, NamedTuple

import pytest

from phalanx.compat.Crypto.Cipher import AES, DES, DES3
from phalanx.compat.cryptography import AESGCM, Cipher, algorithms, modes

their_ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers", reason="cryptography is not installed")
their_aead = pytest.importorskip("cryptography.hazmat.primitives.ciphers.aead")
their_old_algorithms = pytest.importorskip("cryptography.hazmat.decrepit.ciphers.algorithms")
their_old_modes = pytest.importorskip("cryptography.hazmat.decrepit.ciphers.modes")
pytest.importorskip("Crypto", reason="pycryptodome is not installed")
PAIRS = {
    ours.__name__.rpartition(".")[2]: (ours, pytest.importorskip(ours.__name__.removeprefix("phalanx.compat.")))
    for ours in (AES, DES, DES3)
}

pytestmark = pytest.mark.filterwarnings("ignore")  # theirs warn of what they will refuse

KEY = bytes(range(1, 65))  # no part of it equals another
DATA = bytes(range(64))
REFUSED = "refused"


def outcome(call: Callable[[Any], Any], side: Any) -> Any:
    """What it gave; of what it raised only that it did."""
    try:
        return call(side)
    except Exception as error:
        kinds = {kind.__name__ for kind in type(error).__mro__}
        assert kinds & {"ValueError", "TypeError", "UnsupportedAlgorithm", "InvalidTag"}, error
        return REFUSED


def ask(sides: tuple[Any, Any], call: Callable[[Any], Any]) -> Any:
    """The outcome, which is that of both."""
    ours, theirs = (outcome(call, side) for side in sides)
    assert ours == theirs
    return theirs


class Side(NamedTuple):
    """`cryptography`, or what stands for it."""

    cipher: Any
    algorithms: dict[str, Any]
    modes: dict[str, Any]
    aesgcm: Any


def their_mode(name: str) -> Any:
    return getattr(their_old_modes, name, None) or getattr(their_ciphers.modes, name)


MODE_NAMES = ("ECB", "CBC", "CFB", "CFB8", "OFB", "CTR", "XTS", "GCM")
OURS = Side(
    Cipher,
    {"AES": algorithms.AES, "TripleDES": algorithms.TripleDES},
    {name: getattr(modes, name) for name in MODE_NAMES},
    AESGCM,
)
THEIRS = Side(
    their_ciphers.Cipher,
    {"AES": their_ciphers.algorithms.AES, "TripleDES": their_old_algorithms.TripleDES},
    {name: their_mode(name) for name in MODE_NAMES},
    their_aead.AESGCM,
)
SIDES = (OURS, THEIRS)


def crypt(side: Side, algorithm: str, key: bytes, mode: str, start: bytes | None, encrypts: bool) -> Any:
    """A message by all calls of a context; of GCM's decryption what comes before its tag, which is looked at below."""
    made = side.modes[mode]() if start is None else side.modes[mode](start)
    cipher = side.cipher(side.algorithms[algorithm](key), made)
    context = cipher.encryptor() if encrypts else cipher.decryptor()
    result = context.update(DATA)
    if mode != "GCM":
        return result + context.finalize()
    return (result + context.finalize(), context.tag) if encrypts else result


CIPHERS = [("AES", 16), ("AES", 24), ("AES", 32), ("AES", 64), ("TripleDES", 8), ("TripleDES", 16), ("TripleDES", 24)]


@pytest.mark.parametrize("mode", MODE_NAMES)
@pytest.mark.parametrize(("algorithm", "key_bytes"), CIPHERS)
def test_ciphers_and_modes_of_cryptography(algorithm: str, key_bytes: int, mode: str) -> None:
    """Legacy ciphers and ECB among them."""
    block = 8 if algorithm == "TripleDES" else 16
    start = None if mode == "ECB" else bytes(12 if mode == "GCM" else block)
    for encrypts in (True, False):
        ask(SIDES, lambda side: crypt(side, algorithm, KEY[:key_bytes], mode, start, encrypts))


def context_of_xts(side: Side, key: bytes, encrypts: bool) -> Any:
    cipher = side.cipher(side.algorithms["AES"](key), side.modes["XTS"](bytes(16)))
    return cipher.encryptor() if encrypts else cipher.decryptor()


@pytest.mark.parametrize("halves_are_equal", [True, False])
@pytest.mark.parametrize("half_bytes", [16, 32])
def test_equal_halves_of_xts(half_bytes: int, halves_are_equal: bool) -> None:
    """Refused to encrypt, with the context already; and decrypted."""
    key = KEY[:half_bytes] * 2 if halves_are_equal else KEY[: 2 * half_bytes]
    for encrypts in (True, False):
        made = ask(SIDES, lambda side: context_of_xts(side, key, encrypts) is not None)
        assert made == (REFUSED if halves_are_equal and encrypts else True)
        ask(SIDES, lambda side: crypt(side, "AES", key, "XTS", bytes(16), encrypts))


NONCE_SIZES = (0, 1, 7, 8, 11, 12, 13, 16, 127, 128, 129)


@pytest.mark.parametrize("size", NONCE_SIZES)
def test_nonces_of_cryptography(size: int) -> None:
    nonce = bytes(range(size))
    for encrypts in (True, False):
        ask(SIDES, lambda side: crypt(side, "AES", KEY[:16], "GCM", nonce, encrypts))
    sealed = ask(SIDES, lambda side: side.aesgcm(KEY[:16]).encrypt(nonce, DATA, None))
    assert (sealed == REFUSED) == (not 8 <= size <= 128)
    given = DATA + bytes(16) if sealed == REFUSED else sealed
    opened = ask(SIDES, lambda side: side.aesgcm(KEY[:16]).decrypt(nonce, given, None))
    assert opened == (REFUSED if sealed == REFUSED else DATA)


def sealed_by_theirs() -> tuple[bytes, bytes]:
    both = THEIRS.aesgcm(KEY[:16]).encrypt(bytes(12), DATA, None)
    return both[:-16], both[-16:]


def open_with(side: Side, tag: bytes, least: int, later: bool) -> Any:
    text, _ = sealed_by_theirs()
    mode = side.modes["GCM"](bytes(12), None if later else tag, least)
    decryptor = side.cipher(side.algorithms["AES"](KEY[:16]), mode).decryptor()
    result = decryptor.update(text)
    return result + (decryptor.finalize_with_tag(tag) if later else decryptor.finalize())


@pytest.mark.parametrize("least", range(2, 19))
def test_tags_of_cryptography(least: int) -> None:
    """Of every size, under every least size, given with the mode or at the end."""
    whole = sealed_by_theirs()[1] + b"more"
    for size, later in itertools.product(range(19), (False, True)):
        ask(SIDES, lambda side: open_with(side, whole[:size], least, later))


def test_cut_tags_of_aesgcm() -> None:
    text, tag = sealed_by_theirs()
    for size in range(17):
        opened = ask(SIDES, lambda side: side.aesgcm(KEY[:16]).decrypt(bytes(12), text + tag[:size], None))
        assert opened == (DATA if size == 16 else REFUSED)


# pycryptodome: each row is asked of its module and of ours.
MODULES = [("AES", 16), ("AES", 24), ("AES", 32), ("DES", 8), ("DES3", 16), ("DES3", 24)]
BLOCK_MODES: list[tuple[str, dict[str, Any]]] = [
    ("MODE_ECB", {}),
    ("MODE_CBC", {"iv": None}),
    ("MODE_CFB", {"iv": None}),
    ("MODE_CFB", {"iv": None, "segment_size": None}),
    ("MODE_OFB", {"iv": None}),
    ("MODE_CTR", {"nonce": b"abc"}),
    ("MODE_GCM", {"nonce": bytes(12)}),
]


@pytest.mark.parametrize(("mode", "arguments"), BLOCK_MODES)
@pytest.mark.parametrize(("module", "key_bytes"), MODULES)
def test_ciphers_and_modes_of_pycryptodome(module: str, key_bytes: int, mode: str, arguments: dict[str, Any]) -> None:
    block = 16 if module == "AES" else 8
    given = {name: value or (bytes(block) if name == "iv" else 8 * block) for name, value in arguments.items()}
    for way in ("encrypt", "decrypt"):
        ask(PAIRS[module], lambda side: getattr(side.new(KEY[:key_bytes], getattr(AES, mode), **given), way)(DATA))


WEAK_KEYS = [
    ("DES", bytes(8)),
    ("DES", bytes.fromhex("0101010101010101")),
    ("DES3", bytes(24)),
    ("DES3", KEY[:8] * 3),
    ("DES3", KEY[:8] * 2 + KEY[8:16]),
    ("DES3", KEY[:8] + KEY[8:16] * 2),
    ("DES3", KEY[:16] + KEY[:8]),
    ("DES3", KEY[:8] * 2),
]


@pytest.mark.parametrize(("module", "key"), WEAK_KEYS)
def test_weak_keys_of_pycryptodome(module: str, key: bytes) -> None:
    for way in ("encrypt", "decrypt"):
        ask(PAIRS[module], lambda side: getattr(side.new(key, side.MODE_ECB), way)(DATA))


@pytest.mark.parametrize("size", NONCE_SIZES)
def test_nonces_of_pycryptodome(size: int) -> None:
    nonce = bytes(range(size))

    def new(module: Any) -> Any:
        return module.new(KEY[:16], module.MODE_GCM, nonce=nonce)

    sealed = ask(PAIRS["AES"], lambda module: new(module).encrypt_and_digest(DATA))
    assert (sealed == REFUSED) == (size == 0)
    text, tag = (DATA, bytes(16)) if sealed == REFUSED else sealed
    opened = ask(PAIRS["AES"], lambda module: new(module).decrypt_and_verify(text, tag))
    assert opened == (REFUSED if sealed == REFUSED else DATA)


@pytest.mark.parametrize("mac_len", range(19))
def test_tags_of_pycryptodome(mac_len: int) -> None:
    """Sealing and opening alike, and opening with a tag of another size than was asked for."""

    def new(module: Any, **settings: Any) -> Any:
        return module.new(KEY[:16], module.MODE_GCM, nonce=bytes(12), **settings)

    pair = PAIRS["AES"]
    sealed = ask(pair, lambda module: new(module, mac_len=mac_len).encrypt_and_digest(DATA))
    text, whole = new(pair[1]).encrypt_and_digest(DATA)
    assert sealed == (REFUSED if not 4 <= mac_len <= 16 else (text, whole[:mac_len]))
    for size in range(18):
        tag = (whole + b"more")[:size]
        opened = ask(pair, lambda module: new(module, mac_len=mac_len).decrypt_and_verify(text, tag))
        assert (opened == DATA) == (size == mac_len and sealed != REFUSED)
