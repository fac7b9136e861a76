"""Messages, batches, parts and sectors: round trips, known answers, and the ways agree with each other."""

import os
import random
from collections.abc import Callable

import pytest

import phalanx

NAMES = [facts.name for facts in phalanx.ciphers() if facts.mode != "gcm"]
ENGINES = [engine.name for engine in phalanx.engines() if engine.usable]
BLOCK_MODES = ("ecb", "cbc")


def facts_of(name: str) -> phalanx.CipherFacts:
    return next(facts for facts in phalanx.ciphers() if facts.name == name)


def padding_in(facts: phalanx.CipherFacts) -> str | None:
    return "pkcs7" if facts.mode in BLOCK_MODES else None


# Name, key, iv, plaintext, ciphertext: NIST SP 800-38A, appendix F (the first blocks), and SP 800-67's example key.
KNOWN = [
    (
        "aes-128-cbc",
        "2b7e151628aed2a6abf7158809cf4f3c",
        "000102030405060708090a0b0c0d0e0f",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
        "7649abac8119b246cee98e9b12e9197d5086cb9b507219ee95db113a917678b2",
    ),
    (
        "aes-256-ctr",
        "603deb1015ca71be2b73aef0857d77811f352c073b6108d72d9810a30914dff4",
        "f0f1f2f3f4f5f6f7f8f9fafbfcfdfeff",
        "6bc1bee22e409f96e93d7e117393172aae2d8a571e03ac9c9eb76fac45af8e51",
        "601ec313775789a5b7a7f504bbf3d228f443e3ca4d62b59aca84e990cacaf5c5",
    ),
    (
        "des-ede3-ecb",
        "0123456789abcdef23456789abcdef01456789abcdef0123",
        "",
        "54686520717566636b2062726f776e20666f78206a756d70",
        "a826fd8ce53b855fcce21c8112256fe668d5c05dd9b6b900",
    ),
]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(("name", "key", "iv", "plaintext", "ciphertext"), KNOWN, ids=[known[0] for known in KNOWN])
def test_known_answers(name: str, key: str, iv: str, plaintext: str, ciphertext: str, engine: str) -> None:
    cipher = phalanx.Cipher(name.upper(), bytes.fromhex(key), engine, threads=1, allow_legacy=True)
    assert cipher.engine == engine
    start = bytes.fromhex(iv) or None
    assert cipher.encrypt(bytes.fromhex(plaintext), iv=start, padding="none").hex() == ciphertext
    assert cipher.decrypt(bytes.fromhex(ciphertext), iv=start, padding="none").hex() == plaintext


