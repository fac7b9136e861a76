"""Migrates folders of old ciphertext to folders of containers, and checks them before and after."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Unpack

from . import _native
from ._native import (
    ForeignFormat,
    TreeFileFinding,
    TreeFileMigration,
    TreeFindingCounts,
    TreeMigrationCounts,
    UsageError,
)
from .progress import Progress

if TYPE_CHECKING:
    from ._native import MigratingTree, Opening, Path


def _refuse_secrets_below(folder: Path, settings: Any) -> None:
    """Refuses secrets from a file below the folder: a container could get that file's name."""
    below = os.path.join(os.path.realpath(os.fsdecode(folder)), "")
    for name in ("key_file", "passphrase_file", "recipient_file", "identity_file"):
        given = settings.get(name)
        paths = [] if given is None else [given] if isinstance(given, str | bytes | os.PathLike) else given
        for path in paths:
            if os.path.realpath(os.fsdecode(path)).startswith(below):
                raise UsageError(f"{os.fsdecode(path)} lies in the folder of the containers: move it elsewhere")


def _formats(old: Sequence[ForeignFormat]) -> tuple[ForeignFormat, ...]:
    if isinstance(old, ForeignFormat):
        raise UsageError("folders take a list of formats, and this is one: put it into a list")
    return tuple(old)


def _suffixes(strip_suffixes: Sequence[str]) -> list[str]:
    if isinstance(strip_suffixes, str):
        raise UsageError("strip_suffixes is a list, and this is one suffix: put it into a list")
    return list(strip_suffixes)


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

    old lists how they may have been written, each way once: if there are several, the call finds the one that opens each
    file. find_wrapping=True finds base64 and salts too. The result of a file is kept in the file manifest, and told to
    on_file. The same call again goes on where one was stopped or killed, as `phalanx migrate --manifest` does.

    delete_source=True removes an old file once its container is read back and durable, unless its key is in doubt
    (delete_doubtful: those too) or the container lies in memory (delete_volatile: those too). A container of an earlier call
    must open with what is given, so that old files are kept where that is a public key.

    keep_going tries all files though most cannot be opened; jobs is how many at once. strip_suffixes=[".des3"] makes
    NAME.phalanx of NAME.des3; files whose containers would have one name fail. preserve=False gives containers none of the
    old times, permissions and attributes. bind_names=True binds each to its path below dst. index is a TreeIndex, to which
    the call appends the containers of dst. progress is a function; the others are as for migrate.

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
    formats = _formats(old)
    _refuse_secrets_below(dst, settings)
    settings["strip_suffixes"] = _suffixes(settings.get("strip_suffixes", ()))
    on_progress = progress if callable(progress) else None
    return _native.migrate_tree(src, dst, manifest, formats, on_file=on_file, on_progress=on_progress, **settings)


def preview_tree(
    src: Path,
    dst: Path,
    manifest: Path,
    old: Sequence[ForeignFormat],
    *,
    find_wrapping: bool = False,
    jobs: int = 0,
    strip_suffixes: Sequence[str] = (),
    on_file: Callable[[TreeFileFinding], object] | None = None,
    engine: str = "auto",
    threads: int = 0,
) -> TreeFindingCounts:
    """Tells on_file what migrate_tree with these formats would do with each file below src, and counts.

    Reads the beginning and the end of each file, or all of a file up to 1 MiB, and writes nothing. Neither dst nor manifest
    need be there, and no new key is needed. find_wrapping, jobs and strip_suffixes are those of migrate_tree.

    >>> import pathlib, tempfile, phalanx
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "old").mkdir()
    >>> count = (folder / "old" / "note").write_bytes(b"a note that anybody can read, and no ciphertext")
    >>> old = phalanx.ForeignFormat("des-ede3-cbc", key=bytes(range(24)), begins_with_iv=True)
    >>> phalanx.preview_tree(folder / "old", folder / "new", folder / "manifest", [old]).failing
    1

    Raises what migrate_tree raises.
    """
    return _native.preview_tree(
        src,
        dst,
        manifest,
        _formats(old),
        find_wrapping=find_wrapping,
        jobs=jobs,
        strip_suffixes=_suffixes(strip_suffixes),
        on_file=on_file,
        engine=engine,
        threads=threads,
    )


def verify_tree(
    src: Path,
    dst: Path,
    manifest: Path,
    old: Sequence[ForeignFormat],
    *,
    find_wrapping: bool = False,
    jobs: int = 0,
    on_file: Callable[[TreeFileFinding], object] | None = None,
    progress: Progress = None,
    suite: str = "aes-256",
    **settings: Unpack[Opening],
) -> TreeFindingCounts:
    """Reads every container that the manifest says is done, and compares it with the old file where that is still there.

    An old file that none of the formats opens is not compared: the counts and on_file say so. The list may be empty.
    Writes nothing. Every key and passphrase must open each container; keys have the length of the suite's. on_file is told
    of each; progress is a function. find_wrapping and jobs are those of migrate_tree, which has an example of a folder.

    Raises UsageError where there is no such manifest, or it lists no file that is done, and what migrate_tree raises.
    """
    _native.hide_in(settings)
    return _native.verify_tree(
        src,
        dst,
        manifest,
        _formats(old),
        find_wrapping=find_wrapping,
        jobs=jobs,
        on_file=on_file,
        on_progress=progress if callable(progress) else None,
        suite=suite,
        **settings,
    )
