"""What a call gets to hear whose arguments have other names, and what others call our ciphers."""

import hashlib
import pathlib
from collections.abc import Callable
from typing import Any

import pytest

import phalanx

KEY = bytes(32)
CBC: Any = phalanx.Cipher("aes-256-cbc", KEY)
GCM: Any = phalanx.Aead("aes-256-gcm", KEY)
PHALANX: Any = phalanx


@pytest.mark.parametrize(
    "call, said",
    [
        (lambda: PHALANX.open("a", password="x"), r"open\(\) has no argument password: did you mean passphrase\?"),
        (lambda: PHALANX.open("a", "wb", keyfile="x"), r"open\(\) has no argument keyfile: did you mean key_file\?"),
        (lambda: PHALANX.open("a", suite="aes-128"), r"open\(\) has no argument suite: it takes key, passphrase"),
        (lambda: PHALANX.seal(b"", password="x"), r"seal\(\) has no argument password: did you mean passphrase\?"),
        (lambda: PHALANX.unseal(b"", passphrse="x"), r"unseal\(\) has no argument passphrse \(did you mean passphrase\?\)"),
        (lambda: PHALANX.seal_file(__file__, "a", force=True), r"seal_file\(\) has no argument force: did you mean replace\?"),
        (lambda: PHALANX.unseal_file(__file__, "a", pwd="x"), r"unseal_file\(\) has no argument pwd: did you mean passphrase"),
        (lambda: PHALANX.verify(__file__, keys=[KEY]), r"verify\(\) has no argument keys \(did you mean key\?\)"),
        (lambda: PHALANX.verify_many(["a"], recursive=1), r"verify_many\(\) has no argument recursive: it takes paths, sha256"),
        (lambda: PHALANX.seal(b"", recipients=["age1"]), r"seal\(\) has no argument recipients: did you mean recipient\?"),
        (lambda: PHALANX.seal(b"", identity="x"), r"seal\(\) has no argument identity"),
        (lambda: PHALANX.open("a", recipient="age1"), r"open\(\) has no argument recipient"),
        (lambda: PHALANX.unseal(b"", identities=["x"]), r"unseal\(\) has no argument identities: did you mean identity\?"),
        (
            lambda: PHALANX.encrypt_in_place("a", "aes-256-ctr", KEY, sector_size=9),
            r"encrypt_in_place\(\) has no argument sector_size.*it takes iv, progress, allow_legacy, sector_bytes",
        ),
        (
            lambda: PHALANX.decrypt_in_place("a", "aes-256-ctr", KEY, allow_legacy=True),
            r"decrypt_in_place\(\) has no argument allow_legacy",
        ),
        (lambda: PHALANX.Cipher("aes-256-cbc", key_file="x"), r"Cipher\(\) has no argument key_file: did you mean key\?"),
        (lambda: PHALANX.Cipher("aes-256-cbc"), r"Cipher\(\) needs the argument key, which is not given"),
        (lambda: PHALANX.Cipher("aes-256-cbc", KEY, "auto", 1, True), r"Cipher\(\) takes 4 arguments by place, and 5 are given"),
        (lambda: PHALANX.Cipher("aes-256-cbc", KEY, name="a"), r"Cipher\(\) is given name twice"),
        (lambda: PHALANX.Aead("aes-256-gcm", KEY, tag_size=16), r"Aead\(\) has no argument tag_size: it takes name, key"),
        (lambda: PHALANX.SectorCipher("aes-256-xts", password=KEY), r"SectorCipher\(\) has no argument password"),
        (lambda: PHALANX.ChunkedAead("cobblestone-128", KEY, aad=b""), r"ChunkedAead\(\) has no argument aad"),
        (lambda: PHALANX.ForeignFormat("des3", password="x"), r"ForeignFormat\(\) has no argument password: did you mean pass"),
        (lambda: PHALANX.openssl_open(__file__, passphrase="x", md="md5"), r"no argument md: did you mean digest\?"),
        (lambda: CBC.encrypt(b"", nonce=KEY), r"encrypt\(\) has no argument nonce: did you mean iv\?"),
        (lambda: CBC.decrypt(), r"decrypt\(\) needs the argument data, which is not given"),
        (lambda: CBC.decrypt_many([b""], ivs=None, pad="x"), r"decrypt_many\(\) has no argument pad: it takes messages, ivs"),
        (lambda: CBC.encryptor(KEY), r"encryptor\(\) takes 0 arguments by place, and 1 are given: give the others by their"),
        (lambda: GCM.seal(bytes(12), b"", associated_data=b""), r"seal\(\) has no argument associated_data: did you mean aad\?"),
        (lambda: GCM.seal_many(ivs=[], messages=[]), r"seal_many\(\) has no argument ivs: did you mean nonces\?"),
        (lambda: PHALANX.limit_threads(threads=1), r"limit_threads\(\) has no argument threads"),
        (lambda: PHALANX._native.ContainerReader("a", password="x"), r"ContainerReader\(\) has no argument password: did you"),
    ],
)
def test_names_that_nothing_has(call: Callable[[], object], said: str) -> None:
    with pytest.raises(TypeError, match=said) as raised:
        call()
    assert "\n" not in str(raised.value)


