"""Parquet Modular Encryption: encrypted Parquet files made plain, and plain ones encrypted. docs/parquet.md is the guide."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from . import _native
from ._native import BufferTypeError, DecryptedParquet, EncryptedParquet, KmsKeys, ParquetKey
from .devices import DeviceBytes, Stream, locate, new_bytes, stream_for

if TYPE_CHECKING:
    from typing_extensions import Buffer

    from ._native import Key, Path

    KeyFinder: TypeAlias = Callable[[str | None, bytes], Key]

__all__ = [
    "DecryptedParquet",
    "EncryptedParquet",
    "KmsKeys",
    "ParquetKey",
    "decrypt",
    "decrypt_file",
    "decrypt_into_array",
    "decrypt_to_array",
    "encrypt",
    "encrypt_file",
    "new_kms_key",
]


def decrypt_file(
    src: Path,
    dst: Path,
    keys: KeyFinder,
    *,
    aad_prefix: Buffer | None = None,
    replace: bool = False,
    require_gcm: bool = False,
    engine: str = "auto",
    threads: int = 0,
) -> DecryptedParquet:
    """Makes the plain Parquet file dst of the encrypted one src.

    keys(column, key_metadata) returns a key of 16, 24 or 32 bytes. column is None for the footer's, else the path of a
    column that has its own. KmsKeys makes such a function. The file must be bound to aad_prefix. dst appears once every
    module is decrypted and, except for pages by CTR, authentic; `verified` of the result says whether all pages were.
    require_gcm=True refuses a file that says that its pages are by CTR. If the footer is encrypted, nothing authenticates
    that statement. So somebody who can write to a file by GCM can make it pass for one by CTR.

    Raises PolicyError for a file by CTR where GCM is required, WrongKeyError where nothing opens under a key,
    AuthenticationError for a module that was changed or has another's place, FormatError or TruncatedError for a file that
    is no Parquet file, UsageError, OSError, and what keys raises.
    """
    return _native.decrypt_parquet_file(
        src, dst, keys, aad_prefix=aad_prefix, replace=replace, require_gcm=require_gcm, engine=engine, threads=threads
    )


def decrypt(
    data: Buffer,
    keys: KeyFinder,
    *,
    aad_prefix: Buffer | None = None,
    require_gcm: bool = False,
    engine: str = "auto",
    threads: int = 0,
) -> tuple[bytes, DecryptedParquet]:
    """Returns the plain Parquet file of an encrypted one in memory, as decrypt_file makes it, and the result of
    decrypt_file."""
    return _native.decrypt_parquet(
        data, keys, aad_prefix=aad_prefix, require_gcm=require_gcm, engine=engine, threads=threads
    )


def _host_bytes(data: Any) -> Any:
    """Returns a buffer of the host. PyTorch's tensors in the host's memory are none, page-locked ones neither."""
    if not hasattr(data, "__dlpack__"):
        return data
    try:
        return memoryview(data)
    except TypeError:
        place = locate(data, "data", Stream(0, ""))
    if isinstance(place, DeviceBytes):
        raise BufferTypeError("data is in a GPU's memory: give the encrypted file in the host's")
    return memoryview(place)


def decrypt_into_array(
    data: Buffer | Any,
    array: Any,
    keys: KeyFinder,
    *,
    aad_prefix: Buffer | None = None,
    require_gcm: bool = False,
    engine: str = "cuda",
    threads: int = 0,
    stream: Any = None,
) -> DecryptedParquet:
    """Decrypts an encrypted Parquet file in the host's memory, as decrypt does, into an array of a GPU.

    The array is of PyTorch, CuPy or another library, with at least as many bytes as data. Its first bytes, plain_bytes of
    the result, are the file. Pages cross the link as they are encrypted. data in page-locked memory is copied from there: a
    CPU tensor of PyTorch with pin_memory, or a buffer. The work goes behind the work on the stream, the library's current
    one unless another is given, and is done when this returns. It raises as decrypt_file does; the array then holds zeros,
    or its old bytes.
    """
    ours = stream_for(array, stream)
    place = locate(array, "array", ours, writable=True)
    if not isinstance(place, DeviceBytes):
        raise BufferTypeError("array is in the host's memory: decrypt gives bytes there")
    return _native.decrypt_parquet_to_device(
        _host_bytes(data),
        place.pointer,
        place.num_bytes,
        keys,
        aad_prefix=aad_prefix,
        require_gcm=require_gcm,
        engine=engine,
        threads=threads,
        stream=ours.number,
    )


def decrypt_to_array(
    data: Buffer | Any,
    like: Any,
    keys: KeyFinder,
    *,
    aad_prefix: Buffer | None = None,
    require_gcm: bool = False,
    engine: str = "cuda",
    threads: int = 0,
    stream: Any = None,
) -> tuple[Any, DecryptedParquet]:
    """Decrypts as decrypt_into_array does, into a new array of bytes, of the library and on the GPU of the array like:
    CuPy or PyTorch."""
    ours = stream_for(like, stream)
    place = locate(like, "like", ours)
    if not isinstance(place, DeviceBytes):
        raise BufferTypeError("like is in the host's memory: give an array of a GPU")
    host = _host_bytes(data)
    array = new_bytes(like, memoryview(host).nbytes, place)
    found = decrypt_into_array(
        host,
        array,
        keys,
        aad_prefix=aad_prefix,
        require_gcm=require_gcm,
        engine=engine,
        threads=threads,
        stream=ours.number,
    )
    return array[: found.plain_bytes], found


def encrypt_file(
    src: Path,
    dst: Path,
    footer_key: ParquetKey,
    *,
    column_keys: Mapping[str, ParquetKey] | None = None,
    plain_columns: Sequence[str] = (),
    algorithm: str = "AES_GCM_V1",
    plaintext_footer: bool = False,
    aad_prefix: Buffer = b"",
    store_aad_prefix: bool = True,
    replace: bool = False,
    engine: str = "auto",
    threads: int = 0,
) -> EncryptedParquet:
    """Encrypts the plain Parquet file src as dst, for any reader of Parquet Modular Encryption.

    Columns are named by their paths, "a.list.element". Those in column_keys get keys of their own, those in plain_columns
    none, and all others the footer's. plaintext_footer=True signs the footer and leaves it readable. aad_prefix binds the
    file to what a reader expects; store_aad_prefix=False leaves it out of the file.

    Raises UsageError for a path that is of no column, equal keys, and a file that is encrypted already; PolicyError where a
    key has sealed 2^32 modules; FormatError or TruncatedError for a file that is no Parquet file; OSError.
    """
    return _native.encrypt_parquet_file(
        src,
        dst,
        footer_key,
        column_keys=dict(column_keys or {}),
        plain_columns=tuple(plain_columns),
        algorithm=algorithm,
        plaintext_footer=plaintext_footer,
        aad_prefix=aad_prefix,
        store_aad_prefix=store_aad_prefix,
        replace=replace,
        engine=engine,
        threads=threads,
    )


def encrypt(
    data: Buffer,
    footer_key: ParquetKey,
    *,
    column_keys: Mapping[str, ParquetKey] | None = None,
    plain_columns: Sequence[str] = (),
    algorithm: str = "AES_GCM_V1",
    plaintext_footer: bool = False,
    aad_prefix: Buffer = b"",
    store_aad_prefix: bool = True,
    engine: str = "auto",
    threads: int = 0,
) -> tuple[bytes, EncryptedParquet]:
    """Returns the encrypted file of a plain Parquet file in memory, as encrypt_file makes it, and the result of
    encrypt_file."""
    return _native.encrypt_parquet(
        data,
        footer_key,
        column_keys=dict(column_keys or {}),
        plain_columns=tuple(plain_columns),
        algorithm=algorithm,
        plaintext_footer=plaintext_footer,
        aad_prefix=aad_prefix,
        store_aad_prefix=store_aad_prefix,
        engine=engine,
        threads=threads,
    )


def new_kms_key(
    wrap: Callable[[bytes, str], str | Buffer],
    master_key_id: str,
    *,
    footer: bool = False,
    double_wrapping: bool = True,
    key_bytes: int = 16,
) -> ParquetKey:
    """Makes a fresh key whose key_metadata is key material for Apache's readers, pyarrow among them.

    wrap(key, master_key_id) asks the key management service, as pyarrow's KmsClient.wrap_key does. With footer=True the key
    is for the footer. With double_wrapping the service wraps a key that wraps the data key.
    """
    return _native.new_kms_parquet_key(
        wrap, master_key_id, footer=footer, double_wrapping=double_wrapping, key_bytes=key_bytes
    )
