"""phalanx.compat at the edges: counters that are used up, values that are no bytes, and algorithms that do not fit."""

import array
import functools
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import phalanx
from phalanx.compat.Crypto.Cipher import AES, DES, DES3
from phalanx.compat.Crypto.Util import Counter
from phalanx.compat.cryptography import AESGCM, Cipher, algorithms, modes

KEY = bytes(range(32))
DATA = bytes(range(256)) * 16
TO_WRAP = 6 * 16  # of counters of one byte that begin at 250


def counter_blocks(prefix: bytes, first: int, size: int) -> Iterator[bytes]:
    """All of a counter's values once, from `first` on."""
    count = 256**size
    return (prefix + ((first + index) % count).to_bytes(size, "big") for index in range(count))


def in_ctr(ecb: str, key: bytes, blocks: Iterator[bytes], data: bytes) -> bytes:
    """Block by block, by the definition of CTR."""
    stream = phalanx.Cipher(ecb, key, allow_legacy=True).encrypt(b"".join(blocks), iv=None, padding="none")
    return bytes(a ^ b for a, b in zip(stream, data))


SEALED = in_ctr("aes-256-ecb", KEY, counter_blocks(bytes(15), 250, 1), DATA)


def one_byte_counter(module: Any = AES) -> Any:
    return module.new(KEY, module.MODE_CTR, nonce=bytes(15), initial_value=250)


def counter_of(size: int, prefix: bytes, first: int) -> dict[str, Any]:
    """What pycryptodome's Counter.new gives."""
    return {"counter_len": size, "prefix": prefix, "suffix": b"", "initial_value": first, "little_endian": False}


@pytest.mark.parametrize("first", [0, 1, 2, 65535])
@pytest.mark.parametrize("ours, ecb", [(DES, "des-ecb"), (DES3, "des-ede3-ecb")], ids=["DES", "DES3"])
def test_a_call_uses_up_the_counter(ours: Any, ecb: str, first: int) -> None:
    key, prefix, zeros = KEY[: 8 if ours is DES else 24], b"prefix", bytes(65536 * 8)
    expected = in_ctr(ecb, key, counter_blocks(prefix, first, 2), zeros)
    for start in ({"counter": counter_of(2, prefix, first)}, {"nonce": prefix, "initial_value": first}):
        cipher = ours.new(key, ours.MODE_CTR, **start)
        assert cipher.encrypt(zeros) == expected
        with pytest.raises(OverflowError):
            cipher.encrypt(b"x")
        assert ours.new(key, ours.MODE_CTR, **start).decrypt(expected) == zeros


OTHER_COUNTERS: list[dict[str, Any]] = [
    {"nbits": 64, "prefix": b"1234", "suffix": b"5678", "initial_value": 2**64 - 3},
    {"nbits": 128, "initial_value": 2**128 - 2, "little_endian": True},
    {"nbits": 16, "prefix": b"12345678", "suffix": b"123456", "initial_value": 65535, "little_endian": True},
    {"nbits": 8, "suffix": bytes(15), "initial_value": 3},
]


@pytest.mark.parametrize("settings", OTHER_COUNTERS)
@pytest.mark.parametrize("cut", [0, 1, 16, 17, 47, 48])
def test_counters_that_have_a_suffix_or_are_little_endian(settings: dict[str, Any], cut: int) -> None:
    counter, size = Counter.new(**settings), settings["nbits"] // 8
    order: Any = "little" if settings.get("little_endian") else "big"
    blocks = (
        settings.get("prefix", b"")
        + ((settings["initial_value"] + i) % 256**size).to_bytes(size, order)
        + settings.get("suffix", b"")
        for i in range(256)
    )
    expected = in_ctr("aes-256-ecb", KEY, blocks, DATA)
    cipher = AES.new(KEY, AES.MODE_CTR, counter=counter)
    assert cipher.encrypt(DATA[:cut]) + cipher.encrypt(DATA[cut:]) == expected
    with pytest.raises(TypeError):
        cipher.decrypt(b"")
    output = bytearray(len(DATA))
    AES.new(KEY, AES.MODE_CTR, counter=counter).decrypt(expected, output)
    assert output == DATA
    theirs = pytest.importorskip("Crypto.Util.Counter", reason="pycryptodome is not installed").new(**settings)
    aes = pytest.importorskip("Crypto.Cipher.AES")
    assert aes.new(KEY, aes.MODE_CTR, counter=theirs).encrypt(DATA) == expected
    assert AES.new(KEY, AES.MODE_CTR, counter=theirs).encrypt(DATA) == expected


