"""Opens encrypted volumes as files of Python."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from . import _native
from ._native import VolumeReader
from .container_files import _check_source, _NotPickled, _SeekableSource

if TYPE_CHECKING:
    from ._native import Key, Path

_BUFFER_BYTES = 1 << 16


class VolumeFile(_NotPickled, io.BufferedReader):
    """A volume that is read: a seekable binary file over its plaintext. phalanx.open_volume returns it.

    Nothing authenticates what it returns. One thread at a time works in a call, as in all of Python's buffered files.
    """

    def __init__(self, path: Path, buffering: int = _BUFFER_BYTES, **settings: Any) -> None:
        self._source = _SeekableSource(VolumeReader(path, **settings), path)
        super().__init__(self._source, buffering)

    @property
    def mode(self) -> str:
        return "rb"

    @property
    def size(self) -> int:
        """The size of its plaintext in bytes."""
        return self._source.open_reader().size

    @property
    def format(self) -> str:
        """"LUKS1" or "LUKS2"."""
        return self._source.open_reader().format

    @property
    def uuid(self) -> str:
        """The volume's UUID, as text."""
        return self._source.open_reader().uuid

    @property
    def cipher(self) -> str:
        """dm-crypt's name of the cipher: "aes-xts-plain64"."""
        return self._source.open_reader().cipher

    @property
    def key_bytes(self) -> int:
        """The size of the volume key in bytes."""
        return self._source.open_reader().key_bytes

    @property
    def sector_bytes(self) -> int:
        """The size of a sector in bytes: 512 to 4096."""
        return self._source.open_reader().sector_bytes

    @property
    def key_slot(self) -> int:
        """The slot that the passphrase opened."""
        return self._source.open_reader().key_slot

    @property
    def note(self) -> str:
        """That one of the two headers of LUKS2 is damaged; empty where both are right."""
        return self._source.open_reader().note

    def __repr__(self) -> str:
        return f"<phalanx.VolumeFile {getattr(getattr(self, '_source', None), 'name', None)!r}>"


def open_volume(
    path: Path,
    *,
    passphrase: str | Key | None = None,
    key_file: Path | None = None,
    header: Path | None = None,
    start: int = 0,
    key_slot: int | None = None,
    buffering: int = -1,
    engine: str = "auto",
    threads: int = 0,
) -> VolumeFile:
    """Opens a volume of LUKS1 or LUKS2, read-only, as a seekable binary file over its plaintext.

    path is a file or a disk. Give passphrase, a str or bytes, or key_file. All bytes of a key file are the passphrase, its
    line end included, as for cryptsetup. header is a file that has the header alone. The volume begins behind `start` bytes
    of its file, as a partition of a disk does. key_slot is the only slot that is tried. buffering is the buffer's size in
    bytes. engine and threads are as for Cipher.

    To derive the key takes seconds, and up to 4 GiB of memory, as the header says. Nothing authenticates the data.
    docs/luks.md says what is read. The result has the volume's size, format, cipher, uuid, key_bytes, sector_bytes, key_slot
    and note.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "disk.luks")
    >>> count = path.write_bytes(b"no volume")
    >>> phalanx.open_volume(path, passphrase="secret")
    Traceback (most recent call last):
    ...
    phalanx.FormatError: ...disk.luks is no volume of LUKS 1 or 2: it does not begin with such a header

    Raises WrongKeyError where the passphrase opens no slot, FormatError for what is no volume, is damaged or is encrypted in
    a way that is not read here, TruncatedError, PolicyError where a slot asks for more than is allowed, UsageError, OSError.
    """
    settings: dict[str, Any] = {"passphrase": passphrase, "key_file": key_file, "header": header}
    del passphrase
    _native.hide_in(settings)
    _check_source(path)
    if header is not None:
        _check_source(header)
    return VolumeFile(
        path,
        _BUFFER_BYTES if buffering <= 0 else buffering,
        **settings,
        start=start,
        key_slot=key_slot,
        engine=engine,
        threads=threads,
    )
