"""The modes of pycryptodome's block ciphers: objects for one message, which goes on from call to call."""

from __future__ import annotations

import hmac
import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import phalanx
from phalanx import Secret, UsageError, _native
from phalanx.compat import absent
from phalanx.compat.keys_and_bytes import HoldsKey, bytes_of

if TYPE_CHECKING:
    from typing_extensions import Buffer

MODE_ECB = 1
MODE_CBC = 2
MODE_CFB = 3
MODE_OFB = 5
MODE_CTR = 6
MODE_GCM = 11


class CounterWrapError(UsageError, OverflowError):
    """The counter of CTR would begin anew."""


class OrderError(phalanx.Error, TypeError):
    """A call that does not fit the calls before it, or an argument that does not fit the mode."""


@dataclass(frozen=True)
class KeyedName(HoldsKey):
    """A cipher's name and key."""

    name: str
    key: Secret
    block_size: int


def _check_output(output: Buffer | None, data: Buffer) -> None:
    """Before anything is crypted: the message then goes on as if there had been no such call."""
    if output is None:
        return
    target, size = memoryview(output), memoryview(data).nbytes
    if target.readonly:
        raise OrderError("output must be a bytearray or a writeable memoryview")
    if target.nbytes != size:
        raise UsageError(f"output must have the same length as the input  ({size} bytes)")


def _write(result: bytes, output: Buffer | None) -> bytes | None:
    """Into the caller's buffer, where there is one."""
    if output is None:
        return result
    memoryview(output).cast("B")[:] = result
    return None


class BlockCipher(HoldsKey):
    """One message in ECB, CBC, CFB, OFB or CTR. encrypt and decrypt go on where the last call ended."""

    def __init__(self, cipher: KeyedName, mode: str, start: bytes | None) -> None:
        self.block_size = cipher.block_size
        self._cipher = cipher
        self._mode = mode
        self._start = start
        self._streams: dict[bool, Any] = {}
        self._process = _native.ProcessMark()

    def _stream(self, encrypts: bool) -> Any:
        if encrypts in self._streams:
            return self._streams[encrypts]
        if self._streams and self._mode != "ecb":
            raise OrderError("encrypt() and decrypt() are not mixed: make a new object for the other")
        name, key = self._cipher.name, self._cipher.key
        if self._mode == "cfb8":
            assert self._start is not None
            stream: Any = _native.ByteFeedback(name, key, self._start, encrypts)
        else:
            keyed = phalanx.Cipher(f"{name}-{self._mode}", key, allow_legacy=True)
            stream = (keyed.encryptor if encrypts else keyed.decryptor)(iv=self._start, padding="none")
        self._streams[encrypts] = stream
        return stream

    def _require_own_process(self) -> None:
        """A child would go on under its parent's iv or counter. Only ECB has none."""
        if self._mode == "ecb" and not self._process.is_of_this_process:
            self._streams.clear()
            self._process = _native.ProcessMark()
        self._process.require()

    def _crypt(self, data: Buffer, output: Buffer | None, encrypts: bool) -> bytes | None:
        self._require_own_process()
        size = memoryview(data).nbytes
        if self._mode in ("ecb", "cbc") and size % self.block_size:
            raise UsageError(f"Data must be aligned to block boundary in {self._mode.upper()} mode")
        _check_output(output, data)
        return _write(self._update(data, encrypts), output)

    def _update(self, data: Buffer, encrypts: bool) -> bytes:
        result: bytes = self._stream(encrypts).update(data)
        return result

    def encrypt(self, plaintext: Buffer, output: Buffer | None = None) -> Any:
        """The next part's ciphertext; None where output takes it."""
        return self._crypt(plaintext, output, True)

    def decrypt(self, ciphertext: Buffer, output: Buffer | None = None) -> Any:
        """The next part's plaintext; None where output takes it."""
        return self._crypt(ciphertext, output, False)


class IvMode(BlockCipher):
    """CBC, CFB or OFB."""

    def __init__(self, cipher: KeyedName, mode: str, iv: bytes) -> None:
        super().__init__(cipher, mode, iv)
        self.iv = self.IV = iv


