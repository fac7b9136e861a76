"""Our keys beside those of Debian's age and PyPI's pyrage: they open age's files round stanzas of ours, and our identities are theirs."""

import os
import shutil
import subprocess

import pytest
from conftest import random_bytes

AGE_TEST = os.path.join(os.path.dirname(os.environ.get("PHALANX_PROGRAM", "build/bin/phalanx")), "..", "tests", "age_peer")
has_age = pytest.mark.skipif(shutil.which("age") is None, reason="age is not installed")


def peer(*arguments, stdin=b"", check=0):
    done = subprocess.run([AGE_TEST, *map(str, arguments)], input=stdin, capture_output=True)
    assert done.returncode == check, done.stderr
    return done.stdout


def age(*arguments, stdin=b""):
    return subprocess.run(["age", *map(str, arguments)], input=stdin, capture_output=True, check=True).stdout


@pytest.fixture
def pair(files):
    """An identity file and its recipient, by our keygen."""
    recipient = files.run("keygen", "--identity", "id", check=0).stderr.split()[-1].decode()
    return files.folder / "id", recipient


@has_age
def test_age_knows_our_identities_and_we_its(files, pair):
    identity, recipient = pair
    assert subprocess.run(["age-keygen", "-y", identity], capture_output=True, check=True).stdout.decode().strip() == recipient
    made = subprocess.run(["age-keygen", "-o", files.folder / "theirs"], capture_output=True, check=True).stderr
    files.write("IN", b"text")
    files.run("encrypt", "-r", made.split()[-1].decode(), "IN", "OUT", check=0)
    assert files.run("decrypt", "-i", "theirs", "OUT", check=0).stdout == b"text"


@has_age
@pytest.mark.parametrize("size", [0, 1, 65536, 200000])
def test_age_opens_what_stands_round_our_stanzas_and_we_its(pair, size):
    identity, recipient = pair
    plain = random_bytes(size)
    assert age("-d", "-i", identity, stdin=peer("seal", recipient, stdin=plain)) == plain
    assert peer("open", identity, stdin=age("-r", recipient, stdin=plain)) == plain


def test_pyrage_opens_what_stands_round_our_stanzas_and_we_its(pair):
    pyrage = pytest.importorskip("pyrage", reason="PyPI's pyrage is not there")
    identity, recipient = pair
    plain = random_bytes(70000)
    theirs = pyrage.x25519.Identity.from_str(identity.read_text().split("\n")[2])
    assert pyrage.decrypt(peer("seal", recipient, stdin=plain), [theirs]) == plain
    sealed = pyrage.encrypt(plain, [pyrage.x25519.Recipient.from_str(recipient)])
    assert peer("open", identity, stdin=sealed) == plain


@pytest.mark.skipif(shutil.which("age-plugin-pq") is None, reason="no age-plugin-pq, which Debian has from age 1.3 on")
def test_the_post_quantum_plugin_of_age_seals_and_opens(files):
    """A plugin that others wrote. Its recipients are age's own, its identities are made of age's."""
    made = subprocess.run(["age-keygen", "-pq"], capture_output=True, check=True).stdout
    identity = subprocess.run(["age-plugin-pq", "-identity"], input=made, capture_output=True, check=True).stdout
    recipient = subprocess.run(["age-keygen", "-y"], input=made, capture_output=True, check=True).stdout.decode().strip()
    for name, content in (("native", made), ("id", identity)):
        (files.folder / name).touch(0o600)
        files.write(name, content)
    (files.folder / "src").mkdir()
    for number in range(100):
        files.write(f"src/{number}", random_bytes(number, seed=number))
    files.run("encrypt", "--each", "-r", recipient, "src", "--to-tree", "bk", check=0)
    files.run("decrypt", "--each", "-i", "id", "bk", "--to-tree", "back", check=0)
    for number in range(100):
        assert files.read(f"back/{number}") == random_bytes(number, seed=number)
    assert b"mlkem768x25519" in files.run("inspect", "bk/1.phalanx", check=0).stdout
    files.assert_refused(files.run("decrypt", "-i", "native", "bk/1.phalanx"), 2, "age-plugin-pq")
