#!/usr/bin/env python3
"""Writes the files of tests/vectors/openpgp that GnuPG made: of its ciphers, digests, compressions, keys and forms.

usage: write_openpgp_files.py GPG [WORD...]      prints the records; the words are the whole command of gpg, such as `chroot DIR /usr/bin/gpg`

The version of gpg decides which cases it has. Keys are made in a folder of their own, which is removed in the end.
"""

import base64
import contextlib
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import tempfile

PASSPHRASE = "corréct horse"
LETTER = b"A letter that nobody else should read, and of some length at that.\n"
PLAINS = {
    "letter": LETTER, "empty": b"", "one_byte": b"x", "long": (LETTER * 300)[:20_000], "page": (LETTER * 50)[:3000], "lines": b"one\ntwo\r\nthree\rfour\r\r\n\r\rfive",
    **{f"bytes_{size}": (LETTER * 20)[:size] for size in (64, 128, 256)},
}  # fmt: skip
MOST_HEX_BYTES = 300  # of a plaintext that is kept as it is
CIPHERS = ["IDEA", "3DES", "CAST5", "BLOWFISH", "AES", "AES192", "AES256", "TWOFISH", "CAMELLIA128", "CAMELLIA192", "CAMELLIA256"]
DIGESTS = ["MD5", "SHA1", "RIPEMD160", "SHA256", "SHA384", "SHA512", "SHA224"]
FAST = "--s2k-count 1024"  # where the default would take a tenth of a second for each file
KEY_RSA, KEY_CURVE = "rsa@tests", "curve@tests"
PARAMETERS = f"""%no-protection
Key-Type: RSA\nKey-Length: 2048\nSubkey-Type: RSA\nSubkey-Length: 2048\nName-Email: {KEY_RSA}\nExpire-Date: 0\n%commit
%no-protection
Key-Type: EDDSA\nKey-Curve: ed25519\nSubkey-Type: ECDH\nSubkey-Curve: cv25519\nName-Email: {KEY_CURVE}\nExpire-Date: 0\n%commit
"""
PIPED = "<"  # before the name of a plaintext that comes by a pipe


def cases_of_each():
    """The cases of GnuPG 2.2 and 2.4: what is told, and the plaintext."""
    yield from ((f"-c {FAST} --cipher-algo {cipher}", "letter") for cipher in CIPHERS)
    yield from ((f"-c {FAST} --cipher-algo AES --s2k-digest-algo {digest}", "letter") for digest in DIGESTS)
    yield from ((f"-c {FAST} --s2k-mode {mode}", "letter") for mode in (0, 1, 3))
    yield "-c", "letter"
    yield "-c --s2k-count 65011712", "letter"
    for compression in ("none", "zip", "zlib", "bzip2"):
        yield from ((f"-c {FAST} --compress-algo {compression}", plain) for plain in ("letter", "empty"))
    yield f"-c {FAST} --compress-algo zip", f"{PIPED}long"
    yield f"-c {FAST} --compress-algo none", f"{PIPED}long"
    yield f"-c {FAST} --compress-algo none", "page"
    yield f"-c {FAST} -a", "letter"
    yield f"-c {FAST} -a --comment told --comment twice --emit-version", "letter"
    yield f"-c {FAST} -a", f"{PIPED}letter"
    yield f"-c {FAST} --compress-algo none", "lines"
    yield f"-c {FAST} --compress-algo none --textmode", "lines"
    yield f"-c {FAST} --compress-algo zip --textmode -a", f"{PIPED}lines"
    yield f"-c {FAST} --set-filename Grüße.txt", "letter"
    yield f"-c {FAST} --for-your-eyes-only", "letter"
    yield f"-c {FAST}", "one_byte"
    yield f"-c {FAST}", f"{PIPED}empty"
    yield f"-c -s -u {KEY_CURVE} {FAST}", "letter"
    yield f"-c -s -u {KEY_RSA} {FAST} --compress-algo none --textmode", "lines"
    yield f"-c -e -r {KEY_CURVE} {FAST}", "letter"
    yield f"-c -e -r {KEY_RSA} -r {KEY_CURVE} {FAST} -a", "letter"
    yield from ((f"-e -r {key}", "letter") for key in (KEY_RSA, KEY_CURVE))
    yield f"-e -r {KEY_CURVE} --throw-keyids -a", "letter"
    yield f"-e -s -u {KEY_CURVE} -r {KEY_CURVE} --cipher-algo CAMELLIA192", f"{PIPED}letter"
    yield f"-e -r {KEY_RSA} --cipher-algo 3DES", "letter"


def cases_of_ocb():
    for cipher in ("AES", "AES192", "AES256", "TWOFISH", "CAMELLIA128", "CAMELLIA256"):
        yield f"-c {FAST} --force-ocb --cipher-algo {cipher}", "letter"
        yield f"-c {FAST} --force-ocb --cipher-algo {cipher} --chunk-size 6", "bytes_256"
    yield from ((f"-c {FAST} --force-ocb --chunk-size {size} --compress-algo none", "page") for size in (6, 10, 11, 12, 22, 27))
    yield from ((f"-c {FAST} --force-ocb --chunk-size 7 --compress-algo none --set-filename x", f"bytes_{size}") for size in (64, 128))
    yield from ((f"-c {FAST} --force-ocb --chunk-size 6", plain) for plain in ("empty", "one_byte"))
    yield f"-c {FAST} --force-ocb --compress-algo none", f"{PIPED}long"
    yield f"-c {FAST} --force-ocb -a --textmode", f"{PIPED}lines"
    yield f"-c -e -r {KEY_CURVE} {FAST} --force-ocb", "letter"
    yield f"-e -r {KEY_CURVE} --force-ocb", "letter"
    yield f"-e -s -u {KEY_RSA} -r {KEY_RSA} --force-ocb --chunk-size 6", "letter"