@pytest.mark.parametrize("name", NAMES)
def test_round_trips(name: str) -> None:
    facts = facts_of(name)
    cipher = phalanx.Cipher(name, os.urandom(facts.key_bytes), allow_legacy=True)
    assert (cipher.name, cipher.key_bytes, cipher.iv_bytes) == (name, facts.key_bytes, facts.iv_bytes)
    iv, padding = os.urandom(facts.iv_bytes) or None, padding_in(facts)
    for size in (16, 17, 31, 32, 100, 1023, 1024, 5000, 70001):
        data = os.urandom(size)
        sealed = cipher.encrypt(data, iv=iv, padding=padding)
        assert cipher.decrypt(sealed, iv=iv, padding=padding) == data
        assert len(sealed) == (size // facts.block_bytes + 1) * facts.block_bytes if padding else size
        target = bytearray(len(sealed) + 5)
        assert cipher.encrypt_into(data, target, iv=iv, padding=padding) == len(sealed)
        assert target[:-5] == sealed
        assert cipher.decrypt_into(memoryview(target)[:-5], target, iv=iv, padding=padding) == size
        assert target[:size] == data


@pytest.mark.parametrize("padding", ["pkcs7", "x923", "iso7816", "zero", "none"])
@pytest.mark.parametrize("name", ["aes-256-cbc", "des-ede3-ecb"])
def test_paddings(name: str, padding: str) -> None:
    facts = facts_of(name)
    cipher = phalanx.Cipher(name, os.urandom(facts.key_bytes), allow_legacy=True)
    iv = bytes(facts.iv_bytes) or None
    for blocks in (1, 3, 200):
        for rest in (0,) if padding == "none" else (0, 1, facts.block_bytes - 1):
            data = b"x" * (blocks * facts.block_bytes + rest)
            sealed = cipher.encrypt(data, iv=iv, padding=padding)
            assert cipher.decrypt(sealed, iv=iv, padding=padding) == data
            exact = bytearray(len(data))
            assert cipher.decrypt_into(sealed, exact, iv=iv, padding=padding) == len(data)
            assert exact == data


def test_a_wrong_key_writes_nothing() -> None:
    sealed = phalanx.Cipher("aes-256-cbc", bytes(32)).encrypt(b"a" * 100, iv=bytes(16), padding="pkcs7")
    target = bytearray(112)
    wrong = 0
    for value in range(1, 30):
        cipher = phalanx.Cipher("aes-256-cbc", bytes([value]) * 32)
        try:
            cipher.decrypt_into(sealed, target, iv=bytes(16), padding="pkcs7")
        except phalanx.WrongKeyError:
            wrong += 1
            assert target == bytes(112)
        target = bytearray(112)
    assert wrong > 20  # one in 256 passes by chance


def test_lengths_that_do_not_fit() -> None:
    cipher = phalanx.Cipher("aes-256-cbc", bytes(32))
    with pytest.raises(phalanx.TruncatedError):
        cipher.decrypt(bytes(15), iv=bytes(16), padding="pkcs7")
    with pytest.raises(phalanx.TruncatedError):
        cipher.decrypt(b"", iv=bytes(16), padding="pkcs7")
    with pytest.raises(phalanx.UsageError, match="pad it first"):
        cipher.encrypt(bytes(15), iv=bytes(16), padding="none")
    with pytest.raises(phalanx.UsageError, match="takes any length"):
        phalanx.Cipher("aes-256-ctr", bytes(32)).encrypt(b"", iv=bytes(16), padding="pkcs7")
    with pytest.raises(phalanx.UsageError, match="padding"):
        cipher.encrypt(b"", iv=bytes(16), padding="pkcs5")


@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("xts")])
def test_parts_of_any_size(name: str) -> None:
    facts = facts_of(name)
    cipher = phalanx.Cipher(name, os.urandom(facts.key_bytes), allow_legacy=True)
    iv, padding = os.urandom(facts.iv_bytes) or None, padding_in(facts)
    choose = random.Random(name)
    for size in (0, 1, 8, 16, 33, 500, 9000):
        data = choose.randbytes(size)
        sealed = cipher.encrypt(data, iv=iv, padding=padding)
        streams = cipher.encryptor(iv=iv, padding=padding), cipher.decryptor(iv=iv, padding=padding)
        for stream, source, wanted in zip(streams, (data, sealed), (sealed, data), strict=True):
            result, place = b"", 0
            while place < len(source):
                part = source[place : place + choose.choice((1, 3, 8, 15, 16, 17, 64, 4000))]
                place += len(part)
                if choose.random() < 0.5:
                    result += stream.update(part)
                else:
                    target = bytearray(len(part) + facts.block_bytes)
                    result += target[: stream.update_into(part, target)]
            assert result + stream.finalize() == wanted
            with pytest.raises(phalanx.UsageError, match="finished"):
                stream.update(b"more")


def test_parts_of_data_units() -> None:
    with pytest.raises(phalanx.UsageError, match="whole data units"):
        phalanx.Cipher("aes-256-xts", bytes(range(64))).encryptor(iv=bytes(16))


