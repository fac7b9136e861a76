"""The kept messages of OpenPGP, how the program opens one, and those that gpg makes in a run."""

import base64
import dataclasses
import hashlib
import pathlib
import shutil
import subprocess

import pytest
from conftest import MOST_SECONDS
from write_openpgp_files import PASSPHRASE

ROOT = pathlib.Path(__file__).resolve().parents[3]
VECTORS = ROOT / "tests/vectors/openpgp"
UNAUTHENTICATED = "--allow-unauthenticated"


@dataclasses.dataclass(frozen=True)
class Kept:
    fields: dict

    def __getattr__(self, name):
        return self.fields.get(name, "")

    @property
    def message(self):
        return base64.b64decode(self.file)

    @property
    def options(self):
        return [UNAUTHENTICATED] if self.protection == "none" else []

    def is_plain(self, content):
        if "plaintext" in self.fields:
            return content == bytes.fromhex(self.plaintext)
        return len(content) == int(self.plain_bytes) and hashlib.sha256(content).hexdigest() == self.plain_sha256


def kept_messages(name):
    text = (VECTORS / name).read_text(encoding="utf-8")
    blocks = "".join(line for line in text.splitlines(keepends=True) if not line.startswith("#")).strip().split("\n\n")
    return [Kept(dict(line.split(" = ", 1) for line in block.splitlines())) for block in blocks]


KEPT = {path.name: kept_messages(path.name) for path in sorted(VECTORS.iterdir())}
ALL_KEPT = [pytest.param(kept, id=f"{name.removesuffix('.txt')}: {kept.command}") for name, messages in KEPT.items() for kept in messages]


def decrypt(phalanx, *options, source="MESSAGE", **more):
    """From MESSAGE or a pipe to OUT."""
    return phalanx.run("raw", "decrypt", "--openpgp", *options, source, "OUT", **more)


def by_secret(phalanx, kept):
    """The options of each secret that opens it."""
    if kept.passphrase:
        phalanx.write("pass", kept.passphrase.encode() + b"\n")
        yield ["--passphrase-file", "pass"]
    if kept.session_key:
        phalanx.write("session", kept.session_key.encode() + b"\n")
        yield ["--session-key-file", "session"]


WAYS = [("MESSAGE", "OUT"), ("-", "-"), ("-", "OUT"), ("MESSAGE", "-")]


def outcomes(phalanx, message, *options, ways=WAYS[:2]):
    """What becomes of a message, from a file and a pipe, to a file and a pipe: (the finished run, what it gave or None)."""
    phalanx.write("MESSAGE", message)
    path = phalanx.folder / "OUT"
    for source, out in ways:
        done = phalanx.run("raw", "decrypt", "--openpgp", *options, source, out, stdin=message if source == "-" else b"")
        yield done, path.read_bytes() if path.exists() else done.stdout
        path.unlink(missing_ok=True)


def assert_opens(phalanx, message, plain, *options, ways=WAYS):
    for done, given in outcomes(phalanx, message, *options, ways=ways):
        assert done.returncode == 0, done.stderr
        assert given == plain


def assert_one_line(phalanx, done):
    lines = done.stderr.decode().splitlines()
    assert len(lines) == 1 and lines[0].startswith(f"{phalanx.name}: "), lines


def assert_refused(phalanx, message, codes, *options, words=(), may_pipe=False, ways=WAYS):
    """From a file and a pipe: one of the codes, one line, no OUT, and nothing to a pipe unless chunks were verified."""
    for done, given in outcomes(phalanx, message, *options, ways=ways):
        assert done.returncode in codes, (done.returncode, done.stderr)
        assert_one_line(phalanx, done)
        assert all(word.lower() in done.stderr.decode().lower() for word in words), done.stderr
        assert not given or may_pipe, given
        assert "OUT" not in phalanx.names() and not [name for name in phalanx.names() if "partial" in name]


class Gpg:
    """The gpg of this machine, with a home of its own, and no key in it."""

    def __init__(self, home):
        self.home = home

    def run(self, *words, stdin=b""):
        command = ["gpg", "--homedir", self.home, "--batch", "--yes", "--no-tty", "--pinentry-mode", "loopback", "--passphrase", PASSPHRASE, *words]
        done = subprocess.run([str(word) for word in command], input=stdin, capture_output=True, timeout=MOST_SECONDS)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def stop(self):
        subprocess.run(["gpgconf", "--homedir", str(self.home), "--kill", "gpg-agent"], check=True, timeout=MOST_SECONDS)


@pytest.fixture(scope="session")
def gpg(tmp_path_factory):
    if shutil.which("gpg") is None or shutil.which("gpgconf") is None:
        pytest.skip("gpg is not installed")
    home = tmp_path_factory.mktemp("gpg")
    home.chmod(0o700)
    gpg = Gpg(home)
    try:
        gpg.run("--list-keys")
    except AssertionError as error:
        pytest.skip(f"gpg does not run: {error}")
    yield gpg
    gpg.stop()
