"""ChunkedAead: messages whole, by parts and by ranges, from memory and files."""

import array
import io
import mmap
import os
import pathlib
import threading
from typing import Any

import pytest

import phalanx
from phalanx import ChunkedAead

CHUNK = 16384
SEALED_CHUNK = CHUNK + 16
LENGTHS = (0, 1, CHUNK - 1, CHUNK, CHUNK + 1, 2 * CHUNK - 1, 2 * CHUNK, 2 * CHUNK + 1, 300 * CHUNK + 5)
KEYS = {"cobblestone-128": bytes(range(16)), **dict.fromkeys(("cobblestone-256", "serpent-256", "twofish-256"), bytes(range(32)))}
PLAIN = bytes(i * i % 251 for i in range(3 * CHUNK + 77))


def chunked(name: str = "cobblestone-128", context: bytes = b"a context", **settings: Any) -> ChunkedAead:
    return ChunkedAead(name, KEYS[name], context, **settings)


SEALED = chunked().seal(PLAIN)


def in_parts(stream: Any, data: bytes, size: int) -> bytes:
    return b"".join(stream.update(data[i : i + size]) for i in range(0, len(data), size)) + bytes(stream.finalize())


@pytest.mark.parametrize("name", KEYS)
def test_every_length_whole_and_by_parts(name: str) -> None:
    message = chunked(name, threads=2)
    assert message.name == name and message.key_bytes == len(KEYS[name])
    for length in LENGTHS if name == "cobblestone-128" else LENGTHS[:5]:
        plain = PLAIN * (length // len(PLAIN) + 1)
        plain = plain[:length]
        sealed = message.seal(plain)
        assert len(sealed) == ChunkedAead.sealed_bytes(length) == 56 + length + 16 * (length // CHUNK + 1)
        assert ChunkedAead.plain_bytes(len(sealed)) == length
        assert message.open(sealed) == plain
        for size in (5000, SEALED_CHUNK, 10**9):
            assert in_parts(message.opener(), sealed, size) == plain
            assert message.open(in_parts(message.sealer(), plain, size)) == plain
        for offset in {0, length // 2, max(0, length - 1), length}:
            for count in (0, 1, 20_000, None):
                end = length if count is None else offset + count
                assert message.open_range(sealed, offset, count) == plain[offset:end]


def test_parts_come_chunk_by_chunk() -> None:
    sealer, opener = chunked().sealer(), chunked().opener()
    assert len(sealer.update(b"")) == 56
    assert [len(sealer.update(part)) for part in (b"a" * (CHUNK - 1), b"b", b"", bytes(3 * CHUNK))] == [
        0, SEALED_CHUNK, 0, 3 * SEALED_CHUNK
    ]
    assert len(sealer.finalize()) == 16
    places = [0, 55, 56, 56 + SEALED_CHUNK - 1, 56 + SEALED_CHUNK, len(SEALED)]
    parts = [len(opener.update(SEALED[a:b])) for a, b in zip(places, places[1:])]
    assert parts == [0, 0, 0, CHUNK, 2 * CHUNK]
    assert opener.finalize() == PLAIN[3 * CHUNK :]


def changed(place: int) -> bytes:
    message = bytearray(SEALED)
    message[place] ^= 1
    return bytes(message)


@pytest.mark.parametrize(
    "message, error",
    [
        (changed(0), phalanx.WrongKeyError),
        (changed(55), phalanx.WrongKeyError),
        (changed(56), phalanx.AuthenticationError),
        (changed(56 + 2 * SEALED_CHUNK - 1), phalanx.AuthenticationError),
        (changed(len(SEALED) - 1), phalanx.AuthenticationError),
        (SEALED[:-1], phalanx.AuthenticationError),
        (SEALED + b"x", phalanx.AuthenticationError),
        (SEALED[: 56 + 3 * SEALED_CHUNK], phalanx.TruncatedError),
        (SEALED[: 56 + SEALED_CHUNK], phalanx.TruncatedError),
        (SEALED[: 56 + SEALED_CHUNK + 15], phalanx.TruncatedError),
        (SEALED[:56] + SEALED[56 + SEALED_CHUNK :], phalanx.AuthenticationError),
        (SEALED[:55], phalanx.TruncatedError),
        (b"", phalanx.TruncatedError),
    ],
)
def test_what_is_not_as_it_was(message: bytes, error: type[Exception]) -> None:
    with pytest.raises(error):
        chunked().open(message)
    target = bytearray(b"\xa5" * len(PLAIN))
    with pytest.raises((error, phalanx.SizeError)):
        chunked().open_into(message, target)
    opener, plain = chunked().opener(), b""
    with pytest.raises(error):
        for i in range(0, len(message), 10_000):
            plain += opener.update(message[i : i + 10_000])
        opener.finalize()
    assert plain == PLAIN[: len(plain)]
    with pytest.raises(phalanx.UsageError, match="finished, or failed"):
        opener.update(b"")
    with pytest.raises(phalanx.UsageError, match="finished, or failed"):
        opener.finalize()


def test_other_keys_and_contexts() -> None:
    others = (chunked(context=b""), chunked(context=b"a context "), ChunkedAead("cobblestone-128", bytes(16), b"a context"))
    for other in others:
        for open_message in (other.open, other.opener().update, lambda sealed: other.open_range(sealed, 0, 1)):
            with pytest.raises(phalanx.WrongKeyError):
                open_message(SEALED)
    assert ChunkedAead("cobblestone-128", bytes(16)).open(chunked_without_context()) == b"data"
    for context in (b"\0", bytes(10**6), bytearray(b"x"), array.array("I", [1, 2])):
        one = ChunkedAead("COBBLESTONE-128", bytes(16), context)
        assert one.open(one.seal(b"data")) == b"data"


def chunked_without_context() -> bytes:
    return ChunkedAead("cobblestone-128", phalanx.Secret(bytes(16)), b"").seal(b"data")


def test_mistakes() -> None:
    for name in ("aes-256", "aes-128", "", "cobblestone-512"):
        with pytest.raises(phalanx.UsageError, match="cobblestone-256, cobblestone-128"):
            ChunkedAead(name, bytes(32))
    for size in (0, 15, 17, 32):
        with pytest.raises(phalanx.UsageError, match="the key of cobblestone-128 is 16 bytes"):
            ChunkedAead("cobblestone-128", bytes(size))
    with pytest.raises(phalanx.UsageError):
        ChunkedAead("cobblestone-128", bytes(16), engine="abacus")
    with pytest.raises(phalanx.BufferTypeError):
        ChunkedAead("cobblestone-128", bytes(16), None)  # type: ignore[arg-type]
    message = chunked()
    takers: list[Any] = [message.seal, message.open, message.sealer().update, message.opener().update]
    for take in takers:
        for value in (None, 5, "text", [1]):
            with pytest.raises(phalanx.BufferTypeError):
                take(value)
    with pytest.raises(phalanx.UsageError, match="begins at"):
        message.open_range(SEALED, len(PLAIN) + 1, 0)
    for size in (56 + SEALED_CHUNK, 71):
        with pytest.raises(phalanx.TruncatedError):
            ChunkedAead.plain_bytes(size)
    with pytest.raises(phalanx.UsageError, match="2\\^38"):
        ChunkedAead.sealed_bytes(2**52)


def test_into_memory() -> None:
    message, target = chunked(), bytearray(len(SEALED) + 5)
    assert message.seal_into(PLAIN, target) == len(SEALED)
    assert message.open(memoryview(target)[: len(SEALED)]) == PLAIN
    assert message.open_into(SEALED, target) == len(PLAIN)
    assert target[: len(PLAIN)] == PLAIN
    for into, source in ((message.seal_into, PLAIN), (message.open_into, SEALED)):
        with pytest.raises(phalanx.SizeError):
            into(source, bytearray(10))
        with pytest.raises(phalanx.ReadOnlyError):
            into(source, bytes(len(SEALED)))
        shared = bytearray(source + bytes(200))
        with pytest.raises(phalanx.OverlapError):
            into(memoryview(shared)[: len(source)], shared)
    sealer = message.sealer()
    with pytest.raises(phalanx.SizeError):
        sealer.update_into(PLAIN, bytearray(3 * SEALED_CHUNK + 55))
    with pytest.raises(phalanx.OverlapError):
        sealer.update_into(memoryview(target)[:100], target)
    count = sealer.update_into(PLAIN, target)  # refused calls took nothing
    assert message.open(bytes(target[:count]) + sealer.finalize()) == PLAIN
    opener = message.opener()
    with pytest.raises(phalanx.SizeError):
        opener.update_into(SEALED, bytearray(3 * CHUNK - 1))
    assert opener.update_into(SEALED, target) == 3 * CHUNK
    assert target[: 3 * CHUNK] + opener.finalize() == PLAIN


def test_failed_targets_hold_zeros() -> None:
    target = bytearray(b"\xa5" * len(PLAIN))
    with pytest.raises(phalanx.AuthenticationError, match="chunk 3"):
        chunked().open_into(changed(len(SEALED) - 1), target)
    assert target == bytes(len(PLAIN))


def test_ranges_of_files(tmp_path: pathlib.Path) -> None:
    path, message = tmp_path / "message", chunked()
    path.write_bytes(SEALED)
    expected = PLAIN[CHUNK - 5 : CHUNK + 5]
    with path.open("rb") as file, io.FileIO(path) as raw:
        file.seek(7)
        with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
            sources: list[Any] = [SEALED, bytearray(SEALED), mapped, path, str(path), file, raw, file.fileno()]
            for source in sources:
                assert message.open_range(source, CHUNK - 5, 10) == expected
                assert message.open_range(source, len(PLAIN) - 3) == PLAIN[-3:]
        assert file.tell() == 7
    path.write_bytes(SEALED[: 56 + 2 * SEALED_CHUNK])
    with pytest.raises(phalanx.TruncatedError):
        message.open_range(path, 0, 1)
    with pytest.raises(FileNotFoundError):
        message.open_range(tmp_path / "none", 0, 1)
    with pytest.raises(IsADirectoryError):
        message.open_range(tmp_path, 0, 1)
    with pytest.raises(OSError):
        message.open_range(io.BytesIO(SEALED), 0, 1)
    reading, writing = os.pipe()
    with pytest.raises(phalanx.MachineError, match="not a regular file"):
        message.open_range(reading, 0, 1)
    os.close(reading)
    os.close(writing)


def test_threads() -> None:
    message, failures = chunked("cobblestone-256"), []

    def work(number: int) -> None:
        for i in range(20):
            plain = PLAIN[number * 100 + i :]
            sealed = message.seal(plain)
            if message.open(sealed) != plain or message.open_range(sealed, 20_000, 9) != plain[20_000:20_009]:
                failures.append((number, i))

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures
