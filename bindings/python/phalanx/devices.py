"""Arrays in a GPU's memory: taken by DLPack or __cuda_array_interface__, crypted on the caller's stream, and given back.

Cipher.encrypt and its kin come here with an argument that is no buffer of the host. The work is enqueued, and no call waits
for it.
"""

from __future__ import annotations

import importlib
import sys
from typing import Any, NamedTuple

from . import _native
from ._native import (
    BorrowedTensor,
    BufferTypeError,
    Cipher,
    ContainerReader,
    DeviceMemory,
    ReadOnlyError,
    SizeError,
    StrideError,
    UsageError,
)

_CPU, _CUDA, _CUDA_HOST, _CUDA_MANAGED = 1, 2, 3, 13  # DLPack's numbers of devices
_LEGACY_STREAM = 1  # DLPack's and CUDA's number of the default stream, which 0 names too
_NO_ORDERING = -1  # for __dlpack__


class DeviceBytes(NamedTuple):
    """Says where an array lies, and keeps it there."""

    pointer: int
    num_bytes: int
    device: int
    owner: object


class Stream(NamedTuple):
    """Says where the work goes."""

    number: int
    library: str  # whose current stream it is: what that library has enqueued is before it already; "": nobody's

    def number_for(self, array: Any) -> int:
        """Returns the stream that the array's library is to order its work before. Its events for that cost more than a
        kernel's start."""
        return _NO_ORDERING if self.library == library_of(array) else self.number or _LEGACY_STREAM


def library_of(array: Any) -> str:
    return type(array).__module__.partition(".")[0]


def stream_number(stream: Any) -> int:
    """The cudaStream_t of a stream of PyTorch, CuPy, Numba or CUDA Python, or of a number."""
    if isinstance(stream, int):
        return stream
    if hasattr(stream, "__cuda_stream__"):
        protocol = stream.__cuda_stream__
        return int((protocol() if callable(protocol) else protocol)[1])
    for name in ("cuda_stream", "ptr", "handle"):
        value = getattr(stream, name, None)
        if value is not None:
            return int(getattr(value, "value", value) or 0)
    raise UsageError(f"a stream is a number, or an object that says its number: this is a {type(stream).__name__}")


def _current_stream(array: Any) -> int | None:
    """Returns the current stream of the array's library, or None where it has none, or none that we know."""
    library = sys.modules.get(library_of(array))
    if library_of(array) == "torch" and library is not None:
        return int(library.cuda.current_stream(array.device).cuda_stream) if array.is_cuda else None
    if library_of(array) == "cupy" and library is not None:
        with array.device:
            return int(library.cuda.get_current_stream().ptr)
    return None


def stream_for(array: Any, stream: Any) -> Stream:
    """Returns the stream that the caller gives, or the current one of the array's library."""
    current = _current_stream(array)
    number = stream_number(stream) if stream is not None else current or 0
    return Stream(number, library_of(array) if number == current else "")


def _borrow(array: Any, what: str, stream: Stream) -> BorrowedTensor:
    """Asks the array's library for it; its own work is then ordered before ours on the stream."""
    wanted = {"stream": stream.number_for(array)}
    if hasattr(array, "__dlpack_device__") and int(array.__dlpack_device__()[0]) in (_CPU, _CUDA_HOST):
        wanted = {}
    try:
        try:
            capsule = array.__dlpack__(max_version=(1, 1), **wanted)
        except TypeError:
            capsule = array.__dlpack__(**wanted)  # of before version 1.0
    except BufferError as error:
        raise BufferTypeError(f"{what} is a {type(array).__name__} that its library does not give: {error}") from None
    return BorrowedTensor(capsule)


def _check_tensor(tensor: BorrowedTensor, what: str, writable: bool) -> None:
    if not tensor.lies_in_one_piece:
        raise StrideError(f"{what} does not lie in one piece: give a contiguous copy of it")
    if writable and tensor.is_read_only:
        raise ReadOnlyError(f"{what} cannot be written: give an array of a library whose arrays can")


