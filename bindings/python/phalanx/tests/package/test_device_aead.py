"""GCM over arrays of a GPU beside the host's Aead; how batches reach the library is tested everywhere."""

import random
import types
from typing import Any

import pytest

import phalanx
from phalanx import _native
from phalanx.device_aead import DeviceAead, DeviceBatch, DeviceChunkedAead, DeviceVerdict
from phalanx.tests.package.test_devices import library, run_python

KEY, AAD = bytes(range(32)), b"header"
NONCE = bytes(range(12))


class Interface:
    """An array of so many bytes that speaks __cuda_array_interface__ and nothing else."""

    def __init__(self, pointer: int, num_bytes: int, is_read_only: bool = False, typestr: str = "|u1") -> None:
        shape = (num_bytes // int(typestr[2:]),)
        self.__cuda_array_interface__ = {"shape": shape, "typestr": typestr, "data": (pointer, is_read_only), "version": 3}


class Verdicts:
    """Those of the library, of a batch that is authentic."""

    num_messages, all_authentic, each = 3, 640, 644

    def wait(self) -> None:
        pass


class Library:
    """In the place of the library's DeviceAead: keeps what it is given."""

    name, engine, key_bytes, nonce_bytes, tag_bytes = "aes-256-gcm", "cuda:0", 32, 12, 16

    def __init__(self) -> None:
        self.calls: list[Any] = []

    @staticmethod
    def make(*_: Any) -> "Library":
        return Library()

    def crypt_batch(self, *call: Any) -> Verdicts:
        self.calls.append(call)
        return Verdicts()

    def seal(self, *call: Any) -> None:
        self.calls.append(call)


@pytest.fixture
def aead(monkeypatch: pytest.MonkeyPatch) -> tuple[DeviceAead, list[Any]]:
    monkeypatch.setattr(_native, "DeviceAead", Library)
    monkeypatch.setattr(_native, "device_of", lambda pointer: 0)
    made = DeviceAead("aes-256-gcm", KEY)
    return made, made._native.calls  # type: ignore[attr-defined]


def batch_of_three(**changes: Any) -> DeviceBatch:
    fields = {
        "src": Interface(0x1000, 100),
        "dst": Interface(0x2000, 120),
        "nonces": Interface(0x3000, 36),
        "tags": Interface(0x4000, 48),
        "offsets": Interface(0x5000, 16, typestr="<i4"),
    }
    return DeviceBatch(**{**fields, **changes})


def test_a_batch_reaches_the_library(aead: tuple[DeviceAead, list[Any]]) -> None:
    made, calls = aead
    made.seal_batch(batch_of_three(), stream=77)
    without = dict.fromkeys(("lengths", "out_offsets", "associated_data", "associated_offsets", "keys", "associated_bytes"), 0)
    arrays = {"in": 0x1000, "out": 0x2000, "nonces": 0x3000, "tags": 0x4000, "in_offsets": 0x5000}
    sizes = {"in_bytes": 100, "out_bytes": 120, "num_messages": 3, "offset_bytes": 4}
    assert calls == [(True, {**without, **arrays, **sizes}, 77)]
    verdicts = made.open_batch_async(
        batch_of_three(
            offsets=Interface(0x5000, 24, typestr="<u8"),
            lengths=Interface(0x6000, 24, typestr="<u8"),
            dst_offsets=Interface(0x7000, 24, typestr="<u8"),
            aads=Interface(0x8000, 1000),
            aad_offsets=Interface(0x9000, 32, typestr="<u8"),
            keys=Interface(0xA000, 96),
            tags=Interface(0x4000, 48, is_read_only=True),
        )
    )
    assert len(verdicts) == 3
    seals, fields, stream = calls[1]
    assert (seals, stream) == (False, 0)
    more = {"lengths": 0x6000, "out_offsets": 0x7000, "associated_data": 0x8000, "associated_offsets": 0x9000, "keys": 0xA000}
    assert fields == {**arrays, **sizes, **more, "associated_bytes": 1000, "offset_bytes": 8}
    word = verdicts.all_authentic.__cuda_array_interface__
    assert (word["data"], word["shape"], word["typestr"], word["stream"]) == ((640, True), (1,), "<u4", 1)
    assert verdicts.each.__cuda_array_interface__["shape"] == (3,)


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"nonces": Interface(0x3000, 35)}, phalanx.SizeError, "nonces has 35 bytes"),
        ({"tags": Interface(0x4000, 47)}, phalanx.SizeError, "tags has 47 bytes, and 3 times 16"),
        ({"keys": Interface(0xA000, 95)}, phalanx.SizeError, "keys has 95 bytes, and 3 times 32"),
        ({"offsets": Interface(0x5000, 12)}, phalanx.SizeError, "offsets has 12 bytes, and 4 numbers"),
        ({"dst_offsets": Interface(0x7000, 24)}, phalanx.SizeError, "numbers of 8 bytes, and offsets of another size"),
        ({"dst": Interface(0x2000, 120, is_read_only=True)}, phalanx.ReadOnlyError, "dst"),
        ({"tags": Interface(0x4000, 48, is_read_only=True)}, phalanx.ReadOnlyError, "tags"),
        ({"tags": bytes(48)}, phalanx.BufferTypeError, "tags is a bytes"),
    ],
)
def test_what_does_not_fit(aead: tuple[DeviceAead, list[Any]], changes: dict[str, Any], error: Any, words: str) -> None:
    made, calls = aead
    with pytest.raises(error, match=words):
        made.seal_batch(batch_of_three(**changes))
    assert not calls