def test_such_a_counter_is_used_up_too() -> None:
    counter = Counter.new(8, suffix=bytes(7), initial_value=7)
    cipher = DES.new(KEY[:8], DES.MODE_CTR, counter=counter)
    assert len(cipher.encrypt(bytes(2047))) == 2047
    with pytest.raises(OverflowError):
        cipher.encrypt(b"xx")
    assert len(cipher.encrypt(b"x")) == 1
    with pytest.raises(OverflowError):
        cipher.encrypt(b"x")


CUTS = [0, 1, 15, 16, TO_WRAP - 1, TO_WRAP, TO_WRAP + 1, TO_WRAP + 16, TO_WRAP + 17, 4080, 4095, 4096]


@pytest.mark.parametrize("first_cut", CUTS)
def test_every_cut_around_the_wrap(first_cut: int) -> None:
    for second_cut, encrypts in itertools.product(CUTS, (True, False)):
        cipher, source, target = one_byte_counter(), *((DATA, SEALED) if encrypts else (SEALED, DATA))
        crypt, wrong = (cipher.encrypt, cipher.decrypt) if encrypts else (cipher.decrypt, cipher.encrypt)
        places = [0, *sorted((first_cut, second_cut)), len(DATA)]
        for begin, end in zip(places, places[1:]):
            assert crypt(source[begin:end]) == target[begin:end]
            with pytest.raises(TypeError):
                wrong(b"")
        assert crypt(b"") == b""
        with pytest.raises(OverflowError):
            crypt(b"x")


def test_what_does_not_fit_uses_nothing_up() -> None:
    cipher = one_byte_counter()
    assert cipher.encrypt(DATA[:100]) == SEALED[:100]
    with pytest.raises(OverflowError):
        cipher.encrypt(DATA[:3997])
    assert cipher.encrypt(DATA[100:]) == SEALED[100:]


def test_pycryptodome_agrees() -> None:
    theirs = pytest.importorskip("Crypto.Cipher.AES", reason="pycryptodome is not installed")
    assert one_byte_counter(theirs).encrypt(DATA) == SEALED
    des3 = pytest.importorskip("Crypto.Cipher.DES3")
    counter, zeros = counter_of(2, b"prefix", 1), bytes(65536 * 8)
    both = [module.new(KEY[:24], module.MODE_CTR, counter=counter).encrypt(zeros) for module in (des3, DES3)]
    assert both[0] == both[1]
    for cipher in (one_byte_counter(theirs), one_byte_counter()):
        cipher.encrypt(DATA[:TO_WRAP])
        with pytest.raises(TypeError):
            cipher.decrypt(b"")
        with pytest.raises(OverflowError):
            cipher.encrypt(DATA[: 4097 - TO_WRAP])
        assert cipher.encrypt(DATA[TO_WRAP:]) == SEALED[TO_WRAP:]


@pytest.mark.parametrize("start", [{"initial_value": -1}, {"counter": counter_of(8, bytes(8), -1)}], ids=str)
def test_counters_begin_at_zero_or_more(start: dict[str, Any]) -> None:
    arguments = start if "counter" in start else {"nonce": bytes(8), **start}
    with pytest.raises(phalanx.UsageError, match="negative"):
        AES.new(KEY, AES.MODE_CTR, **arguments)


def gcm() -> Any:
    return AES.new(KEY, AES.MODE_GCM, nonce=bytes(12))


