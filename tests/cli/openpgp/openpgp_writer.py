"""Messages of OpenPGP by hand, as RFC 9580, RFC 4880 and GnuPG's draft (draft-koch-librepgp) have them, and wrong on purpose. Its one cipher is AES."""

import base64
import bz2
import ctypes
import dataclasses
import hashlib
import zlib
from collections.abc import Callable

from cryptography.hazmat.primitives import cmac, hashes
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESOCB3
from cryptography.hazmat.primitives.kdf.hkdf import HKDF

PKESK, SIGNATURE, SKESK, ONE_PASS, SECRET_KEY, COMPRESSED, SED, MARKER, LITERAL, TRUST = 1, 2, 3, 4, 5, 8, 9, 10, 11, 12
SEIPD, MDC, OCB_DATA, PADDING = 18, 19, 20, 21
AES_128, AES_192, AES_256 = 7, 8, 9
KEY_BYTES = {AES_128: 16, AES_192: 24, AES_256: 32}
EAX, OCB, GCM = 1, 2, 3
NONCE_BYTES = {EAX: 16, OCB: 15, GCM: 12}
MD5, SHA1, SHA256 = 1, 2, 8
DIGESTS = {1: "md5", 2: "sha1", 3: "ripemd160", 8: "sha256", 9: "sha384", 10: "sha512", 11: "sha224", 12: "sha3_256", 14: "sha3_512"}
STORED, ZIP, ZLIB, BZIP2 = 0, 1, 2, 3


# --- packets: RFC 9580, section 4.2


def new_length(size):
    if size < 192:
        return bytes([size])
    if size < 8384:
        return (size - 192 + (192 << 8)).to_bytes(2, "big")
    return b"\xff" + size.to_bytes(4, "big")


def packet(tag, *parts):
    body = b"".join(parts)
    return bytes([0xC0 | tag]) + new_length(len(body)) + body


def old_packet(tag, *parts, length_bytes=4):
    """Section 4.2.2; length_bytes = 0 goes on until the end of the file."""
    body = b"".join(parts)
    length = len(body).to_bytes(length_bytes, "big") if length_bytes else b""
    return bytes([0x80 | tag << 2 | {1: 0, 2: 1, 4: 2, 0: 3}[length_bytes]]) + length + body


def partial_packet(tag, body, log2_sizes, last=None):
    """Section 4.2.1.4: pieces of 2^n bytes, each of which is written after the other, and a last one of any length; `last` is that length as told."""
    out, at = bytes([0xC0 | tag]), 0
    for log2_size in log2_sizes:
        out += bytes([224 + log2_size]) + body[at : at + (1 << log2_size)]
        at += 1 << log2_size
    return out + (new_length(len(body) - at) if last is None else last) + body[at:]


def in_pieces(tag, body, log2_size=9):
    return partial_packet(tag, body, [log2_size] * ((len(body) - 1) >> log2_size))


def literal(content, mode=b"b", name=b"", make=packet):
    return make(LITERAL, mode + bytes([len(name)]) + name + bytes(4) + content)


def deflated(content, window_bits):
    compressor = zlib.compressobj(9, zlib.DEFLATED, window_bits)
    return compressor.compress(content) + compressor.flush()


COMPRESSORS = {STORED: bytes, ZIP: lambda content: deflated(content, -15), ZLIB: lambda content: deflated(content, 15), BZIP2: bz2.compress}


def compressed(content, algorithm=ZIP, make=packet):
    return make(COMPRESSED, bytes([algorithm]) + COMPRESSORS[algorithm](content))


# --- passphrases: section 3.7


@dataclasses.dataclass(frozen=True)
class S2k:
    written: bytes
    derive: Callable[[bytes, int], bytes]


def hashed(digest, content, size):
    """Section 3.7.1.1: further digests, each of which begins with one zero more, where one is too short."""
    out, count = b"", 0
    while len(out) < size:
        out += hashlib.new(DIGESTS[digest], bytes(count) + content).digest()
        count += 1
    return out[:size]


def simple(digest=SHA256):
    return S2k(bytes([0, digest]), lambda passphrase, size: hashed(digest, passphrase, size))


