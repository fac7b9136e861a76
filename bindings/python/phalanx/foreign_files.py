"""Reads files of old ciphertext, and migrates them to containers."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Unpack

from . import _native
from ._native import CmsFileReader, ForeignFileReader, ForeignFormat, Migrated, OpenPgpFileReader
from .container_files import _check_source, _check_target
from .progress import Progress, reporting

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._native import MessageKeys, Migrating, OpenPgpSecrets, OpensslSettings, Path

_READ_ALL_BYTES = 1 << 23  # of a file that is read whole


class _PlaintextSource(io.RawIOBase):
    def __init__(self, path: Path, reader: ForeignFileReader | CmsFileReader | OpenPgpFileReader) -> None:
        self._reader: ForeignFileReader | CmsFileReader | OpenPgpFileReader | None = reader
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
    """Opens a file of bare ciphertext, and returns its plaintext as a binary file that is read from its beginning to its
    end.

    Nothing authenticates it: under a wrong key the plaintext is garbage, and only the padding, at the very end, may show it.
    After a read that raised, each later read raises the same again. If the file grows meanwhile, the new bytes are read too.
    If it becomes shorter, or changes without growing, it raises MachineError at its end.

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
    return io.BufferedReader(_PlaintextSource(path, ForeignFileReader(path, old, engine, threads)), 1 << 20)


def openssl_open(
    path: Path,
    *,
    cipher: str = "aes-256-cbc",
    engine: str = "auto",
    threads: int = 0,
    **settings: Unpack[OpensslSettings],
) -> io.BufferedReader:
    """Opens a file of `openssl enc`, and returns its plaintext as a binary file that is read from beginning to end.

    passphrase, digest, pbkdf2, iterations, salted, salt_bytes, salt and base64 are as for ForeignFormat: they are -md,
    -pbkdf2, -iter, -salt, -saltlen, -S of OpenSSL 3 and -a. digest "auto" finds it by the padding. cipher is OpenSSL's name or ours. foreign_open says what it promises and
    raises.

    >>> import pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "old.enc")  # of `openssl enc -des3 -md md5 -pass pass:secret`
    >>> count = path.write_bytes(bytes.fromhex("53616c7465645f5f7ba0fb1d96df09807df08c0cd5c834b4f88134ddf596b27c"))
    >>> with phalanx.openssl_open(path, passphrase="secret", cipher="des3", digest="md5") as file:
    ...     file.read()
    b'in lockstep'
    """
    _native.hide_in(settings)
    return foreign_open(path, ForeignFormat(cipher, **settings), engine=engine, threads=threads)


def cms_open(path: Path, **keys: Unpack[MessageKeys]) -> io.BufferedReader:
    """Opens an encrypted message of CMS or S/MIME (DER, PEM or a mail), and returns its content as a binary file that is read
    from its beginning to its end.

    Give one of private_key (the content of a file in PEM, DER or PKCS #12, with private_key_passphrase where it has one), key
    (which wraps the content's) and passphrase. certificate, the content of a file, tells which recipient the private key is;
    without it all that it may be are tried. engine and threads are as for Cipher.

    A content in GCM is given once its tag was verified. Nothing authenticates one in CBC. What is signed within stays so.
    After a read that raised, each later read raises the same again.

    >>> import base64, pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "message")  # of `openssl cms -EncryptedData_encrypt -aes128`
    >>> count = path.write_bytes(base64.b64decode("MFAGCSqGSIb3DQEHBqBDMEECAQAwPAYJKoZIhvcNAQcBMB0GCWCGSAFlAwQBAgQQ/El/5jSzxarCQeHVtHiy7IAQ8y"
    ...     "47Hur3hikGeP+XYNk9ag=="))
    >>> with phalanx.cms_open(path, key=bytes(range(16))) as file:
    ...     file.read()
    b'in lockstep'

    Raises WrongKeyError for all that fails under a key, FormatError, TruncatedError, UsageError, OSError.
    """
    _native.hide_in(keys)
    _check_source(path)
    return io.BufferedReader(_PlaintextSource(path, CmsFileReader(path, **keys)), 1 << 20)


def openpgp_open(path: Path, **secrets: Unpack[OpenPgpSecrets]) -> io.BufferedReader:
    """Opens an encrypted message of OpenPGP, binary or armored, and returns its content as a binary file that is read from its
    beginning to its end: what `gpg -d` writes.

    Give passphrase, or session_key: what `gpg --show-session-key -d` prints, such as "9:0123...". engine and threads are as
    for Cipher. A message of old PGP without a modification detection code needs allow_unauthenticated=True, since nothing
    shows whether it was changed.

    Nothing is given that was not authenticated; a message with a modification detection code is read twice for that. Nobody
    checks signatures. After a read that raised, each later read raises the same again.

    >>> import base64, pathlib, tempfile, phalanx
    >>> path = pathlib.Path(tempfile.mkdtemp(), "message")  # of `gpg -c`
    >>> count = path.write_bytes(base64.b64decode(
    ...     "jA0ECQMCl+5uvCV7zqP/0jwBLddXYiarcok9TU9swgnvmQknzKSWJ+4JO5vpMpdpV8S4d8SwDHd2kwiZ8pPcwUTqmqNeV41KNcardE8="))
    >>> with phalanx.openpgp_open(path, passphrase="secret") as file:
    ...     file.read()
    b'in lockstep'

    Raises WrongKeyError for all that fails under a secret, FormatError, TruncatedError, PolicyError, UsageError, OSError.
    """
    _native.hide_in(secrets)
    _check_source(path)
    return io.BufferedReader(_PlaintextSource(path, OpenPgpFileReader(path, **secrets)), 1 << 20)


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
    replaces a file of its name. sha256=True returns the plaintext's digest too, which takes longer. key, passphrase,
    key_file, passphrase_file, recipient, recipient_file, suite, scrypt_log_n and binding are those of seal. engine and
    threads are as for Cipher. progress is a function that is called with the number of bytes just read (src's, and then the
    container's as it is read back), from any thread. Or it is True for a bar of tqdm, where that is installed.

    >>> import pathlib, tempfile, phalanx
    >>> path, key = pathlib.Path(tempfile.mkdtemp(), "old"), bytes(range(24))
    >>> old = phalanx.Cipher("des-ede3-cbc", key, allow_legacy=True)
    >>> count = path.write_bytes(bytes(8) + old.encrypt(b"in lockstep", iv=bytes(8), padding="pkcs7"))
    >>> old, new = phalanx.ForeignFormat("des-ede3-cbc", key=key, begins_with_iv=True), path.with_suffix(".phalanx")
    >>> phalanx.migrate(path, new, old, key=bytes(32)).source_bytes
    24
    >>> phalanx.verify(new, key=bytes(32)).plain_bytes
    11

    Raises what foreign_open raises, and UsageError where dst exists. `doubt` of the result says why the old key may be
    wrong.
    """
    _native.hide_in(settings)
    _check_source(src)
    _check_target(dst, replace=True)  # where it exists, that is an error of usage
    with reporting(progress, src, 2 if settings.get("verify", True) else 1) as on_progress:
        return _native.migrate(src, dst, old, on_progress=on_progress, **settings)
