"""Cipher and its contexts, as `cryptography` has them."""

from __future__ import annotations

import hmac
from typing import TYPE_CHECKING, Any, Generic, TypeVar, overload

import phalanx
from phalanx import _native
from phalanx.compat.keys_and_bytes import HoldsKey, bytes_of

from ....exceptions import AlreadyFinalized, AlreadyUpdated, InvalidTag, NotYetFinalized, UnsupportedAlgorithm
from . import algorithms, modes

if TYPE_CHECKING:
    from typing_extensions import Buffer

_Mode = TypeVar("_Mode", bound=modes.Mode, covariant=True)


class _DataUnit(HoldsKey):
    """XTS: a whole data unit in one update."""

    def __init__(self, cipher: phalanx.Cipher, tweak: bytes, encrypts: bool) -> None:
        self._crypt = cipher.encrypt if encrypts else cipher.decrypt
        self._tweak: bytes | None = tweak
        self._process = _native.ProcessMark()
        if encrypts:
            self._crypt_unit(bytes(16), tweak)  # as theirs, it is refused here

    def _crypt_unit(self, data: Buffer, tweak: bytes) -> bytes:
        try:
            return self._crypt(data, iv=tweak)
        except phalanx.PolicyError as error:  # equal halves of a key, and long units, are ValueErrors there
            raise phalanx.UsageError(str(error)) from None

    def update(self, data: Buffer) -> bytes:
        self._process.require()
        if memoryview(data).nbytes == 0:
            return b""
        if self._tweak is None:
            raise phalanx.UsageError("XTS takes a data unit in one update: give all of it at once")
        tweak, self._tweak = self._tweak, None
        return self._crypt_unit(data, tweak)

    def finalize(self) -> bytes:
        return b""


def _make_stream(algorithm: algorithms.BlockCipherAlgorithm, mode: modes.Mode, encrypts: bool) -> Any:
    """What update and finalize of a context go through."""
    if isinstance(mode, modes.CFB8):
        name = algorithm._name_in("cfb8").removesuffix("-cfb8")
        return _native.ByteFeedback(name, algorithm._key(), mode.initialization_vector, encrypts)
    if isinstance(mode, modes.CTR) and algorithm.block_size != 128:  # which theirs has not
        raise UnsupportedAlgorithm(f"cipher {algorithm.name} in {mode.name} mode is not supported")
    cipher = algorithm._keyed_in(mode._phalanx_name)
    if isinstance(mode, modes.XTS):
        return _DataUnit(cipher, mode.tweak, encrypts)
    return (cipher.encryptor if encrypts else cipher.decryptor)(iv=mode._start(), padding="none")


class CipherContext(HoldsKey):
    """What encryptor and decryptor give."""

    def update(self, data: Buffer) -> bytes:
        """The next part's result."""
        raise NotImplementedError

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        """The same into buf; returns how many bytes."""
        raise NotImplementedError

    def finalize(self) -> bytes:
        """Ends the message."""
        raise NotImplementedError

    def reset_nonce(self, nonce: bytes) -> None:
        """Begins anew with another nonce, in CTR."""
        raise UnsupportedAlgorithm("This algorithm or mode does not support resetting the nonce.")


class _PlainContext(CipherContext):
    """For modes without a tag."""

    def __init__(self, algorithm: algorithms.BlockCipherAlgorithm, mode: modes.Mode, encrypts: bool) -> None:
        self._algorithm = algorithm
        self._mode = mode
        self._encrypts = encrypts
        self._stream: Any = _make_stream(algorithm, mode, encrypts)

    def _open_stream(self) -> Any:
        if self._stream is None:
            raise AlreadyFinalized("Context was already finalized.")
        return self._stream

    def update(self, data: Buffer) -> bytes:
        result: bytes = self._open_stream().update(data)
        return result

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        stream, needed = self._open_stream(), memoryview(data).nbytes + self._algorithm.block_size // 8 - 1
        if memoryview(buf).nbytes < needed:
            raise phalanx.SizeError(f"buffer must be at least {needed} bytes for this payload")
        if isinstance(stream, _native.Incremental):
            return stream.update_into(data, buf)
        result = stream.update(data)
        memoryview(buf).cast("B")[: len(result)] = result
        return len(result)

    def finalize(self) -> bytes:
        stream, self._stream = self._open_stream(), None
        return b"" if isinstance(stream, _native.ByteFeedback) else stream.finalize()

    def reset_nonce(self, nonce: bytes) -> None:
        self._open_stream()
        if not isinstance(self._mode, modes.CTR):
            return super().reset_nonce(nonce)
        mode = modes.CTR(nonce)
        mode.validate_for_algorithm(self._algorithm)
        self._stream = _make_stream(self._algorithm, mode, self._encrypts)


