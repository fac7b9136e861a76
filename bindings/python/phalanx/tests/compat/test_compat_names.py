"""phalanx.compat where no other package is needed: errors, order of calls, and names."""

import pytest

import phalanx
from phalanx.compat.Crypto.Cipher import AES, DES3
from phalanx.compat.cryptography import (
    AESGCM,
    AlreadyFinalized,
    AlreadyUpdated,
    Cipher,
    InvalidTag,
    NotYetFinalized,
    UnsupportedAlgorithm,
    algorithms,
    modes,
)
from phalanx.compat.cryptography.hazmat.decrepit.ciphers import algorithms as old_algorithms
from phalanx.compat.cryptography.hazmat.decrepit.ciphers import modes as old_modes
from phalanx.compat.cryptography.hazmat.primitives import ciphers

KEY = bytes(range(32))


def test_serpent_and_twofish_beside_theirs() -> None:
    for algorithm, name in ((algorithms.Serpent, "serpent-256-cbc"), (algorithms.Twofish, "twofish-256-cbc")):
        encryptor = Cipher(algorithm(KEY), modes.CBC(bytes(16))).encryptor()
        assert encryptor.update(bytes(32)) + encryptor.finalize() == phalanx.Cipher(name, KEY).encrypt(
            bytes(32), iv=bytes(16), padding="none"
        )


def test_sizes() -> None:
    assert algorithms.AES(KEY).key_size == 256
    assert old_algorithms.TripleDES(KEY[:24]).block_size == 64
    with pytest.raises(ValueError, match="key size"):
        algorithms.AES(KEY[:15])
    with pytest.raises(ValueError, match="IV or nonce"):
        Cipher(algorithms.AES(KEY), modes.CBC(bytes(15)))
    with pytest.raises(ValueError, match="XTS"):
        Cipher(algorithms.AES(KEY[:16]), modes.XTS(bytes(16)))
    with pytest.raises(UnsupportedAlgorithm):
        Cipher(algorithms.TripleDES(KEY[:24]), modes.GCM(bytes(12)))
    with pytest.raises(TypeError):
        Cipher(KEY, modes.ECB())  # type: ignore[arg-type]


def test_contexts_end() -> None:
    context = Cipher(algorithms.AES(KEY), modes.CTR(bytes(16))).encryptor()
    context.update(b"data")
    context.reset_nonce(bytes(16))
    first = context.update(b"data")
    assert first == phalanx.Cipher("aes-256-ctr", KEY).encrypt(b"data", iv=bytes(16))
    context.finalize()
    with pytest.raises(AlreadyFinalized):
        context.update(b"more")
    with pytest.raises(AlreadyFinalized):
        context.finalize()
    for mode in (old_modes.CFB8(bytes(16)), modes.GCM(bytes(12))):
        with pytest.raises(UnsupportedAlgorithm):
            Cipher(algorithms.AES(KEY), mode).encryptor().reset_nonce(bytes(16))
    unfinished = Cipher(algorithms.AES(KEY), modes.CBC(bytes(16))).encryptor()
    unfinished.update(b"15 letters here")
    with pytest.raises(ValueError):
        unfinished.finalize()


def test_update_into_wants_room() -> None:
    context = Cipher(algorithms.AES(KEY), modes.CBC(bytes(16))).encryptor()
    with pytest.raises(ValueError, match="at least 31 bytes"):
        context.update_into(bytes(16), bytearray(30))
    assert context.update_into(bytes(16), bytearray(31)) == 16
    feedback = Cipher(algorithms.AES(KEY), modes.CFB8(bytes(16))).encryptor()
    assert feedback.update_into(b"data", bytearray(19)) == 4


def test_tags() -> None:
    encryptor = Cipher(algorithms.AES(KEY), modes.GCM(bytes(12))).encryptor()
    with pytest.raises(NotYetFinalized):
        encryptor.tag
    sealed = encryptor.update(b"data")
    with pytest.raises(AlreadyUpdated):
        encryptor.authenticate_additional_data(b"too late")
    encryptor.finalize()
    with pytest.raises(AlreadyFinalized):
        encryptor.authenticate_additional_data(b"too late")
    decryptor = Cipher(algorithms.AES(KEY), modes.GCM(bytes(12))).decryptor()
    assert decryptor.update(sealed) == b"data"
    with pytest.raises(ValueError, match="must be provided"):
        decryptor.finalize()
    assert decryptor.finalize_with_tag(encryptor.tag) == b""
    changed = Cipher(algorithms.AES(KEY), modes.GCM(bytes(12), bytes(16))).decryptor()
    changed.update(sealed)
    with pytest.raises(InvalidTag):
        changed.finalize()
    with pytest.raises(InvalidTag):
        AESGCM(KEY).decrypt(bytes(12), bytes(20), None)
    with pytest.raises(InvalidTag):
        AESGCM(KEY).decrypt(bytes(12), b"", None)
    assert len(AESGCM.generate_key(256)) == 32