def test_arrays_of_the_host_are_refused(aead: tuple[DeviceAead, list[Any]]) -> None:
    np = pytest.importorskip("numpy")
    with pytest.raises(phalanx.BufferTypeError, match="take an Aead"):
        aead[0].seal(NONCE, np.zeros(100, "u1"))
    assert not aead[1]


def test_a_message_reaches_the_library(aead: tuple[DeviceAead, list[Any]]) -> None:
    made, calls = aead
    arguments = (NONCE, Interface(0x1000, 100), Interface(0x2000, 200))
    assert made.seal_into(*arguments, Interface(0x3000, 16), AAD, stream=5) == 100
    assert calls == [(NONCE, AAD, 0x1000, 0x2000, 100, 0x3000, 5)]
    with pytest.raises(phalanx.SizeError, match="the tag has 16 bytes, and this has 17"):
        made.seal_into(*arguments, Interface(0x3000, 17))
    with pytest.raises(phalanx.SizeError, match="the target has 99"):
        made.seal_into(NONCE, Interface(0x1000, 100), Interface(0x2000, 99), Interface(0x3000, 16))


class ChunkedLibrary:
    """In the place of the library's DeviceChunkedAead."""

    name, engine = "cobblestone-256", "cuda:0"

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def seal(self, *call: Any) -> None:
        self.calls.append(("seal", *call))

    def open(self, *call: Any) -> None:
        self.calls.append(("open", *call))


def test_a_chunked_message_reaches_the_library(monkeypatch: pytest.MonkeyPatch) -> None:
    chunked = ChunkedLibrary()
    monkeypatch.setattr(_native, "DeviceChunkedAead", types.SimpleNamespace(make=lambda *_: chunked))
    monkeypatch.setattr(_native, "device_of", lambda pointer: 0)
    made = DeviceChunkedAead("cobblestone-256", KEY, b"context")
    assert repr(made) == "DeviceChunkedAead('cobblestone-256', engine='cuda:0')"
    assert made.seal_into(Interface(0x10000, 20000), Interface(0x20000, 20088), stream=5) == 20088
    assert made.open_into(Interface(0x20000, 20088), Interface(0x10000, 20001)) == 20000
    assert chunked.calls == [("seal", 0x10000, 20000, 0x20000, 5), ("open", 0x20000, 20088, 0x10000, 0)]
    with pytest.raises(phalanx.SizeError, match="the target has 20087 bytes, and 20088"):
        made.seal_into(Interface(0x10000, 20000), Interface(0x20000, 20087))
    with pytest.raises(phalanx.SizeError, match="the target has 19999 bytes, and 20000"):
        made.open_into(Interface(0x20000, 20088), Interface(0x10000, 19999))
    with pytest.raises(phalanx.TruncatedError):
        made.open_into(Interface(0x20000, 71), Interface(0x10000, 100))
    with pytest.raises(phalanx.ReadOnlyError):
        made.seal_into(Interface(0x10000, 20000), Interface(0x20000, 20088, is_read_only=True))
    with pytest.raises(phalanx.BufferTypeError, match="src is a bytes"):
        made.seal_into(bytes(20), Interface(0x20000, 20088))
    assert len(chunked.calls) == 2