def takers_of_cryptography() -> dict[str, Callable[[Any], Any]]:
    """All that takes bytes there, given one value."""
    aes = algorithms.AES(KEY)
    start_of_modes = (modes.CBC, modes.OFB, modes.CFB, modes.CFB8, modes.CTR, modes.XTS, modes.GCM)
    keys = (algorithms.AES, algorithms.AES128, algorithms.TripleDES, algorithms.Serpent, AESGCM)
    return {
        **{f"start of {mode.name}": mode for mode in start_of_modes},
        **{f"key of {taker.__name__}": taker for taker in keys},
        "tag": lambda value: modes.GCM(bytes(12), value),
        "later tag": Cipher(aes, modes.GCM(bytes(12))).decryptor().finalize_with_tag,
        "associated data": Cipher(aes, modes.GCM(bytes(12))).encryptor().authenticate_additional_data,
        "another nonce": Cipher(aes, modes.CTR(bytes(16))).encryptor().reset_nonce,
        "data": Cipher(aes, modes.CTR(bytes(16))).encryptor().update,
        "data of XTS": Cipher(aes, modes.XTS(bytes(16))).encryptor().update,
        "nonce of AESGCM": lambda value: AESGCM(KEY).encrypt(value, b"", None),
        "data of AESGCM": lambda value: AESGCM(KEY).decrypt(bytes(12), value, None),
        "associated data of AESGCM": lambda value: AESGCM(KEY).encrypt(bytes(12), b"", value),
    }


def takers_of_pycryptodome() -> dict[str, Callable[[Any], Any]]:
    takers: dict[str, Callable[[Any], Any]] = {
        "iv": lambda value: AES.new(KEY, AES.MODE_CBC, iv=value),
        "IV": lambda value: AES.new(KEY, AES.MODE_OFB, IV=value),
        "iv by its place": lambda value: AES.new(KEY, AES.MODE_CFB, value),
        "iv of DES": lambda value: DES.new(KEY[:8], DES.MODE_CBC, iv=value),
        "nonce": lambda value: AES.new(KEY, AES.MODE_CTR, nonce=value),
        "nonce of GCM": lambda value: AES.new(KEY, AES.MODE_GCM, nonce=value),
        "nonce of GCM by its place": lambda value: AES.new(KEY, AES.MODE_GCM, value),
        "prefix": lambda value: AES.new(KEY, AES.MODE_CTR, counter={**counter_of(0, b"", 0), "prefix": value}),
        "suffix": lambda value: AES.new(KEY, AES.MODE_CTR, counter={**counter_of(16, b"", 0), "suffix": value}),
        "associated data of GCM": lambda value: gcm().update(value),
        "tag of GCM": lambda value: gcm().verify(value),
        "tag after a message": lambda value: gcm().decrypt_and_verify(b"", value),
        "data of CTR": lambda value: one_byte_counter().encrypt(value),
        "parity": DES3.adjust_key_parity,
    }
    for module in (AES, DES, DES3):
        takers[f"key of {module.__name__}"] = functools.partial(module.new, mode=module.MODE_ECB)
    return takers


TAKERS = {**takers_of_cryptography(), **takers_of_pycryptodome()}
NO_BYTES: list[Any] = [[1] * 16, (1,) * 16, "x" * 16, {}, object()]


@pytest.mark.parametrize("name", TAKERS)
def test_what_holds_no_bytes_is_refused(name: str) -> None:
    for value in (0, 16, True, *NO_BYTES):
        with pytest.raises(TypeError):
            TAKERS[name](value)


def test_counters_begin_with_bytes_or_whole_numbers() -> None:
    for value in (*NO_BYTES, 1.5):
        with pytest.raises(phalanx.BufferTypeError):
            AES.new(KEY, AES.MODE_CTR, nonce=b"", initial_value=value)
        with pytest.raises(TypeError):
            AES.new(KEY, AES.MODE_CTR, counter=counter_of(16, b"", value))


