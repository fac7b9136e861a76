"""phalanx.compat.cryptography.cobblestone beside its model: the same messages both ways, and the same refusals."""

import array
import base64
import hashlib
import hmac
import inspect
import itertools
import json
import pathlib
import random
import zlib
from collections.abc import Callable
from typing import Any

import pytest

import phalanx
from phalanx.compat.cryptography import AlreadyFinalized, InvalidTag
from phalanx.compat.cryptography import cobblestone as ours

theirs: Any = pytest.importorskip("cryptography.cobblestone", reason="cryptography 50 is not installed")

from cryptography.exceptions import AlreadyFinalized as TheirAlreadyFinalized
from cryptography.exceptions import InvalidTag as TheirInvalidTag

SIZES = (128, 256)
CHUNK, SEALED_CHUNK = 16384, 16400
CONTEXTS = (b"", b"\0", b"a context", bytes(100_000))
NUM_MESSAGES = 10_000


def encryptor(module: Any, bits: int) -> Any:
    return getattr(module, f"Cobblestone{bits}Encryptor")


def decryptor(module: Any, bits: int) -> Any:
    return getattr(module, f"Cobblestone{bits}Decryptor")


def seal(module: Any, bits: int, key: bytes, context: bytes, plain: bytes) -> bytes:
    message = encryptor(module, bits)(key, context)
    return bytes(message.update(plain) + message.finalize())


def unseal(module: Any, bits: int, key: bytes, context: bytes, sealed: bytes) -> bytes:
    message = decryptor(module, bits)(key, context)
    return bytes(message.update(sealed) + message.finalize())


def test_the_names_and_arguments_are_here() -> None:
    assert set(theirs.__all__) == set(ours.__all__)
    for name in theirs.__all__:
        their_class, our_class = getattr(theirs, name), getattr(ours, name)
        members = [member for member in dir(their_class) if not member.startswith("_")]
        assert members == [member for member in dir(our_class) if not member.startswith("_")]
        for member in members:
            both = [list(inspect.signature(getattr(kind, member)).parameters) for kind in (their_class, our_class)]
            assert both[0] == both[1], member
        assert list(inspect.signature(their_class).parameters) == list(inspect.signature(our_class).parameters)