class CtrMode(BlockCipher):
    """CTR. nonce is what of the counter block stands still, from its beginning on."""

    def __init__(self, cipher: KeyedName, nonce: bytes, first: bytes) -> None:
        super().__init__(cipher, "ctr", nonce + first)
        self.nonce = nonce
        all_bytes = 256 ** len(first) * cipher.block_size
        self._bytes_left = all_bytes
        self._bytes_to_wrap = all_bytes - int.from_bytes(first, "big") * cipher.block_size

    def _update(self, data: Buffer, encrypts: bool) -> bytes:
        view = memoryview(data).cast("B")
        self._stream(encrypts)  # refuses encrypt after decrypt
        if view.nbytes > self._bytes_left:
            raise CounterWrapError("The counter has wrapped around in CTR mode")
        head, rest = view[: self._bytes_to_wrap], view[self._bytes_to_wrap :]
        result = super()._update(head, encrypts)
        self._bytes_left -= head.nbytes  # only now: where the call was refused, the message goes on from where it stood
        self._bytes_to_wrap -= head.nbytes
        if rest:
            self._wrap()
            result += super()._update(rest, encrypts)
            self._bytes_left -= rest.nbytes
            self._bytes_to_wrap -= rest.nbytes
        return result

    def _wrap(self) -> None:
        """Only the counter wraps, to 0; the library's would go on into the nonce."""
        self._bytes_to_wrap = self._bytes_left  # it does not wrap again: where it began the first time, the message ends
        self._streams.clear()
        self._start = self.nonce.ljust(self.block_size, b"\0")


@dataclass(frozen=True)
class Counter:
    """What of a counter block stands still, and the count of so many bytes in between."""

    prefix: bytes
    suffix: bytes
    size: int
    initial_value: int
    little_endian: bool

    def blocks(self, first: int, number: int) -> bytes:
        """So many counter blocks from a count on, which wraps."""
        order: Literal["big", "little"] = "little" if self.little_endian else "big"
        wrap, prefix, suffix, size = 256**self.size, self.prefix, self.suffix, self.size
        return b"".join(prefix + (count % wrap).to_bytes(size, order) + suffix for count in range(first, first + number))


