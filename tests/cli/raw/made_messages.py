"""Messages of CMS by hand, where the openssl program makes none such: DER is written as X.690 has it, and wrong on purpose."""

import hashlib

from cryptography.hazmat.primitives import hashes, keywrap, serialization
from cryptography.hazmat.primitives.asymmetric import padding, x25519
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

SEQUENCE, SET, INTEGER, OCTETS, BITS, NULL, OID = 0x30, 0x31, 0x02, 0x04, 0x03, 0x05, 0x06


def length_of(size):
    if size < 0x80:
        return bytes([size])
    octets = size.to_bytes((size.bit_length() + 7) // 8, "big")
    return bytes([0x80 | len(octets)]) + octets


def element(tag, *parts):
    content = b"".join(parts)
    return bytes([tag]) + length_of(len(content)) + content


def endless(tag, *parts):
    """An element of indefinite length."""
    return bytes([tag, 0x80]) + b"".join(parts) + b"\0\0"


def number(value):
    return element(INTEGER, value.to_bytes(value.bit_length() // 8 + 1, "big"))


def object_id(text):
    first, second, *rest = map(int, text.split("."))
    content = b""
    for value in [40 * first + second, *rest]:
        octets = [value & 0x7F]
        while value := value >> 7:
            octets.append(0x80 | value & 0x7F)
        content += bytes(reversed(octets))
    return element(OID, content)


def algorithm(name, *parameters):
    return element(SEQUENCE, object_id(name), *parameters)


DATA, ENVELOPED, ENCRYPTED = (f"1.2.840.113549.1.7.{number}" for number in (1, 3, 6))
AUTH_ENVELOPED = "1.2.840.113549.1.9.16.1.23"
AES_256_CBC, AES_256_GCM = "2.16.840.1.101.3.4.1.42", "2.16.840.1.101.3.4.1.46"
AES_256_WRAP = "2.16.840.1.101.3.4.1.45"
KEK, IV = bytes(range(32)), bytes(range(0x50, 0x60))


def rsa_recipient(public_key, key, key_id=b"id"):
    sealed = public_key.encrypt(key, padding.PKCS1v15())
    return element(SEQUENCE, number(2), element(0x80, key_id), algorithm("1.2.840.113549.1.1.1", element(NULL)), element(OCTETS, sealed))


def kek_recipient(wrapping, key):
    """RFC 5652, section 6.2.3."""
    wrapped = keywrap.aes_key_wrap(wrapping, key)
    return element(0xA2, number(4), element(SEQUENCE, element(OCTETS, b"id")), algorithm(AES_256_WRAP), element(OCTETS, wrapped))


def x25519_recipient(public_key, key, keying_material=b""):
    """RFC 8418, sections 2.1 and 2.2, with HKDF of SHA-256."""
    own = x25519.X25519PrivateKey.generate()
    wrap = algorithm(AES_256_WRAP)
    material = element(0xA0, element(OCTETS, keying_material)) if keying_material else b""
    info = element(SEQUENCE, wrap, material, element(0xA2, element(OCTETS, (256).to_bytes(4, "big"))))
    wrapping = HKDF(hashes.SHA256(), 32, None, info).derive(own.exchange(public_key))
    point = own.public_key().public_bytes(serialization.Encoding.Raw, serialization.PublicFormat.Raw)
    return element(
        0xA1, number(3),
        element(0xA0, element(0xA1, algorithm("1.3.101.110"), element(BITS, b"\0", point))),
        element(0xA1, element(OCTETS, keying_material)) if keying_material else b"",
        algorithm("1.2.840.113549.1.9.16.3.19", wrap),
        element(SEQUENCE, element(SEQUENCE, element(0xA0, element(OCTETS, b"id")), element(OCTETS, keywrap.aes_key_wrap(wrapping, key)))),
    )  # fmt: skip


def passphrase_recipient(passphrase, key, num_iterations=2, said_iterations=None):
    """RFC 5652, section 6.2.4, and RFC 3211, section 2.3, under PBKDF2 with HMAC-SHA-256."""
    own = hashlib.pbkdf2_hmac("sha256", passphrase, b"salt", num_iterations, 32)
    checked = bytes([len(key)]) + bytes(byte ^ 0xFF for byte in key[:3]) + key
    padded = checked + bytes(max(32, -(-len(checked) // 16) * 16) - len(checked))
    once = encrypt_cbc(own, IV, padded)
    wrapped = encrypt_cbc(own, once[-16:], once)
    parameters = element(SEQUENCE, element(OCTETS, b"salt"), number(said_iterations or num_iterations), algorithm("1.2.840.113549.2.9", element(NULL)))
    return element(
        0xA3, number(0), element(0xA0, object_id("1.2.840.113549.1.5.12"), parameters),
        algorithm("1.2.840.113549.1.9.16.3.9", algorithm(AES_256_CBC, element(OCTETS, IV))), element(OCTETS, wrapped),
    )  # fmt: skip


def pad(plain):
    size = 16 - len(plain) % 16
    return plain + bytes([size]) * size


def encrypt_cbc(key, iv, padded):
    encryptor = Cipher(algorithms.AES(key), modes.CBC(iv)).encryptor()
    return encryptor.update(padded) + encryptor.finalize()


def content_info(kind, *fields):
    return element(SEQUENCE, object_id(kind), element(0xA0, element(SEQUENCE, *fields)))


def enveloped(recipients, key, plain, content=None, tail=b""):
    """EnvelopedData under AES-256-CBC; `content` makes the element of the ciphertext."""
    sealed = encrypt_cbc(key, IV, pad(plain))
    octets = content(sealed) if content else element(0x80, sealed)
    described = element(SEQUENCE, object_id(DATA), algorithm(AES_256_CBC, element(OCTETS, IV)), octets)
    return content_info(ENVELOPED, number(2), element(SET, *recipients), described, tail)


def auth_enveloped(recipients, key, plain, attributes=(), nonce=bytes(range(12)), tag_bytes=16, order=sorted, content=None):
    """RFC 5083 with AES-256-GCM (RFC 5084). The attributes stand in the order of `order`, and are authenticated in that of DER."""
    authenticated = element(SET, *sorted(attributes)) if attributes else b""
    sealed = AESGCM(key).encrypt(nonce, plain, authenticated)
    sealed, tag = sealed[: len(plain)], sealed[len(plain) :][:tag_bytes]
    parameters = element(SEQUENCE, element(OCTETS, nonce), number(tag_bytes))
    octets = content(sealed) if content else element(0x80, sealed)
    described = element(SEQUENCE, object_id(DATA), algorithm(AES_256_GCM, parameters), octets)
    sent = element(0xA1, *order(attributes)) if attributes else b""
    return content_info(AUTH_ENVELOPED, number(0), element(SET, *recipients), described, sent, element(OCTETS, tag))


def in_pieces(sealed, size=5, nested=True):
    """An octet string in pieces of definite and of indefinite length, with an empty one, and pieces of pieces."""
    pieces = [element(OCTETS, sealed[at : at + size]) for at in range(0, len(sealed), size)]
    half = len(pieces) // 2
    inner = endless(0x24, *pieces[:half]) if nested else b"".join(pieces[:half])
    return endless(0xA0, element(OCTETS), inner, *pieces[half:])


def hostile_messages():
    """Structures that lie: {what: bytes}."""
    kek = kek_recipient(KEK, bytes(32))
    enveloped = object_id(ENVELOPED)
    huge = b"\x84\xff\xff\xff\xff"
    front = bytes([0x30, 0x80]) + enveloped + bytes([0xA0, 0x80, 0x30, 0x80]) + number(2)
    described = object_id(DATA) + algorithm(AES_256_CBC, element(OCTETS, bytes(16)))
    before_content = front + element(SET, kek) + bytes([0x30, 0x80]) + described
    yield "deep", bytes([0x30, 0x80]) * 100_000
    yield "deep recipients", front + bytes([0x31, 0x80]) + bytes([0xA4, 0x80]) * 100_000
    yield "deep content", before_content + bytes([0xA0, 0x80]) + bytes([0x24, 0x80]) * 100_000
    yield "no end", front + bytes([0x31, 0x80]) + element(0xA4, bytes(1000)) * 20_000
    yield "many recipients", front + bytes([0x31, 0x80]) + element(0xA4) * 60_000
    yield "an endless content", before_content + bytes([0xA0, 0x80]) + element(OCTETS) * 100_000
    yield "a length beyond the file", bytes([0x30]) + huge + enveloped
    yield "a length of 2^64", bytes([0x30, 0x88]) + b"\xff" * 8 + enveloped
    yield "a length of 2^63", bytes([0x30, 0x88, 0x7F]) + b"\xff" * 7 + enveloped
    yield "a length of 100 bytes", bytes([0x30, 0xE4]) + bytes(99) + b"\x10" + enveloped
    yield "a huge recipient", front + bytes([0x31, 0x80, 0xA4]) + huge + bytes(1000)
    yield "an inner length beyond its outer one", bytes([0x30, 0x20]) + enveloped + bytes([0xA0, 0x7F]) + bytes(200)
    yield "a primitive without a length", bytes([0x30, 0x80, 0x06, 0x80]) + bytes(100)
    yield "a long tag", bytes([0x30, 0x80, 0x1F, 0x81, 0x01]) + bytes(100)
    yield "a huge content", before_content + bytes([0x80]) + huge + bytes(64)
    yield "no recipients", content_info(ENVELOPED, number(2), element(SET), element(SEQUENCE, described, element(0x80, bytes(16))))
    yield "no content", content_info(ENVELOPED, number(2), element(SET, kek), element(SEQUENCE, described))
    yield "an empty content", content_info(ENVELOPED, number(2), element(SET, kek), element(SEQUENCE, described, element(0x80)))
    yield "a part of a block", content_info(ENVELOPED, number(2), element(SET, kek), element(SEQUENCE, described, element(0x80, bytes(17))))
    yield "more behind the content", content_info(ENVELOPED, number(2), element(SET, kek), element(SEQUENCE, described, element(0x80, bytes(16)), number(1)))
    yield "a short iv", content_info(ENVELOPED, number(2), element(SET, kek), element(SEQUENCE, object_id(DATA), algorithm(AES_256_CBC, element(OCTETS, bytes(15))), element(0x80, bytes(16))))
    yield "an unknown cipher", content_info(ENVELOPED, number(2), element(SET, kek), element(SEQUENCE, object_id(DATA), algorithm("1.2.3.4"), element(0x80, bytes(16))))
    yield "an unknown type", content_info("1.2.3.4.5", number(2))
    yield "a tag of 4 bytes", auth_enveloped([kek], bytes(32), b"plain", tag_bytes=4)
    yield "a wrong base64", b"-----BEGIN CMS-----\nMIIB*\n-----END CMS-----\n"
    yield "no base64", b"-----BEGIN CMS-----\n-----END CMS-----\n"
    yield "long headers", b"A: b\n" * 100_000