def part_start(facts: phalanx.CipherFacts, iv: bytes | None, sealed: bytes, offset: int) -> bytes | None:
    """What encrypt_part and decrypt_part want as iv: for CBC and CFB the ciphertext block before the part."""
    chains = facts.mode in ("cbc", "cfb") and offset != 0
    return sealed[offset - facts.block_bytes : offset] if chains else iv


@pytest.mark.parametrize("name", NAMES)
def test_parts_by_their_offset(name: str) -> None:
    facts, choose = facts_of(name), random.Random(name)
    cipher = phalanx.Cipher(name, choose.randbytes(facts.key_bytes), allow_legacy=True)
    iv, data = choose.randbytes(facts.iv_bytes) or None, choose.randbytes(48_000)
    sealed = cipher.encrypt(data, iv=iv, padding="none")
    step = 1 if facts.mode == "ctr" else facts.block_bytes
    ways = [
        (facts.encrypts_parts, cipher.encrypt_part, cipher.encrypt_part_into, data, sealed),
        (facts.decrypts_parts, cipher.decrypt_part, cipher.decrypt_part_into, sealed, data),
    ]
    for is_offered, crypt, crypt_into, source, wanted in ways:
        if not is_offered:
            with pytest.raises(phalanx.UsageError, match="depends on all"):
                crypt(source, 0, iv=iv)
            continue
        for size in (step, 48, 4800, 24_000):
            offset = choose.randrange(0, len(data) - size) // step * step
            start, part = part_start(facts, iv, sealed, offset), source[offset : offset + size]
            assert crypt(part, offset, iv=start) == wanted[offset : offset + size]
            target = bytearray(part) + b"rest"
            assert crypt_into(memoryview(target)[:size], target, offset, iv=start) == size
            assert target == wanted[offset : offset + size] + b"rest"


def test_parts_that_do_not_fit() -> None:
    cipher = phalanx.Cipher("aes-256-cbc", bytes(32))
    with pytest.raises(phalanx.UsageError, match="multiple|whole blocks"):
        cipher.decrypt_part(bytes(16), 8, iv=bytes(16))
    with pytest.raises(phalanx.SizeError):
        cipher.decrypt_part_into(bytes(16), bytearray(15), 0, iv=bytes(16))
    with pytest.raises(phalanx.OverlapError):
        memory = memoryview(bytearray(48))
        cipher.decrypt_part_into(memory[:32], memory[16:], 0, iv=bytes(16))
    with pytest.raises(TypeError):
        cipher.decrypt_part(bytes(16), -16, iv=bytes(16))


def test_a_message_that_ends_too_early() -> None:
    cipher = phalanx.Cipher("aes-256-cbc", bytes(32))
    decryptor = cipher.decryptor(iv=bytes(16), padding="pkcs7")
    decryptor.update(bytes(20))
    with pytest.raises(phalanx.TruncatedError):
        decryptor.finalize()
    with pytest.raises(phalanx.UsageError):
        cipher.encryptor(iv=bytes(15), padding="pkcs7")


@pytest.mark.parametrize("own_keys", [False, True])
@pytest.mark.parametrize("name", [name for name in NAMES if not name.endswith("xts")])
def test_many(name: str, own_keys: bool) -> None:
    facts = facts_of(name)
    messages = [os.urandom(size) for size in (0, 1, 7, 8, 16, 100, 1000)] * 5
    ivs = [os.urandom(facts.iv_bytes) for _ in messages] if facts.iv_bytes else None
    keys = [os.urandom(facts.key_bytes) for _ in messages]
    cipher, padding = phalanx.Cipher(name, keys[0], allow_legacy=True), padding_in(facts)
    sealed = cipher.encrypt_many(messages, ivs, keys if own_keys else None, padding=padding)
    for i, message in enumerate(messages):
        single = phalanx.Cipher(name, keys[i] if own_keys else keys[0], allow_legacy=True)
        assert sealed[i] == single.encrypt(message, iv=ivs[i] if ivs else None, padding=padding)
    assert cipher.decrypt_many(sealed, ivs, keys if own_keys else None, padding=padding) == messages