def test_objects_and_numbers_of_numpy_are_not_bytes() -> None:
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    for value in (numpy.array([None, None]), numpy.complex128(8), numpy.array(8j)):
        with pytest.raises(phalanx.BufferTypeError):
            modes.CBC(value)
        with pytest.raises(phalanx.BufferTypeError):
            AES.new(KEY, AES.MODE_GCM, nonce=value)
    with pytest.raises(phalanx.BufferTypeError):
        AES.new(KEY, AES.MODE_CTR, nonce=bytes(8), initial_value=numpy.int64(1))


def test_bytes_in_any_buffer() -> None:
    """Whole, however large its items are, and as they are when they are given."""
    words = array.array("I", bytes(range(16)))
    assert modes.CBC(words).initialization_vector == AES.new(KEY, AES.MODE_CBC, iv=words).iv == bytes(range(16))
    expected = AES.new(KEY, AES.MODE_CTR, nonce=bytes(range(8)), initial_value=bytes(range(8, 16))).encrypt(DATA)
    assert AES.new(KEY, AES.MODE_CTR, nonce=words[:2], initial_value=words[2:]).encrypt(DATA) == expected
    sealed, tag = gcm().encrypt_and_digest(DATA)
    assert gcm().decrypt_and_verify(sealed, array.array("I", tag)) == DATA
    changing = bytearray(tag)
    for mode in (modes.GCM(bytes(12), changing), modes.GCM(bytes(12), array.array("I", tag))):  # type: ignore[arg-type]
        changing[:] = bytes(16)
        decryptor = Cipher(algorithms.AES(KEY), mode).decryptor()
        assert decryptor.update(sealed) + decryptor.finalize() == DATA
    decryptor = Cipher(algorithms.AES(KEY), modes.GCM(bytes(12))).decryptor()
    assert decryptor.update(sealed) == DATA
    assert decryptor.finalize_with_tag(array.array("I", tag)) == b""  # type: ignore[arg-type]
    assert DES3.adjust_key_parity(array.array("I", KEY[:24])) == DES3.adjust_key_parity(KEY[:24])


def test_xts_encrypts_under_no_equal_halves_and_no_long_unit() -> None:
    """Their errors are ValueErrors, and the first of them comes with the context."""
    weak = Cipher(algorithms.AES(bytes(64)), modes.XTS(bytes(16)))
    with pytest.raises(ValueError, match="halves"):
        weak.encryptor()
    assert len(weak.decryptor().update(bytes(32))) == 32
    long = Cipher(algorithms.AES(bytes(range(64))), modes.XTS(bytes(16)))
    with pytest.raises(ValueError, match="2\\^20 blocks"):
        long.encryptor().update(bytes((16 << 20) + 16))


@pytest.mark.parametrize("algorithm, size", [(algorithms.AES128, 16), (algorithms.AES256, 32)])
def test_algorithms_that_are_not_for_xts(algorithm: Any, size: int) -> None:
    with pytest.raises(TypeError, match="XTS"):
        Cipher(algorithm(KEY[:size]), modes.XTS(bytes(16)))
    assert Cipher(algorithm(KEY[:size]), modes.CBC(bytes(16))).encryptor().update(bytes(16))


def test_a_refused_output_crypts_nothing() -> None:
    makers: list[Callable[[], Any]] = [
        lambda: AES.new(bytes(16), AES.MODE_CTR, nonce=bytes(8)),
        lambda: AES.new(bytes(16), AES.MODE_CBC, iv=bytes(16)),
        lambda: AES.new(bytes(16), AES.MODE_GCM, nonce=bytes(12)),
    ]
    for make in makers:
        message = make()
        with pytest.raises(ValueError):
            message.encrypt(bytes(32), output=bytearray(31))
        with pytest.raises(TypeError):
            message.encrypt(bytes(32), output=bytes(32))
        assert message.encrypt(bytes(32)) == make().encrypt(bytes(32))
