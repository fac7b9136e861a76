"""Columns of messages: what is cut short or not there, elements that do not fit, nonces twice, and what pandas and pyarrow give."""

from collections.abc import Callable
from typing import Any

import pytest

import phalanx

KEY = bytes(range(32))
IV = bytes(range(16))
CBC = phalanx.Cipher("aes-256-cbc", KEY)
ANY: Any = CBC  # for what no type checker lets pass
GCM = phalanx.Aead("aes-256-gcm", KEY)
ANY_GCM: Any = GCM
NONCES = [number.to_bytes(12, "little") for number in range(5)]


def sealed_column() -> list[bytes]:
    return CBC.encrypt_many([b"one", b"two", b"three"], [IV] * 3, padding="pkcs7")


def test_what_is_cut_short_is_none_and_has_a_number() -> None:
    one, two, three = sealed_column()
    column = [one, two[:7], b"", three]
    assert CBC.decrypt_many(column, [IV] * 4, padding="pkcs7", strict=False) == [b"one", None, None, b"three"]
    with pytest.raises(phalanx.WrongKeyError, match="of 1 of 4 messages does not check.*; 1 is no whole blocks") as raised:
        CBC.decrypt_many(column, [IV] * 4, padding="pkcs7")
    assert raised.value.failed == (1, 2)
    column.pop(2)
    with pytest.raises(phalanx.TruncatedError, match="1 of 3 messages is no whole blocks of 16 .* number 1") as cut:
        CBC.decrypt_many(column, [IV] * 3, padding="pkcs7")
    assert cut.value.failed == (1,)
    assert CBC.decrypt_many(column, [IV] * 3, padding="none", strict=False)[1] is None
    assert phalanx.TruncatedError.failed == ()


def test_messages_that_begin_with_their_ivs() -> None:
    ivs = [bytes([number]) * 16 for number in range(3)]
    texts = [b"one", None, b"three"]
    sealed = CBC.encrypt_many(texts, ivs, padding="pkcs7", iv_prefix=True)
    one, _, three = sealed
    assert one == ivs[0] + CBC.encrypt(b"one", iv=ivs[0], padding="pkcs7") and three is not None
    assert CBC.decrypt_many(sealed, padding="pkcs7", iv_prefix=True) == texts
    keys = [KEY, None, KEY]
    assert CBC.decrypt_many(sealed, None, keys, padding="pkcs7", iv_prefix=True) == texts
    column = [three, b"", three[:15], three[:16], three[:31], None]
    opened = CBC.decrypt_many(column, padding="pkcs7", iv_prefix=True, strict=False)
    assert opened == [b"three", None, None, None, None, None]
    with pytest.raises(phalanx.WrongKeyError, match="3 are no iv and whole blocks of 16 bytes") as raised:
        CBC.decrypt_many(column, padding="pkcs7", iv_prefix=True)
    assert raised.value.failed == (1, 2, 3, 4)  # the fourth has no padding
    with pytest.raises(phalanx.UsageError, match="leave ivs out"):
        CBC.decrypt_many(sealed, ivs, padding="pkcs7", iv_prefix=True)
    with pytest.raises(phalanx.UsageError, match="iv"):
        CBC.encrypt_many(texts, padding="pkcs7", iv_prefix=True)
    ctr = phalanx.Cipher("aes-256-ctr", KEY)
    assert ctr.decrypt_many(ctr.encrypt_many([b"", b"abc"], ivs[:2], iv_prefix=True), iv_prefix=True) == [b"", b"abc"]
    with pytest.raises(phalanx.TruncatedError, match="1 of 1 messages is shorter than an iv of 16 bytes"):
        ctr.decrypt_many([b"short"], iv_prefix=True)
    with pytest.raises(phalanx.UsageError, match="takes no iv: leave iv_prefix out"):
        phalanx.Cipher("aes-256-ecb", KEY).decrypt_many([b""], padding="pkcs7", iv_prefix=True)


def test_texts_in_base64() -> None:
    column: list[Any] = ["b25l", b"dHdv", " dGhy\nZWU= ", "", None, float("nan"), "b25", "b25l!", "\u00e9", "b-_l"]
    decoded = phalanx.decode_base64(column)
    assert decoded == [b"one", b"two", b"three", b"", None, None, None, None, None, None]
    with pytest.raises(TypeError):
        phalanx.decode_base64([1.5])
    assert phalanx.decode_base64(column[:6], strict=True) == decoded[:6]
    with pytest.raises(phalanx.UsageError, match=r"no base64: texts\[6\], texts\[7\], texts\[8\] and 1 more"):
        phalanx.decode_base64(column, strict=True)


def test_texts_in_base64_of_pandas_and_pyarrow() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    texts, expected = ["b25l", None, "dGhyZWU="], [b"one", None, b"three"]
    for column in (
        pandas.Series(texts),  # of pandas 3: its type str, with NaN
        pandas.Series(texts, dtype="string"),  # with NA
        pandas.Series(texts, dtype=object),
        pyarrow.array(texts),
        pyarrow.chunked_array([texts[:1], texts[1:]]),
    ):
        assert phalanx.decode_base64(column) == expected


def test_none_gives_none() -> None:
    for absent in (None, float("nan")):
        column: list[Any] = [b"one", absent, b"three"]
        sealed = CBC.encrypt_many(column, [IV, None, IV], padding="pkcs7")
        assert sealed[1] is None and sealed[2] == sealed_column()[2]
        column[1] = None
        assert CBC.decrypt_many(sealed, [IV, None, IV], padding="pkcs7") == column
        assert GCM.open_many(NONCES[:3], GCM.seal_many(NONCES[:3], column)) == column
        assert GCM.open_many(NONCES[:3], GCM.seal_many(NONCES[:3], column, [b"a", None, None]), [b"a", None, b""]) == column
        random = phalanx.Aead("xaes-256-gcm", KEY)
        assert random.open_with_leading_nonce_many(random.seal_with_new_nonce_many(column)) == column
    assert CBC.encrypt_many([None, None], None, padding="pkcs7") == [None, None]