def test_rows_of_arrays() -> None:
    np = pytest.importorskip("numpy")
    records = np.frombuffer(os.urandom(50 * 64), "u1").reshape(50, 64)
    ivs = np.frombuffer(os.urandom(50 * 8), "u1").reshape(50, 8)
    keys = np.frombuffer(os.urandom(50 * 24), "u1").reshape(50, 24)
    cipher = phalanx.Cipher("3des-cbc", keys[0], allow_legacy=True)
    target = np.zeros_like(records)
    cipher.encrypt_many_into(records, target, ivs, keys)
    assert [bytes(row) for row in target] == cipher.encrypt_many(list(records), list(ivs), list(keys), padding="none")
    cipher.decrypt_many_into(target, target, ivs, keys)
    assert (target == records).all()
    with pytest.raises(phalanx.StrideError, match="two dimensions"):
        cipher.encrypt_many(records.ravel(), ivs, padding="none")


def test_numbers_of_messages_that_differ() -> None:
    cipher = phalanx.Cipher("3des-cbc", bytes(range(24)), allow_legacy=True)
    with pytest.raises(phalanx.SizeError, match="2 messages, and ivs are for 1"):
        cipher.encrypt_many([b"one", b"two"], [bytes(8)], padding="pkcs7")
    with pytest.raises(phalanx.SizeError, match="targets"):
        cipher.encrypt_many_into([bytes(8)] * 2, [bytearray(8)], [bytes(8)] * 2)
    with pytest.raises(phalanx.BufferTypeError):
        cipher.encrypt_many(7, [bytes(8)], padding="pkcs7")  # type: ignore[call-overload]
    assert cipher.encrypt_many([], [], padding="pkcs7") == []


def test_many_name_the_message_that_fails() -> None:
    cipher = phalanx.Cipher("aes-128-cbc", bytes(16))
    sealed = cipher.encrypt_many([b"one", b"two"], [bytes(16)] * 2, padding="pkcs7")
    given = [sealed[0], bytes(16), sealed[1], b""]
    with pytest.raises(phalanx.WrongKeyError, match="2 of 4 messages .* the first is number 1") as raised:
        cipher.decrypt_many(given, [bytes(16)] * 4, padding="pkcs7")
    assert raised.value.failed == (1, 3)
    opened = cipher.decrypt_many(given, [bytes(16)] * 4, padding="pkcs7", strict=False)
    assert opened == [b"one", None, b"two", None]


def test_keys_of_messages_may_be_secrets() -> None:
    keys = [bytes([i] * 32) for i in range(3)]
    cipher, messages, ivs = phalanx.Cipher("aes-256-cbc", bytes(32)), [b"one", b"two", b"three"], [bytes(16)] * 3
    hidden: list[phalanx.Secret | bytes] = [phalanx.Secret(keys[0]), keys[1], phalanx.Secret(keys[2])]
    sealed = cipher.encrypt_many(messages, ivs, keys, padding="pkcs7")
    for given in (hidden, tuple(hidden)):
        assert cipher.encrypt_many(messages, ivs, given, padding="pkcs7") == sealed
    assert cipher.decrypt_many(sealed, ivs, hidden, padding="pkcs7") == messages
    aead = phalanx.Aead("aes-256-gcm", bytes(32))
    assert aead.seal_many([bytes(12)] * 3, messages, keys=hidden) == aead.seal_many([bytes(12)] * 3, messages, keys=keys)
    with pytest.raises(phalanx.SizeError, match="3 messages, and keys are for 2"):
        cipher.encrypt_many(messages, ivs, hidden[:2], padding="pkcs7")
    with pytest.raises(phalanx.BufferTypeError):
        cipher.encrypt_many(messages, ivs, 5, padding="pkcs7")  # type: ignore[call-overload]
    with pytest.raises(phalanx.BufferTypeError):
        cipher.encrypt_many(messages, ivs, ["a", "b", "c"], padding="pkcs7")  # type: ignore[list-item]


