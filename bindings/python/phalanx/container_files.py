"""Opens, reads, writes and verifies containers as files of Python."""

from __future__ import annotations

import errno
import io
import os
import stat
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar, Unpack, overload

from . import _native
from ._native import ContainerReader, ContainerWriter, UsageError, Verified
from .argument_names import OPENING, SEALING, check_names
from .progress import Progress, reporting

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._native import Opening, Path, ReadableFile, Sealing, WritableFile

_PIECE_BYTES = 16384  # a chunk of a container: a slice then reads two at most, and the last one


def _fail(number: int, path: Path) -> None:
    raise OSError(number, os.strerror(number), os.fsdecode(path))  # Python makes it FileExistsError and the like


def _check_source(path: Path) -> None:
    """Raises what Python raises for a file that is not there, and for a folder."""
    if stat.S_ISDIR(os.stat(path).st_mode):
        _fail(errno.EISDIR, path)


def _check_target(path: Path, replace: bool) -> None:
    """Raises what Python raises for a folder that is not there, and for a file that is."""
    os.stat(os.path.dirname(os.path.abspath(path)))
    if os.path.isdir(path):
        _fail(errno.EISDIR, path)
    if not replace and os.path.lexists(path):
        _fail(errno.EEXIST, path)


class _NotPickled:
    """Holds a key."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise _native.PicklingError("an open container is not pickled: open it where it is used")


def _name_of(file: Any) -> Any:
    return getattr(file, "name", None) if hasattr(file, "read") or hasattr(file, "write") else file


class _ReaderOfAnyPlace(Protocol):
    @property
    def size(self) -> int: ...
    def read_into(self, offset: int, dst: Buffer, /) -> int: ...
    def read_rest(self, offset: int, /) -> bytes: ...


_Reader = TypeVar("_Reader", bound=_ReaderOfAnyPlace)


class _SeekableSource(_NotPickled, io.RawIOBase, Generic[_Reader]):
    """The raw side of a plaintext that is read at any place, at any time."""

    def __init__(self, reader: _Reader, name: Any) -> None:
        self._reader: _Reader | None = reader
        self.name = name
        self._size = reader.size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def open_reader(self) -> _Reader:
        if self._reader is None:
            raise ValueError("I/O operation on closed file")
        return self._reader

    def readinto(self, target: Buffer, /) -> int:
        count = self.open_reader().read_into(self._position, target)
        self._position += count
        return count

    def readall(self) -> bytes:
        rest = self.open_reader().read_rest(self._position)
        self._position += len(rest)
        return rest

    def tell(self) -> int:
        self.open_reader()
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        self.open_reader()
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


class _ContainerSource(_SeekableSource[ContainerReader]):
    """The raw side of a file that is read."""

    def __init__(self, path: Path | ReadableFile, **secrets: Any) -> None:
        reader = ContainerReader(path, **secrets)
        super().__init__(reader, _name_of(path))
        self.suite = reader.suite

    def read_into_array(self, offset: int, array: Any, stream: Any) -> int:
        from .devices import read_into_array  # which most programs do not need

        return read_into_array(self.open_reader(), offset, array, stream)


class ContainerFile(_NotPickled, io.BufferedReader):
    """A container that is read: a seekable binary file over its plaintext. phalanx.open returns it.

    Every byte that it returns is authentic. One thread at a time works in a call, as in all of Python's buffered files.
    """

    def __init__(self, path: Path | ReadableFile, buffering: int = _PIECE_BYTES, **secrets: Any) -> None:
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
        """The size of its plaintext in bytes."""
        return self._source._size

    def readinto_array(self, array: Any, *, stream: Any = None) -> int:
        """Reads from the position on into an array in a GPU's memory, and returns how many bytes: fewer only at the end.
        Waits.

        array is one of PyTorch, CuPy and others, in one piece (docs/python.md, Arrays on a GPU). Ciphertext crosses the
        link, and the GPU opens it. The host sees no plaintext but that of the last chunk, when the file is opened.

        Raises AuthenticationError, which names the first chunk that is not authentic; array then holds zeros. Also raises
        BufferTypeError, ReadOnlyError, StrideError, MachineError.
        """
        position = self.tell()
        count = self._source.read_into_array(position, array, stream)
        self.seek(position + count)
        return count

    def __repr__(self) -> str:
        return f"<phalanx.ContainerFile {getattr(getattr(self, '_source', None), 'name', None)!r}>"


class _ContainerSink(_NotPickled, io.RawIOBase):
    """The raw side of a file that is written."""

    def __init__(self, path: Path | WritableFile, **settings: Any) -> None:
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
    """A container that is written: a binary file that has its name once it is closed. phalanx.open returns it.

    Nothing of it is left after an exception in its `with` block, after a write that fails, and if nobody closes it. If it is
    written into another file, that then has a part of it. A process that is forked meanwhile cannot write it, and does not
    remove it.
    """

    def __init__(self, path: Path | WritableFile, buffering: int = 4 * _PIECE_BYTES, **settings: Any) -> None:
        self._sink = _ContainerSink(path, **settings)
        self._path = _name_of(path)
        super().__init__(self._sink, buffering)

    @property
    def name(self) -> Any:
        return self._path

    @property
    def mode(self) -> str:
        return "wb"

    def detach(self) -> io.RawIOBase:
        """Refuses: the raw side alone would finish a container without the buffered bytes."""
        raise io.UnsupportedOperation("the buffer of a container that is written is not taken from it")

    def discard(self) -> None:
        """Closes it without a container: the written bytes are removed, and a file that has its name stays as it is."""
        self._sink.discard()
        super().close()

    def __exit__(self, kind: Any, *exception: Any) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def close(self) -> None:
        """Seals the rest. The file is on the disk and has its name when this returns."""
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


class _TextContainerWriter(_NotPickled, io.TextIOWrapper):
    """A container that is written as text. It does what ContainerWriterFile does."""

    def __init__(self, file: ContainerWriterFile, encoding: str | None, errors: str | None, newline: str | None) -> None:
        self._file = file
        super().__init__(file, encoding, errors, newline)

    def detach(self) -> Any:
        """Refuses, as ContainerWriterFile.detach does."""
        raise io.UnsupportedOperation("the buffer of a container that is written is not taken from it")

    def discard(self) -> None:
        """Closes it without a container, as ContainerWriterFile.discard does."""
        self._file.discard()

    def close(self) -> None:
        """Seals the rest, as ContainerWriterFile.close does."""
        try:
            super().close()
        except BaseException:  # which closed the file without the rest of the text
            self.discard()
            raise

    def __exit__(self, kind: Any, *exception: Any) -> None:
        if kind is None:
            self.close()
        else:
            self.discard()

    def __del__(self) -> None:
        if hasattr(self, "_file"):
            self._file._sink.discard()


def _text(
    file: ContainerFile | ContainerWriterFile, encoding: str | None, errors: str | None, newline: str | None
) -> io.TextIOWrapper:
    try:
        if isinstance(file, ContainerFile):
            return io.TextIOWrapper(file, encoding, errors, newline)
        return _TextContainerWriter(file, encoding, errors, newline)
    except BaseException:  # an unknown encoding
        file.close() if isinstance(file, ContainerFile) else file.discard()
        raise


@overload
def open(
    file: Path | ReadableFile,
    mode: Literal["rb", "r"] = "rb",
    *,
    buffering: int = -1,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    **settings: Unpack[Opening],
) -> ContainerFile: ...


@overload
def open(
    file: Path | WritableFile,
    mode: Literal["wb", "w", "xb", "x"],
    *,
    buffering: int = -1,
    encoding: None = None,
    errors: None = None,
    newline: None = None,
    **settings: Unpack[Sealing],
) -> ContainerWriterFile: ...


@overload
def open(
    file: Path | ReadableFile,
    mode: Literal["rt"],
    *,
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **settings: Unpack[Opening],
) -> io.TextIOWrapper: ...


@overload
def open(
    file: Path | WritableFile,
    mode: Literal["wt", "xt"],
    *,
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **settings: Unpack[Sealing],
) -> io.TextIOWrapper: ...


def open(
    file: Path | ReadableFile | WritableFile,
    mode: str = "rb",
    *,
    buffering: int = -1,
    encoding: str | None = None,
    errors: str | None = None,
    newline: str | None = None,
    **settings: Any,
) -> ContainerFile | ContainerWriterFile | io.TextIOWrapper:
    """Opens a container as a file over its plaintext, which is authenticated.

    mode is "rb", "wb" or "xb", whose b may be left out, or "rt", "wt" or "xt" for text. encoding, errors and newline are for
    text, as for Python's own open.

    To read, the file is seekable. A read decrypts and checks the chunks of 16 KiB that hold its bytes. Opening has checked
    the header and the last chunk, and so the length. To write, the file appears under its name when it is closed. It
    replaces a file of that name (not with "xb"), and is gone after an exception in its `with`.

    file is a path, or a binary file, which stays open. A container is read from a file that can seek, and is all of it. A
    container is written into a file as it comes, from its position on. After an exception a part is left, which opens
    nowhere.

    key, passphrase, key_file, passphrase_file, recipient, recipient_file, suite, scrypt_log_n and binding are those of seal.
    identity and identity_file are those of unseal. buffering is the buffer's size in bytes. engine and threads are as for
    Cipher.

    >>> import os, tempfile, phalanx
    >>> path = os.path.join(tempfile.mkdtemp(), "letters.phalanx")
    >>> with phalanx.open(path, "wb", key=bytes(32)) as file:
    ...     count = file.write(b"abcdefghijklmnopqrstuvwxyz" * 10000)
    >>> with phalanx.open(path, key=bytes(32)) as file:
    ...     position = file.seek(200000)
    ...     file.read(8)
    b'ijklmnop'

    Raises WrongKeyError, AuthenticationError, TruncatedError, FormatError for a file that is no container, UsageError,
    PolicyError, and OSError, of which MachineError is one.
    """
    _native.hide_in(settings)
    kind, is_text = mode.removesuffix("t").removesuffix("b"), mode.endswith("t")
    if kind not in ("r", "w", "x") or mode not in (kind, kind + "b", kind + "t"):
        raise UsageError(f'the mode {mode!r} is none of a container: give "rb", "wb" or "xb", or "rt", "wt" or "xt"')
    check_names("open", settings, OPENING if kind == "r" else SEALING)
    if not is_text and (encoding, errors, newline) != (None, None, None):
        raise UsageError(f'encoding, errors and newline are of text: give the mode "{kind}t"')
    given = {name: value for name, value in settings.items() if value is not None}
    opened: ContainerFile | ContainerWriterFile
    if kind == "r":
        opened = _open_to_read(file, _PIECE_BYTES if buffering <= 0 else buffering, given)
    else:
        opened = _open_to_write(file, kind == "w", 4 * _PIECE_BYTES if buffering <= 0 else buffering, given)
    return _text(opened, encoding, errors, newline) if is_text else opened


def _open_to_read(file: Any, buffering: int, given: dict[str, Any]) -> ContainerFile:
    if not hasattr(file, "read"):
        _check_source(file)
    elif not (hasattr(file, "seek") and getattr(file, "seekable", lambda: True)()):
        raise UsageError("the file cannot seek: read it whole, and give its bytes to unseal")
    elif isinstance(file, io.TextIOBase):
        raise UsageError("the file is one of text: give a binary file, opened with \"rb\"")
    return ContainerFile(file, buffering, **given)


def _open_to_write(file: Any, replace: bool, buffering: int, given: dict[str, Any]) -> ContainerWriterFile:
    if not hasattr(file, "write"):
        _check_target(file, replace)
    elif not replace:
        raise UsageError('"xb" is for a path, whose file is not there yet: give a file that is open the mode "wb"')
    elif isinstance(file, io.TextIOBase):
        raise UsageError("the file is one of text: give a binary file, opened with \"wb\"")
    return ContainerWriterFile(file, buffering, replace=replace, **given)


def verify(
    path: Path, *, sha256: bool = False, from_disk: bool = False, progress: Progress = None, **settings: Unpack[Opening]
) -> Verified:
    """Opens a container and checks every chunk of it; writes nothing.

    key, passphrase, key_file, passphrase_file, identity, identity_file, engine and threads are as for open. progress is as
    for migrate, which has an example. The result has the plaintext's size, and its SHA-256 with sha256=True, which takes
    longer. from_disk=True syncs the container, and reads it from its disk instead of the system's memory. It raises OSError
    where that fails.

    Raises AuthenticationError, WrongKeyError, TruncatedError, FormatError, UsageError, OSError.
    """
    _native.hide_in(settings)
    _check_source(path)
    with reporting(progress, path) as on_progress:
        return _native.verify(path, sha256=sha256, from_disk=from_disk, on_progress=on_progress, **settings)