def test_none_moves_no_number() -> None:
    sealed = GCM.seal_many(NONCES, [None, b"one", None, b"three", b"four"])
    changed = [*sealed[:3], bytes(21), sealed[4]]
    with pytest.raises(phalanx.AuthenticationError, match="1 message is not authentic, of 5: the first is number 3") as raised:
        GCM.open_many(NONCES, changed)
    assert raised.value.failed == (3,)
    random = phalanx.Aead("xaes-256-gcm", KEY)
    with pytest.raises(phalanx.AuthenticationError) as another:
        random.open_with_leading_nonce_many([None, bytes(50)])
    assert another.value.failed == (1,)
    keys = [None, KEY, None, bytes(32), KEY]
    assert GCM.open_many(NONCES, GCM.seal_many(NONCES, sealed, None, keys), None, keys) == sealed


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: ANY.encrypt_many([b"", "text"], [IV] * 2, padding="pkcs7"), r"messages\[1\] is a str"),
        (lambda: ANY.encrypt_many([b"", b""], [IV, 7], padding="pkcs7"), r"ivs\[1\] is a int"),
        (lambda: CBC.encrypt_many([b"", b""], [IV, None], padding="pkcs7"), r"ivs\[1\] is None, and its message is there"),
        (lambda: CBC.encrypt_many([b"", b""], [IV, b"short"], padding="pkcs7"), r"ivs\[1\] has 5 bytes, and 16 are wanted"),
        (lambda: CBC.decrypt_many([b"", b""], [IV] * 2, [KEY, b""], padding="pkcs7"), r"keys\[1\] has 0 bytes, and 32"),
        (lambda: CBC.decrypt_many([b"", b""], [IV] * 2, [KEY, None], padding="pkcs7"), r"keys\[1\] is a NoneType"),
        (lambda: GCM.seal_many([NONCES[0], None], [b"", b""]), r"nonces\[1\] is None, and its message is there"),
        (lambda: ANY_GCM.seal_many(NONCES[:2], [b"", 3.5]), r"messages\[1\] is a float"),
        (lambda: ANY.encrypt_many_into([b"", None], [bytearray(16)] * 2, [IV] * 2), r"messages\[1\] is a NoneType"),
    ],
)
def test_elements_that_do_not_fit_are_named(call: Callable[[], object], said: str) -> None:
    with pytest.raises(phalanx.Error, match=said):
        call()


@pytest.mark.parametrize("size", [7, 8, 12, 16, 17, 24])
@pytest.mark.parametrize("order", ["big", "little"])
def test_a_nonce_twice_seals_nothing(size: int, order: str) -> None:
    aead = phalanx.Aead("aes-256-gcm", KEY, any_nonce_size=True)
    nonces = [number.to_bytes(size, "big" if order == "big" else "little") for number in range(700)]
    assert len(aead.seal_many(nonces, [b""] * 700)) == 700
    for first, second in ((0, 699), (256, 257), (3, 600)):
        repeated = list(nonces)
        repeated[second] = repeated[first]
        with pytest.raises(phalanx.UsageError, match=f"messages {first} and {second} have the same nonce"):
            aead.seal_many(repeated, [b""] * 700)


def test_nonces_are_compared_under_one_key() -> None:
    same = [NONCES[0]] * 3
    assert len(GCM.seal_many(same, [b"a", b"b", b"c"], keys=[bytes([number] * 32) for number in range(3)])) == 3
    assert GCM.seal_many(same, [b"a", None, None])[1:] == [None, None]
    with pytest.raises(phalanx.UsageError, match="messages 0 and 2 have"):
        GCM.seal_many(same, [b"a", None, b"c"])
    with pytest.raises(phalanx.UsageError, match="messages 0 and 1 have"):
        GCM.seal_many(same, [b"a", b"b", b"c"])


def test_arrays_of_numpy() -> None:
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    texts = [b"one", b"two", b"three"]
    ivs = numpy.array([bytes([number]) + bytes(15) for number in range(3)], dtype="S16")  # which end with zeros
    expected = CBC.encrypt_many(texts, [bytes(iv).ljust(16, b"\0") for iv in ivs], padding="pkcs7")
    assert CBC.encrypt_many(numpy.array(texts, dtype=object), ivs, padding="pkcs7") == expected
    assert CBC.encrypt_many(texts, ivs.astype("V16"), padding="pkcs7") == expected
    with pytest.raises(phalanx.StrideError, match="messages is an array of NumPy's type S or V"):
        CBC.encrypt_many(numpy.array(texts), ivs, padding="pkcs7")
    nonces = numpy.array([number.to_bytes(12, "big") for number in range(3)], dtype="S12")
    assert GCM.open_many(nonces, GCM.seal_many(nonces, texts)) == texts


def test_columns_of_pandas_and_pyarrow() -> None:
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    array = pyarrow.array([b"one", None, b"three"])
    ivs = pyarrow.array([IV, None, IV], pyarrow.binary(16))
    expected = [sealed_column()[0], None, sealed_column()[2]]
    for column in (array, pandas.Series(array.to_pylist()), pandas.Series(array.to_pylist(), dtype=pandas.ArrowDtype(array.type))):
        assert CBC.encrypt_many(column, ivs, padding="pkcs7") == expected
    assert CBC.decrypt_many(pyarrow.array(expected), ivs, padding="pkcs7") == array.to_pylist()
