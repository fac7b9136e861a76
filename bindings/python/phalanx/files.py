"""Whole files, as the program takes them: sealed and unsealed, their recipients, their formats, and files in place."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Unpack

from . import _native
from ._native import (
    ChangedRecipients,
    CryptedInPlace,
    FileVerification,
    InspectedFile,
    ListedRecipient,
    SealedFile,
    UnsealedFile,
    UsageError,
)
from .argument_names import IN_PLACE, check_names
from .container_files import _check_source, _check_target
from .progress import Progress, reporting

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._native import InPlace, Key, KeyFile, Keys, Opening, Passphrase, Path, PublicKeys, Sealing


def seal_file(
    src: Path,
    dst: Path,
    *,
    verify: bool = False,
    replace: bool = False,
    resume: bool = False,
    changing_input: bool = False,
    keep: bool = True,
    progress: Progress = None,
    **settings: Unpack[Sealing],
) -> SealedFile:
    """Seals the file src as the container dst, as `phalanx encrypt` does.

    dst appears once it is complete and on the disk, and with verify=True also read back. A file of its name is replaced with
    replace=True only. resume=True goes on with the file of a killed run, and keeps it if this one fails. changing_input=True
    takes a src that becomes shorter, or is changed without growing. A new dst gets src's mode, less the umask and never
    wider, and any dst its time. With keep=False it gets neither. key, passphrase, key_file, passphrase_file, recipient,
    recipient_file, suite, scrypt_log_n and binding are those of seal. progress is that of migrate.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "letters")
    >>> count = path.write_bytes(b"abc" * 1000)
    >>> phalanx.seal_file(path, path.with_suffix(".phalanx"), key=bytes(32)).plain_bytes
    3000

    Raises WrongKeyError where it resumes a file that other secrets sealed, AuthenticationError, UsageError, OSError.
    """
    _native.hide_in(settings)
    _check_source(src)
    _check_target(dst, replace=True)  # where it exists, that is an error of usage
    with reporting(progress, src, 2 if verify else 1) as on_progress:
        return _native.seal_file(
            src,
            dst,
            verify=verify,
            replace=replace,
            resume=resume,
            changing_input=changing_input,
            keep=keep,
            on_progress=on_progress,
            **settings,
        )


def unseal_file(
    src: Path,
    dst: Path,
    *,
    replace: bool = False,
    resume: bool = False,
    offset: int = 0,
    size: int | None = None,
    keep: bool = True,
    progress: Progress = None,
    **settings: Unpack[Opening],
) -> UnsealedFile:
    """Writes the plaintext of the container src to dst, as `phalanx decrypt` does: every byte of it is authentic.

    offset and size choose a part, which must end with the plaintext or before. For a part little else is read, and it does
    not get src's time. replace, resume and keep
    are those of seal_file. progress is that of migrate.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "letters.phalanx")
    >>> count = path.write_bytes(phalanx.seal(b"in lockstep", key=bytes(32)))
    >>> phalanx.unseal_file(path, path.with_suffix(""), offset=3, key=bytes(32)).written_bytes
    8

    Raises UsageError for a part that ends behind the plaintext, and what open raises.
    """
    _native.hide_in(settings)
    _check_source(src)
    _check_target(dst, replace=True)
    with reporting(progress, src) as on_progress:
        return _native.unseal_file(
            src,
            dst,
            replace=replace,
            resume=resume,
            offset=offset,
            size=size,
            keep=keep,
            on_progress=on_progress,
            **settings,
        )


def change_recipients(
    path: Path,
    *,
    add_key: Keys | None = None,
    add_passphrase: Passphrase | None = None,
    add_key_file: KeyFile | None = None,
    add_passphrase_file: KeyFile | None = None,
    add_recipient: PublicKeys | None = None,
    add_recipient_file: KeyFile | None = None,
    remove: Sequence[int] = (),
    scrypt_log_n: int = 17,
    progress: Progress = None,
    **settings: Unpack[Opening],
) -> ChangedRecipients:
    """Adds and removes recipients of the container at path. Its data are not sealed anew, and nothing is lost by a kill.

    remove has numbers from 1, in the order of list_recipients; recipients_opened_by finds them. The arguments that begin
    with add_ are as for seal, and those that open it now are as for open. If as many of a kind are added as removed, the
    header changes in its place. A removed recipient who has seen the file may have kept its data key: seal it anew to shut
    him out.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "letters.phalanx")
    >>> count = path.write_bytes(phalanx.seal(b"in lockstep", key=bytes(32)))
    >>> phalanx.change_recipients(path, key=bytes(32), add_key=bytes(31) + b"2", remove=[1]).num_recipients
    1

    Raises what open raises, and UsageError where nobody could open it any more or nothing is to be changed.
    """
    added: dict[str, Any] = {"key": add_key, "passphrase": add_passphrase}
    add_key = add_passphrase = None
    _native.hide_in(added)
    _native.hide_in(settings)
    _check_source(path)
    with reporting(progress, path) as on_progress:
        return _native.change_recipients(
            path,
            add_key=added["key"],
            add_passphrase=added["passphrase"],
            add_key_file=add_key_file,
            add_passphrase_file=add_passphrase_file,
            add_recipient=add_recipient,
            add_recipient_file=add_recipient_file,
            remove=remove,
            scrypt_log_n=scrypt_log_n,
            on_progress=on_progress,
            **settings,
        )


def list_recipients(path: Path) -> list[ListedRecipient]:
    """Lists who can open the container at path, in the order of their numbers, from 1. Needs no key; none of it is
    authentic.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "letters.phalanx")
    >>> count = path.write_bytes(phalanx.seal(b"in lockstep", key=bytes(32)))
    >>> phalanx.list_recipients(path)
    [ListedRecipient('key')]

    Raises FormatError for a file that is no container, TruncatedError, OSError.
    """
    _check_source(path)
    return _native.list_recipients(path)


def recipients_opened_by(path: Path, **settings: Unpack[Opening]) -> list[int]:
    """Returns the numbers, from 1, of the recipients of the container at path that the keys, passphrases and identities are.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "letters.phalanx")
    >>> count = path.write_bytes(phalanx.seal(b"in lockstep", key=[bytes(32), bytes(31) + b"2"]))
    >>> phalanx.recipients_opened_by(path, key=bytes(31) + b"2")
    [2]

    Raises what list_recipients raises, and UsageError for a key of another length than the container's.
    """
    _native.hide_in(settings)
    _check_source(path)
    return _native.recipients_opened_by(path, **settings)


def inspect(path: Path) -> InspectedFile:
    """Says what the file at path is, without a key, and whose program opens it: a container, a file of `openssl enc`, of age,
    OpenPGP, zip and many more, or unknown. Nothing is opened.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "letters.phalanx")
    >>> count = path.write_bytes(phalanx.seal(b"in lockstep", key=bytes(32)))
    >>> found = phalanx.inspect(path)
    >>> found.format, found.suite, found.plain_bytes
    ('container', 'aes-256', 11)
    >>> count = path.write_bytes(b"age-encryption.org/v1")
    >>> found = phalanx.inspect(path)
    >>> found.kind, found.protection, found.opened_by
    ('age', 'encrypted', 'age -d -i IDENTITY FILE')

    Raises TruncatedError for an empty file, FormatError for a container of a later version, OSError.
    """
    _check_source(path)
    return _native.inspect(path)


def verify_many(
    paths: Sequence[Path],
    *,
    sha256: bool = False,
    from_disk: bool = False,
    progress: Progress = None,
    **settings: Unpack[Opening],
) -> list[FileVerification]:
    """Verifies every container among these files, and below these folders, and returns the result of each file.

    Other files in a folder are skipped, unless they are called NAME.phalanx. A file that fails does not end the call.
    sha256=True adds the digest of each plaintext. from_disk=True syncs each container, and reads it from its disk instead of
    the system's memory; where that fails, the container fails. The others are as for verify; progress is a function.

    >>> import pathlib, tempfile, phalanx
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> count = (folder / "a.phalanx").write_bytes(phalanx.seal(b"in lockstep", key=bytes(32)))
    >>> count = (folder / "b.phalanx").write_bytes(b"none")
    >>> [file.authentic for file in phalanx.verify_many([folder], key=bytes(32))]
    [True, False]

    Raises UsageError where no key is given, and what progress raises.
    """
    _native.hide_in(settings)
    if isinstance(paths, str | bytes | os.PathLike):
        raise UsageError("verify_many takes a list of paths, and this is one: put it into a list")
    return _native.verify_many(
        paths, sha256=sha256, from_disk=from_disk, on_progress=progress if callable(progress) else None, **settings
    )


def _crypt_in_place(
    encrypts: bool, path: Path, cipher: str, held: dict[str, Any], progress: Progress, **settings: Any
) -> CryptedInPlace:
    """Crypts a file in place. held has the key, so that no traceback shows it."""
    _native.hide_in(held)
    _check_source(path)
    with reporting(progress, path) as on_progress:
        return _native.crypt_in_place(encrypts, path, cipher, held["key"], on_progress=on_progress, **settings)


def encrypt_in_place(
    path: Path,
    cipher: str,
    key: Key,
    iv: Buffer | None = None,
    *,
    progress: Progress = None,
    allow_legacy: bool = False,
    **settings: Unpack[InPlace],
) -> CryptedInPlace:
    """Overwrites the file at path with its own encryption, of the same length and not authenticated.

    A journal lies beside it meanwhile: after a kill the same call goes on, or `phalanx raw encrypt --in-place`. Once it has
    returned, the same call would encrypt the file a second time. cipher is in any mode but GCM; ECB and CBC take whole
    blocks. sector_bytes, first_tweak and tweak_step are for volumes in XTS. any_device=True goes on though the disk has
    another number since a restart. allow_unmarked=True goes on where the file has no room for an extended attribute.
    allow_legacy, engine and threads are as for Cipher. progress is that of migrate.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "letters")
    >>> count = path.write_bytes(b"in lockstep")
    >>> phalanx.encrypt_in_place(path, "aes-256-ctr", bytes(32), bytes(16)).file_bytes
    11
    >>> done = phalanx.decrypt_in_place(path, "aes-256-ctr", bytes(32), bytes(16))
    >>> path.read_bytes()
    b'in lockstep'

    Raises UsageError where the file cannot be crypted so, FormatError where it, or its journal, is not as the stopped run
    left it, WrongKeyError, PolicyError, OSError.
    """
    held: dict[str, Any] = {"key": key}
    del key
    check_names("encrypt_in_place", settings, ("iv", "progress", "allow_legacy", *IN_PLACE))
    return _crypt_in_place(True, path, cipher, held, progress, iv=iv, allow_legacy=allow_legacy, **settings)


def decrypt_in_place(
    path: Path, cipher: str, key: Key, iv: Buffer | None = None, *, progress: Progress = None, **settings: Unpack[InPlace]
) -> CryptedInPlace:
    """Overwrites the file at path with its own decryption, and does all else as encrypt_in_place does."""
    held: dict[str, Any] = {"key": key}
    del key
    check_names("decrypt_in_place", settings, ("iv", "progress", *IN_PLACE))
    return _crypt_in_place(False, path, cipher, held, progress, iv=iv, **settings)
