"""Volumes of LUKS for tests: by cryptsetup and qemu-img, and by a writer of our own, whose ciphers are libgcrypt's."""

import base64
import ctypes
import ctypes.util
import functools
import hashlib
import json
import random
import shutil
import subprocess

import pytest
from conftest import MOST_SECONDS

PASSPHRASE = b"correct horse"
QUICK = ["--pbkdf", "pbkdf2", "--pbkdf-force-iterations", "1000"]
SECTOR = 512
MIB = 1 << 20
HEADER_BYTES = 16384
AREA_OFFSET, AREA_BYTES = 2 * HEADER_BYTES, 258048  # of the writer's key slot
DATA_OFFSET = MIB


def needs(program, package):
    return pytest.mark.skipif(shutil.which(program) is None, reason=f"{package} is not installed")


needs_cryptsetup = needs("cryptsetup", "cryptsetup-bin")
needs_qemu = needs("qemu-img", "qemu-utils")


def run(*words, **options):
    return subprocess.run([str(word) for word in words], capture_output=True, timeout=MOST_SECONDS, **options)


def cryptsetup(folder, *words):
    done = run("cryptsetup", "-q", *words, cwd=folder, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout


def write_passphrase(folder, name="pass", passphrase=PASSPHRASE):
    path = folder / name
    path.write_bytes(passphrase)
    path.chmod(0o600)
    return path


def encrypt_file(folder, name, plain, *options):
    """A volume of LUKS2 with data, by `cryptsetup reencrypt --encrypt`, which takes files without a device mapper."""
    path = folder / name
    path.write_bytes(plain + bytes(4 * MIB))
    write_passphrase(folder)
    small = ["--reduce-device-size", "4M", "--luks2-metadata-size", "16k", "--luks2-keyslots-size", "1M"]
    cryptsetup(folder, "reencrypt", "--encrypt", *small, "--key-file", "pass", *options, name)
    return path


def format_file(folder, name, size, *options):
    """An empty volume, by `cryptsetup luksFormat`."""
    path = folder / name
    with open(path, "wb") as file:
        file.truncate(size)
    write_passphrase(folder)
    cryptsetup(folder, "luksFormat", *options, name, "pass")
    return path


SECRET = ["--object", "secret,id=s,file=pass"]


def convert_by_qemu(folder, name, plain, cipher, mode, iv, digest="sha256"):
    """A volume of LUKS1 with data, by `qemu-img convert`."""
    (folder / "raw").write_bytes(plain)
    write_passphrase(folder)
    settings = f"key-secret=s,cipher-alg={cipher},cipher-mode={mode},ivgen-alg={iv},hash-alg={digest},iter-time=10"
    for _ in range(100):  # it measures a time that may be too short for its clock, and then says so
        done = run("qemu-img", "convert", "-f", "raw", "-O", "luks", *SECRET, "-o", settings, "raw", name, cwd=folder)
        if b"accurate CPU usage" not in done.stderr:
            break
    assert done.returncode == 0, done.stderr
    return folder / name


def read_by_qemu(folder, name):
    """What a volume of LUKS1 holds, by qemu-img."""
    image = f"driver=luks,key-secret=s,file.filename={name}"
    done = run("qemu-img", "convert", *SECRET, "--image-opts", image, "-O", "raw", "read_by_qemu", cwd=folder)
    assert done.returncode == 0, done.stderr
    return (folder / "read_by_qemu").read_bytes()


# The numbers of libgcrypt's ciphers and modes (gcrypt.h).
ALGORITHMS = {
    "aes-128": 7, "aes-192": 8, "aes-256": 9, "serpent-128": 304, "serpent-192": 305, "serpent-256": 306,
    "twofish-128": 303, "twofish-256": 10,
}  # fmt: skip
MODES = {"ecb": 1, "cbc": 3, "xts": 13}
INITIALIZATION_FINISHED = 38


@functools.lru_cache
def libgcrypt():
    name = ctypes.util.find_library("gcrypt")
    if name is None:
        pytest.skip("libgcrypt20-dev is not installed")
    library = ctypes.CDLL(name)
    library.gcry_check_version(None)
    library.gcry_control(INITIALIZATION_FINISHED, 0)
    return library


class OtherCipher:
    """A cipher in a mode, by libgcrypt."""

    def __init__(self, family, mode, key):
        bits = 8 * len(key) // (2 if mode == "xts" else 1)
        self.handle = ctypes.c_void_p()
        opened = libgcrypt().gcry_cipher_open(ctypes.byref(self.handle), ALGORITHMS[f"{family}-{bits}"], MODES[mode], 0)
        assert opened == 0 and libgcrypt().gcry_cipher_setkey(self.handle, key, len(key)) == 0

    def encrypt(self, iv, data):
        out = ctypes.create_string_buffer(data, len(data))
        if iv is not None:
            assert libgcrypt().gcry_cipher_setiv(self.handle, iv, len(iv)) == 0
        assert libgcrypt().gcry_cipher_encrypt(self.handle, out, len(data), None, 0) == 0
        return out.raw

    def __del__(self):
        libgcrypt().gcry_cipher_close(self.handle)


def encrypt_sectors(encryption, key, plain, sector_bytes=SECTOR, first=0):
    """Sectors as dm-crypt has them: their ivs count units of 512 bytes."""
    family, mode, iv = encryption.split("-")
    cipher = OtherCipher(family, mode, key)
    essiv = OtherCipher(family, "ecb", hashlib.sha256(key).digest()) if iv == "essiv:sha256" else None
    mask = (1 << 32 if iv == "plain" else 1 << 64) - 1
    sealed = bytearray()
    for position in range(0, len(plain), sector_bytes):
        number = ((first + position // SECTOR) & mask).to_bytes(16, "little")
        sealed += cipher.encrypt(essiv.encrypt(None, number) if essiv else number, plain[position : position + sector_bytes])
    return bytes(sealed)


def diffuse(stripe, digest):
    size = hashlib.new(digest).digest_size
    pieces = [stripe[i : i + size] for i in range(0, len(stripe), size)]
    return b"".join(hashlib.new(digest, i.to_bytes(4, "big") + piece).digest()[: len(piece)] for i, piece in enumerate(pieces))


def split(key, digest="sha256", num_stripes=4000):
    """The stripes of a key: LUKS1 On-Disk Format Specification 1.2.3, section 2.4."""
    chance, total, stripes = random.Random(4), bytes(len(key)), []
    for _ in range(num_stripes - 1):
        stripes.append(chance.randbytes(len(key)))
        total = diffuse(bytes(a ^ b for a, b in zip(total, stripes[-1])), digest)
    stripes.append(bytes(a ^ b for a, b in zip(total, key)))
    return b"".join(stripes)


def text_of(data):
    return base64.b64encode(data).decode()


def metadata_of(encryption, key, sector_bytes, first, area_encryption, area_key_bytes):
    kdf = {"type": "pbkdf2", "hash": "sha256", "iterations": 1000, "salt": text_of(b"s" * 32)}
    digest = hashlib.pbkdf2_hmac("sha256", key, b"d" * 32, 1000)
    return {
        "keyslots": {
            "0": {
                "type": "luks2",
                "key_size": len(key),
                "af": {"type": "luks1", "stripes": 4000, "hash": "sha256"},
                "area": {
                    "type": "raw",
                    "offset": str(AREA_OFFSET),
                    "size": str(AREA_BYTES),
                    "encryption": area_encryption,
                    "key_size": area_key_bytes,
                },
                "kdf": kdf,
            }
        },
        "tokens": {},
        "segments": {
            "0": {
                "type": "crypt",
                "offset": str(DATA_OFFSET),
                "size": "dynamic",
                "iv_tweak": str(first),
                "encryption": encryption,
                "sector_size": sector_bytes,
            }
        },
        "digests": {
            "0": {
                "type": "pbkdf2",
                "keyslots": ["0"],
                "segments": ["0"],
                "hash": "sha256",
                "iterations": 1000,
                "salt": text_of(b"d" * 32),
                "digest": text_of(digest),
            }
        },
        "config": {"json_size": str(HEADER_BYTES - 4096), "keyslots_size": str(DATA_OFFSET - AREA_OFFSET)},
    }


def header_copy(metadata, offset, sequence=3, size=HEADER_BYTES):
    """One of the two headers of LUKS2 (LUKS2 On-Disk Format Specification 1.1, section 2). `metadata` may be text."""
    magic = b"LUKS\xba\xbe" if offset == 0 else b"SKUL\xba\xbe"
    fields = magic + (2).to_bytes(2, "big") + size.to_bytes(8, "big") + sequence.to_bytes(8, "big") + b"a label".ljust(48, b"\0")
    fields += b"sha256".ljust(32, b"\0") + bytes([offset != 0]) * 64 + b"11111111-2222-3333-4444-555555555555".ljust(40, b"\0")
    fields += bytes(48) + offset.to_bytes(8, "big") + bytes(184)
    text = metadata if isinstance(metadata, str) else json.dumps(metadata)
    copy = bytearray((fields + bytes(64 + 3584) + text.encode("latin-1")).ljust(size, b"\0"))
    assert len(copy) == size
    copy[448:480] = hashlib.sha256(copy).digest()
    return bytes(copy)


class WrittenVolume:
    """A volume of LUKS2 by our writer, which a test may change before it is written."""

    def __init__(self, encryption="aes-xts-plain64", key_bytes=64, sector_bytes=SECTOR, first=0, area="aes-xts-plain64", area_key=64):
        self.key = random.Random(key_bytes).randbytes(key_bytes)
        self.encryption, self.sector_bytes, self.first = encryption, sector_bytes, first
        self.metadata = metadata_of(encryption, self.key, sector_bytes, first, area, area_key)
        area_passphrase_key = hashlib.pbkdf2_hmac("sha256", PASSPHRASE, b"s" * 32, 1000, area_key)
        material = split(self.key)
        self.area = encrypt_sectors(area, area_passphrase_key, material + bytes(-len(material) % SECTOR))

    def image(self, plain, headers=None):
        first, second = headers or (header_copy(self.metadata, 0), header_copy(self.metadata, HEADER_BYTES))
        begin = (first + second + self.area).ljust(DATA_OFFSET, b"\0")
        return begin + encrypt_sectors(self.encryption, self.key, plain, self.sector_bytes, self.first)


def luks1_image(plain, encryption="serpent-xts-plain64", key_bytes=64, digest="sha256"):
    """A volume of LUKS1 by our writer (LUKS1 On-Disk Format Specification 1.2.3, figures 1 to 3), with a key in slot 0."""
    key, salt = random.Random(key_bytes).randbytes(key_bytes), b"s" * 32
    family, mode = encryption.split("-", 1)
    area_offset, data_offset = 4096, AREA_BYTES + 4096
    header = b"LUKS\xba\xbe\0\1" + family.encode().ljust(32, b"\0") + mode.encode().ljust(32, b"\0") + digest.encode().ljust(32, b"\0")
    header += (data_offset // SECTOR).to_bytes(4, "big") + key_bytes.to_bytes(4, "big")
    header += hashlib.pbkdf2_hmac(digest, key, salt, 1000, 20) + salt + (1000).to_bytes(4, "big") + b"uuid".ljust(40, b"\0")
    header += bytes.fromhex("00ac71f3") + (1000).to_bytes(4, "big") + salt + (area_offset // SECTOR).to_bytes(4, "big") + (4000).to_bytes(4, "big")
    header += (bytes.fromhex("0000dead") + bytes(44)) * 7
    assert len(header) == 592
    material = split(key, digest)
    area = encrypt_sectors(encryption, hashlib.pbkdf2_hmac(digest, PASSPHRASE, salt, 1000, key_bytes), material + bytes(-len(material) % SECTOR))
    return (header.ljust(area_offset, b"\0") + area).ljust(data_offset, b"\0") + encrypt_sectors(encryption, key, plain)