def test_targets_of_many_are_apart() -> None:
    cipher, ivs = phalanx.Cipher("aes-128-ctr", bytes(16)), [bytes(16), bytes(15) + b"\1"]
    memory = bytearray(range(96))
    given, view = bytes(memory), memoryview(memory)
    refused: list[tuple[list[memoryview | bytes], list[memoryview]]] = [
        ([view[:16], view[16:32]], [view[16:32], view[32:48]]),  # a target is another's source
        ([view[:16], view[16:32]], [view[16:32], view[:16]]),
        ([bytes(16)] * 2, [view[:16], view[15:31]]),  # two targets overlap
        ([bytes(16)] * 2, [view[:16], view[:16]]),
        ([view[:32], view[:16]], [view[:32], view[40:56]]),  # read by one, and crypted in place by the other
    ]
    for src, dst in refused:
        with pytest.raises(phalanx.OverlapError):
            cipher.encrypt_many_into(src, dst, ivs)
    with pytest.raises(phalanx.OverlapError):  # an iv
        cipher.encrypt_many_into([bytes(16)] * 2, [view[:16], view[16:32]], [view[20:36], bytes(16)])
    assert memory == given
    cipher.encrypt_many_into([view[48:64], view[:16]], [view[64:80], view[:16]], ivs)  # apart, and in place
    assert view[64:80] == cipher.encrypt(given[48:64], iv=ivs[0]) and view[:16] == cipher.encrypt(given[:16], iv=ivs[1])
    cipher.encrypt_many_into([b"same", b"same"], [view[:4], view[4:8]], ivs)
    shared = view[40:48]
    cipher.encrypt_many_into([shared, shared], [view[:8], view[8:16]], ivs)  # one source for both
    assert view[:8] == cipher.encrypt(shared, iv=ivs[0]) and view[8:16] == cipher.encrypt(shared, iv=ivs[1])


@pytest.mark.parametrize("padding", ["none", "pkcs7", "zero"])
@pytest.mark.parametrize(("name", "key_bytes"), [("aes-256-cbc", 32), ("des-ede3-cbc", 24)])
def test_an_iv_within_the_target(name: str, key_bytes: int, padding: str) -> None:
    cipher = phalanx.Cipher(name, bytes(range(key_bytes)), allow_legacy=True)
    for size in (0, 48, 60, 1000, 2000, 5000):
        data = os.urandom(size - size % 16 if padding == "none" else size)
        for place in (0, 8, 16):
            target = bytearray(os.urandom(size + 64))
            iv = memoryview(target)[place : place + cipher.iv_bytes]
            expected = cipher.encrypt(data, iv=bytes(iv), padding=padding)
            written = cipher.encrypt_into(data, target, iv=iv, padding=padding)
            assert target[:written] == expected


def test_arguments_of_other_types() -> None:
    cipher = phalanx.Cipher("aes-128-cbc", bytes(16))
    for padding in (5, True, b"pkcs7"):
        with pytest.raises(phalanx.UsageError, match="padding is a str"):
            cipher.encrypt(b"abc", iv=bytes(16), padding=padding)  # type: ignore[call-overload]
    with pytest.raises(phalanx.Error):
        phalanx.Cipher.__new__(phalanx.Cipher).encrypt(b"abc", iv=bytes(16))


def test_sectors() -> None:
    key = bytes(range(64))
    disk, unit = phalanx.SectorCipher("aes-256-xts", key), phalanx.Cipher("aes-256-xts", key)
    data = os.urandom(3 * 512 + 100)
    sealed = disk.encrypt(data, first_tweak=5, tweak_step=8)
    for i in range(4):
        part = data[512 * i : 512 * (i + 1)]
        assert sealed[512 * i : 512 * (i + 1)] == unit.encrypt(part, iv=(5 + 8 * i).to_bytes(16, "little"))
    assert disk.decrypt(sealed, 5, 8) == data
    memory = bytearray(data)
    assert disk.encrypt_into(memory, memory, 5, 8) == len(data)
    assert memory == sealed
    assert disk.decrypt_into(memory, memory, 5, 8, 512) == len(data)
    assert memory == data
    with pytest.raises(phalanx.UsageError):
        disk.encrypt(data, sector_bytes=100)
    with pytest.raises(phalanx.UsageError):
        phalanx.SectorCipher("aes-256-cbc", bytes(32))


