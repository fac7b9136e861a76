"""Arrays of other libraries: in the host's memory everywhere, in a GPU's where there is one."""

import contextlib
import subprocess
import sys
import types
from typing import Any

import pytest

import phalanx
from phalanx import _native

KEY, IV = bytes(range(32)), bytes(range(16))
SIZE = 1_000_000


def usable_gpu() -> bool:
    return any(engine.name == "cuda" and engine.usable for engine in phalanx.engines())


def library(name: str) -> Any:
    """An importable library, and a GPU that it can use."""
    module = pytest.importorskip(name)
    if not usable_gpu():
        pytest.skip("no GPU here, or a build without CUDA")
    return module


class Lent:
    """A tensor that speaks DLPack and nothing else."""

    def __init__(self, array: Any, knows_versions: bool = True) -> None:
        self.array = array
        self.knows_versions = knows_versions

    def __dlpack__(self, **arguments: Any) -> Any:
        if not self.knows_versions and "max_version" in arguments:
            raise TypeError("unexpected keyword argument")
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


class RefusingBuffer:
    """As CuPy's arrays: they have the buffer protocol, which always refuses."""

    def __init__(self, array: Any) -> None:
        self.array = array
        self.asked = 0

    def __buffer__(self, flags: int) -> memoryview:
        self.asked += 1
        raise TypeError("not by this way")

    def __dlpack__(self, **arguments: Any) -> Any:
        return self.array.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


@pytest.mark.skipif(sys.version_info < (3, 12), reason="Python's classes have the buffer protocol from 3.12 on")
def test_a_buffer_protocol_that_refuses() -> None:
    np = pytest.importorskip("numpy")
    cipher = phalanx.Cipher("aes-256-ctr", KEY)
    given = RefusingBuffer(np.arange(100, dtype="u1"))
    assert cipher.encrypt(given, iv=IV) == cipher.encrypt(bytes(range(100)), iv=IV)
    assert given.asked == 1


@pytest.mark.parametrize("knows_versions", [True, False])
def test_tensors_of_the_host(knows_versions: bool) -> None:
    np = pytest.importorskip("numpy")
    values = np.arange(1000, dtype="f4").reshape(10, 100)
    cipher = phalanx.Cipher("aes-256-cbc", KEY)
    sealed = cipher.encrypt(values, iv=IV, padding="pkcs7")
    assert cipher.encrypt(Lent(values, knows_versions), iv=IV, padding="pkcs7") == sealed
    target = np.zeros(len(sealed), "u1")
    assert cipher.encrypt_into(Lent(values, knows_versions), Lent(target), iv=IV, padding="pkcs7") == len(sealed)
    assert target.tobytes() == sealed
    back = np.empty_like(values)
    assert cipher.decrypt_into(Lent(target), back, iv=IV, padding="pkcs7") == values.nbytes
    assert (back == values).all()
    assert cipher.decrypt(Lent(np.frombuffer(sealed, "u1").copy()), iv=IV, padding="pkcs7") == values.tobytes()
    assert cipher.decrypt_part(Lent(np.frombuffer(sealed[16:4000], "u1").copy()), 16, iv=sealed[:16]) == values.tobytes()[16:4000]
    assert cipher.decrypt_part_into(Lent(target[:4000]), Lent(target[:4000]), 0, iv=IV) == 4000
    assert target.tobytes() == values.tobytes() + sealed[4000:]
    with pytest.raises(phalanx.StrideError):
        cipher.encrypt(Lent(values[:, ::2]), iv=IV, padding="pkcs7")
    assert cipher.encrypt(Lent(values.T), iv=IV, padding="pkcs7") == sealed  # in one piece, though not in C's order
    with pytest.raises(phalanx.BufferTypeError):
        _native.BorrowedTensor(object())


