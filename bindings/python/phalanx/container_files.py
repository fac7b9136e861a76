"""Files: containers, old ciphertext, and what moves one to the other."""

from __future__ import annotations

import errno
import io
import os
import stat
from typing import TYPE_CHECKING, Any, Literal, Unpack, overload

from . import _native
from ._native import ContainerReader, ContainerWriter, Migrated, ForeignFileReader, ForeignFormat, UsageError, Verified
from .progress import Progress, reporting

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._native import Migrating, Opening, OpensslSettings, Path, Sealing

_READ_ALL_BYTES = 1 << 23  # of a file that is read whole
_PIECE_BYTES = 16384  # a chunk of a container: a slice then reads two at most, and the last one


def _fail(number: int, path: Path) -> None:
    raise OSError(number, os.strerror(number), os.fsdecode(path))  # Python makes it FileExistsError and the like


def _check_source(path: Path) -> None:
    """Raises what Python raises for a file that is not there, and for a folder."""
    if stat.S_ISDIR(os.stat(path).st_mode):
        _fail(errno.EISDIR, path)


def _check_target(path: Path, replace: bool) -> None:
    """The same for a folder that is not there, and for a file that is."""
    os.stat(os.path.dirname(os.path.abspath(path)))
    if os.path.isdir(path):
        _fail(errno.EISDIR, path)
    if not replace and os.path.lexists(path):
        _fail(errno.EEXIST, path)


class _NotPickled:
    """Holds a key."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise _native.PicklingError("an open container is not pickled: open it where it is used")


class _ContainerSource(_NotPickled, io.RawIOBase):
    """The raw side of a file that is read."""

    def __init__(self, path: Path, **secrets: Any) -> None:
        self._reader: ContainerReader | None = ContainerReader(path, **secrets)
        self.name = path
        self.suite = self._reader.suite
        self._size = self._reader.size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def _open_reader(self) -> ContainerReader:
        if self._reader is None:
            raise ValueError("I/O operation on closed file")
        return self._reader

    def readinto(self, target: Buffer, /) -> int:
        count = self._open_reader().read_into(self._position, target)
        self._position += count
        return count

    def readall(self) -> bytes:
        rest = self._open_reader().read_rest(self._position)
        self._position += len(rest)
        return rest

    def tell(self) -> int:
        self._open_reader()
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self._open_reader()
        start = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}.get(whence)
        if start is None:
            raise UsageError(f"whence is io.SEEK_SET, SEEK_CUR or SEEK_END, not {whence}")
        if start + offset < 0:
            raise UsageError(f"the position {start + offset} is before the beginning")
        self._position = start + offset
        return self._position

    def close(self) -> None:
        self._reader = None
        super().close()


class ContainerFile(_NotPickled, io.BufferedReader):
    """A container that is read: a seekable binary file over its plaintext. phalanx.open gives it.

    Every byte that it gives is authentic. One thread at a time works in a call, as in all of Python's buffered files.
    """

    def __init__(self, path: Path, buffering: int = _PIECE_BYTES, **secrets: Any) -> None:
        self._source = _ContainerSource(path, **secrets)
        super().__init__(self._source, buffering)

    @property
    def suite(self) -> str:
        """The container's suite: "aes-256" and the like."""
        return self._source.suite

    @property
    def mode(self) -> str:
        return "rb"

    @property
    def size(self) -> int:
        """How many bytes of plaintext it holds."""
        return self._source._size

    def __repr__(self) -> str:
        return f"<phalanx.ContainerFile {getattr(getattr(self, '_source', None), 'name', None)!r}>"


class _ContainerSink(_NotPickled, io.RawIOBase):
    """The raw side of a file that is written."""

    def __init__(self, path: Path, **settings: Any) -> None:
        self._writer: ContainerWriter | None = ContainerWriter(path, **settings)
        self._position = 0

    def writable(self) -> bool:
        return True

    def tell(self) -> int:
        return self._position

    def write(self, data: Buffer, /) -> int:
        size = memoryview(data).nbytes
        if self._writer is not None:  # else it is discarded, and what the buffer still has is too
            self._writer.write(data)
        self._position += size
        return size

    def discard(self) -> None:
        writer, self._writer = self._writer, None
        if writer is not None:
            writer.discard()

    def close(self) -> None:
        writer, self._writer = self._writer, None
        try:
            if writer is not None:
                writer.finish()
        except BaseException:
            if writer is not None:
                writer.discard()
            raise
        finally:
            super().close()


