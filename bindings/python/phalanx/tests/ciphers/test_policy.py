"""What needs permission, what must be said, and what is refused: for buffers of the host and for arrays alike."""

from collections.abc import Callable
from typing import Any

import pytest

import phalanx

FACTS = {facts.name: facts for facts in phalanx.ciphers()}
LEGACY = {"des", "2des", "des-ede", "des-ede3"}
DATA = bytes(range(48))


def key_for(facts: phalanx.CipherFacts) -> bytes:
    return bytes(range(facts.key_bytes))


def padding_in(facts: phalanx.CipherFacts) -> str | None:
    return "none" if facts.mode in ("ecb", "cbc") else None


def expect(call: Callable[[], object], refused: bool) -> None:
    if not refused:
        call()
        return
    with pytest.raises(phalanx.PolicyError, match="allow_legacy"):
        call()


@pytest.mark.parametrize("allowed", [False, True])
@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if facts.mode != "gcm"])
def test_legacy_is_encrypted_only_with_permission(name: str, allowed: bool) -> None:
    facts = FACTS[name]
    cipher = phalanx.Cipher(name, key_for(facts), allow_legacy=allowed)
    iv, padding = bytes(facts.iv_bytes) or None, padding_in(facts)
    ivs = [iv] if iv else None
    refused = not allowed and (facts.cipher in LEGACY or facts.mode == "ecb")
    target = bytearray(48)
    expect(lambda: cipher.encrypt(DATA, iv=iv, padding=padding), refused)
    expect(lambda: cipher.encrypt_into(DATA, target, iv=iv, padding=padding), refused)
    expect(lambda: cipher.encrypt_many([DATA], ivs, padding=padding), refused)
    expect(lambda: cipher.encrypt_many_into([DATA], [target], ivs), refused)
    if facts.encrypts_parts:
        expect(lambda: cipher.encrypt_part(DATA, 0, iv=iv), refused)
        expect(lambda: cipher.encrypt_part_into(DATA, target, 0, iv=iv), refused)
    if facts.mode != "xts":
        expect(lambda: cipher.encryptor(iv=iv, padding=padding), refused)
    assert target == bytes(48) or not refused
    plain = cipher.decrypt(DATA, iv=iv, padding=padding)
    assert cipher.decrypt_many([DATA], ivs, padding=padding) == [plain]
    assert cipher.decrypt_into(DATA, target, iv=iv, padding=padding) == 48 and target == plain
    if facts.mode != "xts":
        decryptor = cipher.decryptor(iv=iv, padding=padding)
        assert decryptor.update(DATA[:5]) + decryptor.update(DATA[5:]) + decryptor.finalize() == plain


def test_what_is_refused_leaves_the_target_as_it_is() -> None:
    cipher, target = phalanx.Cipher("des-ede3-cbc", bytes(range(24))), bytearray(b"x" * 4096)
    for size in (5, 48, 3000):
        with pytest.raises(phalanx.PolicyError):
            cipher.encrypt_into(bytes(size), target, iv=bytes(8), padding="pkcs7")
    allowed = phalanx.Cipher("des-ede3-cbc", bytes(range(24)), allow_legacy=True)
    with pytest.raises(phalanx.UsageError, match="iv"):
        allowed.encrypt_into(bytes(5), target, iv=bytes(7), padding="pkcs7")
    assert target == b"x" * 4096


CBC = phalanx.Cipher("aes-256-cbc", bytes(32))
CTR = phalanx.Cipher("aes-256-ctr", bytes(32))


def test_a_mode_that_takes_an_iv_asks_for_it() -> None:
    target = bytearray(48)
    calls: list[Callable[[], Any]] = [
        lambda: CBC.encrypt(DATA, padding="none"),
        lambda: CBC.decrypt(DATA, padding="none"),
        lambda: CBC.encrypt(DATA, padding="pkcs7"),
        lambda: CBC.encrypt_into(DATA, target, padding="none"),
        lambda: CBC.decrypt_into(DATA, target, padding="none"),
        lambda: CTR.encrypt(DATA),
        lambda: CTR.encrypt_part(DATA, 0),
        lambda: CTR.decrypt_part(DATA, 0),
        lambda: CTR.encrypt_part_into(DATA, target, 0),
        lambda: CTR.decrypt_part_into(DATA, target, 0),
        lambda: CBC.encrypt_many([DATA], padding="none"),
        lambda: CBC.encrypt_many([DATA], padding="none", iv_prefix=True),
        lambda: CBC.decrypt_many([DATA], padding="none"),
        lambda: CBC.encrypt_many_into([DATA], [target]),
        lambda: CBC.decrypt_many_into([DATA], [target]),
        lambda: CBC.encryptor(padding="pkcs7"),
        lambda: CBC.decryptor(padding="pkcs7"),
    ]
    for call in calls:
        with pytest.raises(phalanx.UsageError, match="iv"):
            call()
    assert target == bytearray(48)
    with pytest.raises(TypeError):  # by its name alone
        CBC.encrypt(DATA, bytes(16))  # type: ignore[call-overload]


