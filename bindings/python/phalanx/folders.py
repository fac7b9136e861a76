"""Folders of old ciphertext, moved into folders of containers."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from . import _native
from ._native import ForeignFormat, TreeFileMigration, TreeMigrationCounts, UsageError
from .progress import Progress

if TYPE_CHECKING:
    from ._native import MigratingTree, Path


def _refuse_secrets_below(folder: Path, settings: Any) -> None:
    """A container could get the name of the file that a secret comes from."""
    below = os.path.join(os.path.realpath(os.fsdecode(folder)), "")
    for given in (settings.get("key_file"), settings.get("passphrase_file")):
        paths = [] if given is None else [given] if isinstance(given, str | bytes | os.PathLike) else given
        for path in paths:
            if os.path.realpath(os.fsdecode(path)).startswith(below):
                raise UsageError(f"{os.fsdecode(path)} lies in the folder of the containers: move it elsewhere")


def migrate_tree(
    src: Path,
    dst: Path,
    manifest: Path,
    old: Sequence[ForeignFormat],
    *,
    on_file: Callable[[TreeFileMigration], object] | None = None,
    progress: Progress = None,
    **settings: Unpack[MigratingTree],
) -> TreeMigrationCounts:
    """Migrates every old file below the folder src to a container below the folder dst, with .phalanx behind its name.

    old lists how they may have been written, each way once: where there are several, what opens each file is found, and
    find_wrapping=True finds base64 and salts too. What becomes of a file is kept in the file manifest, and told to on_file;
    the same call again goes on where one was stopped or killed, as `phalanx migrate --manifest` does. delete_source=True
    removes an old file once its container is read back and durable, unless its key is in doubt (delete_doubtful: those too).
    keep_going tries all files though most cannot be opened; jobs is how many at once. preserve=False gives containers none
    of the old times, permissions and attributes. progress is a function; the others are as for migrate.

    >>> import pathlib, tempfile, phalanx
    >>> folder, key = pathlib.Path(tempfile.mkdtemp()), bytes(range(24))
    >>> (folder / "old").mkdir()
    >>> old = phalanx.Cipher("des-ede3-cbc", key, allow_legacy=True)
    >>> data = old.encrypt(b"in lockstep, line by line\\n" * 9, iv=bytes(8), padding="pkcs7")
    >>> count = (folder / "old" / "letter").write_bytes(bytes(8) + data)
    >>> format = phalanx.ForeignFormat("des-ede3-cbc", key=key, begins_with_iv=True)
    >>> phalanx.migrate_tree(folder / "old", folder / "new", folder / "manifest", [format], key=bytes(32)).done
    1
    >>> phalanx.verify(folder / "new" / "letter.phalanx", key=bytes(32)).plain_bytes
    234

    A file that fails does not end the call: it is counted and told. Raises UsageError where the folders and the manifest do
    not fit each other, or another call is at work on them; OSError; and what on_file and progress raise.
    """
    _native.hide_in(settings)
    if isinstance(old, ForeignFormat):
        raise UsageError("migrate_tree takes a list of formats, and this is one: put it into a list")
    _refuse_secrets_below(dst, settings)
    on_progress = progress if callable(progress) else None
    return _native.migrate_tree(src, dst, manifest, tuple(old), on_file=on_file, on_progress=on_progress, **settings)