def exact_chunks():
    """Literals whose packets fill chunks of 64 bytes exactly, and one byte more and less: 2 bytes of header, 6 and the name are beside it."""
    yield from ((f"-c {FAST} --force-ocb --chunk-size 6 --compress-algo none --set-filename {'n' * count}", "bytes_64") for count in (55, 56, 57))


def cases_of_1_4():
    yield from ((f"-c {FAST} --disable-mdc --cipher-algo {cipher}", "letter") for cipher in CIPHERS)
    yield from ((f"-c {FAST} --cipher-algo {cipher} --force-mdc", "letter") for cipher in ("3DES", "CAST5", "AES256", "TWOFISH"))
    yield "-c --rfc1991 --s2k-digest-algo MD5 --cipher-algo IDEA --compress-algo none", "letter"
    yield "-c --rfc1991 --s2k-digest-algo MD5 --cipher-algo IDEA --compress-algo zip -a", "letter"
    yield f"-c {FAST} --disable-mdc --cipher-algo CAST5", f"{PIPED}long"
    yield f"-c {FAST} --disable-mdc --cipher-algo 3DES --compress-algo none", f"{PIPED}long"
    yield f"-c {FAST} --disable-mdc --cipher-algo AES256 --s2k-mode 0", "letter"
    yield f"-c {FAST} --disable-mdc --cipher-algo AES256 --compress-algo none --textmode -a", "lines"
    yield f"-c {FAST} --disable-mdc", "empty"
    yield f"-c {FAST} --openpgp", "letter"


class Gpg:
    """Runs the program over the files of a folder, under a home of its own."""

    def __init__(self, command, folder):
        self.folder = folder
        self.home = folder / "home"
        self.home.mkdir(mode=0o700)
        self.base = [*command, "--homedir", str(self.home), "--batch", "--yes", "--no-tty", "--trust-model", "always"]
        first = subprocess.run([*command, "--version"], capture_output=True, check=True).stdout.decode().splitlines()[0]
        self.version = first.split()[-1]
        self.is_old = self.version.startswith("1.")
        self.allowed = [] if self.version < "2.4" else ["--allow-old-cipher-algos"]
        if not self.is_old:
            self.base += ["--pinentry-mode", "loopback"]
            self.run("--gen-key", stdin=PARAMETERS.encode())

    def run(self, *words, stdin=b""):
        return subprocess.run([*self.base, *map(str, words)], input=stdin, capture_output=True, check=True)

    def seal(self, options, name):
        plain = self.folder / name.removeprefix(PIPED)
        is_piped = name.startswith(PIPED)
        source, stdin = ([], plain.read_bytes()) if is_piped else ([plain], b"")
        return self.run(*self.allowed, "--passphrase", PASSPHRASE, *options.split(), "-o", "-", *source, stdin=stdin).stdout

    def open(self, sealed):
        """What it makes of the file itself, the session key, and whether anything protects the file."""
        done = self.run("--passphrase", PASSPHRASE, "--show-session-key", "--ignore-mdc-error", "-d", stdin=sealed)
        line = re.search(rb"gpg: session key: ['`](.*)'", done.stderr)
        return done.stdout, line[1].decode(), "none" if b"not integrity protected" in done.stderr else ""


@contextlib.contextmanager
def gpg_of(command):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        for plain, content in PLAINS.items():
            (folder / plain).write_bytes(content)
        gpg = Gpg(command, folder)
        try:
            yield gpg
        finally:
            if not gpg.is_old:
                words = [*command[:-1], os.path.join(os.path.dirname(command[-1]), "gpgconf")]
                subprocess.run([*words, "--homedir", str(gpg.home), "--kill", "gpg-agent"], check=True)


def record(program, command, sealed, plain, **fields):
    """The lines of a file. A plaintext is kept whole where it is short, and an empty field is left out."""
    yield f"command = {command}"
    yield f"program = {program}"
    yield from (f"{name} = {value}" for name, value in fields.items() if value)
    if len(plain) <= MOST_HEX_BYTES:
        yield f"plaintext = {plain.hex()}"
    else:
        yield f"plain_bytes = {len(plain)}"
        yield f"plain_sha256 = {hashlib.sha256(plain).hexdigest()}"
    yield f"file = {base64.b64encode(sealed).decode()}\n"


def cases_of(version):
    if version.startswith("1."):
        return [*cases_of_1_4()]
    return [*cases_of_each(), *([] if version.startswith("2.2") else [*cases_of_ocb(), *exact_chunks()])]


def main():
    with gpg_of(sys.argv[1:]) as gpg:
        for options, name in cases_of(gpg.version):
            sealed = gpg.seal(options, name)
            plain, session_key, protection = gpg.open(sealed)
            passphrase = PASSPHRASE if "-c" in options.split() else ""
            optional = "IDEA" if "IDEA" in options else ""  # which Debian's OpenSSL does not have
            fields = {"passphrase": passphrase, "session_key": session_key, "protection": protection, "optional": optional}
            print("\n".join(record(f"GnuPG {gpg.version}", f"gpg {options} {name}", sealed, plain, **fields)))


if __name__ == "__main__":
    main()
