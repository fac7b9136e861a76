"""Parquet Modular Encryption beside pyarrow: what either encrypts the other decrypts, and what was changed is told."""

import base64
import io
import itertools
import pathlib
import struct
from collections.abc import Callable
from typing import Any

import pytest

import phalanx
from phalanx import parquet
from phalanx.parquet import KmsKeys, ParquetKey

pa: Any = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
pq: Any = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")
pe: Any = pytest.importorskip("pyarrow.parquet.encryption", reason="pyarrow's encryption is not in this build of it")

KEYS = {size: bytes(range(size)) for size in (16, 24, 32)}
KEY = KEYS[16]
MASTER_KEYS = {"footer": bytes(range(50, 66)), "names": bytes(range(100, 116)), "lists": bytes(range(200, 216))}
ALGORITHMS = ("AES_GCM_V1", "AES_GCM_CTR_V1")
NUM_ROWS = 3000
COLUMNS = ("id", "name", "price", "list.list.element")


def table() -> Any:
    return pa.table(
        {
            "id": pa.array(range(NUM_ROWS), pa.int64()),
            "name": pa.array([None if i % 7 == 0 else f"name {i % 30}" for i in range(NUM_ROWS)]),
            "price": pa.array([i * 0.25 for i in range(NUM_ROWS)]),
            "list": pa.array([list(range(i % 4)) for i in range(NUM_ROWS)], pa.list_(pa.int32())),
        }
    )


TABLE = table()
SETTINGS: dict[str, Any] = {
    "row_group_size": 1000,
    "data_page_size": 1024,
    "write_batch_size": 100,
    "write_page_index": True,
    "use_dictionary": ["name"],
    "compression": "zstd",
}
BLOOM: dict[str, Any] = {"bloom_filter_options": {"id": {"ndv": 1000, "fpp": 0.05}}}


def written(of: Any = None, **settings: Any) -> bytes:
    out = io.BytesIO()
    pq.write_table(TABLE if of is None else of, out, **{**SETTINGS, **settings})
    return out.getvalue()


def encrypted_by_pyarrow(key: bytes = KEY, **properties: Any) -> bytes:
    return written(encryption_properties=pe.create_encryption_properties(key, **properties))


def read(data: bytes, **settings: Any) -> Any:
    return pq.read_table(io.BytesIO(data), **settings)


def one_key(key: bytes = KEY) -> Callable[[str | None, bytes], bytes]:
    return lambda _column, _key_metadata: key


class Kms(pe.KmsClient):  # type: ignore[misc]
    """A service that wraps by AES-GCM; what it is asked for is counted."""

    asked = 0

    def __init__(self, _configuration: Any = None):
        pe.KmsClient.__init__(self)

    def wrap_key(self, key_bytes: bytes, master_key_identifier: str) -> bytes:
        nonce = bytes(11) + bytes([len(key_bytes)])
        aead = phalanx.Aead("aes-128-gcm", MASTER_KEYS[master_key_identifier])
        return base64.b64encode(nonce + aead.seal(nonce, key_bytes))

    def unwrap_key(self, wrapped_key: bytes, master_key_identifier: str) -> bytes:
        Kms.asked += 1
        sealed = base64.b64decode(wrapped_key)
        return phalanx.Aead("aes-128-gcm", MASTER_KEYS[master_key_identifier]).open(sealed[:12], sealed[12:])


def factory() -> Any:
    return pe.CryptoFactory(Kms)


def kms_decryption() -> Any:
    return factory().file_decryption_properties(pe.KmsConnectionConfig(), pe.DecryptionConfiguration())


def encrypted_under_kms(**settings: Any) -> bytes:
    configuration = pe.EncryptionConfiguration(
        footer_key="footer", **{"column_keys": {"names": ["name"], "lists": ["list.list.element"]}, **settings}
    )
    return written(encryption_properties=factory().file_encryption_properties(pe.KmsConnectionConfig(), configuration))


def test_a_plain_file_comes_back_byte_by_byte() -> None:
    for settings in ({}, BLOOM, {"use_dictionary": True, "data_page_version": "2.0"}, {"compression": "none"}):
        plain = written(**settings)
        for algorithm, signed in itertools.product(ALGORITHMS, (False, True)):
            encrypted, facts = parquet.encrypt(plain, ParquetKey(KEY), algorithm=algorithm, plaintext_footer=signed)
            assert facts.encrypted_bytes == len(encrypted) > len(plain) and facts.modules > 2 * facts.pages > 60
            back, found = parquet.decrypt(encrypted, one_key())
            assert back == plain
            assert found.pages == facts.pages and found.plain_bytes == len(plain)
            assert (found.algorithm, found.had_plaintext_footer) == (algorithm, signed)
            assert found.verified == (algorithm == "AES_GCM_V1")


