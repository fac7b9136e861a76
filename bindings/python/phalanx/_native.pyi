from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, Protocol, Required, TypeAlias, TypedDict, Unpack, overload

from typing_extensions import Buffer

Path: TypeAlias = str | bytes | PathLike[str] | PathLike[bytes]
Key: TypeAlias = Buffer | Secret
Keys: TypeAlias = Key | Sequence[Key]
Passphrase: TypeAlias = str | Key | Sequence[str | Key]
Wrap: TypeAlias = Callable[[bytes], tuple[list[str], list[str]]]
Unwrap: TypeAlias = Callable[[list[str]], Key | None]
PublicKeys: TypeAlias = str | Wrap | Sequence[str | Wrap]
Identities: TypeAlias = str | Key | Unwrap | Sequence[str | Key | Unwrap]
KeyFile: TypeAlias = Path | Sequence[Path]
Rows: TypeAlias = Buffer | Sequence[Buffer]
OptionalRows: TypeAlias = Buffer | Sequence[Buffer | None]
KeyRows: TypeAlias = Buffer | Sequence[Key]
OptionalKeyRows: TypeAlias = Buffer | Sequence[Key | None]

class DeviceArray(Protocol):
    """An array of PyTorch, CuPy, JAX and others, by DLPack."""

    def __dlpack__(self, *args: Any, **settings: Any) -> Any: ...

class CudaArray(Protocol):
    """An array of Numba and others."""

    @property
    def __cuda_array_interface__(self) -> Any: ...

AnyArray: TypeAlias = DeviceArray | CudaArray

class Secrets(TypedDict, total=False):
    """Has the secrets of a container, and the engine of the call."""

    key: Keys | None
    passphrase: Passphrase | None
    key_file: KeyFile | None
    passphrase_file: KeyFile | None
    engine: str
    threads: int
    binding: Binding | None

class Opening(Secrets, total=False):
    """Says how a container is opened."""

    identity: Identities | None
    identity_file: KeyFile | None

class Sealing(Secrets, total=False):
    """Says who can open a new container."""

    recipient: PublicKeys | None
    recipient_file: KeyFile | None
    suite: str
    scrypt_log_n: int

class Migrating(Sealing, total=False):
    verify: bool
    replace: bool
    sha256: bool

class MigratingTree(Migrating, total=False):
    """Says how a folder of old files is migrated."""

    preserve: bool
    find_wrapping: bool
    delete_source: bool
    delete_doubtful: bool
    delete_volatile: bool
    keep_going: bool
    bind_names: bool
    index: TreeIndex | None
    jobs: int
    strip_suffixes: Sequence[str]

class SealingTree(Sealing, total=False):
    """Says how a folder is sealed."""

    update: Literal["time", "content"] | None
    update_recipients: bool
    prune: bool
    prune_also: str | Sequence[str] | None
    renew_tree: bool
    expect_tree: bool
    dry_run: bool
    replace: bool
    keep: bool
    verify: bool
    changing_input: bool
    bind_names: bool
    index: TreeIndex | None

class UnsealingTree(Opening, total=False):
    """Says how a folder of containers is opened."""

    update: Literal["time", "content"] | None
    replace: bool
    keep: bool

class ForeignSettings(TypedDict, total=False):
    """Has the options of `openssl enc`."""

    digest: str
    pbkdf2: bool
    iterations: int
    salted: bool
    base64: bool
    salt: Buffer | None
    salt_bytes: int

class MessageKeys(TypedDict, total=False):
    """Says what opens an encrypted message: one of private_key, key and passphrase."""

    private_key: Key | None
    private_key_passphrase: str | Key | None
    certificate: Buffer | None
    key: Key | None
    passphrase: str | Key | None
    engine: str
    threads: int

class OpensslSettings(ForeignSettings, total=False):
    passphrase: Required[str | Key]

class InPlace(TypedDict, total=False):
    """Says how a file is crypted in place."""

    sector_bytes: int
    first_tweak: int
    tweak_step: int
    allow_unmarked: bool
    any_device: bool
    engine: str
    threads: int

__version__: str

class ReadableFile(Protocol):
    """A binary file that can seek."""

    def read(self, size: int, /) -> Buffer: ...
    def seek(self, offset: int, whence: int = 0, /) -> int: ...

class WritableFile(Protocol):
    """A binary file."""

    def write(self, data: bytes, /) -> int | None: ...

class Error(Exception):
    name: str | None
    offset: int | None

