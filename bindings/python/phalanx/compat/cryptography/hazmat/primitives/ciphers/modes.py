"""The modes: as in `cryptography`, with those that moved to its `decrepit`."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from phalanx import UsageError
from phalanx.compat.keys_and_bytes import bytes_of

from ....exceptions import UnsupportedAlgorithm
from .algorithms import AES128, AES256, BlockCipherAlgorithm

if TYPE_CHECKING:
    from typing_extensions import Buffer


class Mode:
    """A mode with what it starts from."""

    name: ClassVar[str]
    _phalanx_name: ClassVar[str]

    def _start(self) -> bytes | None:
        return None

    def validate_for_algorithm(self, algorithm: BlockCipherAlgorithm) -> None:
        start = self._start()
        if start is not None and len(start) * 8 != algorithm.block_size:
            raise UsageError(f"Invalid IV or nonce size ({len(start)}) for {self.name}.")
        if algorithm.key_size == 512:
            raise UsageError(f"Only 128, 192, and 256 bit keys are allowed for this {algorithm.name} mode")


class ModeWithInitializationVector(Mode):
    def __init__(self, initialization_vector: Buffer) -> None:
        self._iv = bytes_of(initialization_vector, "initialization_vector")

    @property
    def initialization_vector(self) -> bytes:
        return self._iv

    def _start(self) -> bytes | None:
        return self._iv


class ModeWithNonce(Mode):
    def __init__(self, nonce: Buffer) -> None:
        self._nonce = bytes_of(nonce, "nonce")

    @property
    def nonce(self) -> bytes:
        return self._nonce

    def _start(self) -> bytes | None:
        return self._nonce


class ModeWithTweak(Mode):
    def __init__(self, tweak: Buffer) -> None:
        self._tweak = bytes_of(tweak, "tweak")
        if len(self._tweak) != 16:
            raise UsageError("tweak must be 128-bits (16 bytes)")

    @property
    def tweak(self) -> bytes:
        return self._tweak


class ModeWithAuthenticationTag(Mode):
    _tag: bytes | None

    @property
    def tag(self) -> bytes | None:
        return self._tag


class CBC(ModeWithInitializationVector):
    name = "CBC"
    _phalanx_name = "cbc"


class OFB(ModeWithInitializationVector):
    name = "OFB"
    _phalanx_name = "ofb"


class CFB(ModeWithInitializationVector):
    name = "CFB"
    _phalanx_name = "cfb"


class CFB8(ModeWithInitializationVector):
    name = "CFB8"
    _phalanx_name = "cfb8"


class ECB(Mode):
    name = "ECB"
    _phalanx_name = "ecb"


class CTR(ModeWithNonce):
    name = "CTR"
    _phalanx_name = "ctr"


class XTS(ModeWithTweak):
    name = "XTS"
    _phalanx_name = "xts"

    def validate_for_algorithm(self, algorithm: BlockCipherAlgorithm) -> None:
        if isinstance(algorithm, (AES128, AES256)):
            raise TypeError("AES128 and AES256 do not support XTS, whose key is two keys: use AES")
        if algorithm.block_size != 128 or algorithm.key_size not in (256, 512):
            raise UsageError("XTS takes a 256-bit key for two 128-bit keys, or a 512-bit key for two 256-bit keys")


class GCM(ModeWithInitializationVector, ModeWithAuthenticationTag):
    name = "GCM"
    _phalanx_name = "gcm"

    def __init__(self, initialization_vector: Buffer, tag: bytes | None = None, min_tag_length: int = 16) -> None:
        super().__init__(initialization_vector)
        if not 8 <= len(self._iv) <= 128:
            raise UsageError("initialization_vector must be between 8 and 128 bytes (64 and 1024 bits).")
        if min_tag_length < 4:
            raise UsageError("min_tag_length must be >= 4")
        self._tag = None if tag is None else bytes_of(tag, "tag")
        if self._tag is not None and len(self._tag) < min_tag_length:
            raise UsageError(f"Authentication tag must be {min_tag_length} bytes or longer.")
        self._min_tag_length = min_tag_length

    def validate_for_algorithm(self, algorithm: BlockCipherAlgorithm) -> None:
        if algorithm.block_size != 128:
            raise UnsupportedAlgorithm("GCM needs a cipher with blocks of 128 bits")
        if algorithm.key_size == 512:
            raise UsageError(f"Only 128, 192, and 256 bit keys are allowed for this {algorithm.name} mode")
        if self._tag is not None and len(self._tag) > 16:
            raise UsageError("Authentication tag cannot be more than 16 bytes.")