@pytest.mark.parametrize("size", KEYS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("signed", [False, True])
def test_pyarrow_decrypts(size: int, algorithm: str, signed: bool) -> None:
    encrypted, _ = parquet.encrypt(
        written(**BLOOM), ParquetKey(KEYS[size]), algorithm=algorithm, plaintext_footer=signed, aad_prefix=b"table 7"
    )
    assert read(encrypted, decryption_properties=pe.create_decryption_properties(KEYS[size])) == TABLE
    with pytest.raises((OSError, ValueError)):
        read(encrypted, decryption_properties=pe.create_decryption_properties(bytes(size)))
    if signed:  # the schema shows without a key
        assert pq.read_schema(io.BytesIO(encrypted)).names == TABLE.schema.names


@pytest.mark.parametrize("size", KEYS)
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("signed", [False, True])
def test_pyarrow_encrypted(size: int, algorithm: str, signed: bool) -> None:
    encrypted = encrypted_by_pyarrow(KEYS[size], encryption_algorithm=algorithm, plaintext_footer=signed)
    plain, found = parquet.decrypt(encrypted, one_key(KEYS[size]))
    assert read(plain) == TABLE
    assert (found.algorithm, found.had_plaintext_footer) == (algorithm, signed)
    assert found.verified == (algorithm == "AES_GCM_V1") and found.plain_chunks == 0
    for number in range(3):
        of_plain = pq.ParquetFile(io.BytesIO(plain)).metadata.row_group(number)
        for column in range(4):
            chunk = of_plain.column(column)
            assert chunk.has_offset_index and chunk.has_column_index and chunk.is_stats_set
    # Pages are found by their offsets: rows of the middle row group alone.
    assert pq.ParquetFile(io.BytesIO(plain)).read_row_group(1) == TABLE.slice(1000, 1000)
    again, _ = parquet.encrypt(plain, ParquetKey(KEY))
    assert parquet.decrypt(again, one_key())[0] == plain


def with_footer(encrypted: bytes, behind: bytes) -> bytes:
    """The footer's module sealed again, with bytes behind its structure."""
    length = struct.unpack_from("<I", encrypted, len(encrypted) - 8)[0]
    body, footer = encrypted[: -8 - length], encrypted[-8 - length : -8]
    module = next(i for i in range(8, length) if struct.unpack_from("<I", footer, i)[0] == length - i - 4)
    unique = next(footer[i + 1 : i + 9] for i in range(module) if footer[i] == 8)  # 8 bytes, as pyarrow has it
    aead, aad = phalanx.Aead("aes-128-gcm", KEY), unique + b"\0"
    plain = aead.open(footer[module + 4 : module + 16], footer[module + 16 :], aad)
    nonce = bytes(range(12))
    sealed = nonce + aead.seal(nonce, plain + behind, aad)
    footer = footer[:module] + struct.pack("<I", len(sealed)) + sealed
    return body + footer + struct.pack("<I", len(footer)) + encrypted[-4:]


def test_parquet_java_seals_zeros_behind_structures() -> None:
    encrypted = encrypted_by_pyarrow()
    plain, _ = parquet.decrypt(encrypted, one_key())
    padded = with_footer(encrypted, bytes(100))
    assert read(padded, decryption_properties=pe.create_decryption_properties(KEY)) == TABLE
    again, found = parquet.decrypt(padded, one_key())
    assert again == plain and found.verified


@pytest.mark.parametrize("by_pyarrow", [False, True])
@pytest.mark.parametrize("version", ["1.0", "2.0"])
def test_gcm_can_be_required(by_pyarrow: bool, version: str, tmp_path: pathlib.Path) -> None:
    settings = {"compression": "none", "data_page_version": version}
    for algorithm, signed in itertools.product(ALGORITHMS, (False, True)):
        if by_pyarrow:
            properties = {"encryption_algorithm": algorithm, "plaintext_footer": signed}
            encrypted = written(encryption_properties=pe.create_encryption_properties(KEY, **properties), **settings)
        else:
            plain = written(**settings)
            encrypted, _ = parquet.encrypt(plain, ParquetKey(KEY), algorithm=algorithm, plaintext_footer=signed)
        plain, found = parquet.decrypt(encrypted, one_key())
        assert read(plain) == TABLE
        assert found.authentic_pages == (found.pages if algorithm == "AES_GCM_V1" else 0)
        source, target = tmp_path / "source", tmp_path / "target"
        source.write_bytes(encrypted)
        if algorithm == "AES_GCM_V1":
            assert parquet.decrypt(encrypted, one_key(), require_gcm=True)[0] == plain
            assert parquet.decrypt_file(source, target, one_key(), require_gcm=True).verified
            target.unlink()
            continue
        with pytest.raises(phalanx.PolicyError, match="AES_GCM_CTR_V1"):
            parquet.decrypt(encrypted, one_key(), require_gcm=True)
        with pytest.raises(phalanx.PolicyError, match="AES_GCM_CTR_V1"):
            parquet.decrypt_file(source, target, one_key(), require_gcm=True)
        assert not target.exists()


def test_aad_prefix() -> None:
    for encrypted in (
        encrypted_by_pyarrow(aad_prefix=b"table 7"),
        parquet.encrypt(written(), ParquetKey(KEY), aad_prefix=b"table 7")[0],
    ):
        assert read(parquet.decrypt(encrypted, one_key())[0]) == TABLE
        assert read(parquet.decrypt(encrypted, one_key(), aad_prefix=b"table 7")[0]) == TABLE
        with pytest.raises(phalanx.AuthenticationError, match="another AAD prefix"):
            parquet.decrypt(encrypted, one_key(), aad_prefix=b"table 8")
    for encrypted in (
        encrypted_by_pyarrow(aad_prefix=b"table 7", store_aad_prefix=False),
        parquet.encrypt(written(), ParquetKey(KEY), aad_prefix=b"table 7", store_aad_prefix=False)[0],
    ):
        assert b"table 7" not in encrypted
        assert read(parquet.decrypt(encrypted, one_key(), aad_prefix=b"table 7")[0]) == TABLE
        with pytest.raises(phalanx.UsageError, match="AAD prefix"):
            parquet.decrypt(encrypted, one_key())
        with pytest.raises(phalanx.WrongKeyError, match="AAD prefix"):
            parquet.decrypt(encrypted, one_key(), aad_prefix=b"table 8")
        properties = pe.create_decryption_properties(KEY, aad_prefix=b"table 7")
        assert read(encrypted, decryption_properties=properties) == TABLE


@pytest.mark.parametrize("double_wrapping", [False, True])
@pytest.mark.parametrize("signed", [False, True])
@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.parametrize("bits", [128, 192, 256])
def test_key_material_of_pyarrow(double_wrapping: bool, signed: bool, algorithm: str, bits: int) -> None:
    encrypted = encrypted_under_kms(
        double_wrapping=double_wrapping, plaintext_footer=signed, encryption_algorithm=algorithm, data_key_length_bits=bits
    )
    Kms.asked = 0
    plain, found = parquet.decrypt(encrypted, KmsKeys(Kms().unwrap_key))
    assert read(plain) == TABLE
    assert Kms.asked == 3  # the footer's key, and two of columns
    assert found.plain_chunks == 2 * 3 and not found.verified


def test_key_material_for_pyarrow() -> None:
    for double_wrapping, signed, size in itertools.product((False, True), (False, True), KEYS):
        kms = Kms()

        def new_key(name: str, kms: Kms = kms, double_wrapping: bool = double_wrapping, size: int = size) -> ParquetKey:
            return parquet.new_kms_key(
                kms.wrap_key, name, footer=name == "footer", double_wrapping=double_wrapping, key_bytes=size
            )

        encrypted, _ = parquet.encrypt(
            written(),
            new_key("footer"),
            column_keys={"name": new_key("names"), "list.list.element": new_key("lists")},
            plain_columns=["price"],
            plaintext_footer=signed,
        )
        assert read(encrypted, decryption_properties=kms_decryption()) == TABLE
        assert read(parquet.decrypt(encrypted, KmsKeys(kms.unwrap_key))[0]) == TABLE
        if signed:  # who has no key reads what is plain
            assert read(encrypted, columns=["price"]) == TABLE.select(["price"])


def test_what_becomes_of_wrong_keys() -> None:
    for signed, algorithm in itertools.product((False, True), ALGORITHMS):
        column_key = ParquetKey(bytes(32), b"names")
        encrypted, _ = parquet.encrypt(
            written(), ParquetKey(KEY), column_keys={"name": column_key}, plaintext_footer=signed, algorithm=algorithm
        )
        asked: list[Any] = []

        def keys(column: str | None, key_metadata: bytes, wrong: str = "", asked: list[Any] = asked) -> bytes:
            asked.append((column, key_metadata))
            if column is None:
                return bytes(16) if wrong == "footer" else KEY
            return bytes([1] * 32) if wrong == "name" else bytes(32)

        assert read(parquet.decrypt(encrypted, keys)[0]) == TABLE
        assert asked == [(None, b""), ("name", b"names")]
        for wrong, said in (("footer", "the footer's key"), ("name", "the key of column name")):
            with pytest.raises(phalanx.WrongKeyError, match=said):
                parquet.decrypt(encrypted, lambda column, data, wrong=wrong: keys(column, data, wrong))  # type: ignore[misc]
    with pytest.raises(phalanx.UsageError, match="16, 24 or 32 bytes"):
        parquet.decrypt(encrypted, one_key(b"short"))

    def refuse(_column: str | None, _key_metadata: bytes) -> bytes:
        raise LookupError("no such key")

    with pytest.raises(LookupError, match="no such key"):
        parquet.decrypt(encrypted, refuse)
    wrong_service = KmsKeys(lambda _wrapped, _master_key_id: bytes(16))
    for double_wrapping, error in ((True, phalanx.AuthenticationError), (False, phalanx.WrongKeyError)):
        with pytest.raises(error):
            parquet.decrypt(encrypted_under_kms(double_wrapping=double_wrapping), wrong_service)
    with pytest.raises(phalanx.FormatError, match="key material"):
        parquet.decrypt(encrypted, wrong_service)


def modules_in(data: bytes, begin: int, end: int) -> list[tuple[int, int]]:
    found = []
    while begin < end:
        size = 4 + struct.unpack_from("<I", data, begin)[0]
        found.append((begin, begin + size))
        begin += size
    assert begin == end
    return found


def chunks_of(data: bytes) -> dict[tuple[int, int], list[tuple[int, int]]]:
    """The modules of each column chunk, by its row group and column. The footer is a plaintext one."""
    metadata = pq.read_metadata(io.BytesIO(data))
    found = {}
    for group, number in itertools.product(range(metadata.num_row_groups), range(metadata.num_columns)):
        column = metadata.row_group(group).column(number)
        begin = column.dictionary_page_offset if column.has_dictionary_page else column.data_page_offset
        found[group, number] = modules_in(data, begin, begin + column.total_compressed_size)
    return found


def swapped(data: bytes, one: tuple[int, int], other: tuple[int, int]) -> bytes:
    changed = bytearray(data)
    changed[slice(*one)], changed[slice(*other)] = data[slice(*other)], data[slice(*one)]
    assert len(changed) == len(data)
    return bytes(changed)


def twins(algorithm: str, by_pyarrow: bool) -> bytes:
    """Columns and row groups that are equal, so that pages have equal lengths."""
    values = pa.array(list(range(1000)) * 2, pa.int64())
    settings = {**SETTINGS, "compression": "none", "use_dictionary": False}
    out = io.BytesIO()
    if by_pyarrow:
        settings["encryption_properties"] = pe.create_encryption_properties(
            KEY, encryption_algorithm=algorithm, plaintext_footer=True
        )
    pq.write_table(pa.table({"one": values, "other": values}), out, **settings)
    if by_pyarrow:
        return out.getvalue()
    return parquet.encrypt(out.getvalue(), ParquetKey(KEY), algorithm=algorithm, plaintext_footer=True)[0]


@pytest.mark.parametrize("by_pyarrow", [False, True])
def test_swapped_pages_are_told(by_pyarrow: bool) -> None:
    data = twins("AES_GCM_V1", by_pyarrow)
    chunks = chunks_of(data)
    first = chunks[0, 0]
    assert len(first) >= 6
    for part in (0, 1):  # headers, pages
        for other in (chunks[0, 1][part], chunks[1, 0][part], first[part + 2]):
            with pytest.raises(phalanx.AuthenticationError, match="page .* of column . in row group . is not authentic"):
                parquet.decrypt(swapped(data, first[part], other), one_key())
    whole = [(modules[0][0], modules[-1][1]) for modules in chunks.values()]
    for one, other in itertools.combinations(whole, 2):
        with pytest.raises(phalanx.AuthenticationError):
            parquet.decrypt(swapped(data, one, other), one_key())


def changed_at(data: bytes, position: int) -> bytes:
    changed = bytearray(data)
    changed[position] ^= 0x40
    return bytes(changed)


@pytest.mark.parametrize("by_pyarrow", [False, True])
def test_what_ctr_does_not_tell(by_pyarrow: bool) -> None:
    data = twins("AES_GCM_CTR_V1", by_pyarrow)
    plain, _ = parquet.decrypt(data, one_key())
    header, page = chunks_of(data)[1, 1][:2]
    changed, found = parquet.decrypt(changed_at(data, page[1] - 1), one_key())
    assert not found.verified and changed != plain and read(changed) != read(plain)
    for position in (header[0] + 4, header[0] + 20, header[1] - 1):
        with pytest.raises(phalanx.AuthenticationError, match="the header of data page 0 of column 1 in row group 1"):
            parquet.decrypt(changed_at(data, position), one_key())


@pytest.mark.parametrize("by_pyarrow", [False, True])
def test_each_changed_byte_is_told(by_pyarrow: bool) -> None:
    small = pa.table({"id": pa.array(range(8), pa.int64()), "name": ["a", "b", "a", "b"] * 2})
    settings: dict[str, Any] = {"row_group_size": 4}
    if by_pyarrow:
        settings["encryption_properties"] = pe.create_encryption_properties(KEY)
        data = written(small, **settings)
    else:
        bloom = {"bloom_filter_options": {"id": {"ndv": 8, "fpp": 0.5}}}
        data, _ = parquet.encrypt(written(small, **settings, **bloom), ParquetKey(KEY), column_keys={})
    plain, _ = parquet.decrypt(data, one_key())
    assert read(plain) == small
    unnoticed = []
    for position in range(len(data)):
        try:
            again, _ = parquet.decrypt(changed_at(data, position), one_key())
        except phalanx.Error:
            continue
        assert again == plain
        unnoticed.append(position)
    # What says how the file is encrypted is not encrypted itself: where it says the same in other words, nothing is lost.
    assert len(unnoticed) <= 2 and all(position > len(data) - 1500 for position in unnoticed)
    for length in range(0, len(data), 7):
        with pytest.raises((phalanx.FormatError, phalanx.TruncatedError, phalanx.WrongKeyError)):
            parquet.decrypt(data[:length], one_key())


def test_what_is_refused() -> None:
    plain = written()
    encrypted, _ = parquet.encrypt(plain, ParquetKey(KEY))
    with pytest.raises(phalanx.UsageError, match="encrypted already"):
        parquet.encrypt(encrypted, ParquetKey(KEY))
    with pytest.raises(phalanx.UsageError, match="is not encrypted"):
        parquet.decrypt(plain, one_key())
    with pytest.raises(phalanx.FormatError):
        parquet.decrypt(bytes(100), one_key())
    with pytest.raises(phalanx.TruncatedError):
        parquet.decrypt(b"PAR1", one_key())
    with pytest.raises(phalanx.UsageError, match="no column nome"):
        parquet.encrypt(plain, ParquetKey(KEY), plain_columns=["nome"])
    with pytest.raises(phalanx.UsageError, match="equal"):
        parquet.encrypt(plain, ParquetKey(KEY), column_keys={"id": ParquetKey(KEY)})
    with pytest.raises(phalanx.UsageError, match="AES_GCM"):
        parquet.encrypt(plain, ParquetKey(KEY), algorithm="AES")
    with pytest.raises(phalanx.UsageError, match="16, 24 or 32"):
        ParquetKey(bytes(17))


def test_a_key_wears_out() -> None:
    plain = written()
    _, facts = parquet.encrypt(plain, ParquetKey(KEY))
    key = ParquetKey(KEY, invocations=2**32 - facts.modules)
    parquet.encrypt(plain, key)
    assert key.invocations == 2**32
    with pytest.raises(phalanx.PolicyError, match=r"2\^32"):
        parquet.encrypt(plain, key)
    footer_key = ParquetKey(KEY)
    shared = parquet.encrypt(plain, footer_key, column_keys={"id": footer_key})[1]
    assert footer_key.invocations == shared.modules == facts.modules


def test_no_rows() -> None:
    for empty in (TABLE.slice(0, 0), pa.table({"id": pa.array([], pa.int64())})):
        encrypted, _ = parquet.encrypt(written(empty), ParquetKey(KEY))
        assert read(parquet.decrypt(encrypted, one_key())[0]) == empty
        assert read(encrypted, decryption_properties=pe.create_decryption_properties(KEY)) == empty
