"""What is taken for data and for targets, and what is refused how."""

import array
import mmap
import tempfile
from collections.abc import Iterator
from typing import Any

import pytest

import phalanx

KEY, IV = bytes(range(16)), bytes(16)
DATA = bytes(range(256)) * 4
CIPHER = phalanx.Cipher("aes-128-ctr", KEY)
SEALED = CIPHER.encrypt(DATA, iv=IV)


def kinds_of_memory() -> Iterator[Any]:
    yield DATA
    yield bytearray(DATA)
    yield memoryview(DATA)
    yield memoryview(DATA).cast("I")
    yield array.array("d", DATA)
    file = tempfile.TemporaryFile()
    file.write(DATA)
    file.flush()
    yield mmap.mmap(file.fileno(), len(DATA))


@pytest.mark.parametrize("data", list(kinds_of_memory()), ids=lambda data: type(data).__name__)
def test_every_buffer(data: Any) -> None:
    assert CIPHER.encrypt(data, iv=IV) == SEALED


@pytest.mark.parametrize("kind", ["u1", "<i2", ">f8", "?", "c8", "S4", "M8[us]", "m8[s]", "i4,f4"])
@pytest.mark.parametrize("order", ["C", "F"])
def test_numpy(kind: str, order: Any) -> None:
    np = pytest.importorskip("numpy", reason="NumPy is not installed")
    values = np.frombuffer(DATA, dtype="u1").copy()
    table = values.view(kind).reshape(4, -1)
    table = np.asfortranarray(table) if order == "F" else table
    assert CIPHER.decrypt(CIPHER.encrypt(table, iv=IV), iv=IV) == table.tobytes(order="A")
    target = np.empty_like(table)
    assert CIPHER.encrypt_into(table, target, iv=IV) == len(DATA)
    assert CIPHER.decrypt(target, iv=IV) == table.tobytes(order="A")


def test_in_place_and_larger_targets() -> None:
    memory = bytearray(DATA) + bytearray(100)
    assert CIPHER.encrypt_into(memoryview(memory)[: len(DATA)], memory, iv=IV) == len(DATA)
    assert memory[: len(DATA)] == SEALED
    assert memory[len(DATA) :] == bytes(100)


@pytest.mark.parametrize("data", ["text", 7, None, [1, 2], object()], ids=lambda data: type(data).__name__)
def test_no_buffer(data: Any) -> None:
    with pytest.raises(phalanx.BufferTypeError, match="buffer protocol"):
        CIPHER.encrypt(data, iv=IV)
    with pytest.raises(TypeError):
        phalanx.Cipher("aes-128-ctr", data)


def test_addresses_are_no_data() -> None:
    np = pytest.importorskip("numpy", reason="NumPy is not installed")
    for objects in (np.array([object(), None]), np.zeros(2, [("a", "i4"), ("b", "O")])):
        with pytest.raises(phalanx.BufferTypeError, match="objects"):
            CIPHER.encrypt(objects, iv=IV)


def test_names_of_fields_are_any() -> None:
    np = pytest.importorskip("numpy", reason="NumPy is not installed")
    table = np.frombuffer(DATA, [("Open", "f8"), ("Price", "f8"), ("&", "i4"), ("O", "i4,f8")])
    assert CIPHER.encrypt(table, iv=IV) == SEALED[: table.nbytes]


def test_dates_in_pieces() -> None:
    """Which NumPy gives no buffer of, but whose bytes it gives."""
    np = pytest.importorskip("numpy", reason="NumPy is not installed")
    dates = np.frombuffer(DATA, "M8[ns]").copy()
    assert CIPHER.encrypt(dates[3:5], iv=IV) == CIPHER.encrypt(DATA[24:40], iv=IV)
    assert CIPHER.encrypt(np.array(5, "M8[s]"), iv=IV) == CIPHER.encrypt((5).to_bytes(8, "little"), iv=IV)
    with pytest.raises(phalanx.StrideError):
        CIPHER.encrypt(dates[::2], iv=IV)
    with pytest.raises(phalanx.StrideError):
        CIPHER.encrypt_into(DATA[: dates.nbytes // 2], dates[::2], iv=IV)
    dates.flags.writeable = False
    with pytest.raises(phalanx.ReadOnlyError):
        CIPHER.encrypt_into(DATA, dates, iv=IV)
    assert dates.tobytes() == DATA


def test_strides() -> None:
    with pytest.raises(phalanx.StrideError):
        CIPHER.encrypt(memoryview(DATA)[::2], iv=IV)
    with pytest.raises(BufferError):
        CIPHER.encrypt_into(DATA, memoryview(bytearray(2 * len(DATA)))[::2], iv=IV)


def test_read_only_target() -> None:
    with pytest.raises(phalanx.ReadOnlyError, match="bytearray"):
        CIPHER.encrypt_into(DATA, bytes(len(DATA)), iv=IV)


def test_target_too_small() -> None:
    target = bytearray(len(DATA) - 1)
    with pytest.raises(phalanx.SizeError, match="1023 bytes, and 1024"):
        CIPHER.encrypt_into(DATA, target, iv=IV)
    assert target == bytes(len(DATA) - 1)


@pytest.mark.parametrize("shift", [-17, -1, 1, 16])
def test_partial_overlap(shift: int) -> None:
    memory = memoryview(bytearray(200))
    with pytest.raises(phalanx.OverlapError):
        CIPHER.encrypt_into(memory[50:150], memory[50 + shift : 150 + shift], iv=IV)
    CIPHER.encrypt_into(memory[:100], memory[100:], iv=IV)  # neighbours do not overlap


def test_a_bytearray_in_use_cannot_be_resized() -> None:
    memory = bytearray(DATA)
    CIPHER.encrypt_into(memory, memory, iv=IV)
    memory.append(1)  # nothing is held any more


@pytest.mark.parametrize("size", [0, 15, 17, 32])
def test_iv_size(size: int) -> None:
    with pytest.raises(phalanx.UsageError, match="the iv of aes-128-ctr is 16 bytes"):
        CIPHER.encrypt(DATA, iv=bytes(size))


def test_one_class_for_each_kind_of_error() -> None:
    kinds = [value for value in vars(phalanx).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert len(kinds) == 15
    assert all(issubclass(kind, phalanx.Error) for kind in kinds)
    for kind, builtin in [
        (phalanx.UsageError, ValueError),
        (phalanx.FormatError, ValueError),
        (phalanx.BufferTypeError, TypeError),
        (phalanx.MachineError, OSError),
        (phalanx.StrideError, BufferError),
        (phalanx.ReadOnlyError, BufferError),
        (phalanx.ForkError, RuntimeError),
        (phalanx.PicklingError, TypeError),
    ]:
        assert issubclass(kind, builtin)
