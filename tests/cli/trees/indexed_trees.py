"""Folders with an index, under each authenticator, for the tests of them; and the reader that was written from its page."""

import dataclasses
import os
import sys

from conftest import KEY, random_bytes
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

TESTS = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path += [os.path.join(TESTS, "container"), os.path.join(TESTS, "container", "index")]
import read_index  # noqa: E402


@dataclasses.dataclass(frozen=True)
class Authenticator:
    write: tuple
    verify: tuple

    def named(self, index):
        """The same over another file."""
        renamed = lambda words: tuple(index if word == "index" else word for word in words)  # noqa: E731
        return Authenticator(renamed(self.write), renamed(self.verify))

    def key(self, files):
        if "--index-key-file" in self.verify:
            return read_index.Secret(files.read("secret"))
        return read_index.PublicKey(read_index.key_of_line(files.read("sign.pub").decode()))


SECRET = ("--index", "index", "--index-key-file", "secret")
AUTHENTICATORS = {
    "secret": Authenticator(SECRET, SECRET),
    "secret_with_digest": Authenticator((*SECRET, "--index-digest"), SECRET),
    "signature": Authenticator(
        ("--index", "index", "--index-signing-key", "sign", "--index-digest"), ("--index", "index", "--index-public-key", "sign.pub")
    ),
}


def index_files(files):
    """Keys of all kinds."""
    files.write("key", random_bytes(32))
    files.write("secret", random_bytes(32, 3))
    files.run("keygen", "--index-keys", "sign", check=0)
    return files


def put(files, name, content):
    path = files.folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return path


def write(files, how, *options, **settings):
    return files.run("encrypt", "--each", *KEY, "src", "--to-tree", "bk", "--update", *how.write, *options, **settings)


def verify(files, how, *options, **settings):
    return files.run("verify", "bk", *how.verify, *options, **settings)


def told_by(done, folder="bk"):
    """What was said of each container, by the name of its file."""
    told = {}
    for line in done.stderr.decode().splitlines():
        name, between, what = line.removeprefix(f"phalanx: {folder}/").partition(".phalanx: ")
        if between:
            assert name not in told, line
            told[name] = what
    return told


def generations_of(files, how, may_be_torn=False):
    generations, num_left = read_index.read_index(files.read("index"), how.key(files))
    assert may_be_torn or num_left == 0
    return generations


def public_key_of(private):
    raw = serialization.Encoding.Raw, serialization.PublicFormat.Raw
    return Ed25519PrivateKey.from_private_bytes(private).public_key().public_bytes(*raw)


def forge_first_chunk(path, key):
    """By who has the data key: another first chunk, under the same salt, and with its tag."""
    import read_container as reader

    content = bytearray(path.read_bytes())
    suite, _, records, body = reader.parse_header(bytes(content))
    fixed = bytes(content[:10])
    data_key = reader.open_record(fixed, suite, records[0][1], 1, key)
    keys = reader.message_keys(suite, data_key, fixed + b"body", bytes(content[body : body + 24]))
    aead = reader.AESGCM(keys[0])
    chunk = aead.encrypt(reader.chunk_nonce(keys[1], 0), b"forged".ljust(16384, b"."), None)
    content[body + 56 : body + 56 + len(chunk)] = chunk
    path.write_bytes(content)
