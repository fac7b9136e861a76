"""Aead: known answers, tags apart, batches, and what is not authentic."""

import os
import threading

import pytest

import phalanx

NAMES = [facts.name for facts in phalanx.ciphers() if facts.mode == "gcm"]


def facts_of(name: str) -> phalanx.CipherFacts:
    return next(facts for facts in phalanx.ciphers() if facts.name == name)


def make(name: str, tag_bytes: int = 16) -> phalanx.Aead:
    return phalanx.Aead(name, bytes(range(facts_of(name).key_bytes)), tag_bytes=tag_bytes)


def test_known_answer() -> None:
    """Test case 4 of the GCM specification by McGrew and Viega."""
    aead = phalanx.Aead("aes-128-gcm", bytes.fromhex("feffe9928665731c6d6a8f9467308308"))
    sealed = aead.seal(
        bytes.fromhex("cafebabefacedbaddecaf888"),
        bytes.fromhex(
            "d9313225f88406e5a55909c5aff5269a86a7a9531534f7da2e4c303d8a318a72"
            "1c3c0c95956809532fcf0e2449a6b525b16aedf5aa0de657ba637b39"
        ),
        bytes.fromhex("feedfacedeadbeeffeedfacedeadbeefabaddad2"),
    )
    assert sealed.hex() == (
        "42831ec2217774244b7221b784d0d49ce3aa212f2c02a4e035c17e2329aca12e"
        "21d514b25466931c7d8f6a5aac84aa051ba30b396a0aac973d58e0915bc94fbc3221a5db94fae95ae7121a47"
    )


@pytest.mark.parametrize("name", NAMES)
def test_round_trips(name: str) -> None:
    aead = make(name)
    for size in (0, 1, 16, 100, 5000, 100001):
        data, nonce, aad = os.urandom(size), os.urandom(facts_of(name).iv_bytes), os.urandom(size % 50)
        sealed = aead.seal(nonce, data, aad)
        assert len(sealed) == size + aead.tag_bytes == size + 16
        assert aead.open(nonce, sealed, aad=aad) == data
        memory, tag = bytearray(data), bytearray(16)
        assert aead.seal_into(nonce, memory, memory, tag, aad) == size
        assert memory + tag == sealed
        assert aead.open_into(nonce, memory, memory, tag, aad) == size
        assert memory == data


@pytest.mark.parametrize("place", [0, 50, 99, 100, 115])
def test_any_change_is_found_and_nothing_written(place: int) -> None:
    aead = make("aes-256-gcm")
    sealed = bytearray(aead.seal(bytes(12), bytes(100), b"header"))
    sealed[place] ^= 1
    with pytest.raises(phalanx.AuthenticationError):
        aead.open(bytes(12), sealed, b"header")
    target = bytearray(b"x" * 100)
    with pytest.raises(phalanx.AuthenticationError):
        aead.open_into(bytes(12), sealed[:100], target, sealed[100:], b"header")
    assert target == b"x" * 100


def test_what_does_not_fit() -> None:
    aead = make("aes-256-gcm")
    with pytest.raises(phalanx.TruncatedError, match="16 bytes, and this has 15"):
        aead.open(bytes(12), bytes(15))
    with pytest.raises(phalanx.UsageError, match="nonce"):
        aead.seal(b"", b"data")
    with pytest.raises(phalanx.SizeError):
        aead.seal_into(bytes(12), bytes(10), bytearray(9), bytearray(16))
    for crypt in (aead.seal_into, aead.open_into):
        with pytest.raises(phalanx.SizeError, match="the tag has 16 bytes, and this has 12"):
            crypt(bytes(12), bytes(10), bytearray(10), bytearray(12))
    with pytest.raises(phalanx.UsageError, match="no tag"):
        phalanx.Aead("aes-256-cbc", bytes(32))
    with pytest.raises(phalanx.UsageError):
        make("aes-256-gcm", tag_bytes=8)


@pytest.mark.parametrize(("text", "tag"), [((0, 32), (20, 36)), ((32, 64), (16, 32)), ((32, 64), (31, 47)), ((32, 64), (40, 56))])
def test_a_tag_overlaps_no_text(text: tuple[int, int], tag: tuple[int, int]) -> None:
    memory = memoryview(bytearray(range(96)))
    given = bytes(memory)
    aead, target = make("aes-256-gcm"), memory[slice(*text)]
    for src in (bytes(target), target):
        overlaps = text[0] < tag[1] and tag[0] < text[1]
        if overlaps:
            with pytest.raises(phalanx.OverlapError):
                aead.seal_into(bytes(12), src, target, memory[slice(*tag)])
            assert memory == given
        else:
            plain = bytes(src)
            aead.seal_into(bytes(12), src, target, memory[slice(*tag)])
            assert bytes(target) + bytes(memory[slice(*tag)]) == aead.seal(bytes(12), plain)
    with pytest.raises(phalanx.OverlapError):
        aead.seal_into(bytes(12), memory[:16], bytearray(16), memory[8:24])


def test_associated_data_counts_as_work() -> None:
    """Another thread runs while a long header is authenticated. On a busy machine not each time."""
    aead, header = phalanx.Aead("aes-256-gcm", bytes(32), threads=1), bytes(128 << 20)

    def counts_meanwhile() -> int:
        thread = threading.Thread(target=aead.seal, args=(bytes(12), b"", header))
        thread.start()
        counted = 0
        while thread.is_alive():
            counted += 1
        return counted

    assert any(counts_meanwhile() > 1000 for _ in range(10))


@pytest.mark.parametrize("own_keys", [False, True])
def test_many(own_keys: bool) -> None:
    messages = [os.urandom(size) for size in range(0, 3000, 37)]
    nonces = [os.urandom(12) for _ in messages]
    aads = [os.urandom(i % 20) for i in range(len(messages))]
    keys = [os.urandom(32) for _ in messages]
    aead = phalanx.Aead("aes-256-gcm", keys[0])
    sealed = aead.seal_many(nonces, messages, aads, keys if own_keys else None)
    for i, message in enumerate(messages):
        single = phalanx.Aead("aes-256-gcm", keys[i] if own_keys else keys[0])
        assert sealed[i] == single.seal(nonces[i], message, aads[i])
    assert aead.open_many(nonces, sealed, aads, keys if own_keys else None) == messages


def test_many_of_which_some_fail() -> None:
    aead = make("serpent-256-gcm")
    nonces = [bytes([i] * 12) for i in range(5)]
    sealed = [bytearray(part) for part in aead.seal_many(nonces, [b"same"] * 5)]
    sealed[1][0] ^= 1
    sealed[4][-1] ^= 1
    said = "2 messages are not authentic, of 5: the first is number 1"
    with pytest.raises(phalanx.AuthenticationError, match=said) as raised:
        aead.open_many(nonces, sealed)
    assert raised.value.failed == (1, 4)
    assert aead.open_many(nonces, sealed, strict=False) == [b"same", None, b"same", b"same", None]
    sealed[0] = sealed[0][:15]  # less than a tag
    assert aead.open_many(nonces, sealed, strict=False) == [None, None, b"same", b"same", None]
    with pytest.raises(phalanx.AuthenticationError, match="3 messages .* number 0") as raised:
        aead.open_many(nonces, sealed)
    assert raised.value.failed == (0, 1, 4)
    with pytest.raises(phalanx.SizeError, match="5 messages, and nonces are for 4"):
        aead.open_many(nonces[:4], sealed)