def _interface_bytes(array: Any, what: str, writable: bool, stream: Stream) -> DeviceBytes:
    """Reads __cuda_array_interface__, version 3."""
    interface = array.__cuda_array_interface__
    pointer, is_read_only = interface["data"]
    if writable and is_read_only:
        raise ReadOnlyError(f"{what} cannot be written: give an array of a library whose arrays can")
    item_bytes = int(interface["typestr"][2:])
    num_bytes, expected = item_bytes, []
    for size in reversed(interface["shape"]):
        expected.append(num_bytes)
        num_bytes *= size
    if interface.get("strides") not in (None, tuple(reversed(expected))) and num_bytes != 0:
        raise StrideError(f"{what} does not lie in one piece: give a contiguous copy of it")
    device = _native.device_of(int(pointer or 0))
    theirs = interface.get("stream")
    if theirs is not None:
        _native.order_streams(int(theirs), stream.number or _LEGACY_STREAM, device)
    return DeviceBytes(int(pointer or 0), num_bytes, device, array)


def locate(array: Any, what: str, stream: Stream, writable: bool = False) -> DeviceBytes | BorrowedTensor:
    """Says where the array lies. An array in the host's memory is a buffer as others are."""
    if not hasattr(array, "__dlpack__"):
        if not hasattr(array, "__cuda_array_interface__"):
            raise BufferTypeError(f"{what} is a {type(array).__name__}: give an array in the same GPU's memory")
        return _interface_bytes(array, what, writable, stream)
    tensor = _borrow(array, what, stream)
    _check_tensor(tensor, what, writable)
    if tensor.device_type in (_CUDA, _CUDA_MANAGED):
        return DeviceBytes(tensor.pointer, tensor.num_bytes, tensor.device_id, tensor)
    if tensor.device_type in (_CPU, _CUDA_HOST):
        return tensor
    raise BufferTypeError(f"{what} is in the memory of a device without an engine (DLPack's number {tensor.device_type})")


def _new_like(array: Any, place: DeviceBytes) -> Any:
    """Makes memory for a result. It is the array's own library's where that has such, so that its streams and pools know
    it."""
    library = sys.modules.get(library_of(array))
    if library_of(array) == "torch" and library is not None:
        return library.empty_like(array)
    if library_of(array) == "cupy" and library is not None:
        with array.device:
            return library.empty_like(array)
    return DeviceArray(DeviceMemory(place.num_bytes, place.device))


def new_bytes(array: Any, num_bytes: int, place: DeviceBytes) -> Any:
    """Makes memory for so many bytes, as _new_like does."""
    library = sys.modules.get(library_of(array))
    if library_of(array) == "torch" and library is not None:
        return library.empty(num_bytes, dtype=library.uint8, device=array.device)
    if library_of(array) == "cupy" and library is not None:
        with array.device:
            return library.empty(num_bytes, dtype=library.uint8)
    return DeviceArray(DeviceMemory(num_bytes, place.device))


class DeviceArray:
    """Bytes in a GPU's memory: a result for a library other than PyTorch, CuPy and JAX, which takes it over.

    It has DLPack and __cuda_array_interface__: numba.cuda.as_cuda_array(result), jax.dlpack.from_dlpack(result). Work on
    another stream is ordered behind the work that made it.
    """

    def __init__(self, memory: DeviceMemory) -> None:
        self._memory = memory
        self._stream = 0

    @property
    def nbytes(self) -> int:
        """Its size in bytes."""
        return self._memory.num_bytes

    def note_work(self, stream: int) -> None:
        """Makes later work on another stream wait for this one."""
        self._stream = stream

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CUDA, self._memory.device

    def __dlpack__(
        self,
        *,
        stream: int | None = None,
        max_version: tuple[int, int] | None = None,
        dl_device: Any = None,
        copy: Any = None,
    ) -> Any:
        if stream != -1:
            _native.order_streams(self._stream, stream or _LEGACY_STREAM, self._memory.device)
        return _native.to_dlpack(self._memory, max_version is not None and max_version[0] >= 1)

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        return {
            "shape": (self.nbytes,),
            "typestr": "|u1",
            "data": (self._memory.pointer, False),
            "version": 3,
            "stream": self._stream or _LEGACY_STREAM,
        }

    def __repr__(self) -> str:
        return f"<phalanx DeviceArray of {self.nbytes} bytes on GPU {self._memory.device}>"


def bytes_in_its_library(array: Any, result: Any) -> Any:
    """Returns bytes of ours as an array of JAX, where the other array is of JAX."""
    if not isinstance(result, DeviceArray) or library_of(array) not in ("jax", "jaxlib"):
        return result
    return importlib.import_module("jax.dlpack").from_dlpack(result)


