"""Containers for public keys of age: a machine with `age1...` alone seals, another with the identity opens."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import CHUNK, KEY, random_bytes

READER = Path(__file__).parents[2] / "container" / "read_container.py"


@pytest.fixture
def sealing(files):
    """IN, an identity `id`, and its public key."""
    files.write("IN", random_bytes(2 * CHUNK + 9))
    made = files.run("keygen", "--identity", "id", check=0)
    files.public_key = re.search(rb"Public key: (age1[a-z0-9]{58})\n", made.stderr)[1].decode()
    return files


def other_identity(files, name="other"):
    return re.search(r"age1\w+", files.run("keygen", "--identity", name, check=0).stderr.decode())[0]


def test_keygen_writes_as_age_does_and_replaces_nothing(sealing):
    text = sealing.read("id").decode()
    assert re.fullmatch(rf"# created: \S+Z\n# public key: {sealing.public_key}\nAGE-SECRET-KEY-1[A-Z0-9]{{58}}\n", text)
    assert (sealing.folder / "id").stat().st_mode & 0o777 == 0o600
    sealing.assert_refused(sealing.run("keygen", "--identity", "id"), 2, "never replaces")
    sealing.assert_refused(sealing.run("keygen", "--identity", "--force", "id"), 2, "--force")
    assert sealing.read("id").decode() == text


@pytest.mark.parametrize("suite", ["aes-256", "aes-128", "serpent-256", "twofish-256"])
def test_who_has_the_identity_opens_and_nobody_else(sealing, suite):
    other_identity(sealing)
    sealing.run("encrypt", "--cipher", suite, "-r", sealing.public_key, "IN", "OUT", check=0)
    assert sealing.run("decrypt", "-i", "id", "OUT", check=0).stdout == sealing.read("IN")
    sealing.run("verify", "-i", "other", "-i", "id", "OUT", check=0)
    sealing.assert_refused(sealing.run("decrypt", "-i", "other", "OUT"), 4, "wrong key")
    sealing.assert_refused(sealing.run("decrypt", *KEY, "OUT"), 4, "an identity of age only")
    sealing.assert_refused(sealing.run("decrypt", "OUT"), 2, "--identity")
    if suite.startswith("aes"):
        reader = [sys.executable, "-B", READER, "--identity", "id", "OUT"]
        assert subprocess.run(reader, cwd=sealing.folder, capture_output=True, check=True).stdout == sealing.read("IN")


def test_a_recipients_file_names_many(sealing):
    other = other_identity(sealing)
    sealing.write("team", f"# all of us\n\n{sealing.public_key}\r\n{other}\n".encode())
    sealing.run("encrypt", "-R", "team", *KEY, "IN", "OUT", check=0)
    for by in (["-i", "id"], ["-i", "other"], KEY):
        assert sealing.run("decrypt", *by, "OUT", check=0).stdout == sealing.read("IN")
    sealing.write("team", b"# nobody\n")
    sealing.assert_refused(sealing.run("encrypt", "-R", "team", "IN", "X"), 2, "names no recipient")
    sealing.write("team", f"{other}\nage1nobody\n".encode())
    sealing.assert_refused(sealing.run("encrypt", "-R", "team", "IN", "X"), 2, "team, line 2")


def test_what_is_no_key_of_ours_is_refused_by_name(sealing):
    for recipient, words in (("ssh-ed25519 AAAA", "SSH"), (sealing.read("id").split(b"\n")[2].decode(), "identity"), ("bob", "age1")):
        sealing.assert_refused(sealing.run("encrypt", "-r", recipient, "IN", "X"), 2, words)
    sealing.run("encrypt", "-r", sealing.public_key, "IN", "OUT", check=0)
    for identity, words in ((b"-----BEGIN OPENSSH PRIVATE KEY-----\n", "SSH"), (b"AGE-SECRET-KEY-PQ-1XYZ\n", "age-plugin-pq"),
                            (b"age-encryption.org/v1\n-> scrypt x 18\n", "decrypt it with age"), (sealing.public_key.encode(), "a recipient")):  # fmt: skip
        sealing.write("bad", identity)
        sealing.assert_refused(sealing.run("decrypt", "-i", "bad", "OUT"), 2, words)
    sealing.assert_refused(sealing.run("encrypt", "-i", "id", "IN", "X"), 2, "--recipient")
    sealing.assert_refused(sealing.run("encrypt", "--bare", "-r", sealing.public_key, "IN", "X"), 2, "--bare")
    assert not (sealing.folder / "X").exists()


def test_what_it_shows_without_a_key(sealing):
    sealing.run("encrypt", "-r", sealing.public_key, *KEY, "IN", "OUT", check=0)
    shown = json.loads(sealing.run("inspect", "--json", "-i", "id", "OUT", check=0).stdout)["recipients"]
    assert shown[0] == {"number": 1, "kind": "public_key", "stanzas": ["X25519"], "labels": [], "strength_bits": 128,
                        "opened_by": ["the identity of id"]}  # fmt: skip
    assert shown[1] == {"number": 2, "kind": "key"}
    assert b"128 bits" in sealing.run("inspect", "OUT", check=0).stdout
    assert b"1: a public key of age (X25519)" in sealing.run("recipients", "list", "OUT", check=0).stdout


def test_recipients_are_added_and_removed(sealing):
    other = other_identity(sealing)
    sealing.run("encrypt", *KEY, "IN", "OUT", check=0)
    sealing.run("recipients", "add", *KEY, "-r", sealing.public_key, "--add-recipient", other, "OUT", check=0)
    sealing.run("recipients", "remove", "-i", "id", "--remove-identity", "other", "OUT", check=0)
    sealing.assert_refused(sealing.run("decrypt", "-i", "other", "OUT"), 4)
    sealing.run("recipients", "remove", "-i", "id", "--remove-key-file", "key", "OUT", check=0)
    sealing.assert_refused(sealing.run("decrypt", *KEY, "OUT"), 4)
    assert sealing.run("decrypt", "-i", "id", "OUT", check=0).stdout == sealing.read("IN")
    sealing.assert_refused(sealing.run("recipients", "remove", "-i", "id", "--remove-identity", "other", "OUT"), 2, "none of the")


def test_what_a_run_does_that_cannot_open_its_own_output(sealing, faults):
    other_identity(sealing)
    done = sealing.run("encrypt", "--verify", "-r", sealing.public_key, "IN", "OUT", check=0)
    assert b"the recipients are not tried" in done.stderr
    seal = ["encrypt", "--verify", "-r", sealing.public_key]
    assert b"not tried" not in sealing.run(*seal, "-i", "id", "IN", "2", check=0).stderr
    assert b"not tried" not in sealing.run(*seal, *KEY, "IN", "3", check=0).stderr
    sealing.assert_refused(sealing.run(*seal, "-i", "other", "IN", "4"), 2, "none of the recipients'")
    assert sealing.run("encrypt", "-r", sealing.public_key, "IN", "5", env=faults("pwrite:5.phalanx-partial@2=kill-after")).returncode == -9
    sealing.assert_refused(sealing.run("encrypt", "--resume", "-r", sealing.public_key, "NONE", "5"), 2, "--resume", "--identity")
    sealing.run("encrypt", "--resume", "-r", sealing.public_key, "-i", "id", "IN", "5", check=0)
    assert sealing.run("decrypt", "-i", "id", "5", check=0).stdout == sealing.read("IN")
    sealing.assert_refused(sealing.run("encrypt", "--each", "--update=content", "-r", sealing.public_key, "IN"), 2, "--update=content")


def test_a_migration_for_a_public_key(sealing):
    sealing.write("pass", b"old\n")
    old = "--from-openssl --from-cipher aes-256-cbc --from-md sha256 --from-iter 10 --from-passphrase-file pass".split()
    openssl = "openssl enc -aes-256-cbc -md sha256 -pbkdf2 -iter 10 -pass file:pass -in IN -out OLD".split()
    subprocess.run(openssl, cwd=sealing.folder, check=True)
    to = ["-r", sealing.public_key]
    sealing.assert_refused(sealing.run("migrate", *old, *to, "--delete-source", "OLD", "OUT"), 2, "--delete-source", "--identity")
    done = sealing.run("migrate", *old, *to, "OLD", "OUT")
    assert done.returncode in (0, 7) and b"not tried" in done.stderr, done.stderr
    assert sealing.run("decrypt", "-i", "id", "OUT", check=0).stdout == sealing.read("IN")


def test_a_tree(sealing):
    (sealing.folder / "tree").mkdir()
    for number in range(20):
        sealing.write(f"tree/{number}", random_bytes(100 * number, seed=number))
    sealing.run("encrypt", "--each", "-r", sealing.public_key, "tree", "--to-tree", "sealed", check=0)
    sealing.run("verify", "-i", "id", "sealed", check=0)
    sealing.run("decrypt", "--each", "-i", "id", "sealed", "--to-tree", "back", check=0)
    for number in range(20):
        assert sealing.read(f"back/{number}") == sealing.read(f"tree/{number}")
