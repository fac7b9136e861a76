"""Batches of a bare cipher over arrays in a GPU's memory: many messages, each with its iv and perhaps its key, and sectors.

Arrays are those of PyTorch, CuPy, JAX, Numba and others, as phalanx.devices takes them. One message is Cipher's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import _native
from ._native import SizeError
from .device_aead import BatchSizes, DeviceBatch, DeviceVerdict, DeviceVerdicts, batch_fields, on_gpu
from .devices import stream_for

if TYPE_CHECKING:
    from ._native import Key

__all__ = ["DeviceBatch", "DeviceCipher", "DeviceVerdict", "DeviceVerdicts"]


class DeviceCipher:
    """A cipher in any mode but GCM under one key over arrays in a GPU's memory, on the caller's stream.

    name, key and allow_legacy are as for Cipher. engine is "cuda" or "cuda:0". Nothing is authenticated: phalanx.device_aead
    authenticates. Messages may lie at any address; at multiples of the block they are faster. It is neither pickled nor
    copied. Any number of threads may use one at once.
    """

    def __init__(self, name: str, key: Key, engine: str = "cuda", allow_legacy: bool = False) -> None:
        self._native = _native.DeviceCipher.make(name, key, engine, allow_legacy)

    @property
    def name(self) -> str:
        """The canonical name, cipher-mode."""
        return self._native.name

    @property
    def engine(self) -> str:
        """The engine that runs it: "cuda:0"."""
        return self._native.engine

    @property
    def key_bytes(self) -> int:
        """The key's size in bytes; for XTS the size of both keys."""
        return self._native.key_bytes

    @property
    def iv_bytes(self) -> int:
        """The iv's size in bytes; 0 for ECB."""
        return self._native.iv_bytes

    def __repr__(self) -> str:
        return f"DeviceCipher('{self.name}', engine='{self.engine}')"

    def encrypt_batch(self, batch: DeviceBatch, *, stream: Any = None) -> None:
        """Encrypts many messages, and waits. Raises UsageError for offsets or lengths that do not fit, or that the mode does not
        take: then nothing is written."""
        self.encrypt_batch_async(batch, stream=stream).wait()

    def decrypt_batch(self, batch: DeviceBatch, *, stream: Any = None) -> None:
        """Decrypts many messages, and waits. Raises what encrypt_batch raises."""
        self.decrypt_batch_async(batch, stream=stream).wait()

    def encrypt_batch_async(self, batch: DeviceBatch, *, stream: Any = None) -> DeviceVerdicts:
        """Encrypts many messages without waiting."""
        return self._crypt_batch(batch, True, stream)

    def decrypt_batch_async(self, batch: DeviceBatch, *, stream: Any = None) -> DeviceVerdicts:
        """Decrypts many messages without waiting."""
        return self._crypt_batch(batch, False, stream)

    def encrypt_sectors(
        self,
        src: Any,
        dst: Any,
        sector_bytes: int = 512,
        *,
        first_tweak: int = 0,
        tweak_step: int = 1,
        numbers: Any = None,
        stream: Any = None,
    ) -> int:
        """Encrypts consecutive sectors of XTS from src into dst, and returns how many bytes are written. Does not wait.

        The tweak of sector i is first_tweak + i * tweak_step, or numbers[i] of an array of the GPU of eight bytes each. The
        last sector may be shorter, but has at least 16 bytes. dst has src's size or more, and is src's memory or disjoint
        from it.
        """
        return self._crypt_sectors(True, src, dst, (sector_bytes, first_tweak, tweak_step), numbers, stream)

    def decrypt_sectors(
        self,
        src: Any,
        dst: Any,
        sector_bytes: int = 512,
        *,
        first_tweak: int = 0,
        tweak_step: int = 1,
        numbers: Any = None,
        stream: Any = None,
    ) -> int:
        """Decrypts sectors of XTS, as encrypt_sectors encrypts them."""
        return self._crypt_sectors(False, src, dst, (sector_bytes, first_tweak, tweak_step), numbers, stream)

    def _crypt_batch(self, batch: DeviceBatch, encrypts: bool, stream: Any) -> DeviceVerdicts:
        ours = stream_for(batch.src, stream)
        fields = batch_fields(batch, BatchSizes(self.iv_bytes, self.key_bytes, 0, False), ours)
        verdicts = self._native.crypt_batch(encrypts, fields.numbers, ours.number)
        return DeviceVerdicts(verdicts, fields.owners, ours.number)

    def _crypt_sectors(
        self, encrypts: bool, src: Any, dst: Any, cutting: tuple[int, int, int], numbers: Any, stream: Any
    ) -> int:
        ours = stream_for(src, stream)
        source, target = on_gpu(src, "src", ours), on_gpu(dst, "dst", ours, writable=True)
        if target.num_bytes < source.num_bytes:
            raise SizeError(f"the target has {target.num_bytes} bytes, and {source.num_bytes} are to be written")
        pointer = 0
        if numbers is not None:
            place = on_gpu(numbers, "numbers", ours)
            count = -(-source.num_bytes // max(cutting[0], 1))
            if place.num_bytes != 8 * count:
                raise SizeError(f"numbers has {place.num_bytes} bytes, and {count} times 8 are needed")
            pointer = place.pointer
        self._native.crypt_sectors(
            encrypts, source.pointer, target.pointer, source.num_bytes, *cutting, pointer, ours.number
        )
        return source.num_bytes
