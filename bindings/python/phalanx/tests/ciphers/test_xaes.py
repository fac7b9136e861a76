"""XAES-256-GCM: beside one written of `cryptography`'s AES and AESGCM, and messages that carry a random nonce."""

import os
import random

import pytest

import phalanx

KEY = bytes(range(32))


def make(name: str = "xaes-256-gcm") -> phalanx.Aead:
    return phalanx.Aead(name, KEY)


def test_published_vector() -> None:
    """The second of c2sp.org/XAES-256-GCM."""
    sealed = phalanx.Aead("xaes-256-gcm", b"\3" * 32).seal(b"ABCDEFGHIJKLMNOPQRSTUVWX", b"XAES-256-GCM", b"c2sp.org/XAES-256-GCM")
    assert sealed.hex() == "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"


def test_cryptography_gives_the_same() -> None:
    ciphers = pytest.importorskip("cryptography.hazmat.primitives.ciphers", reason="cryptography is not installed")
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    def their_gcm(key: bytes, nonce: bytes) -> AESGCM:
        ecb = ciphers.Cipher(ciphers.algorithms.AES256(key), ciphers.modes.ECB()).encryptor()
        subkey = int.from_bytes(ecb.update(bytes(16)), "big") << 1
        if subkey >> 128:
            subkey = subkey ^ (1 << 128) ^ 0x87
        blocks = [int.from_bytes(bytes([0, i, 0x58, 0]) + nonce[:12], "big") ^ subkey for i in (1, 2)]
        return AESGCM(b"".join(ecb.update(block.to_bytes(16, "big")) for block in blocks))

    chance = random.Random(1)
    sizes = [0, 1, 15, 16, 17, 31, 32, 33, 255, 256, 257, 5000, *(chance.randrange(2000) for _ in range(100))]
    rows: list[tuple[bytes, bytes, bytes, bytes, bytes]] = []
    for size in sizes:
        key, nonce, data, aad = (chance.randbytes(n) for n in (32, 24, size, chance.choice([0, 1, 16, 40])))
        sealed = their_gcm(key, nonce).encrypt(nonce[12:], data, aad)
        aead = phalanx.Aead("xaes-256-gcm", key)
        assert aead.seal(nonce, data, aad) == sealed
        assert aead.open(nonce, sealed, aad) == data
        carried = aead.seal_with_new_nonce(data, aad)
        assert their_gcm(key, carried).decrypt(carried[12:24], carried[24:], aad) == data
        assert aead.open_with_leading_nonce(nonce + sealed, aad) == data
        rows.append((key, nonce, data, aad, sealed))
    keys, nonces, plain, aads, theirs = (list(column) for column in zip(*rows, strict=True))
    assert make().seal_many(nonces, plain, aads, keys) == theirs
    assert make().open_many(nonces, theirs, aads, keys) == plain


def test_each_call_draws_a_nonce() -> None:
    nonces = {make().seal_with_new_nonce(b"")[:24] for _ in range(50)} | {sealed[:24] for sealed in make().seal_with_new_nonce_many([b""] * 50)}
    assert len(nonces) == 100


@pytest.mark.parametrize("size", [0, 1, 100, 5000])
def test_into_memory(size: int) -> None:
    data, aad = os.urandom(size), b"header"
    memory = bytearray(24) + data + bytearray(20)  # in place, in more than is needed
    assert make().seal_with_new_nonce_into(memoryview(memory)[24 : 24 + size], memory, aad) == size + 40
    sealed = bytes(memory[: size + 40])
    assert make().open_with_leading_nonce(sealed, aad) == data
    assert make().open_with_leading_nonce_into(memoryview(memory)[: size + 40], memoryview(memory)[24 : 24 + size], aad) == size
    assert memory[24 : 24 + size] == data
    target = bytearray(b"x" * (size + 1))
    with pytest.raises(phalanx.AuthenticationError):
        make().open_with_leading_nonce_into(sealed, target, b"another")
    assert target == b"x" * (size + 1)
    assert make().open_with_leading_nonce_into(sealed, target, aad) == size
    assert target == data + b"x"


def test_what_does_not_fit() -> None:
    memory = memoryview(bytearray(200))
    with pytest.raises(phalanx.TruncatedError, match="at least 40 bytes"):
        make().open_with_leading_nonce(bytes(39))
    with pytest.raises(phalanx.SizeError):
        make().seal_with_new_nonce_into(bytes(10), bytearray(49))
    for start in (0, 23, 25, 63):
        with pytest.raises(phalanx.OverlapError):
            make().seal_with_new_nonce_into(memory[start : start + 24], memory[:64])
        with pytest.raises(phalanx.OverlapError):
            make().open_with_leading_nonce_into(memory[:64], memory[start : start + 24])
    with pytest.raises(phalanx.OverlapError):
        make().seal_with_new_nonce_into(b"data", memory, memory[:1])
    for nonce_size in (12, 23):
        with pytest.raises(phalanx.UsageError, match="24 bytes"):
            make().seal(bytes(nonce_size), b"data")
    with pytest.raises(phalanx.UsageError, match="xaes-256-gcm"):
        make("aes-256-gcm").seal_with_new_nonce(b"data")
    with pytest.raises(phalanx.UsageError, match="tags of 16 bytes"):
        phalanx.Aead("xaes-256-gcm", KEY, tag_bytes=12)


def test_many_of_which_some_fail() -> None:
    messages, aads, keys = [b"one", b"two", b"", b"four"], [b"a", b"", b"b", b"c"], [os.urandom(32) for _ in range(4)]
    sealed = make().seal_with_new_nonce_many(messages, aads, keys)
    assert make().open_with_leading_nonce_many(sealed, aads, keys) == messages
    sealed[1] = sealed[1][:39]
    sealed[3] = sealed[3][:-1] + bytes([sealed[3][-1] ^ 1])
    assert make().open_with_leading_nonce_many(sealed, aads, keys, strict=False) == [b"one", None, b"", None]
    with pytest.raises(phalanx.AuthenticationError, match="2 messages are not authentic, of 4") as raised:
        make().open_with_leading_nonce_many(sealed, aads, keys)
    assert raised.value.failed == (1, 3)