class ContainerWriterFile(_NotPickled, io.BufferedWriter):
    """A container that is written: a binary file that has its name once it is closed. phalanx.open gives it.

    After an exception in its `with` block, where a write fails, and where nobody closed it, nothing of it is left. A process
    that is forked meanwhile cannot write it, and does not remove it.
    """

    def __init__(self, path: Path, buffering: int = 4 * _PIECE_BYTES, **settings: Any) -> None:
        self._sink = _ContainerSink(path, **settings)
        self._path = path
        super().__init__(self._sink, buffering)

    @property
    def name(self) -> Path:
        return self._path

    @property
    def mode(self) -> str:
        return "wb"

    def detach(self) -> io.RawIOBase:
        """Refused: who has the raw side alone would finish a container without what is buffered, and unasked."""
        raise io.UnsupportedOperation("the buffer of a container that is written is not taken from it")

    def discard(self) -> None:
        """Closes it without a container: what was written is removed, and a file that has its name stays as it is."""
        self._sink.discard()
        super().close()

    def __exit__(self, kind: Any, *exception: Any) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def close(self) -> None:
        """Seals what is left. The file is on the disk and has its name when this returns."""
        if self.closed:
            return
        try:
            self.flush()  # io's own close goes on where this fails, and would finish a container without the rest
        except BaseException:
            self.discard()
            raise
        super().close()

    def __del__(self) -> None:
        if hasattr(self, "_sink") and not self.closed:
            self._sink.discard()

    def __repr__(self) -> str:
        return f"<phalanx.ContainerWriterFile {getattr(self, '_path', None)!r}>"


@overload
def open(
    path: Path, mode: Literal["rb"] = "rb", *, buffering: int = -1, **settings: Unpack[Opening]
) -> ContainerFile: ...


@overload
def open(
    path: Path, mode: Literal["wb", "xb"], *, buffering: int = -1, **settings: Unpack[Sealing]
) -> ContainerWriterFile: ...


def open(path: Path, mode: str = "rb", *, buffering: int = -1, **settings: Any) -> ContainerFile | ContainerWriterFile:
    """Opens a container as a binary file over its plaintext, which is authenticated.

    mode is "rb", "wb" or "xb". Reading, the file is seekable: a read decrypts and checks the chunks of 16 KiB that hold what
    is asked for; opening has checked the header and the last chunk, and so the length. Writing, the file appears under its
    name when it is closed, replaces what has the name (not with "xb"), and is gone after an exception.

    key, passphrase, key_file, passphrase_file, suite and scrypt_log_n are those of seal. buffering is the buffer's size in
    bytes, engine and threads as for Cipher.

    >>> import os, tempfile, phalanx
    >>> path = os.path.join(tempfile.mkdtemp(), "letters.phalanx")
    >>> with phalanx.open(path, "wb", key=bytes(32)) as file:
    ...     count = file.write(b"abcdefghijklmnopqrstuvwxyz" * 10000)
    >>> with phalanx.open(path, key=bytes(32)) as file:
    ...     position = file.seek(200000)
    ...     file.read(8)
    b'ijklmnop'

    Raises WrongKeyError, AuthenticationError, TruncatedError, FormatError for what is no container, UsageError, PolicyError,
    and OSError, of which MachineError is one.
    """
    _native.hide_in(settings)
    given = {name: value for name, value in settings.items() if value is not None}
    if mode == "rb":
        _check_source(path)
        return ContainerFile(path, _PIECE_BYTES if buffering <= 0 else buffering, **given)
    if mode in ("wb", "xb"):
        _check_target(path, replace=mode == "wb")
        return ContainerWriterFile(path, 4 * _PIECE_BYTES if buffering <= 0 else buffering, replace=mode == "wb", **given)
    raise UsageError(f"the mode {mode!r} is none of a container: give \"rb\", \"wb\" or \"xb\"")


class _ForeignSource(io.RawIOBase):
    def __init__(self, path: Path, format: ForeignFormat, engine: str, threads: int) -> None:
        self._reader: ForeignFileReader | None = ForeignFileReader(path, format, engine, threads)
        self.name = path

    def readable(self) -> bool:
        return True

    def readinto(self, target: Buffer, /) -> int:
        if self._reader is None:
            raise ValueError("I/O operation on closed file")
        return self._reader.read_into(target)

    def readall(self) -> bytes:
        pieces, target = [], bytearray(_READ_ALL_BYTES)
        while count := self.readinto(target):
            pieces.append(bytes(memoryview(target)[:count]))
        return b"".join(pieces)

    def close(self) -> None:
        self._reader = None
        super().close()


