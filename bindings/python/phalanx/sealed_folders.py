"""Seals folders of files as folders of containers, night after night, and unseals them."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Unpack

from . import _native
from ._native import (
    IndexedFile,
    SealTreeCounts,
    TreeFileResult,
    TreeIndex,
    TreeIndexCounts,
    UnsealTreeCounts,
)
from .folders import _refuse_secrets_below
from .progress import Progress

if TYPE_CHECKING:
    from ._native import Opening, Path, SealingTree, UnsealingTree


def seal_tree(
    src: Path,
    dst: Path,
    *,
    on_file: Callable[[TreeFileResult], object] | None = None,
    progress: Progress = None,
    **settings: Unpack[SealingTree],
) -> SealTreeCounts:
    """Seals every file below the folder src as a container below the folder dst, with .phalanx behind its name.

    The same call again goes on where one was stopped or killed, as `phalanx encrypt --each SRC --to-tree DST` does. A file
    that has a container is skipped. update="time" seals anew a file whose size or time differs from its container's, and
    update="content" one whose container opens to other content. If earlier calls sealed for other recipients, why_other_wish
    of the result says so. update_recipients=True changes that, by headers alone where the secrets given open them.

    prune=True removes containers that such calls made and whose files are gone, where the rest of the folder shows that no
    disk is missing. A container that it keeps is told once, as "kept". prune_also removes those too: "emptied",
    "unrecorded", "mount:NAME". renew_tree=True takes src for the folder of before, restored or moved. expect_tree=True
    raises where dst has no record of earlier calls. dry_run=True writes nothing, and tells what a call would do.

    replace=True replaces any file that has a container's name. Containers get mode and time of their files, unless
    keep=False. A file that fails does not end the call: it is counted, and told to on_file. bind_names=True binds each to
    its path below src. index is a TreeIndex, to which the call appends the containers of dst. progress is a function; the
    others are as for seal_file.

    >>> import pathlib, tempfile, phalanx
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "photos").mkdir()
    >>> count = (folder / "photos" / "a.jpg").write_bytes(b"in lockstep")
    >>> phalanx.seal_tree(folder / "photos", folder / "backup", update="time", key=bytes(32)).sealed
    1
    >>> phalanx.seal_tree(folder / "photos", folder / "backup", update="time", key=bytes(32)).unchanged
    1

    Raises UsageError where the folders or the settings do not fit each other; OSError; and what on_file and progress raise.
    """
    _native.hide_in(settings)
    _refuse_secrets_below(dst, settings)
    on_progress = progress if callable(progress) else None
    return _native.seal_tree(src, dst, on_file=on_file, on_progress=on_progress, **settings)


def unseal_tree(
    src: Path,
    dst: Path,
    *,
    on_file: Callable[[TreeFileResult], object] | None = None,
    progress: Progress = None,
    **settings: Unpack[UnsealingTree],
) -> UnsealTreeCounts:
    """Opens every container NAME.phalanx below the folder src, and writes its plaintext below the folder dst as NAME.

    Files get mode and time of their containers, unless keep=False. A file that is there already, with the length and the
    time that it would get, is compared with the plaintext, and skipped if it is the same. update="time" leaves such a file
    without a comparison, and believes its length and time; update="content" leaves one that holds the plaintext, whatever
    its time. Another file there fails, unless replace=True. on_file and progress are those of seal_tree, the others those of
    open.

    >>> import pathlib, tempfile, phalanx
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> (folder / "backup").mkdir()
    >>> count = (folder / "backup" / "a.jpg.phalanx").write_bytes(phalanx.seal(b"in lockstep", key=bytes(32)))
    >>> phalanx.unseal_tree(folder / "backup", folder / "again", key=bytes(32)).opened
    1
    >>> (folder / "again" / "a.jpg").read_bytes()
    b'in lockstep'

    Raises what seal_tree raises.
    """
    _native.hide_in(settings)
    _refuse_secrets_below(dst, settings)
    on_progress = progress if callable(progress) else None
    return _native.unseal_tree(src, dst, on_file=on_file, on_progress=on_progress, **settings)


def verify_tree_index(
    folder: Path,
    index: TreeIndex,
    *,
    on_file: Callable[[IndexedFile], object] | None = None,
    progress: Progress = None,
    **settings: Unpack[Opening],
) -> TreeIndexCounts:
    """Compares every container below the folder, and every name in the index, with what the index says; writes nothing.

    on_file is told of each name but those that are right. If a key, a passphrase or an identity is given, each container is
    opened and authenticated to its end. If the index has a digest of its body, the call compares it. Names that were
    swapped, renamed, removed, put back or changed are counted in `wrong`. The caller compares whether names were added.
    progress is a function; the others are those of open. TreeIndex has an example.

    Raises AuthenticationError where the index is not authentic, or is older than its at_least; WrongKeyError for another key
    of it; FormatError where it is no index; UsageError; OSError; and what on_file and progress raise.
    """
    _native.hide_in(settings)
    on_progress = progress if callable(progress) else None
    return _native.verify_tree_index(folder, index, on_file=on_file, on_progress=on_progress, **settings)