@pytest.mark.parametrize("bits", SIZES)
def test_random_messages_both_ways(bits: int) -> None:
    """Each is sealed by one side, opened by the other, and by phalanx.ChunkedAead."""
    choose = random.Random(bits)
    for i in range(NUM_MESSAGES // 2):
        key, context, plain = choose.randbytes(bits // 8), choose.randbytes(i % 40), choose.randbytes(choose.randrange(300))
        if i % 2:
            assert unseal(theirs, bits, key, context, seal(ours, bits, key, context, plain)) == plain
        else:
            sealed = seal(theirs, bits, key, context, plain)
            assert unseal(ours, bits, key, context, sealed) == plain
            assert phalanx.ChunkedAead(f"cobblestone-{bits}", key, context).open(sealed) == plain


@pytest.mark.parametrize("bits", SIZES)
def test_lengths_around_chunks(bits: int) -> None:
    key = bytes(range(bits // 8))
    whole = random.Random(1).randbytes(20 * CHUNK)
    lengths = [end * CHUNK + more for end in (0, 1, 2, 3, 19) for more in (-1, 0, 1) if end or more >= 0]
    for length, context in zip(lengths, CONTEXTS * 4):
        plain = whole[:length]
        for one, other in ((ours, theirs), (theirs, ours)):
            assert unseal(other, bits, key, context, seal(one, bits, key, context, plain)) == plain


@pytest.mark.parametrize("pieces", [(1, 55), (56,), (16383, 2), (16400,), (40_000, 0)])
def test_each_update_gives_as_much(pieces: tuple[int, ...]) -> None:
    key, plain = bytes(32), bytes(3 * CHUNK + 7)
    sealed = seal(theirs, 256, key, b"", plain)
    for make, data in ((encryptor, plain), (decryptor, sealed)):
        both = [make(module, 256)(key, b"") for module in (theirs, ours)]
        target, place, turn = [bytearray(60_000), bytearray(60_000)], 0, 0
        while place < len(data):
            size = pieces[turn % len(pieces)]
            part = data[place : place + size]
            counts = [one.update_into(part, into) for one, into in zip(both, target)]
            assert counts[0] == counts[1]
            place, turn = place + size, turn + 1
            if turn > 200:  # a byte at a time takes long
                pieces = (5000,)
        assert len(both[0].finalize()) == len(both[1].finalize())


def outcome(call: Callable[[], Any]) -> Any:
    """What comes of it: the kind of failure, in Python's own classes and theirs, or how many bytes."""
    try:
        result = call()
    except (InvalidTag, TheirInvalidTag):
        return "InvalidTag"
    except (AlreadyFinalized, TheirAlreadyFinalized):
        return "AlreadyFinalized"
    except (TypeError, ValueError, BufferError) as error:
        return next(kind for kind in (TypeError, BufferError, ValueError) if isinstance(error, kind))
    return len(result) if isinstance(result, bytes) else result


MEMORY: list[Any] = [
    b"", b"data", bytearray(b"data"), memoryview(b"data"), memoryview(bytes(8)).cast("c"), memoryview(bytes(8)).cast("b"),
    memoryview(bytes(8)).cast("I"), memoryview(bytes(8))[::2], memoryview(bytes(16)).cast("B", (4, 4)), array.array("B", b"data"),
    array.array("I", [1]), array.array("b", [1]), None, 5, "text", [1, 2], (1,), object(), {}, 1.5,
]


def test_what_is_taken_for_bytes() -> None:
    keys = [bytes(size) for size in (0, 15, 16, 17, 24, 31, 32, 33)]
    for bits in SIZES:
        for make in (encryptor, decryptor):
            for value in [*MEMORY, *keys, *map(bytearray, keys), memoryview(bytes(64))[::2], memoryview(bytes(32)).cast("I")]:
                made = [outcome(lambda: make(module, bits)(value, b"") and 0) for module in (theirs, ours)]
                assert made[0] == made[1], value
            key = bytes(bits // 8)
            calls: list[Callable[[Any, Any], Any]] = [
                lambda module, value: make(module, bits)(key, value) and 0,
                lambda module, value: make(module, bits)(key, b"").update(value),
                lambda module, value: make(module, bits)(key, b"").update_into(value, bytearray(200)),
                lambda module, value: make(module, bits)(key, b"").update_into(b"", value),
            ]
            for call, value in itertools.product(calls, MEMORY):
                both = [outcome(lambda: call(module, value)) for module in (theirs, ours)]
                assert both[0] == both[1], value


def test_targets() -> None:
    sealed = seal(theirs, 128, bytes(16), b"", bytes(40_000))
    for make, data in ((encryptor, bytes(40_000)), (decryptor, sealed)):
        for size in (0, 55, 56, 2 * CHUNK - 1, 2 * CHUNK, 2 * SEALED_CHUNK + 55, 2 * SEALED_CHUNK + 56, 60_000):
            both = [make(module, 128)(bytes(16), b"") for module in (theirs, ours)]
            counts = [outcome(lambda: one.update_into(data, bytearray(size))) for one in both]
            assert counts[0] == counts[1], size
            if counts[0] is ValueError:  # nothing was taken, and it goes on
                assert len({len(one.update(data)) for one in both}) == 1


def test_overlapping_targets() -> None:
    """They are taken there; here what comes of them is right."""
    plain = random.Random(2).randbytes(40_000)
    memory = bytearray(plain + bytes(1000))
    message = ours.Cobblestone128Encryptor(bytes(16), b"")
    count = message.update_into(memoryview(memory)[:40_000], memory)
    assert unseal(theirs, 128, bytes(16), b"", bytes(memory[:count]) + message.finalize()) == plain


def changes() -> dict[str, bytes]:
    """What can be done to a message of three full chunks and a short one."""
    message = seal(theirs, 256, bytes(32), b"context", bytes(3 * CHUNK + 7))
    prefix, one, two, rest = (message[a:b] for a, b in ((0, 56), (56, 16456), (16456, 32856), (32856, None)))
    last = 56 + 3 * SEALED_CHUNK
    changed = {"swapped": prefix + two + one + rest, "doubled": prefix + one + one + two + rest, "missing": prefix + two + rest}
    for place in (0, 23, 24, 55, 56, 16455, 32856, last, last + 22):
        changed[f"byte {place}"] = message[:place] + bytes([message[place] ^ 1]) + message[place + 1 :]
    for size in (0, 1, 55, 56, 71, 72, 16455, 16456, 16457, last, last + 15, last + 16):
        changed[f"{size} bytes"] = message[:size]
    for more in (1, 16, SEALED_CHUNK):
        changed[f"{more} more"] = message + bytes(more)
    return changed


CHANGES = changes()


@pytest.mark.parametrize("name", CHANGES)
def test_changed_messages_fail_alike(name: str) -> None:
    message = CHANGES[name]
    for pieces in (len(message) or 1, 30_000, SEALED_CHUNK):
        both = [decryptor(module, 256)(bytes(32), b"context") for module in (theirs, ours)]
        for i in range(0, len(message), pieces):
            given = [outcome(lambda: one.update(message[i : i + pieces])) for one in both]
            assert given[0] == given[1]
        for _ in range(2):
            ended = [outcome(one.finalize) for one in both]
            assert ended[0] == ended[1] and ended[0] in ("InvalidTag", "AlreadyFinalized")


def test_calls_after_the_end() -> None:
    for make in (encryptor, decryptor):
        both = [make(module, 128)(bytes(16), b"") for module in (theirs, ours)]
        for one in both:
            outcome(one.finalize)
        calls: list[Callable[[Any], Any]] = [
            lambda one: one.update(b""),
            lambda one: one.update_into(b"", bytearray(100)),
            lambda one: one.update(None),
            lambda one: one.update_into(b"", b""),
            lambda one: one.finalize(),
        ]
        for call in calls:
            after = [outcome(lambda: call(one)) for one in both]
            assert after[0] == after[1]


def test_keys_are_made() -> None:
    for bits in SIZES:
        keys = {encryptor(ours, bits).generate_key() for _ in range(10)}
        assert len(keys) == 10 and {len(key) for key in keys} == {bits // 8}
        assert not hasattr(decryptor(ours, bits), "generate_key")
        message = encryptor(ours, bits)(key=phalanx.Secret(bytes(bits // 8)), context=b"")
        assert unseal(theirs, bits, bytes(bits // 8), b"", message.update(b"data") + message.finalize()) == b"data"


def vectors() -> list[dict[str, Any]]:
    package = pytest.importorskip("cryptography_vectors", reason="cryptography-vectors is not installed")
    path = pathlib.Path(package.__file__).parent / "chunked-encryption" / "vectors.json"
    if not path.exists():
        pytest.skip("the chunked-encryption vectors of cryptography-vectors 50 is not installed")
    return list(json.loads(path.read_text())["vectors"])


def sha256_derivation(case: dict[str, Any], sealed: bytes) -> bytes:
    """The vectors' key, base nonce and commitment: by HKDF-Expand with SHA-256, where Cobblestone has SHA-512."""
    info = b"c2sp.org/chunked-encryption@v1+" + case["aead"].encode() + b"\0" + sealed[:24] + case["context"].encode()
    derived, block = b"", b""
    for i in range(1, 4):
        block = hmac.digest(bytes.fromhex(case["key"]), block + info + bytes([i]), "sha256")
        derived += block
    return derived[: len(case["key"]) // 2 + 12 + 32]


def test_vectors_of_the_package() -> None:
    """cryptography-vectors has whole messages of chunked encryption, but with SHA-256: they are Cobblestone for neither side.

    Their chunks open under the keys that are named, and what they hold goes both ways as Cobblestone.
    """
    counts = {"success": 0, "failure": 0, "left out": 0}
    for case in vectors():
        bits = {"AEAD_AES_128_GCM": 128, "AEAD_AES_256_GCM": 256}.get(case["aead"])
        if bits is None:  # ChaCha20-Poly1305, which we do not have
            counts["left out"] += 1
            continue
        counts[case["expect"]] += 1
        sealed = base64.b64decode(case["ciphertext"] or "")
        sealed = zlib.decompress(sealed) if case.get("compressed") else sealed
        key, context = bytes.fromhex(case["key"]), case["context"].encode()
        opened = [outcome(lambda: unseal(module, bits, key, context, sealed)) for module in (theirs, ours)]
        assert opened[0] == opened[1] and opened[0] in ("InvalidTag", ValueError)
        if case["expect"] == "failure":
            continue
        derived = sha256_derivation(case, sealed)
        aead_key, nonce, commitment = derived[: bits // 8], derived[bits // 8 : -32], derived[-32:]
        assert (aead_key.hex(), nonce.hex(), commitment) == (case["aead_key"], case["base_nonce"], sealed[24:56])
        chunks = [sealed[i : i + SEALED_CHUNK] for i in range(56, len(sealed), SEALED_CHUNK)]
        nonces = [(int.from_bytes(nonce, "big") ^ i).to_bytes(12, "big") for i in range(len(chunks))]
        plain = b"".join(phalanx.Aead(f"aes-{bits}-gcm", aead_key).open_many(nonces, chunks))
        assert (len(plain), hashlib.sha256(plain).hexdigest()) == (case["payload_length"], case["payload_sha256"])
        assert unseal(ours, bits, key, context, seal(theirs, bits, key, context, plain)) == plain
        assert unseal(theirs, bits, key, context, seal(ours, bits, key, context, plain)) == plain
    assert counts == {"success": 18, "failure": 50, "left out": 34}