def _in_its_library(array: Any, result: Any) -> Any:
    """Returns a result of ours as an array of the same kind, where the library is JAX."""
    flat = bytes_in_its_library(array, result)
    if flat is result:
        return result
    jax = importlib.import_module("jax")
    if array.dtype.itemsize != 1:
        flat = flat.reshape(-1, array.dtype.itemsize)
    return jax.lax.bitcast_convert_type(flat, array.dtype).reshape(array.shape)


def read_into_array(reader: ContainerReader, offset: int, array: Any, stream: Any) -> int:
    """Does the work of ContainerFile.readinto_array."""
    ours = stream_for(array, stream)
    place = locate(array, "array", ours, writable=True)
    if not isinstance(place, DeviceBytes):
        raise BufferTypeError("array is in the host's memory: readinto takes buffers")
    return reader.read_to_device(offset, place.pointer, place.num_bytes, ours.number)


class _Call(NamedTuple):
    """Has the arguments of Cipher.encrypt and its kin, without the arrays."""

    cipher: Cipher
    encrypts: bool
    iv: Any
    padding: str | None  # of a whole message: as Cipher understood it
    offset: int | None  # of a part; None: a whole message

    def on_host(self, src: memoryview, *dst: memoryview) -> Any:
        """Calls the same function with buffers."""
        name = "encrypt" if self.encrypts else "decrypt"
        if self.offset is not None:
            crypt = getattr(self.cipher, f"{name}_part_into" if dst else f"{name}_part")
            return crypt(src, *dst, self.offset, iv=self.iv)
        return getattr(self.cipher, f"{name}_into" if dst else name)(src, *dst, iv=self.iv, padding=self.padding)


def _crypt(call: _Call, src: Any, dst: Any, stream: Any) -> tuple[Any, int]:
    ours = stream_for(src, stream)
    source = locate(src, "data" if dst is None else "src", ours)
    if isinstance(source, BorrowedTensor):
        return _crypt_on_host(call, source, dst)
    if call.padding not in (None, "none"):
        raise UsageError('arrays of a GPU are not padded: give whole blocks and say padding="none"')
    result = _new_like(src, source) if dst is None else dst
    target = locate(result, "dst", ours, writable=True)
    if not isinstance(target, DeviceBytes) or target.device != source.device:
        raise BufferTypeError("dst is not in the memory of the GPU that has src: give an array there")
    if target.num_bytes < source.num_bytes:
        raise SizeError(f"the target has {target.num_bytes} bytes, and {source.num_bytes} are to be written")
    places = (source.pointer, target.pointer, source.num_bytes)
    _native.crypt_device(call.cipher, call.encrypts, call.iv, call.offset or 0, *places, ours.number)
    if isinstance(result, DeviceArray):
        result.note_work(ours.number)
    return result, source.num_bytes


def _crypt_on_host(call: _Call, source: BorrowedTensor, dst: Any) -> tuple[Any, int]:
    """Crypts an array in the host's memory, for example a tensor of PyTorch."""
    if dst is None:
        result = call.on_host(memoryview(source))
        return result, len(result)
    target: Any = dst
    if hasattr(dst, "__dlpack__"):
        target = locate(dst, "dst", Stream(0, ""), writable=True)
        if not isinstance(target, BorrowedTensor):
            raise BufferTypeError("dst is in a GPU's memory, and src is not: give them the same device")
    return dst, call.on_host(memoryview(source), memoryview(target))


def crypt_array(
    cipher: Cipher, encrypts: bool, data: Any, iv: Any, padding: str | None, offset: int | None, stream: Any
) -> Any:
    """Does the work of Cipher.encrypt and its kin for an array of a GPU: makes a new array of the same library and size."""
    return _in_its_library(data, _crypt(_Call(cipher, encrypts, iv, padding, offset), data, None, stream)[0])


def crypt_array_into(
    cipher: Cipher, encrypts: bool, src: Any, dst: Any, iv: Any, padding: str | None, offset: int | None, stream: Any
) -> int:
    """Does the work of Cipher.encrypt_into and its kin for arrays of a GPU."""
    return _crypt(_Call(cipher, encrypts, iv, padding, offset), src, dst, stream)[1]
