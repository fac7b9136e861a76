"""Parquet files decrypted into arrays of a GPU, beside the host's decrypt; how calls reach the library is tested everywhere."""

from typing import Any

import pytest

import phalanx
from phalanx import _native, parquet
from phalanx.tests.package.test_devices import library

KEY = bytes(range(16))


def varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def compact(fields: dict[int, Any]) -> bytes:
    """A struct of Thrift's compact protocol: of numbers, texts, structs, and lists of texts or structs."""
    out, before = b"", 0
    for number, value in fields.items():
        kind = {int: 6, str: 8, list: 9, dict: 12}[type(value)]
        out += bytes([(number - before) << 4 | kind]) + encoded(value)
        before = number
    return out + b"\0"


def encoded(value: Any) -> bytes:
    if isinstance(value, int):
        return varint(value * 2)
    if isinstance(value, str):
        return varint(len(value)) + value.encode()
    if isinstance(value, list):
        return bytes([len(value) << 4 | (8 if isinstance(value[0], str) else 12)]) + b"".join(map(encoded, value))
    return compact(value)


def plain_file(pages: list[bytes]) -> bytes:
    """A Parquet file with one column of these pages: none of our functions looks into them."""
    out = b"PAR1"
    for page in pages:
        out += header_of(page) + page
    metadata = {3: ["numbers"], 6: len(out) - 4, 7: len(out) - 4, 9: 4}
    footer = compact({4: [{1: [{2: 0, 3: metadata}], 2: len(out) - 4}]})
    return out + footer + len(footer).to_bytes(4, "little") + b"PAR1"


def header_of(page: bytes) -> bytes:
    """Of a data page: three numbers of 32 bits."""
    return b"\x15\x00\x15" + varint(len(page) * 2) + b"\x15" + varint(len(page) * 2) + b"\0"


PLAIN = plain_file([bytes([i]) * (1000 * i + 100) for i in range(20)])
SEALED, _ = parquet.encrypt(PLAIN, parquet.ParquetKey(KEY))


def key_of(_column: str | None, _metadata: bytes) -> bytes:
    return KEY


class Interface:
    """An array of so many bytes that speaks __cuda_array_interface__ and nothing else."""

    def __init__(self, pointer: int, num_bytes: int) -> None:
        self.__cuda_array_interface__ = {"shape": (num_bytes,), "typestr": "|u1", "data": (pointer, False), "version": 3}


def test_the_file_is_one() -> None:
    plain, found = parquet.decrypt(SEALED, key_of)
    assert plain == PLAIN
    assert found.pages == 20


def test_what_reaches_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[Any] = []
    monkeypatch.setattr(_native, "device_of", lambda pointer: 0)
    monkeypatch.setattr(_native, "decrypt_parquet_to_device", lambda *call, **named: calls.append((call, named)))
    parquet.decrypt_into_array(SEALED, Interface(4096, 77), key_of, aad_prefix=b"p", require_gcm=True, stream=5, threads=2)
    assert calls == [
        (
            (SEALED, 4096, 77, key_of),
            {"aad_prefix": b"p", "require_gcm": True, "engine": "cuda", "threads": 2, "stream": 5},
        ),
    ]


def test_memory_of_the_host_is_refused() -> None:
    with pytest.raises(phalanx.BufferTypeError):
        parquet.decrypt_into_array(SEALED, bytearray(len(SEALED)), key_of)
    with pytest.raises(phalanx.BufferTypeError):
        parquet.decrypt_to_array(SEALED, bytearray(1), key_of)


@pytest.mark.parametrize("name", ["torch", "cupy"])
def test_the_image_is_the_hosts(name: str) -> None:
    module = library(name)
    like = module.zeros(1, dtype=module.uint8, **({"device": "cuda"} if name == "torch" else {}))
    array, found = parquet.decrypt_to_array(SEALED, like, key_of)
    assert (array.cpu().numpy() if name == "torch" else array.get()).tobytes() == PLAIN
    assert found.verified
    assert found.plain_bytes == len(PLAIN)
    changed = bytearray(SEALED)
    changed[len(SEALED) // 2] ^= 1
    room = module.empty_like(array)
    with pytest.raises(phalanx.UsageError):
        parquet.decrypt_into_array(SEALED, room[: len(PLAIN) - 1], key_of)
    with pytest.raises(phalanx.AuthenticationError) as raised:
        parquet.decrypt_into_array(changed, room, key_of)
    with pytest.raises(phalanx.AuthenticationError, match=str(raised.value)):
        parquet.decrypt(changed, key_of)
    assert int(room.max()) == 0


def test_page_locked_tensors_are_taken() -> None:
    torch = library("torch")
    pinned = torch.empty(len(SEALED), dtype=torch.uint8, pin_memory=True)
    pinned.numpy()[:] = list(SEALED)
    array = torch.empty(len(SEALED), dtype=torch.uint8, device="cuda")
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        found = parquet.decrypt_into_array(pinned, array, key_of)
    assert array[: found.plain_bytes].cpu().numpy().tobytes() == PLAIN
    with pytest.raises(phalanx.BufferTypeError):
        parquet.decrypt_into_array(array, array, key_of)