class AnyCounterMode(BlockCipher):
    """CTR whose counter is little-endian or has a suffix, which the library's has not: its counter blocks go through ECB."""

    _PIECE_BYTES = 65536

    def __init__(self, cipher: KeyedName, counter: Counter) -> None:
        super().__init__(cipher, "ctr", None)
        if not counter.suffix:
            self.nonce = counter.prefix
        self._counter = counter
        self._count = counter.initial_value
        self._bytes_left = 256**counter.size * cipher.block_size
        self._spare = b""

    def _stream(self, encrypts: bool) -> Any:
        if self._streams and encrypts not in self._streams:
            raise OrderError("encrypt() and decrypt() are not mixed: make a new object for the other")
        if not self._streams:
            self._streams[encrypts] = phalanx.Cipher(f"{self._cipher.name}-ecb", self._cipher.key, allow_legacy=True)
        return self._streams[encrypts]

    def _key_stream(self, keyed: phalanx.Cipher, size: int) -> bytes:
        missing = size - len(self._spare)
        if missing > 0:
            number = -(-missing // self.block_size)
            self._spare += keyed.encrypt(self._counter.blocks(self._count, number), iv=None, padding="none")
            self._count += number
        result, self._spare = self._spare[:size], self._spare[size:]
        return result

    def _update(self, data: Buffer, encrypts: bool) -> bytes:
        view = memoryview(data).cast("B")
        keyed = self._stream(encrypts)
        if view.nbytes > self._bytes_left:
            raise CounterWrapError("The counter has wrapped around in CTR mode")
        self._bytes_left -= view.nbytes
        pieces = []
        for begin in range(0, view.nbytes, self._PIECE_BYTES):
            piece = view[begin : begin + self._PIECE_BYTES]
            stream = int.from_bytes(self._key_stream(keyed, piece.nbytes), "big")
            pieces.append((int.from_bytes(piece, "big") ^ stream).to_bytes(piece.nbytes, "big"))
        return b"".join(pieces)


class GcmMode(HoldsKey):
    """One message in GCM. As in pycryptodome, what decrypt gives is not verified before verify."""

    block_size = 16

    def __init__(self, cipher: KeyedName, nonce: bytes, mac_len: int) -> None:
        self.nonce = nonce
        self._cipher = cipher
        self._mac_len = mac_len
        self._associated_data: list[bytes] = []
        self._stream: _native.GcmStream | None = None
        self._encrypts: bool | None = None
        self._tag: bytes | None = None
        self._process = _native.ProcessMark()

    def update(self, assoc_data: Buffer) -> GcmMode:
        """Associated data, before the first part of the text."""
        if self._stream is not None or self._tag is not None:
            raise OrderError("update() can only be called immediately after initialization")
        self._associated_data.append(bytes_of(assoc_data, "assoc_data"))
        return self

    def _begin(self, encrypts: bool) -> _native.GcmStream:
        self._process.require()
        if self._tag is not None or self._encrypts not in (None, encrypts):
            raise OrderError("encrypt() and decrypt() are not mixed, and do not follow the tag")
        if self._stream is None:
            stream = _native.GcmStream(f"{self._cipher.name}-gcm", self._cipher.key, self.nonce, encrypts)
            for part in self._associated_data:
                stream.add_associated_data(part)
            self._encrypts, self._stream = encrypts, stream  # with all of them, or not at all
        return self._stream

    def encrypt(self, plaintext: Buffer, output: Buffer | None = None) -> Any:
        """The next part's ciphertext; None where output takes it."""
        _check_output(output, plaintext)
        return _write(self._begin(True).update(plaintext), output)

    def decrypt(self, ciphertext: Buffer, output: Buffer | None = None) -> Any:
        """The next part's plaintext, not verified yet; None where output takes it."""
        _check_output(output, ciphertext)
        return _write(self._begin(False).update(ciphertext), output)

    def _finish(self, encrypts: bool) -> bytes:
        if self._tag is None:
            stream = self._begin(encrypts)
            self._tag = stream.finish()[: self._mac_len]
            self._stream = None
        return self._tag

    def digest(self) -> bytes:
        """The tag."""
        if self._encrypts is False:
            raise OrderError("digest() cannot be called when decrypting or validating a message")
        return self._finish(True)

    def hexdigest(self) -> str:
        """The tag in hex."""
        return self.digest().hex()

    def verify(self, received_mac_tag: Buffer) -> None:
        """Raises ValueError where the tag is another."""
        if self._encrypts is True:
            raise OrderError("verify() cannot be called when encrypting a message")
        tag = bytes_of(received_mac_tag, "received_mac_tag")
        if not hmac.compare_digest(self._finish(False), tag):
            raise MacError("MAC check failed")

    def hexverify(self, hex_mac_tag: str) -> None:
        """The same for a tag in hex."""
        self.verify(bytes.fromhex(hex_mac_tag))

    def encrypt_and_digest(self, plaintext: Buffer, output: Buffer | None = None) -> tuple[Any, bytes]:
        """A whole message and its tag."""
        return self.encrypt(plaintext, output), self.digest()

    def decrypt_and_verify(self, ciphertext: Buffer, received_mac_tag: Buffer, output: Buffer | None = None) -> Any:
        """A whole message, which is given only if the tag fits: unlike pycryptodome's, output stays as it is otherwise."""
        _check_output(output, ciphertext)
        plaintext = self.decrypt(ciphertext)
        self.verify(received_mac_tag)
        return _write(plaintext, output)


class MacError(phalanx.AuthenticationError, ValueError):
    """A tag does not verify."""


_ABSENT_MODES = {7: "OPENPGP", 8: "CCM", 9: "EAX", 10: "SIV", 12: "OCB", 13: "KW", 14: "KWP"}
_MODE_NAMES = {MODE_ECB: "ecb", MODE_CBC: "cbc", MODE_CFB: "cfb", MODE_OFB: "ofb", MODE_CTR: "ctr"}


def make_block_mode(cipher: KeyedName, mode: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BlockCipher:
    """What `new` gives for a mode without a tag."""
    name = _MODE_NAMES.get(mode)
    if name is None:
        absent_name = _ABSENT_MODES.get(mode)
        raise UsageError("Mode not supported" if absent_name is None else absent.sentence("Crypto", f"MODE_{absent_name}"))
    if len(args) > (0 if name in ("ecb", "ctr") else 1):
        raise OrderError(f"{name.upper()} takes no such argument by its place")
    if name == "ctr":
        return _make_ctr(cipher, kwargs)
    if name == "ecb":
        _refuse_rest(kwargs, name)
        return BlockCipher(cipher, name, None)
    return _make_iv_mode(cipher, name, args, kwargs)


def make_mode(cipher: KeyedName, mode: int, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BlockCipher | GcmMode:
    """What `new` gives for any mode of a cipher with blocks of 16 bytes."""
    if mode != MODE_GCM:
        return make_block_mode(cipher, mode, args, kwargs)
    if len(args) > 1 or (args and "nonce" in kwargs):
        raise OrderError("GCM takes one nonce")
    given = kwargs.pop("nonce", args[0] if args else None)
    nonce = os.urandom(16) if given is None else bytes_of(given, "nonce")
    mac_len = kwargs.pop("mac_len", 16)
    kwargs.pop("use_clmul", None)
    _take_threads(kwargs)
    _refuse_rest(kwargs, "gcm")
    if not nonce:
        raise UsageError("Nonce cannot be empty")
    if not 4 <= mac_len <= 16:
        raise UsageError("Parameter 'mac_len' must be in the range 4..16")
    return GcmMode(cipher, nonce, mac_len)


def _take_threads(kwargs: dict[str, Any]) -> None:
    """pycryptodome's number of threads: here the library shares the cores by itself."""
    threads = kwargs.pop("threads", 1)
    if not isinstance(threads, int):
        raise OrderError("'threads' must be an integer")
    if threads < 0:
        raise UsageError("'threads' must not be negative")


def _refuse_rest(kwargs: dict[str, Any], mode: str) -> None:
    if kwargs:
        raise OrderError(f"Unknown parameters for {mode.upper()}: {', '.join(sorted(kwargs))}")


def _make_iv_mode(cipher: KeyedName, mode: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> BlockCipher:
    given = [*args, *(kwargs.pop(name) for name in ("iv", "IV") if name in kwargs)]
    given = [iv for iv in given if iv is not None]
    if len(given) > 1:
        raise OrderError("You must either use 'iv' or 'IV', not both")
    iv = bytes_of(given[0], "iv") if given else os.urandom(cipher.block_size)
    if len(iv) != cipher.block_size:
        raise UsageError(f"Incorrect IV length (it must be {cipher.block_size} bytes long)")
    if mode == "cfb":
        segment_bits = kwargs.pop("segment_size", 8)
        if segment_bits not in (8, 8 * cipher.block_size):
            raise UsageError(f"'segment_size' is 8 or {8 * cipher.block_size} bits here")
        mode = "cfb8" if segment_bits == 8 else "cfb"
    _refuse_rest(kwargs, mode)
    return IvMode(cipher, mode, iv)


def _make_ctr(cipher: KeyedName, kwargs: dict[str, Any]) -> CtrMode | AnyCounterMode:
    counter = kwargs.pop("counter", None)
    nonce = kwargs.pop("nonce", None)
    initial_value = kwargs.pop("initial_value", None)
    _take_threads(kwargs)
    _refuse_rest(kwargs, "ctr")
    if counter is not None:
        if nonce is not None or initial_value is not None:
            raise OrderError("'counter' and 'nonce'/'initial_value' are mutually exclusive")
        given = _given_counter(cipher, counter)
        if given.suffix or given.little_endian:
            return AnyCounterMode(cipher, given)
        nonce, initial_value = given.prefix, given.initial_value
    elif nonce is None:
        if cipher.block_size < 16:
            raise OrderError("Impossible to create a safe nonce for short block sizes")
        nonce = os.urandom(cipher.block_size // 2)
    nonce = bytes_of(nonce, "nonce")
    if len(nonce) >= cipher.block_size:
        raise UsageError("Nonce is too long")
    return CtrMode(cipher, nonce, _first_count(initial_value, cipher.block_size - len(nonce)))


def _first_count(initial_value: Any, size: int) -> bytes:
    """Where a counter of so many bytes begins."""
    if initial_value is None:
        return bytes(size)
    if not isinstance(initial_value, int):
        first = bytes_of(initial_value, "initial_value")
        if len(first) != size:
            raise UsageError(f"Incorrect length for counter byte string ({len(first)} bytes, expected {size})")
        return first
    if initial_value < 0:
        raise UsageError("Initial counter value must not be negative")
    if initial_value.bit_length() > 8 * size:
        raise UsageError("Initial counter value is too large")
    return initial_value.to_bytes(size, "big")


def _given_counter(cipher: KeyedName, counter: Any) -> Counter:
    """Of what pycryptodome's Counter.new makes."""
    try:
        parts = dict(counter)
        size, initial_value, little_endian = parts["counter_len"], parts["initial_value"], parts["little_endian"]
        prefix, suffix = bytes_of(parts["prefix"], "prefix"), bytes_of(parts["suffix"], "suffix")
        if not isinstance(size, int) or not isinstance(initial_value, int):
            raise TypeError
    except (KeyError, TypeError, ValueError):
        raise OrderError("Incorrect counter object (use Crypto.Util.Counter.new)") from None
    if size + len(prefix) + len(suffix) != cipher.block_size:
        raise UsageError(f"Size of the counter block must match block size ({cipher.block_size})")
    _first_count(initial_value, size)
    return Counter(prefix, suffix, size, initial_value, bool(little_endian) and size > 1)