def test_other_types_are_converted_as_before() -> None:
    numpy = pytest.importorskip("numpy", reason="NumPy is not installed")
    cipher = phalanx.Cipher("aes-256-ctr", KEY, threads=numpy.int64(1))
    assert cipher.encrypt_part(bytes(16), numpy.int64(16), iv=bytes(16)) == cipher.encrypt(bytes(32), iv=bytes(16))[16:]
    with pytest.raises(TypeError, match="incompatible function arguments"):
        phalanx.Cipher("aes-256-ctr", KEY, threads="two")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "make, name, said",
    [
        (phalanx.Cipher, "des3", "'des3' is OpenSSL's name: here it is 'des-ede3-cbc'"),
        (phalanx.Cipher, "AES256", "'AES256' is OpenSSL's name: here it is 'aes-256-cbc'"),
        (phalanx.Cipher, "AES-GCM", r"'AES-GCM' is unknown \(did you mean aes-256-gcm\?\)"),
        (phalanx.Aead, "AES-GCM", r"'AES-GCM' is unknown \(did you mean aes-256-gcm\?\)"),
        (phalanx.Aead, "aes128", r"'aes128' is unknown \(did you mean aes-128-gcm\?\)"),
        (phalanx.Cipher, "AES/CBC/PKCS5Padding", r"\(did you mean aes-256-cbc\?\)"),
        (phalanx.Cipher, "DESede/ECB/NoPadding", r"\(did you mean des-ede3-ecb\?\)"),
        (phalanx.Cipher, "twofish-265-cbc", r"is unknown: "),
        (phalanx.Aead, "AES-CCM", r"is unknown: "),
        (phalanx.Cipher, "rot13", r"'rot13' is unknown: phalanx.ciphers\(\) lists all"),
        (phalanx.Cipher, "aes-256", "'aes-256' lacks a mode"),
        (phalanx.Cipher, "aes-256-cbd", r"\(did you mean aes-256-cbc\?\)"),
        (phalanx.SectorCipher, "serpent-xts-plain64", r"\(it is dm-crypt's name: it means serpent-256-xts under a key of 64 bytes"),
        (phalanx.SectorCipher, "AES-XTS", r"\(did you mean aes-256-xts\?\)"),
    ],
)
def test_what_others_call_ciphers(make: Callable[..., object], name: str, said: str) -> None:
    with pytest.raises(phalanx.UsageError, match=said):
        make(name, KEY)


def test_a_wrong_digest_names_what_finds_it(tmp_path: pathlib.Path) -> None:
    salt, derived = bytes(range(8)), b""
    while len(derived) < 32:  # as OpenSSL before 1.1.0 did: EVP_BytesToKey with MD5
        derived += hashlib.md5(derived[-16:] + b"open sesame" + salt).digest()
    old = phalanx.Cipher("des-ede3-cbc", derived[:24], allow_legacy=True)
    path = tmp_path / "old"
    path.write_bytes(b"Salted__" + salt + old.encrypt(b"text", iv=derived[24:32], padding="pkcs7"))
    with pytest.raises(phalanx.WrongKeyError, match='as it was written\\? digest="auto" tries four digests'):
        phalanx.openssl_open(path, passphrase="open sesame", cipher="des3", digest="sha256").read()
    assert phalanx.openssl_open(path, passphrase="open sesame", cipher="des3", digest="auto").read() == b"text"


def test_verbs_of_others() -> None:
    for verb, ours in (("encrypt", "seal"), ("decrypt", "open")):
        assert not hasattr(GCM, verb)
        with pytest.raises(AttributeError, match=f"no attribute '{verb}': did you mean {ours}"):
            getattr(GCM, verb)


def test_in_place_by_names(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "data"
    path.write_bytes(bytes(64))
    assert phalanx.encrypt_in_place(path, "aes-128-xts", KEY[:16] + b"\1" * 16, sector_bytes=32, tweak_step=2).file_bytes == 64
    phalanx.decrypt_in_place(path, "aes-128-xts", KEY[:16] + b"\1" * 16, sector_bytes=32, tweak_step=2)
    assert path.read_bytes() == bytes(64)