class AEADCipherContext(CipherContext):
    """For GCM."""

    def __init__(self, algorithm: algorithms.BlockCipherAlgorithm, mode: modes.GCM, encrypts: bool) -> None:
        self._mode = mode
        self._stream: _native.GcmStream | None = _native.GcmStream(
            algorithm._name_in("gcm"), algorithm._key(), mode.initialization_vector, encrypts
        )

    def _open_stream(self) -> _native.GcmStream:
        if self._stream is None:
            raise AlreadyFinalized("Context was already finalized.")
        return self._stream

    def authenticate_additional_data(self, data: Buffer) -> None:
        stream = self._open_stream()
        try:
            stream.add_associated_data(data)
        except phalanx.UsageError as error:
            raise AlreadyUpdated(str(error)) from None

    def update(self, data: Buffer) -> bytes:
        return self._open_stream().update(data)

    def update_into(self, data: Buffer, buf: Buffer) -> int:
        return self._open_stream().update_into(data, buf)

    def _finish(self) -> bytes:
        stream, self._stream = self._open_stream(), None
        return stream.finish()

    def reset_nonce(self, nonce: bytes) -> None:
        self._open_stream()
        super().reset_nonce(nonce)


class AEADEncryptionContext(AEADCipherContext):
    """GCM encryption."""

    _made_tag: bytes | None = None

    def finalize(self) -> bytes:
        self._made_tag = self._finish()
        return b""

    @property
    def tag(self) -> bytes:
        if self._made_tag is None:
            raise NotYetFinalized("You must finalize encryption before getting the tag.")
        return self._made_tag


class AEADDecryptionContext(AEADCipherContext):
    """GCM decryption. As in `cryptography`, what update gives is not verified yet: use nothing of it before finalize."""

    def _verify(self, tag: bytes) -> bytes:
        made = self._finish()
        if not hmac.compare_digest(made[: len(tag)], tag):
            raise InvalidTag("the tag does not verify")
        return b""

    def finalize(self) -> bytes:
        self._open_stream()
        if self._mode.tag is None:
            raise phalanx.UsageError("Authentication tag must be provided when decrypting.")
        return self._verify(self._mode.tag)

    def finalize_with_tag(self, tag: bytes) -> bytes:
        self._open_stream()
        if self._mode.tag is not None:
            raise phalanx.UsageError("the mode has a tag already: give one, there or here")
        tag = bytes_of(tag, "tag")
        if not self._mode._min_tag_length <= len(tag) <= 16:
            raise phalanx.UsageError(f"Authentication tag must be {self._mode._min_tag_length} to 16 bytes.")
        return self._verify(tag)


def _refusal(given: object, module: str) -> str | None:
    """What is said of an object of their own, which ours cannot look into."""
    if not type(given).__module__.startswith("cryptography."):
        return None
    return (
        f"{type(given).__name__} is cryptography's own: import {module} from "
        f"phalanx.compat.cryptography.hazmat.primitives.ciphers too"
    )


class Cipher(HoldsKey, Generic[_Mode]):
    """A cipher in a mode; encryptor and decryptor start messages."""

    def __init__(self, algorithm: algorithms.BlockCipherAlgorithm, mode: _Mode, backend: Any = None) -> None:
        if not isinstance(algorithm, algorithms.BlockCipherAlgorithm):
            raise TypeError(_refusal(algorithm, "algorithms") or "Expected interface of CipherAlgorithm.")
        if not isinstance(mode, modes.Mode):
            raise TypeError(_refusal(mode, "modes") or "Expected interface of Mode.")
        mode.validate_for_algorithm(algorithm)
        self.algorithm = algorithm
        self.mode = mode

    @overload
    def encryptor(self: Cipher[modes.GCM]) -> AEADEncryptionContext: ...

    @overload
    def encryptor(self) -> CipherContext: ...

    def encryptor(self) -> AEADEncryptionContext | CipherContext:
        if not isinstance(self.mode, modes.GCM):
            return _PlainContext(self.algorithm, self.mode, True)
        if self.mode.tag is not None:
            raise phalanx.UsageError("Authentication tag must be None when encrypting.")
        return AEADEncryptionContext(self.algorithm, self.mode, True)

    @overload
    def decryptor(self: Cipher[modes.GCM]) -> AEADDecryptionContext: ...

    @overload
    def decryptor(self) -> CipherContext: ...

    def decryptor(self) -> AEADDecryptionContext | CipherContext:
        if isinstance(self.mode, modes.GCM):
            return AEADDecryptionContext(self.algorithm, self.mode, False)
        return _PlainContext(self.algorithm, self.mode, False)