def test_sealing_into_memory() -> None:
    target, plain = bytearray(20), bytearray(4)
    assert AESGCM(KEY).encrypt_into(bytes(12), b"data", b"header", target) == 20
    assert target == AESGCM(KEY).encrypt(bytes(12), b"data", b"header")
    assert AESGCM(KEY).decrypt_into(bytes(12), target, b"header", plain) == 4
    assert plain == b"data"
    for size in (19, 21):
        with pytest.raises(ValueError, match="buffer must be 20 bytes"):
            AESGCM(KEY).encrypt_into(bytes(12), b"data", None, bytearray(size))
    with pytest.raises(ValueError, match="buffer must be 4 bytes"):
        AESGCM(KEY).decrypt_into(bytes(12), target, None, bytearray(5))
    untouched = bytearray(4)
    for sealed in (target, b"short"):
        with pytest.raises(InvalidTag):
            AESGCM(KEY).decrypt_into(bytes(12), sealed, b"another", untouched)
    assert untouched == bytes(4)


def test_classes_that_programs_ask_for() -> None:
    """isinstance and annotations in programs that move."""
    cipher = Cipher(algorithms.AES(KEY), modes.GCM(bytes(12)))
    assert isinstance(cipher.algorithm, ciphers.BlockCipherAlgorithm) and isinstance(cipher.algorithm, ciphers.CipherAlgorithm)
    assert isinstance(cipher.mode, modes.ModeWithAuthenticationTag)
    assert isinstance(cipher.mode, modes.ModeWithInitializationVector)
    assert isinstance(modes.CTR(bytes(16)), modes.ModeWithNonce) and isinstance(modes.XTS(bytes(16)), modes.ModeWithTweak)
    for context in (cipher.encryptor(), cipher.decryptor()):
        assert isinstance(context, ciphers.AEADCipherContext) and isinstance(context, ciphers.CipherContext)
    assert isinstance(Cipher(algorithms.AES(KEY), modes.ECB()).encryptor(), ciphers.CipherContext)


def test_pycryptodome_order_of_calls() -> None:
    cipher = AES.new(KEY, AES.MODE_CBC)
    assert len(cipher.iv) == 16
    cipher.encrypt(bytes(16))
    with pytest.raises(TypeError):
        cipher.decrypt(bytes(16))
    sealer = AES.new(KEY, AES.MODE_GCM, nonce=bytes(12))
    sealed, tag = sealer.encrypt_and_digest(b"data")
    opener = AES.new(KEY, AES.MODE_GCM, nonce=bytes(12))
    target = bytearray(4)
    with pytest.raises(ValueError, match="MAC"):
        opener.decrypt_and_verify(sealed, bytes(16), target)
    assert target == bytes(4)
    assert AES.new(KEY, AES.MODE_GCM, nonce=bytes(12)).decrypt_and_verify(sealed, tag) == b"data"


def test_parity() -> None:
    key = DES3.adjust_key_parity(bytes(range(100, 124)))
    assert all(bin(byte).count("1") % 2 for byte in key)
    with pytest.raises(ValueError):
        DES3.adjust_key_parity(bytes(24))


def test_a_counter_wraps_within_its_field() -> None:
    cipher = AES.new(KEY, AES.MODE_CTR, nonce=bytes(15), initial_value=255)
    block = phalanx.Cipher("aes-256-ecb", KEY, allow_legacy=True)
    both = cipher.encrypt(bytes(32))
    assert both == block.encrypt(bytes(15) + b"\xff" + bytes(16), iv=None, padding="none")
    cipher.encrypt(bytes(16 * 254))
    with pytest.raises(OverflowError):
        cipher.encrypt(b"x")