@pytest.mark.parametrize(("current", "given", "asked"), [(77, None, -1), (77, 77, -1), (77, 78, 78), (77, 0, 1), (0, None, -1)])
def test_the_stream_that_a_library_is_asked_for(
    monkeypatch: pytest.MonkeyPatch, current: int, given: int | None, asked: int
) -> None:
    """Its own current stream needs no ordering. The array stands for one of CuPy in a GPU's memory, and refuses in the end."""
    streams: list[int] = []

    class Array:
        device = contextlib.nullcontext()

        def __dlpack_device__(self) -> tuple[int, int]:
            return 2, 0

        def __dlpack__(self, *, stream: int, max_version: tuple[int, int]) -> Any:
            streams.append(stream)
            raise BufferError("no memory here")

    Array.__module__ = "cupy"
    library = types.SimpleNamespace(cuda=types.SimpleNamespace(get_current_stream=lambda: types.SimpleNamespace(ptr=current)))
    monkeypatch.setitem(sys.modules, "cupy", library)
    with pytest.raises(phalanx.BufferTypeError, match="no memory here"):
        phalanx.Cipher("aes-256-ctr", KEY).encrypt(Array(), iv=IV, stream=given)
    assert streams == [asked]


def run_python(code: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)


def test_cuda_after_a_fork_raises() -> None:
    """CUDA is used by asking which engines there are; a machine without a GPU tries that as well."""
    finished = run_python(
        """
import os, phalanx
cipher = phalanx.Cipher("aes-256-ctr", bytes(32))
phalanx.engines()
child = os.fork()
if child == 0:
    assert len(cipher.encrypt(bytes(100000), iv=bytes(16))) == 100000
    refused = 0
    for use in (phalanx.engines, lambda: phalanx.Cipher("aes-256-ctr", bytes(32), engine="cuda")):
        try:
            use()
        except phalanx.ForkError as error:
            refused += "spawn" in str(error)
    os._exit(refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert finished.stdout == "2\n", finished.stderr


def test_a_fork_before_cuda_may_use_it() -> None:
    finished = run_python(
        """
import os, phalanx
child = os.fork()
if child == 0:
    phalanx.engines()
    os._exit(0)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert finished.stdout == "0\n", finished.stderr


NAMES = ["aes-256-ctr", "aes-128-ecb", "des-ede3-ctr", "serpent-256-ctr", "twofish-256-xts"]


def keyed(name: str) -> tuple[phalanx.Cipher, bytes | None]:
    facts = next(facts for facts in phalanx.ciphers() if facts.name == name)
    return phalanx.Cipher(name, bytes(range(facts.key_bytes)), allow_legacy=True), IV[: facts.iv_bytes] or None


@pytest.mark.parametrize("name", NAMES)
def test_cupy(name: str) -> None:
    cp = library("cupy")
    cipher, iv = keyed(name)
    values = cp.arange(SIZE // 4 // 4 * 4, dtype=cp.uint32)
    plain = values.tobytes()
    sealed = cipher.encrypt(values, iv=iv, padding="none")
    assert type(sealed) is cp.ndarray and sealed.dtype == values.dtype and sealed.shape == values.shape
    assert sealed.tobytes() == cipher.encrypt(plain, iv=iv, padding="none")
    assert cipher.decrypt(sealed, iv=iv, padding="none").tobytes() == plain
    assert cipher.encrypt_into(values, values, iv=iv, padding="none") == len(plain)
    assert (values == sealed).all()
    assert cipher.decrypt_into(values, values, iv=iv, padding="none") == len(plain)
    assert values.tobytes() == plain


@pytest.mark.parametrize("name", NAMES)
def test_parts_of_a_message_on_a_gpu(name: str) -> None:
    cp = library("cupy")
    cipher, iv = keyed(name)
    values = cp.arange(SIZE // 4 // 4 * 4, dtype=cp.uint32)
    sealed, place = cipher.encrypt(values.tobytes(), iv=iv, padding="none"), SIZE // 2 // 16 * 16
    first, second = values[: place // 4], values[place // 4 :]
    assert cipher.encrypt_part(second, place, iv=iv).tobytes() == sealed[place:]
    assert cipher.encrypt_part_into(first, first, 0, iv=iv) == place
    assert cipher.encrypt_part_into(second, second, place, iv=iv) == len(sealed) - place
    assert values.tobytes() == sealed
    assert cipher.decrypt_part(second, place, iv=iv).tobytes() == cipher.decrypt_part(sealed[place:], place, iv=iv)


def test_cupy_on_a_stream() -> None:
    """The work waits for what the stream had before, and what comes after waits for it."""
    cp = library("cupy")
    cipher, iv = keyed("aes-256-ctr")
    expected = cipher.encrypt(b"\x07" * (64 << 20), iv=iv)
    with cp.cuda.Stream(non_blocking=True) as stream:
        for given in (None, stream, stream.ptr):
            values = cp.zeros(64 << 20, dtype=cp.uint8)
            for _ in range(7):
                values += 1
            sealed = cipher.encrypt(values, iv=iv, stream=given)
            changed = sealed ^ 0xFF
            stream.synchronize()
            assert sealed.tobytes() == expected
            assert bytes(changed[:100].tobytes()) == bytes(byte ^ 0xFF for byte in expected[:100])


def test_what_a_gpu_refuses() -> None:
    cp = library("cupy")
    cipher, iv = keyed("aes-256-ctr")
    values = cp.zeros(1024, dtype=cp.uint8)
    with pytest.raises(phalanx.StrideError):
        cipher.encrypt(values[::2], iv=iv)
    with pytest.raises(phalanx.SizeError):
        cipher.encrypt_into(values, values[:512], iv=iv)
    with pytest.raises(phalanx.OverlapError):
        cipher.encrypt_into(values[:512], values[16:528], iv=iv)
    with pytest.raises(phalanx.BufferTypeError):
        cipher.encrypt_into(values, bytearray(1024), iv=iv)
    with pytest.raises(phalanx.UsageError, match="padding"):
        cipher.encrypt(values, iv=iv, padding="pkcs7")
    with pytest.raises(phalanx.UsageError, match="parts are independent|depends on all"):
        phalanx.Cipher("aes-256-cbc", KEY).encrypt(values, iv=iv, padding="none")
    with pytest.raises(phalanx.PolicyError):
        phalanx.Cipher("aes-256-ecb", KEY).encrypt(values, iv=None, padding="none")
    with pytest.raises(phalanx.UsageError, match="iv"):
        cipher.encrypt(values, iv=IV[:8])
    chained = phalanx.Cipher("aes-256-cbc", KEY)
    assert chained.decrypt(values, iv=iv, padding="none").tobytes() == chained.decrypt(bytes(1024), iv=iv, padding="none")


class Interface:
    """An array that speaks __cuda_array_interface__ and nothing else."""

    def __init__(self, array: Any, **changes: Any) -> None:
        self.array = array
        self.__cuda_array_interface__ = {**array.__cuda_array_interface__, **changes}


def test_cuda_array_interface() -> None:
    cp = library("cupy")
    cipher, iv = keyed("aes-256-ctr")
    values = cp.arange(4096, dtype=cp.uint8).reshape(64, 64)
    expected = cipher.encrypt(values.tobytes(), iv=iv)
    result = cipher.encrypt(Interface(values), iv=iv)
    assert type(result).__name__ == "DeviceArray" and result.nbytes == 4096
    assert cp.asarray(result).tobytes() == expected
    assert cp.from_dlpack(result).tobytes() == expected
    other = cp.cuda.Stream(non_blocking=True)
    assert cp.asarray(cipher.encrypt(Interface(values, stream=other.ptr), iv=iv)).tobytes() == expected
    assert cipher.encrypt_into(Interface(values), Interface(values), iv=iv) == 4096
    assert values.tobytes() == expected
    with pytest.raises(phalanx.ReadOnlyError):
        cipher.encrypt_into(values, Interface(values, data=(values.data.ptr, True)), iv=iv)
    with pytest.raises(phalanx.StrideError):
        cipher.encrypt(Interface(values[:, ::2]), iv=iv)


@pytest.mark.parametrize("name", NAMES)
def test_pytorch(name: str) -> None:
    torch = library("torch")
    if not torch.cuda.is_available():
        pytest.skip("a PyTorch without CUDA")
    cipher, iv = keyed(name)
    values = torch.arange(SIZE // 4 // 4 * 4, dtype=torch.int32, device="cuda")
    plain = values.cpu().numpy().tobytes()
    sealed = cipher.encrypt(values, iv=iv, padding="none")
    assert sealed.device == values.device and sealed.dtype == values.dtype
    assert sealed.cpu().numpy().tobytes() == cipher.encrypt(plain, iv=iv, padding="none")
    assert cipher.decrypt_into(sealed, sealed, iv=iv, padding="none") == len(plain)
    assert torch.equal(sealed, values)
    on_host = torch.arange(1000, dtype=torch.float64)
    assert cipher.encrypt(on_host, iv=iv, padding="none") == cipher.encrypt(on_host.numpy(), iv=iv, padding="none")


def test_pytorch_on_a_stream() -> None:
    torch = library("torch")
    if not torch.cuda.is_available():
        pytest.skip("a PyTorch without CUDA")
    cipher, iv = keyed("aes-256-ctr")
    expected = cipher.encrypt(b"\x07" * (64 << 20), iv=iv)
    stream = torch.cuda.Stream()
    with torch.cuda.stream(stream):
        values = torch.zeros(64 << 20, dtype=torch.uint8, device="cuda")
        for _ in range(7):
            values += 1
        sealed = cipher.encrypt(values, iv=iv)
        stream.synchronize()
        assert sealed.cpu().numpy().tobytes() == expected


def test_jax() -> None:
    jax = library("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("a JAX without CUDA")
    cipher, iv = keyed("aes-256-ctr")
    for values in (jax.numpy.arange(4096, dtype=jax.numpy.float32).reshape(64, 64), jax.numpy.zeros(100, jax.numpy.uint8)):
        sealed = cipher.encrypt(values, iv=iv)
        assert isinstance(sealed, jax.Array)
        assert (sealed.shape, sealed.dtype) == (values.shape, values.dtype)
        import numpy as np

        assert np.asarray(sealed).tobytes() == cipher.encrypt(np.asarray(values).tobytes(), iv=iv)
        assert np.asarray(cipher.decrypt(sealed, iv=iv)).tobytes() == np.asarray(values).tobytes()


def test_a_cipher_that_goes_at_once_has_done_its_work() -> None:
    cp = library("cupy")
    values = cp.zeros(64 << 20, dtype=cp.uint8)
    sealed = phalanx.Cipher("aes-256-ctr", KEY).encrypt(values, iv=IV)
    assert sealed.tobytes() == phalanx.Cipher("aes-256-ctr", KEY).encrypt(bytes(64 << 20), iv=IV)


def test_objects_of_a_gpu_in_a_forked_process() -> None:
    library("cupy")
    finished = run_python(
        """
import os, cupy, phalanx
cipher = phalanx.Cipher("aes-256-ctr", bytes(32))
host = phalanx.Cipher("aes-256-ctr", bytes(32), engine="cuda")
values = cupy.zeros(1024, dtype=cupy.uint8)
cipher.encrypt(values, iv=bytes(16))
host.encrypt(bytes(100), iv=bytes(16))
child = os.fork()
if child == 0:
    refused = 0
    for use in (lambda: cipher.encrypt(values, iv=bytes(16)), lambda: host.encrypt(bytes(100), iv=bytes(16))):
        try:
            use()
        except (phalanx.ForkError, cupy.cuda.runtime.CUDARuntimeError):
            refused += 1
    del cipher, host, use
    os._exit(refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert finished.stdout == "2\n", finished.stderr