class MachineError(Error, OSError): ...
class UsageError(Error, ValueError): ...
class FormatError(Error, ValueError): ...
class SizeError(UsageError): ...
class OverlapError(UsageError): ...
class BufferTypeError(Error, TypeError): ...
class ReadOnlyError(Error, BufferError): ...
class StrideError(Error, BufferError): ...

class AuthenticationError(Error):
    failed: tuple[int, ...]

class WrongKeyError(Error, ValueError):
    failed: tuple[int, ...]

class TruncatedError(Error, ValueError):
    failed: tuple[int, ...]

class PolicyError(Error): ...
class ForkError(Error, RuntimeError): ...
class PicklingError(Error, TypeError): ...

def name_refusal(function: str, name: str, names: Sequence[str]) -> str: ...

class Secret:
    def __init__(self, data: Key) -> None: ...
    def __len__(self) -> int: ...

def hide_in(settings: Mapping[str, object]) -> None: ...

class EngineInfo:
    @property
    def name(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def usable(self) -> bool: ...
    @property
    def reason(self) -> str: ...

class CipherFacts:
    @property
    def name(self) -> str: ...
    @property
    def cipher(self) -> str: ...
    @property
    def mode(self) -> str: ...
    @property
    def key_bytes(self) -> int: ...
    @property
    def block_bytes(self) -> int: ...
    @property
    def iv_bytes(self) -> int: ...
    @property
    def tag_bytes(self) -> int: ...
    @property
    def encrypts_parts(self) -> bool: ...
    @property
    def decrypts_parts(self) -> bool: ...

def engines() -> list[EngineInfo]: ...
def ciphers() -> list[CipherFacts]: ...
def self_test(engine: str = "auto") -> None: ...
def limit_threads(most_threads: int) -> None: ...

class Incremental:
    def update(self, data: Buffer) -> bytes: ...
    def update_into(self, src: Buffer, dst: Buffer) -> int: ...
    def finalize(self) -> bytes: ...

class Cipher:
    def __init__(
        self, name: str, key: Key, engine: str = "auto", threads: int = 0, *, allow_legacy: bool = False
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def key_bytes(self) -> int: ...
    @property
    def iv_bytes(self) -> int: ...
    @property
    def block_bytes(self) -> int: ...
    @overload
    def encrypt(self, data: Buffer, *, iv: Buffer | None = None, padding: str | None = None) -> bytes: ...
    @overload
    def encrypt(self, data: AnyArray, *, iv: Buffer | None = None, padding: str | None = None, stream: Any = None) -> Any: ...
    @overload
    def decrypt(self, data: Buffer, *, iv: Buffer | None = None, padding: str | None = None) -> bytes: ...
    @overload
    def decrypt(self, data: AnyArray, *, iv: Buffer | None = None, padding: str | None = None, stream: Any = None) -> Any: ...
    @overload
    def encrypt_into(
        self, src: Buffer, dst: Buffer, *, iv: Buffer | None = None, padding: str | None = None
    ) -> int: ...
    @overload
    def encrypt_into(
        self, src: AnyArray, dst: AnyArray, *, iv: Buffer | None = None, padding: str | None = None, stream: Any = None
    ) -> int: ...
    @overload
    def decrypt_into(
        self, src: Buffer, dst: Buffer, *, iv: Buffer | None = None, padding: str | None = None
    ) -> int: ...
    @overload
    def decrypt_into(
        self, src: AnyArray, dst: AnyArray, *, iv: Buffer | None = None, padding: str | None = None, stream: Any = None
    ) -> int: ...
    @overload
    def encrypt_part(self, data: Buffer, offset: int, *, iv: Buffer | None = None) -> bytes: ...
    @overload
    def encrypt_part(self, data: AnyArray, offset: int, *, iv: Buffer | None = None, stream: Any = None) -> Any: ...
    @overload
    def decrypt_part(self, data: Buffer, offset: int, *, iv: Buffer | None = None) -> bytes: ...
    @overload
    def decrypt_part(self, data: AnyArray, offset: int, *, iv: Buffer | None = None, stream: Any = None) -> Any: ...
    @overload
    def encrypt_part_into(self, src: Buffer, dst: Buffer, offset: int, *, iv: Buffer | None = None) -> int: ...
    @overload
    def encrypt_part_into(
        self, src: AnyArray, dst: AnyArray, offset: int, *, iv: Buffer | None = None, stream: Any = None
    ) -> int: ...
    @overload
    def decrypt_part_into(self, src: Buffer, dst: Buffer, offset: int, *, iv: Buffer | None = None) -> int: ...
    @overload
    def decrypt_part_into(
        self, src: AnyArray, dst: AnyArray, offset: int, *, iv: Buffer | None = None, stream: Any = None
    ) -> int: ...
    @overload
    def encrypt_many(
        self,
        messages: Rows,
        ivs: Rows | None = None,
        keys: KeyRows | None = None,
        *,
        padding: str | None = None,
        iv_prefix: bool = False,
    ) -> list[bytes]: ...
    @overload
    def encrypt_many(
        self,
        messages: OptionalRows,
        ivs: OptionalRows | None = None,
        keys: OptionalKeyRows | None = None,
        *,
        padding: str | None = None,
        iv_prefix: bool = False,
    ) -> list[bytes | None]: ...
    @overload
    def decrypt_many(
        self,
        messages: Rows,
        ivs: Rows | None = None,
        keys: KeyRows | None = None,
        *,
        padding: str | None = None,
        iv_prefix: bool = False,
        strict: Literal[True] = True,
    ) -> list[bytes]: ...
    @overload
    def decrypt_many(
        self,
        messages: OptionalRows,
        ivs: OptionalRows | None = None,
        keys: OptionalKeyRows | None = None,
        *,
        padding: str | None = None,
        iv_prefix: bool = False,
        strict: bool = True,
    ) -> list[bytes | None]: ...
    def encrypt_many_into(self, src: Rows, dst: Rows, ivs: Rows | None = None, keys: KeyRows | None = None) -> None: ...
    def decrypt_many_into(self, src: Rows, dst: Rows, ivs: Rows | None = None, keys: KeyRows | None = None) -> None: ...
    def encryptor(self, *, iv: Buffer | None = None, padding: str | None = None) -> Incremental: ...
    def decryptor(self, *, iv: Buffer | None = None, padding: str | None = None) -> Incremental: ...

class SectorCipher:
    def __init__(self, name: str, key: Key, engine: str = "auto", threads: int = 0) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def key_bytes(self) -> int: ...
    def encrypt(
        self, data: Buffer, first_tweak: int = 0, tweak_step: int = 1, sector_bytes: int = 512
    ) -> bytes: ...
    def decrypt(
        self, data: Buffer, first_tweak: int = 0, tweak_step: int = 1, sector_bytes: int = 512
    ) -> bytes: ...
    def encrypt_into(
        self, src: Buffer, dst: Buffer, first_tweak: int = 0, tweak_step: int = 1, sector_bytes: int = 512
    ) -> int: ...
    def decrypt_into(
        self, src: Buffer, dst: Buffer, first_tweak: int = 0, tweak_step: int = 1, sector_bytes: int = 512
    ) -> int: ...

class Aead:
    def __init__(
        self,
        name: str,
        key: Key,
        engine: str = "auto",
        threads: int = 0,
        tag_bytes: int = 16,
        *,
        any_nonce_size: bool = False,
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def key_bytes(self) -> int: ...
    @property
    def tag_bytes(self) -> int: ...
    def seal(self, nonce: Buffer, data: Buffer, aad: Buffer | None = None) -> bytes: ...
    def open(self, nonce: Buffer, sealed: Buffer, aad: Buffer | None = None) -> bytes: ...
    def seal_into(self, nonce: Buffer, src: Buffer, dst: Buffer, tag: Buffer, aad: Buffer | None = None) -> int: ...
    def open_into(self, nonce: Buffer, src: Buffer, dst: Buffer, tag: Buffer, aad: Buffer | None = None) -> int: ...
    @overload
    def seal_many(
        self,
        nonces: Rows,
        messages: Rows,
        aads: OptionalRows | None = None,
        keys: KeyRows | None = None,
    ) -> list[bytes]: ...
    @overload
    def seal_many(
        self,
        nonces: OptionalRows,
        messages: OptionalRows,
        aads: OptionalRows | None = None,
        keys: OptionalKeyRows | None = None,
    ) -> list[bytes | None]: ...
    @overload
    def open_many(
        self,
        nonces: Rows,
        messages: Rows,
        aads: OptionalRows | None = None,
        keys: KeyRows | None = None,
        *,
        strict: Literal[True] = True,
    ) -> list[bytes]: ...
    @overload
    def open_many(
        self,
        nonces: OptionalRows,
        messages: OptionalRows,
        aads: OptionalRows | None = None,
        keys: OptionalKeyRows | None = None,
        *,
        strict: bool = True,
    ) -> list[bytes | None]: ...
    def seal_with_new_nonce(self, data: Buffer, aad: Buffer | None = None) -> bytes: ...
    def open_with_leading_nonce(self, sealed: Buffer, aad: Buffer | None = None) -> bytes: ...
    def seal_with_new_nonce_into(self, src: Buffer, dst: Buffer, aad: Buffer | None = None) -> int: ...
    def open_with_leading_nonce_into(self, src: Buffer, dst: Buffer, aad: Buffer | None = None) -> int: ...
    @overload
    def seal_with_new_nonce_many(
        self,
        messages: Rows,
        aads: OptionalRows | None = None,
        keys: KeyRows | None = None,
    ) -> list[bytes]: ...
    @overload
    def seal_with_new_nonce_many(
        self,
        messages: OptionalRows,
        aads: OptionalRows | None = None,
        keys: OptionalKeyRows | None = None,
    ) -> list[bytes | None]: ...
    @overload
    def open_with_leading_nonce_many(
        self,
        messages: Rows,
        aads: OptionalRows | None = None,
        keys: KeyRows | None = None,
        *,
        strict: Literal[True] = True,
    ) -> list[bytes]: ...
    @overload
    def open_with_leading_nonce_many(
        self,
        messages: OptionalRows,
        aads: OptionalRows | None = None,
        keys: OptionalKeyRows | None = None,
        *,
        strict: bool = True,
    ) -> list[bytes | None]: ...

class OpenFile(Protocol):
    def fileno(self) -> int: ...

class ChunkedSealer:
    def update(self, data: Buffer) -> bytes: ...
    def update_into(self, src: Buffer, dst: Buffer) -> int: ...
    def finalize(self) -> bytes: ...

class ChunkedOpener:
    def update(self, data: Buffer) -> bytes: ...
    def update_into(self, src: Buffer, dst: Buffer) -> int: ...
    def finalize(self) -> bytes: ...

class ChunkedAead:
    def __init__(
        self, name: str, key: Key, context: Buffer = b"", engine: str = "auto", threads: int = 0
    ) -> None: ...
    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def key_bytes(self) -> int: ...
    @staticmethod
    def sealed_bytes(plain_bytes: int) -> int: ...
    @staticmethod
    def plain_bytes(sealed_bytes: int) -> int: ...
    def seal(self, data: Buffer) -> bytes: ...
    def open(self, sealed: Buffer) -> bytes: ...
    def seal_into(self, src: Buffer, dst: Buffer) -> int: ...
    def open_into(self, src: Buffer, dst: Buffer) -> int: ...
    def open_range(
        self,
        sealed: Buffer | str | PathLike[str] | PathLike[bytes] | int | OpenFile,
        offset: int,
        length: int | None = None,
    ) -> bytes: ...
    def sealer(self) -> ChunkedSealer: ...
    def opener(self) -> ChunkedOpener: ...

class Binding:
    def __init__(
        self,
        *,
        context: str | Buffer | None = None,
        name: Path | None = None,
        below: Path | None = None,
        any_name: bool = False,
        needs_name: bool = False,
    ) -> None: ...
    @property
    def context(self) -> bytes: ...
    @property
    def name(self) -> str | None: ...

def seal(data: Buffer, **settings: Unpack[Sealing]) -> bytes: ...
def unseal(container: Buffer, **settings: Unpack[Opening]) -> bytes: ...

class ContainerReader:
    def __init__(self, path: Path | ReadableFile, **settings: Unpack[Opening]) -> None: ...
    @property
    def size(self) -> int: ...
    @property
    def suite(self) -> str: ...
    def read_into(self, offset: int, dst: Buffer) -> int: ...
    def read_to_device(self, offset: int, dst: int, num_bytes: int, stream: int) -> int: ...
    def read_rest(self, offset: int) -> bytes: ...

class ContainerWriter:
    def __init__(self, path: Path | WritableFile, replace: bool = False, **settings: Unpack[Sealing]) -> None: ...
    def write(self, data: Buffer) -> None: ...
    def finish(self) -> None: ...
    def discard(self) -> None: ...

class ForeignFormat:
    def __init__(
        self,
        cipher: str,
        *,
        key: Key | None = None,
        passphrase: str | Key | None = None,
        iv: Buffer | None = None,
        begins_with_iv: bool = False,
        padding: str = "pkcs7",
        sector_bytes: int = 0,
        first_tweak: int = 0,
        tweak_step: int = 1,
        **settings: Unpack[ForeignSettings],
    ) -> None: ...

class ForeignFileReader:
    def __init__(self, path: Path, format: ForeignFormat, engine: str = "auto", threads: int = 0) -> None: ...
    @property
    def digest(self) -> str: ...
    def read_into(self, dst: Buffer) -> int: ...

class CmsFileReader:
    def __init__(
        self,
        path: Path,
        *,
        private_key: Key | None = None,
        private_key_passphrase: str | Key | None = None,
        certificate: Buffer | None = None,
        key: Key | None = None,
        passphrase: str | Key | None = None,
        engine: str = "auto",
        threads: int = 0,
    ) -> None: ...
    @property
    def cipher(self) -> str: ...
    @property
    def is_authenticated(self) -> bool: ...
    def read_into(self, dst: Buffer) -> int: ...

class Migrated:
    @property
    def source_bytes(self) -> int: ...
    @property
    def container_bytes(self) -> int: ...
    @property
    def sha256(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def doubt(self) -> str: ...
    @property
    def doubt_sentence(self) -> str: ...

class Verified:
    @property
    def plain_bytes(self) -> int: ...
    @property
    def sha256(self) -> str: ...

class TreeFileMigration:
    @property
    def name(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def why(self) -> str: ...
    @property
    def source_bytes(self) -> int: ...
    @property
    def container_bytes(self) -> int: ...
    @property
    def verified(self) -> bool: ...
    @property
    def sha256(self) -> str: ...
    @property
    def found(self) -> str: ...
    @property
    def doubt(self) -> str: ...
    @property
    def doubt_sentence(self) -> str: ...
    @property
    def deleted(self) -> bool: ...
    @property
    def kept(self) -> str: ...
    @property
    def container(self) -> str: ...

class TreeMigrationCounts:
    @property
    def done(self) -> int: ...
    @property
    def done_before(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def doubtful(self) -> int: ...
    @property
    def deleted(self) -> int: ...
    @property
    def kept(self) -> int: ...
    @property
    def left(self) -> int: ...
    @property
    def index(self) -> IndexGeneration: ...

class TreeFileFinding:
    @property
    def name(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def detail(self) -> str: ...
    @property
    def doubt(self) -> str: ...
    @property
    def doubt_sentence(self) -> str: ...
    @property
    def num_bytes(self) -> int: ...

class TreeFindingCounts:
    @property
    def opening(self) -> int: ...
    @property
    def failing(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def done(self) -> int: ...
    @property
    def same(self) -> int: ...
    @property
    def differing(self) -> int: ...
    @property
    def not_compared(self) -> int: ...
    @property
    def doubtful(self) -> int: ...
    @property
    def num_bytes(self) -> int: ...

class TreeIndex:
    def __init__(
        self,
        path: Path,
        *,
        key: Key | None = None,
        signing_key: Key | None = None,
        public_key: Key | None = None,
        digest: bool = False,
        at_least: int = 0,
        forget: bool = False,
    ) -> None: ...
    @property
    def path(self) -> str: ...

class IndexGeneration:
    @property
    def number(self) -> int: ...
    @property
    def digest(self) -> str: ...
    @property
    def containers(self) -> int: ...
    @property
    def cut_bytes(self) -> int: ...
    @property
    def without_header(self) -> int: ...
    @property
    def headers_taken(self) -> int: ...
    @property
    def headers_older(self) -> int: ...

class IndexedFile:
    @property
    def name(self) -> str: ...
    @property
    def verdict(self) -> str: ...
    @property
    def other(self) -> str: ...
    @property
    def generation(self) -> int: ...
    @property
    def why(self) -> str: ...

class TreeIndexCounts:
    @property
    def generation(self) -> IndexGeneration: ...
    @property
    def right(self) -> int: ...
    @property
    def opened(self) -> int: ...
    @property
    def digests(self) -> int: ...
    @property
    def wrong(self) -> int: ...
    @property
    def added(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def headers_changed(self) -> int: ...
    @property
    def without_header(self) -> int: ...

def make_index_keys() -> tuple[bytes, bytes]: ...
def verify_tree_index(
    folder: Path,
    index: TreeIndex,
    *,
    on_file: Callable[[IndexedFile], object] | None = None,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[Opening],
) -> TreeIndexCounts: ...

class TreeFileResult:
    @property
    def path(self) -> str: ...
    @property
    def state(self) -> str: ...
    @property
    def why(self) -> str: ...

class SealTreeCounts:
    @property
    def sealed(self) -> int: ...
    @property
    def unchanged(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def failed(self) -> int: ...
    @property
    def gone(self) -> int: ...
    @property
    def removed(self) -> int: ...
    @property
    def newly_kept(self) -> int: ...
    @property
    def unfinished(self) -> int: ...
    @property
    def why_not_removed(self) -> str: ...
    @property
    def why_other_wish(self) -> str: ...
    @property
    def index(self) -> IndexGeneration: ...

class UnsealTreeCounts:
    @property
    def opened(self) -> int: ...
    @property
    def unchanged(self) -> int: ...
    @property
    def skipped(self) -> int: ...
    @property
    def failed(self) -> int: ...

def seal_tree(
    src: Path,
    dst: Path,
    *,
    on_file: Callable[[TreeFileResult], object] | None = None,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[SealingTree],
) -> SealTreeCounts: ...
def unseal_tree(
    src: Path,
    dst: Path,
    *,
    on_file: Callable[[TreeFileResult], object] | None = None,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[UnsealingTree],
) -> UnsealTreeCounts: ...
def migrate(
    src: Path,
    dst: Path,
    old: ForeignFormat,
    *,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[Migrating],
) -> Migrated: ...
def migrate_tree(
    src: Path,
    dst: Path,
    manifest: Path,
    old: tuple[ForeignFormat, ...],
    *,
    on_file: Callable[[TreeFileMigration], object] | None = None,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[MigratingTree],
) -> TreeMigrationCounts: ...
def preview_tree(
    src: Path,
    dst: Path,
    manifest: Path,
    old: tuple[ForeignFormat, ...],
    *,
    find_wrapping: bool = False,
    jobs: int = 0,
    strip_suffixes: Sequence[str] = (),
    on_file: Callable[[TreeFileFinding], object] | None = None,
    engine: str = "auto",
    threads: int = 0,
) -> TreeFindingCounts: ...
def verify_tree(
    src: Path,
    dst: Path,
    manifest: Path,
    old: tuple[ForeignFormat, ...],
    *,
    find_wrapping: bool = False,
    jobs: int = 0,
    on_file: Callable[[TreeFileFinding], object] | None = None,
    on_progress: Callable[[int], object] | None = None,
    suite: str = "aes-256",
    **settings: Unpack[Opening],
) -> TreeFindingCounts: ...
def verify(
    path: Path,
    *,
    sha256: bool = False,
    from_disk: bool = False,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[Opening],
) -> Verified: ...

class SealedFile:
    @property
    def plain_bytes(self) -> int: ...
    @property
    def container_bytes(self) -> int: ...
    @property
    def resumed_bytes(self) -> int: ...
    @property
    def input_change(self) -> str: ...
    @property
    def lost_attributes(self) -> list[str]: ...

class UnsealedFile:
    @property
    def written_bytes(self) -> int: ...
    @property
    def resumed_bytes(self) -> int: ...
    @property
    def lost_attributes(self) -> list[str]: ...

class ChangedRecipients:
    @property
    def num_recipients(self) -> int: ...
    @property
    def num_changes(self) -> int: ...
    @property
    def already(self) -> list[int]: ...
    @property
    def in_place(self) -> bool: ...
    @property
    def num_other_names(self) -> int: ...
    @property
    def lost_attributes(self) -> list[str]: ...

class CryptedInPlace:
    @property
    def file_bytes(self) -> int: ...
    @property
    def resumed_bytes(self) -> int: ...
    @property
    def warning(self) -> str: ...

class FileVerification:
    @property
    def path(self) -> str: ...
    @property
    def authentic(self) -> bool: ...
    @property
    def skipped(self) -> bool: ...
    @property
    def why(self) -> str: ...
    @property
    def plain_bytes(self) -> int: ...
    @property
    def sha256(self) -> str: ...

class ListedRecipient:
    @property
    def kind(self) -> str: ...
    @property
    def scrypt_log_n(self) -> int: ...
    @property
    def scrypt_bytes(self) -> int: ...
    @property
    def stanza_types(self) -> list[str]: ...
    @property
    def labels(self) -> list[str]: ...

class InspectedFile:
    @property
    def format(self) -> str: ...
    @property
    def file_bytes(self) -> int: ...
    @property
    def version(self) -> int: ...
    @property
    def suite(self) -> str: ...
    @property
    def recipients(self) -> list[ListedRecipient]: ...
    @property
    def needs_context(self) -> bool: ...
    @property
    def has_name(self) -> bool: ...
    @property
    def header_bytes(self) -> int: ...
    @property
    def problem(self) -> str: ...
    @property
    def plain_bytes(self) -> int: ...
    @property
    def num_chunks(self) -> int: ...
    @property
    def salt(self) -> bytes: ...
    @property
    def is_base64(self) -> bool: ...
    @property
    def ciphertext_bytes(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def form(self) -> str: ...
    @property
    def protection(self) -> str: ...
    @property
    def description(self) -> str: ...
    @property
    def opened_by(self) -> str: ...
    @property
    def is_certain(self) -> bool: ...
    @property
    def is_cut(self) -> bool: ...

def seal_file(
    src: Path,
    dst: Path,
    *,
    verify: bool = False,
    replace: bool = False,
    resume: bool = False,
    changing_input: bool = False,
    keep: bool = True,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[Sealing],
) -> SealedFile: ...
def unseal_file(
    src: Path,
    dst: Path,
    *,
    replace: bool = False,
    resume: bool = False,
    offset: int = 0,
    size: int | None = None,
    keep: bool = True,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[Opening],
) -> UnsealedFile: ...
def verify_many(
    paths: Sequence[Path],
    *,
    sha256: bool = False,
    from_disk: bool = False,
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[Opening],
) -> list[FileVerification]: ...
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
    on_progress: Callable[[int], object] | None = None,
    **settings: Unpack[Opening],
) -> ChangedRecipients: ...
def list_recipients(path: Path) -> list[ListedRecipient]: ...
def recipients_opened_by(path: Path, **settings: Unpack[Opening]) -> list[int]: ...
def inspect(path: Path) -> InspectedFile: ...
def crypt_in_place(
    encrypts: bool,
    path: Path,
    cipher: str,
    key: Key,
    iv: Buffer | None = None,
    *,
    on_progress: Callable[[int], object] | None = None,
    allow_legacy: bool = False,
    **settings: Unpack[InPlace],
) -> CryptedInPlace: ...

class ProcessMark:
    def __init__(self) -> None: ...
    def require(self) -> None: ...
    @property
    def is_of_this_process(self) -> bool: ...

class GcmStream:
    def __init__(self, name: str, key: Key, nonce: Buffer, encrypts: bool) -> None: ...
    def add_associated_data(self, data: Buffer) -> None: ...
    def update(self, data: Buffer) -> bytes: ...
    def update_into(self, src: Buffer, dst: Buffer) -> int: ...
    def finish(self) -> bytes: ...

class ByteFeedback:
    def __init__(self, cipher: str, key: Key, iv: Buffer, encrypts: bool) -> None: ...
    def update(self, data: Buffer) -> bytes: ...

def is_single_des(key: Key) -> bool: ...
def run_program(arguments: Sequence[bytes]) -> int: ...

class BorrowedTensor:
    def __init__(self, capsule: Any) -> None: ...
    def __buffer__(self, flags: int, /) -> memoryview: ...
    @property
    def pointer(self) -> int: ...
    @property
    def num_bytes(self) -> int: ...
    @property
    def device_type(self) -> int: ...
    @property
    def device_id(self) -> int: ...
    @property
    def is_read_only(self) -> bool: ...
    @property
    def lies_in_one_piece(self) -> bool: ...

class DeviceMemory:
    def __init__(self, num_bytes: int, device: int) -> None: ...
    @property
    def pointer(self) -> int: ...
    @property
    def num_bytes(self) -> int: ...
    @property
    def device(self) -> int: ...

def to_dlpack(memory: DeviceMemory, versioned: bool) -> Any: ...
def crypt_device(
    cipher: Cipher, encrypts: bool, iv: Buffer | None, offset: int, src: int, dst: int, num_bytes: int, stream: int
) -> None: ...
def device_of(pointer: int) -> int: ...

class DeviceVerdicts:
    @property
    def num_messages(self) -> int: ...
    @property
    def all_authentic(self) -> int: ...
    @property
    def each(self) -> int: ...
    def require(self, stream: int) -> None: ...
    def read(self) -> bytes: ...
    def wait(self) -> None: ...

class DeviceAead:
    @staticmethod
    def make(name: str, key: Key, engine: str, tag_bytes: int) -> DeviceAead: ...
    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def key_bytes(self) -> int: ...
    @property
    def nonce_bytes(self) -> int: ...
    @property
    def tag_bytes(self) -> int: ...
    def seal(
        self, nonce: Buffer, aad: Buffer | None, src: int, dst: int, num_bytes: int, tag: int, stream: int
    ) -> None: ...
    def open(
        self, nonce: Buffer, aad: Buffer | None, src: int, dst: int, num_bytes: int, tag: int, stream: int
    ) -> DeviceVerdicts: ...
    def crypt_batch(self, seals: bool, fields: dict[str, int], stream: int) -> DeviceVerdicts: ...

class DeviceChunkedAead:
    @staticmethod
    def make(name: str, key: Key, context: Buffer, engine: str) -> DeviceChunkedAead: ...
    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    def seal(self, src: int, num_bytes: int, dst: int, stream: int) -> None: ...
    def open(self, src: int, num_bytes: int, dst: int, stream: int) -> None: ...

class DeviceCipher:
    @staticmethod
    def make(name: str, key: Key, engine: str, allow_legacy: bool) -> DeviceCipher: ...
    @property
    def name(self) -> str: ...
    @property
    def engine(self) -> str: ...
    @property
    def key_bytes(self) -> int: ...
    @property
    def iv_bytes(self) -> int: ...
    def crypt_batch(self, encrypts: bool, fields: dict[str, int], stream: int) -> DeviceVerdicts: ...
    def crypt_sectors(
        self,
        encrypts: bool,
        src: int,
        dst: int,
        num_bytes: int,
        sector_bytes: int,
        first_tweak: int,
        tweak_step: int,
        numbers: int,
        stream: int,
    ) -> None: ...

def is_missing(element: Any) -> bool: ...
def order_streams(before: int, after: int, device: int) -> None: ...

class DecryptedParquet:
    @property
    def algorithm(self) -> str: ...
    @property
    def verified(self) -> bool: ...
    @property
    def had_plaintext_footer(self) -> bool: ...
    @property
    def pages(self) -> int: ...
    @property
    def authentic_pages(self) -> int: ...
    @property
    def plain_chunks(self) -> int: ...
    @property
    def plain_bytes(self) -> int: ...

class EncryptedParquet:
    @property
    def pages(self) -> int: ...
    @property
    def modules(self) -> int: ...
    @property
    def encrypted_bytes(self) -> int: ...

class ParquetKey:
    def __init__(self, key: Key, key_metadata: Buffer = b"", *, invocations: int = 0) -> None: ...
    @property
    def key_metadata(self) -> bytes: ...
    @property
    def invocations(self) -> int: ...

class KmsKeys:
    def __init__(self, unwrap: Callable[[bytes, str], Key]) -> None: ...
    def __call__(self, column: str | None, key_metadata: Buffer) -> Secret: ...

def new_kms_parquet_key(
    wrap: Callable[[bytes, str], str | Buffer],
    master_key_id: str,
    *,
    footer: bool = False,
    double_wrapping: bool = True,
    key_bytes: int = 16,
) -> ParquetKey: ...
def decrypt_parquet_file(
    src: Path,
    dst: Path,
    keys: Callable[[str | None, bytes], Key],
    *,
    aad_prefix: Buffer | None = None,
    replace: bool = False,
    require_gcm: bool = False,
    engine: str = "auto",
    threads: int = 0,
) -> DecryptedParquet: ...
def decrypt_parquet(
    data: Buffer,
    keys: Callable[[str | None, bytes], Key],
    *,
    aad_prefix: Buffer | None = None,
    require_gcm: bool = False,
    engine: str = "auto",
    threads: int = 0,
) -> tuple[bytes, DecryptedParquet]: ...
def decrypt_parquet_to_device(
    data: Buffer,
    dst: int,
    num_bytes: int,
    keys: Callable[[str | None, bytes], Key],
    *,
    aad_prefix: Buffer | None = None,
    require_gcm: bool = False,
    engine: str = "cuda",
    threads: int = 0,
    stream: int = 0,
) -> DecryptedParquet: ...
def encrypt_parquet_file(
    src: Path,
    dst: Path,
    footer_key: ParquetKey,
    *,
    column_keys: dict[str, ParquetKey] = ...,
    plain_columns: tuple[str, ...] = (),
    algorithm: str = "AES_GCM_V1",
    plaintext_footer: bool = False,
    aad_prefix: Buffer = b"",
    store_aad_prefix: bool = True,
    replace: bool = False,
    engine: str = "auto",
    threads: int = 0,
) -> EncryptedParquet: ...
def encrypt_parquet(
    data: Buffer,
    footer_key: ParquetKey,
    *,
    column_keys: dict[str, ParquetKey] = ...,
    plain_columns: tuple[str, ...] = (),
    algorithm: str = "AES_GCM_V1",
    plaintext_footer: bool = False,
    aad_prefix: Buffer = b"",
    store_aad_prefix: bool = True,
    engine: str = "auto",
    threads: int = 0,
) -> tuple[bytes, EncryptedParquet]: ...