def test_a_mode_without_an_iv_asks_for_none() -> None:
    ecb = phalanx.Cipher("aes-256-ecb", bytes(32), allow_legacy=True)
    sealed = ecb.encrypt(DATA, padding="none")
    assert sealed == ecb.encrypt(DATA, iv=None, padding="none")
    assert ecb.decrypt(sealed, padding="none") == DATA
    assert ecb.decrypt_many(ecb.encrypt_many([DATA], padding="none"), padding="none") == [DATA]
    target = bytearray(48)
    assert ecb.decrypt_into(sealed, target, padding="none") == 48 and target == DATA
    assert ecb.decryptor(padding="none").update(sealed) == DATA
    assert ecb.encryptor(padding="none").update(DATA) == sealed
    assert ecb.encrypt_part(DATA, 0) == sealed and ecb.decrypt_part(sealed, 0) == DATA
    assert ecb.decrypt_part_into(sealed, target, 0) == 48 and target == DATA
    old = phalanx.Cipher("des-ede3-ecb", bytes(range(24)), allow_legacy=True)
    assert old.decrypt(old.encrypt(DATA, padding="pkcs7"), padding="pkcs7") == DATA


class OnHost:
    """A tensor of the host, as other libraries have them: no buffer, but DLPack."""

    def __init__(self, array: Any) -> None:
        self.array = array

    def __dlpack__(self, **settings: Any) -> Any:
        return self.array.__dlpack__(**settings)

    def __dlpack_device__(self) -> Any:
        return self.array.__dlpack_device__()


def ways_without_padding(cipher: phalanx.Cipher, iv: bytes | None, data: Any) -> list[Callable[[], Any]]:
    ivs, target = None if iv is None else [iv], bytearray(64)
    return [
        lambda: cipher.encrypt(data, iv=iv),
        lambda: cipher.decrypt(data, iv=iv),
        lambda: cipher.encrypt_into(data, target, iv=iv),
        lambda: cipher.decrypt_into(data, target, iv=iv),
        lambda: cipher.encrypt_many([DATA], ivs),
        lambda: cipher.decrypt_many([DATA], ivs),
        lambda: cipher.encryptor(iv=iv),
        lambda: cipher.decryptor(iv=iv),
    ]


@pytest.mark.parametrize("lent", [False, True], ids=["buffer", "array"])
def test_a_padding_is_said(lent: bool) -> None:
    data: Any = DATA
    if lent:
        data = OnHost(pytest.importorskip("numpy").frombuffer(bytearray(DATA), "u1"))
    iv = bytes(16)
    ecb = phalanx.Cipher("aes-256-ecb", bytes(32), allow_legacy=True)
    for cipher, start in ((CBC, iv), (ecb, None)):
        for call in ways_without_padding(cipher, start, data):
            with pytest.raises(phalanx.UsageError, match='say padding="pkcs7", or "none"'):
                call()
        assert len(cipher.encrypt(data, iv=start, padding="none")) == 48
        assert len(cipher.encrypt(data, iv=start, padding="pkcs7")) == 64
    for name in ("ctr", "cfb", "ofb", "xts"):
        cipher = phalanx.Cipher(f"aes-256-{name}", bytes(range(64 if name == "xts" else 32)))
        assert cipher.encrypt(data, iv=iv) == cipher.encrypt(data, iv=iv, padding="none")
        for padding in ("pkcs7", "zero"):
            for crypt in (cipher.encrypt, cipher.decrypt):
                with pytest.raises(phalanx.UsageError, match="takes any length"):
                    crypt(data, iv=iv, padding=padding)


@pytest.mark.parametrize("name", [name for name, facts in FACTS.items() if facts.mode == "gcm" and facts.iv_bytes == 12])
def test_nonces_have_twelve_bytes_unless_any_size_is_asked_for(name: str) -> None:
    key = key_for(FACTS[name])
    strict, any_size = phalanx.Aead(name, key), phalanx.Aead(name, key, any_nonce_size=True)
    for size in (0, 1, 8, 11, 12, 13, 16, 128):
        nonce = bytes(size)
        if size == 0:
            for aead in (strict, any_size):
                with pytest.raises(phalanx.UsageError, match="empty"):
                    aead.seal(nonce, DATA)
            continue
        sealed = any_size.seal(nonce, DATA)
        assert any_size.open(nonce, sealed) == DATA and any_size.open_many([nonce], [sealed]) == [DATA]
        if size == 12:
            assert strict.open(nonce, strict.seal(nonce, DATA)) == DATA
            continue
        for call in (
            lambda: strict.seal(nonce, DATA),
            lambda: strict.open(nonce, sealed),
            lambda: strict.seal_many([nonce], [DATA]),
            lambda: strict.open_many([nonce], [sealed]),
        ):
            with pytest.raises(phalanx.UsageError, match="any_nonce_size"):
                call()


@pytest.mark.parametrize("tag_bytes", [12, 13, 14, 15])
def test_short_tags_are_for_opening(tag_bytes: int) -> None:
    short, whole = (phalanx.Aead("aes-256-gcm", bytes(32), tag_bytes=size) for size in (tag_bytes, 16))
    sealed = whole.seal(bytes(12), DATA, b"header")[: len(DATA) + tag_bytes]
    assert short.open(bytes(12), sealed, b"header") == DATA
    changed = sealed[:-1] + bytes([sealed[-1] ^ 1])
    with pytest.raises(phalanx.AuthenticationError):
        short.open(bytes(12), changed, b"header")
    target, tag = bytearray(48), bytearray(tag_bytes)
    for call in (
        lambda: short.seal(bytes(12), DATA),
        lambda: short.seal_into(bytes(12), DATA, target, tag),
        lambda: short.seal_many([bytes(12)], [DATA]),
    ):
        with pytest.raises(phalanx.PolicyError, match="16 bytes"):
            call()
    assert target == bytes(48)