def foreign_open(path: Path, old: ForeignFormat, *, engine: str = "auto", threads: int = 0) -> io.BufferedReader:
    """Opens a file of bare ciphertext, and gives its plaintext as a binary file that is read from its beginning to its end.

    Nothing authenticates it: under a wrong key the plaintext is garbage, and only the padding, at the very end, may show it.
    After a read that raised, each raises the same again. A file that grows meanwhile is read on to; one that becomes
    shorter, or changes without growing, raises MachineError at its end.

    >>> import pathlib, tempfile, phalanx
    >>> path, key = pathlib.Path(tempfile.mkdtemp(), "old"), bytes(range(24))
    >>> old = phalanx.Cipher("des-ede3-cbc", key, allow_legacy=True)
    >>> count = path.write_bytes(old.encrypt(b"in lockstep", iv=bytes(8), padding="pkcs7"))
    >>> with phalanx.foreign_open(path, phalanx.ForeignFormat("des-ede3-cbc", key=key, iv=bytes(8))) as file:
    ...     file.read(2)
    b'in'

    Raises WrongKeyError, TruncatedError, FormatError for other data, UsageError, OSError.
    """
    _check_source(path)
    return io.BufferedReader(_ForeignSource(path, old, engine, threads), 1 << 20)


def openssl_open(
    path: Path,
    *,
    cipher: str = "aes-256-cbc",
    engine: str = "auto",
    threads: int = 0,
    **settings: Unpack[OpensslSettings],
) -> io.BufferedReader:
    """Opens a file of `openssl enc`, and gives its plaintext as a binary file that is read from beginning to end.

    Takes passphrase, and digest, pbkdf2, iterations, salted and base64 as ForeignFormat: they are -md, -pbkdf2, -iter, -salt
    and -a; digest "auto" finds it by the padding. cipher is OpenSSL's name or ours. For what it promises and raises see
    foreign_open.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "old.enc")  # of `openssl enc -des3 -md md5 -pass pass:secret`
    >>> count = path.write_bytes(bytes.fromhex("53616c7465645f5f7ba0fb1d96df09807df08c0cd5c834b4f88134ddf596b27c"))
    >>> with phalanx.openssl_open(path, passphrase="secret", cipher="des3", digest="md5") as file:
    ...     file.read()
    b'in lockstep'
    """
    _native.hide_in(settings)
    return foreign_open(path, ForeignFormat(cipher, **settings), engine=engine, threads=threads)


def migrate(
    src: Path,
    dst: Path,
    old: ForeignFormat,
    *,
    progress: Progress = None,
    **settings: Unpack[Migrating],
) -> Migrated:
    """Decrypts the old file src and seals it as the container dst, in one pass and without plaintext on the disk.

    dst appears once it is complete and was read back (verify=False: not read back); src stays as it is. replace=True
    replaces a file that has its name. key, passphrase, key_file, passphrase_file, suite and scrypt_log_n are those of seal;
    engine and threads as for Cipher. progress is a function that is called with the number of bytes just read (src's, and
    then the container's as it is read back), from any thread, or True for a bar of tqdm, where that is installed.

    >>> import pathlib, tempfile, phalanx
    >>> path, key = pathlib.Path(tempfile.mkdtemp(), "old"), bytes(range(24))
    >>> old = phalanx.Cipher("des-ede3-cbc", key, allow_legacy=True)
    >>> count = path.write_bytes(bytes(8) + old.encrypt(b"in lockstep", iv=bytes(8), padding="pkcs7"))
    >>> old, new = phalanx.ForeignFormat("des-ede3-cbc", key=key, begins_with_iv=True), path.with_suffix(".phalanx")
    >>> phalanx.migrate(path, new, old, key=bytes(32)).source_bytes
    24
    >>> phalanx.verify(new, key=bytes(32)).plain_bytes
    11

    Raises what foreign_open raises, and UsageError where dst exists. `doubt` of the result says why the old key may be wrong.
    """
    _native.hide_in(settings)
    _check_source(src)
    _check_target(dst, replace=True)  # where it exists, that is an error of usage
    with reporting(progress, src, 2 if settings.get("verify", True) else 1) as on_progress:
        return _native.migrate(src, dst, old, on_progress=on_progress, **settings)


def verify(path: Path, *, progress: Progress = None, **settings: Unpack[Opening]) -> Verified:
    """Opens a container and checks every chunk of it; writes nothing.

    Takes key, passphrase, key_file, passphrase_file, engine and threads as open does, and progress as migrate does, where
    an example is. The result has the plaintext's size and SHA-256.

    Raises AuthenticationError, WrongKeyError, TruncatedError, FormatError, UsageError, OSError.
    """
    _native.hide_in(settings)
    _check_source(path)
    with reporting(progress, path) as on_progress:
        return _native.verify(path, on_progress=on_progress, **settings)