def test_names_and_engines_are_judged() -> None:
    with pytest.raises(phalanx.UsageError, match="choose cuda"):
        DeviceChunkedAead("cobblestone-256", KEY, engine="cpu")
    with pytest.raises(phalanx.UsageError, match="the key of cobblestone-256"):
        DeviceChunkedAead("cobblestone-256", KEY[1:])
    with pytest.raises(phalanx.UsageError, match="aes-256-gcm"):
        DeviceAead("AES-256-GCM ", KEY)
    with pytest.raises(phalanx.UsageError, match="choose cuda"):
        DeviceAead("aes-256-gcm", KEY, engine="cpu")


NAMES = ["aes-128-gcm", "aes-256-gcm", "serpent-256-gcm", "twofish-256-gcm", "xaes-256-gcm"]


def key_of(name: str) -> bytes:
    return KEY[: next(facts for facts in phalanx.ciphers() if facts.name == name).key_bytes]


def arrays_of_cupy() -> Any:
    return library("cupy").asarray


def arrays_of_torch() -> Any:
    torch = library("torch")
    if not torch.cuda.is_available():
        pytest.skip("a PyTorch without CUDA")
    return lambda array: torch.from_numpy(array).cuda()


def on_host(array: Any) -> bytes:
    return bytes((array.cpu().numpy() if hasattr(array, "cpu") else array.get()).tobytes())


@pytest.fixture(params=[arrays_of_cupy, arrays_of_torch], ids=["cupy", "torch"])
def to_gpu(request: pytest.FixtureRequest) -> Any:
    """What makes an array of a GPU from one of NumPy."""
    return request.param()