def salted(digest=SHA256, salt=b"saltsalt"):
    return S2k(bytes([1, digest]) + salt, lambda passphrase, size: hashed(digest, salt + passphrase, size))


def iterated(digest=SHA256, salt=b"saltsalt", count=0):
    num_bytes = (16 + (count & 15)) << ((count >> 4) + 6)

    def derive(passphrase, size):
        once = salt + passphrase
        total = max(num_bytes, len(once))
        return hashed(digest, (once * (total // len(once) + 1))[:total], size)

    return S2k(bytes([3, digest]) + salt + bytes([count]), derive)


def argon2(salt=b"salt" * 4, passes=1, lanes=1, log2_kib=6):
    """Section 3.7.1.4: Argon2id, computed by libargon2, which raises OSError where it is missing."""

    def derive(passphrase, size):
        out = ctypes.create_string_buffer(size)
        library = ctypes.CDLL("libargon2.so.1")
        failed = library.argon2id_hash_raw(
            ctypes.c_uint32(passes), ctypes.c_uint32(1 << log2_kib), ctypes.c_uint32(lanes), passphrase, ctypes.c_size_t(len(passphrase)),
            salt, ctypes.c_size_t(len(salt)), out, ctypes.c_size_t(size),
        )  # fmt: skip
        assert failed == 0
        return out.raw

    return S2k(bytes([4]) + salt + bytes([passes, lanes, log2_kib]), derive)


# --- ciphers


def cfb(key, plain, iv=bytes(16)):
    """By ECB: the package is about to drop CFB."""
    encrypt, out = Cipher(algorithms.AES(key), modes.ECB()).encryptor().update, []
    for at in range(0, len(plain), 16):
        piece = plain[at : at + 16]
        iv = (int.from_bytes(encrypt(iv)[: len(piece)], "big") ^ int.from_bytes(piece, "big")).to_bytes(len(piece), "big")
        out.append(iv)
    return b"".join(out)


def omac(key, number, content):
    mac = cmac.CMAC(algorithms.AES(key))
    mac.update(bytes(15) + bytes([number]) + content)
    return mac.finalize()


def eax(key, nonce, plain, associated):
    """EAX of Bellare, Rogaway and Wagner, section 3."""
    start, header = omac(key, 0, nonce), omac(key, 1, associated)
    encryptor = Cipher(algorithms.AES(key), modes.CTR(start)).encryptor()
    sealed = encryptor.update(plain) + encryptor.finalize()
    tags = (start, header, omac(key, 2, sealed))
    return sealed + bytes(one ^ two ^ three for one, two, three in zip(*tags))


SEAL = {
    EAX: eax,
    OCB: lambda key, *rest: AESOCB3(key).encrypt(*rest),
    GCM: lambda key, *rest: AESGCM(key).encrypt(*rest),
}  # fmt: skip


def hkdf(key, info, size, salt=None):
    return HKDF(hashes.SHA256(), size, salt, info).derive(key)


# --- session keys: section 5.3


def skesk_4(passphrase, s2k=iterated(), cipher=AES_256, session_key=None, wraps=None):
    """Section 5.3.1; a session key is that of the cipher `wraps`, and without one the derived key is it."""
    sealed = b"" if session_key is None else cfb(s2k.derive(passphrase, KEY_BYTES[cipher]), bytes([wraps or cipher]) + session_key)
    return packet(SKESK, bytes([4, cipher]) + s2k.written + sealed)


def skesk_5(passphrase, session_key, s2k=iterated(), cipher=AES_256, mode=OCB, iv=None):
    """draft-koch-librepgp, section 5.3."""
    iv = iv or b"i" * NONCE_BYTES[mode]
    head = bytes([0xC0 | SKESK, 5, cipher, mode])
    return packet(SKESK, head[1:] + s2k.written + iv + SEAL[mode](s2k.derive(passphrase, KEY_BYTES[cipher]), iv, session_key, head))


def skesk_6(passphrase, session_key, s2k=iterated(), cipher=AES_256, mode=OCB, iv=None):
    """Section 5.3.2."""
    iv = iv or b"i" * NONCE_BYTES[mode]
    head = bytes([0xC0 | SKESK, 6, cipher, mode])
    key = hkdf(s2k.derive(passphrase, KEY_BYTES[cipher]), head, KEY_BYTES[cipher])
    fields = bytes([cipher, mode, len(s2k.written)]) + s2k.written + iv
    return packet(SKESK, bytes([6, len(fields)]) + fields + SEAL[mode](key, iv, session_key, head))


def pkesk_3(key_id=b"\x01\x23\x45\x67\x89\xab\xcd\xef", algorithm=1):
    """For a key that nobody has."""
    return packet(PKESK, bytes([3]) + key_id + bytes([algorithm]) + b"\x04\x00" + b"\x80" * 128)


# --- data: sections 5.7, 5.13 and draft-koch-librepgp, section 5.16

PREFIX = bytes(range(0x30, 0x40))
PREFIX += PREFIX[-2:]


def sed(key, plain, make=packet, prefix=PREFIX):
    """Section 5.7: without any check, and with the resynchronization of section 12.9."""
    front = cfb(key, prefix)
    return make(SED, front + cfb(key, plain, front[2:18]))


def with_mdc(plain, prefix=PREFIX):
    front = plain + bytes([0xC0 | MDC, 20])
    return front + hashlib.sha1(prefix + front).digest()


def seipd_1(key, plain, make=packet, prefix=PREFIX, seal=with_mdc):
    """Section 5.13.1; `seal` appends the MDC."""
    return make(SEIPD, b"\1" + cfb(key, prefix + seal(plain, prefix)))


def sealed_chunks(mode, key, nonce_of, associated_of, plain, chunk_bytes):
    pieces = [plain[at : at + chunk_bytes] for at in range(0, len(plain), chunk_bytes)]
    sealed = [SEAL[mode](key, nonce_of(index), piece, associated_of(index)) for index, piece in enumerate(pieces)]
    size = len(plain).to_bytes(8, "big")
    return [*sealed, SEAL[mode](key, nonce_of(len(pieces)), b"", associated_of(len(pieces)) + size)]


def ocb_data(key, plain, cipher=AES_256, mode=OCB, chunk=0, make=packet, iv=None, change=lambda chunks: chunks):
    """GnuPG's packet: the index of a chunk is added to the last bytes of the IV, and is authenticated."""
    iv = iv or b"I" * NONCE_BYTES[mode]
    head = bytes([0xC0 | OCB_DATA, 1, cipher, mode, chunk])
    begin, end = iv[:-8], int.from_bytes(iv[-8:], "big")
    nonce_of = lambda index: begin + (end ^ index).to_bytes(8, "big")  # noqa: E731
    chunks = sealed_chunks(mode, key, nonce_of, lambda index: head + index.to_bytes(8, "big"), plain, 1 << chunk + 6)
    return make(OCB_DATA, head[1:] + iv + b"".join(change(chunks)))


def seipd_2(key, plain, cipher=AES_256, mode=OCB, chunk=0, make=packet, salt=b"s" * 32, change=lambda chunks: chunks):
    """Section 5.13.2."""
    head = bytes([0xC0 | SEIPD, 2, cipher, mode, chunk])
    derived = hkdf(key, head, KEY_BYTES[cipher] + NONCE_BYTES[mode] - 8, salt)
    own, iv = derived[: KEY_BYTES[cipher]], derived[KEY_BYTES[cipher] :]
    chunks = sealed_chunks(mode, own, lambda index: iv + index.to_bytes(8, "big"), lambda index: head, plain, 1 << chunk + 6)
    return make(SEIPD, head[1:] + salt + b"".join(change(chunks)))


# --- armour: section 6


def crc_24(content):
    crc = 0xB704CE
    for byte in content:
        crc ^= byte << 16
        for _ in range(8):
            crc = (crc << 1) ^ (0x1864CFB if crc & 0x800000 else 0)
    return crc


def armored(content, headers=b"", has_crc=True, width=64, end=b"\n", label=b"PGP MESSAGE"):
    text = base64.b64encode(content)
    lines = [text[at : at + width] for at in range(0, len(text), width)]
    crc = [b"=" + base64.b64encode(crc_24(content).to_bytes(3, "big"))] if has_crc else []
    before = [b"-----BEGIN " + label + b"-----", *headers.splitlines(), b""]
    return end.join([*before, *lines, *crc, b"-----END " + label + b"-----", b""])