def expect_policy(*calls: Callable[[], object]) -> None:
    for call in calls:
        with pytest.raises(phalanx.PolicyError):
            call()


def test_a_long_data_unit_of_xts_is_decrypted_only() -> None:
    """IEEE 1619-2018: at most 2^20 blocks."""
    key, tweak, most, data = bytes(range(64)), bytes(16), 16 << 20, bytearray((16 << 20) + 16)
    cipher, disk = phalanx.Cipher("aes-256-xts", key), phalanx.SectorCipher("aes-256-xts", key)
    expect_policy(
        lambda: cipher.encrypt(data, iv=tweak),
        lambda: cipher.encrypt_into(data, data, iv=tweak),
        lambda: cipher.encrypt_many([data], [tweak]),
        lambda: cipher.encrypt_part(bytes(32), most, iv=tweak),
        lambda: disk.encrypt(data, sector_bytes=len(data)),
        lambda: disk.encrypt_into(data, data, sector_bytes=len(data)),
    )
    assert data == bytes(len(data))
    plain = cipher.decrypt(data, iv=tweak)
    assert plain == cipher.decrypt_many([data], [tweak])[0]
    assert plain[most:] == cipher.decrypt_part(bytes(16), most, iv=tweak)
    assert plain == disk.decrypt(data, 0, sector_bytes=len(data))
    assert cipher.encrypt(plain[:most], iv=tweak) == bytes(most)


def test_equal_halves_of_a_key_of_xts_are_for_decrypting_only() -> None:
    """FIPS 140-3 IG C.I."""
    tweak, plain = bytes(16), bytes(512)
    weak, disk = phalanx.Cipher("aes-256-xts", bytes(64)), phalanx.SectorCipher("aes-256-xts", bytes(64))
    good = phalanx.Cipher("aes-256-xts", bytes(range(64)))
    expect_policy(
        lambda: weak.encrypt(plain, iv=tweak),
        lambda: weak.encrypt_into(plain, bytearray(512), iv=tweak),
        lambda: weak.encrypt_part(plain, 16, iv=tweak),
        lambda: weak.encrypt_many([plain], [tweak]),
        lambda: good.encrypt_many([plain], [tweak], [bytes(64)]),
        lambda: disk.encrypt(plain),
    )
    assert weak.decrypt(plain, iv=tweak) == disk.decrypt(plain) == good.decrypt_many([plain], [tweak], [bytes(64)])[0]


def test_names_and_engines() -> None:
    with pytest.raises(phalanx.UsageError, match="unknown"):
        phalanx.Cipher("rot13-cbc", b"")
    with pytest.raises(phalanx.UsageError, match="Aead"):
        phalanx.Cipher("aes-256-gcm", bytes(32))
    with pytest.raises(phalanx.UsageError, match="choose one of auto"):
        phalanx.Cipher("aes-256-cbc", bytes(32), engine="abacus")
    with pytest.raises(phalanx.UsageError, match="32 bytes, and 31"):
        phalanx.Cipher("aes-256-cbc", bytes(31))
    with pytest.raises(phalanx.UsageError, match="negative"):
        phalanx.Cipher("aes-256-cbc", bytes(32), threads=-1)
    phalanx.self_test("cpu")
    assert repr(phalanx.Cipher("3des-cbc", bytes(24), "cpu:scalar")) == "Cipher('des-ede3-cbc', engine='cpu:scalar')"