@pytest.mark.parametrize("name", NAMES)
def test_one_message(to_gpu: Any, name: str) -> None:
    import numpy as np

    gpu, cpu = DeviceAead(name, key_of(name)), phalanx.Aead(name, key_of(name))
    assert (gpu.name, gpu.tag_bytes, gpu.key_bytes) == (name, 16, len(key_of(name))) and gpu.engine.startswith("cuda")
    nonce = bytes(range(gpu.nonce_bytes))
    for size in (0, 1, 16, 1000, 1_000_000):
        plain = np.random.default_rng(size).integers(0, 256, size, "u1")
        sealed = gpu.seal(nonce, to_gpu(plain), AAD)
        assert type(sealed) is type(to_gpu(plain)) and on_host(sealed) == cpu.seal(nonce, plain.tobytes(), AAD)
        assert on_host(gpu.open(nonce, sealed, AAD)) == plain.tobytes()
        changed = np.frombuffer(on_host(sealed), "u1").copy()
        changed[size // 2] ^= 1
        with pytest.raises(phalanx.AuthenticationError):
            gpu.open(nonce, to_gpu(changed), AAD)
        data, tag = to_gpu(plain.copy()), to_gpu(np.zeros(16, "u1"))
        assert gpu.seal_into(nonce, data, data, tag, AAD) == size
        assert on_host(data) + on_host(tag) == on_host(sealed)
        assert gpu.open_into(nonce, data, data, tag, AAD) == size and on_host(data) == plain.tobytes()
        if size != 0:  # it is plaintext now
            with pytest.raises(phalanx.AuthenticationError):
                gpu.open_into(nonce, data, data, tag, AAD)
            assert on_host(data) == plain.tobytes()
    with pytest.raises(phalanx.SizeError):
        gpu.open(NONCE, to_gpu(np.zeros(15, "u1")))
    with pytest.raises(phalanx.UsageError, match="nonce"):
        gpu.seal(bytes(13), to_gpu(np.zeros(15, "u1")))


@pytest.mark.parametrize("name", ["cobblestone-128", "cobblestone-256", "serpent-256", "twofish-256"])
def test_a_chunked_message(to_gpu: Any, name: str) -> None:
    import numpy as np

    key = KEY[:16] if name == "cobblestone-128" else KEY
    gpu, cpu = DeviceChunkedAead(name, key, AAD), phalanx.ChunkedAead(name, key, AAD)
    assert gpu.name == name and gpu.engine.startswith("cuda")
    for size in (0, 1, 16383, 16384, 16385, 1_000_000):
        plain = np.random.default_rng(size).integers(0, 256, size, "u1")
        sealed = gpu.seal(to_gpu(plain))
        assert type(sealed) is type(to_gpu(plain)) and cpu.open(on_host(sealed)) == plain.tobytes()
        assert on_host(gpu.open(to_gpu(bytes_array([cpu.seal(plain.tobytes())])))) == plain.tobytes()
        message, out = to_gpu(np.zeros(len(sealed), "u1")), to_gpu(np.full(size + 5, 165, "u1"))
        assert gpu.seal_into(to_gpu(plain), message) == len(sealed)
        assert gpu.open_into(message, out) == size and on_host(out) == plain.tobytes() + bytes([165] * 5)
        changed = bytes_array([on_host(sealed)])
        changed[-1] ^= 1
        with pytest.raises(phalanx.AuthenticationError, match=f"chunk {size // 16384} is not authentic"):
            gpu.open_into(to_gpu(changed), out)
        assert on_host(out) == bytes(size) + bytes([165] * 5)
        with pytest.raises(phalanx.WrongKeyError):
            DeviceChunkedAead(name, key).open(sealed)
        with pytest.raises(phalanx.TruncatedError):
            gpu.open(to_gpu(changed[:60]))


class Column:
    """Messages of random sizes, sealed by the host's Aead, in arrays of NumPy."""

    def __init__(self, name: str, seed: int, with_keys: bool) -> None:
        import numpy as np

        rng = random.Random(seed)
        sizes = [rng.choice((0, 1, 15, 16, 17, 100, 5000, rng.randrange(70000))) for _ in range(60)]
        self.nonces = [rng.randbytes(24 if name.startswith("xaes") else 12) for _ in sizes]
        self.aads = [rng.randbytes(rng.randrange(40)) for _ in sizes]
        self.plain = [rng.randbytes(size) for size in sizes]
        self.keys = [rng.randbytes(len(key_of(name))) for _ in sizes] if with_keys else None
        cpu = phalanx.Aead(name, key_of(name))
        sealed = cpu.seal_many(self.nonces, self.plain, self.aads, self.keys)
        self.sealed, self.tags = [text[:-16] for text in sealed], [text[-16:] for text in sealed]
        self.offsets = np.cumsum([0, *sizes])

    def batch(self, to_gpu: Any, texts: list[bytes], tags: list[bytes], item: str, in_place: bool) -> DeviceBatch:
        import numpy as np

        src = to_gpu(bytes_array(texts))
        return DeviceBatch(
            src=src,
            dst=src if in_place else to_gpu(np.full(len(b"".join(texts)), 165, "u1")),
            nonces=to_gpu(bytes_array(self.nonces)),
            tags=to_gpu(bytes_array(tags)),
            offsets=to_gpu(self.offsets.astype(item)),
            aads=to_gpu(bytes_array(self.aads)),
            aad_offsets=to_gpu(np.cumsum([0, *map(len, self.aads)]).astype(item)),
            keys=None if self.keys is None else to_gpu(bytes_array(self.keys)),
        )


def bytes_array(parts: list[bytes]) -> Any:
    import numpy as np

    return np.frombuffer(b"".join(parts), "u1").copy()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("with_keys", [False, True])
@pytest.mark.parametrize("in_place", [False, True])
def test_batches(to_gpu: Any, name: str, with_keys: bool, in_place: bool) -> None:
    gpu, column = DeviceAead(name, key_of(name)), Column(name, 7, with_keys)
    if with_keys and name.startswith("xaes"):
        with pytest.raises(phalanx.UsageError, match="bring no keys"):
            gpu.seal_batch(column.batch(to_gpu, column.plain, [bytes(16)] * 60, "i8", in_place))
        return
    for item in ("i4", "i8"):
        batch = column.batch(to_gpu, column.plain, [bytes(16)] * 60, item, in_place)
        gpu.seal_batch(batch)
        assert on_host(batch.dst) == b"".join(column.sealed)
        assert on_host(batch.tags) == b"".join(column.tags)
        batch = column.batch(to_gpu, column.sealed, column.tags, item, in_place)
        gpu.open_batch(batch)
        assert on_host(batch.dst) == b"".join(column.plain)


def test_forged_messages_are_named(to_gpu: Any) -> None:
    gpu, column = DeviceAead("aes-256-gcm", KEY), Column("aes-256-gcm", 8, False)
    forged = [3, 41]
    tags = [bytes(16) if i in forged else tag for i, tag in enumerate(column.tags)]
    batch = column.batch(to_gpu, column.sealed, tags, "i8", False)
    with pytest.raises(phalanx.AuthenticationError, match="2 messages are not authentic, of 60: the first is number 3") as raised:
        gpu.open_batch(batch)
    assert raised.value.failed == (3, 41)
    expected = [bytes(len(text)) if i in forged else text for i, text in enumerate(column.plain)]
    assert on_host(batch.dst) == b"".join(expected)
    verdicts = gpu.open_batch_async(batch)
    assert verdicts.read() == bytes(DeviceVerdict.FORGED if i in forged else DeviceVerdict.AUTHENTIC for i in range(60))


def test_verdicts_are_arrays_of_the_gpu() -> None:
    cp = library("cupy")
    gpu, column = DeviceAead("aes-256-gcm", KEY), Column("aes-256-gcm", 9, False)
    with cp.cuda.Stream(non_blocking=True) as stream:
        verdicts = gpu.open_batch_async(column.batch(cp.asarray, column.sealed, column.tags, "i8", False), stream=stream)
        assert cp.asarray(verdicts.all_authentic).get().tolist() == [1]
        assert cp.asarray(verdicts.each).get().tolist() == [1] * 60 and len(verdicts) == 60
        verdicts.require()
        stream.synchronize()
        verdicts.wait()


def test_a_batch_that_is_misplaced_writes_nothing() -> None:
    cp = library("cupy")
    gpu, column = DeviceAead("aes-256-gcm", KEY), Column("aes-256-gcm", 10, False)
    column.offsets[30] = len(b"".join(column.plain)) + 1
    batch = column.batch(cp.asarray, column.plain, [bytes(16)] * 60, "i8", False)
    with pytest.raises(phalanx.UsageError, match="nothing was written"):
        gpu.seal_batch(batch)
    assert gpu.seal_batch_async(batch).read() == bytes([DeviceVerdict.MISPLACED] * 60)
    assert set(on_host(batch.dst)) == {165} and set(on_host(batch.tags)) == {0}


def test_a_message_of_jax() -> None:
    jax = library("jax")
    if jax.default_backend() != "gpu":
        pytest.skip("a JAX without CUDA")
    import numpy as np

    gpu, plain = DeviceAead("aes-256-gcm", KEY), jax.numpy.arange(1000, dtype=jax.numpy.float32)
    sealed = gpu.seal(NONCE, plain, AAD)
    assert isinstance(sealed, jax.Array)
    assert np.asarray(sealed).tobytes() == phalanx.Aead("aes-256-gcm", KEY).seal(NONCE, np.asarray(plain).tobytes(), AAD)
    assert np.asarray(gpu.open(NONCE, sealed, AAD)).tobytes() == np.asarray(plain).tobytes()


def test_what_was_made_before_a_fork_is_left_alone() -> None:
    library("cupy")
    finished = run_python(
        """
import os, cupy, phalanx
from phalanx.device_aead import DeviceAead
aead = DeviceAead("aes-256-gcm", bytes(32))
sealed = aead.seal(bytes(12), cupy.zeros(1024, dtype=cupy.uint8))
sealed.get()
child = os.fork()
if child == 0:
    refused = 0
    try:
        aead.open(bytes(12), sealed)
    except (phalanx.ForkError, cupy.cuda.runtime.CUDARuntimeError):
        refused += 1
    del aead
    os._exit(refused)
print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    )
    assert finished.stdout == "1\n", finished.stderr
