"""migrate over files of many kinds: what opens each is found, and what is found is said, with what else fits."""

import json

import pytest
from conftest import CHUNK, IV8, openssl, random_bytes, unknown_format

NEW = ["--key-file", "new"]
TREE = "migrate --manifest M --from-tree old --to-tree new.d".split()
CIPHERS = ["--from-cipher", "des3,aes-256-cbc,aes-128-ecb"]
SECRETS = ["--from-passphrase-file", "pass1", "--from-passphrase-file", "pass2"]
AUTO = ["--from-auto", *CIPHERS, *SECRETS]
# As `openssl enc` has them; each is 64 bits of salt or none, in base64 or not.
KINDS = [
    f"-{cipher} -md {digest} {form}"
    for cipher, digest in [("des3", "md5"), ("aes-256-cbc", "sha1"), ("aes-128-ecb", "sha256"), ("des3", "sha512")]
    for form in ("", "-a", "-nosalt", "-a -nosalt", "-a -A")
]


@pytest.fixture
def files(phalanx):
    phalanx.write("new", random_bytes(32, seed=3))
    phalanx.write("pass1", b"correct horse\n")
    phalanx.write("pass2", b"battery staple\n")
    (phalanx.folder / "old").mkdir()
    return phalanx


def seal(files, name, plain, options, passphrase="pass1"):
    sealed = openssl("enc", *options.split(), "-pass", f"file:{passphrase}", stdin=plain, cwd=files.folder)
    files.write(f"old/{name}", sealed)
    return sealed


def records(files, manifest="M"):
    lines = [json.loads(line) for line in files.read(manifest).decode().splitlines()[1:]]
    return {line["name"]: line for line in lines}


def opened(files, name):
    return files.run("decrypt", *NEW, f"new.d/{name}.phalanx", check=0).stdout


def test_one_run_opens_files_of_every_kind(files):
    """Whole blocks, so that a whole block of padding speaks for each; nothing in them is recognised."""
    plains = {}
    for number, kind in enumerate(KINDS):
        passphrase = f"pass{number % 2 + 1}"
        plains[f"{number}"] = unknown_format(16 * number, seed=number)
        seal(files, f"{number}", plains[f"{number}"], kind, passphrase)
    files.run(*TREE, *AUTO, *NEW, check=0)
    found = records(files)
    for number, kind in enumerate(KINDS):
        record, words = found[f"{number}"], kind.split()
        assert opened(files, number) == plains[f"{number}"]
        parts = record["found"].split(", ")
        assert parts[0] == {"-des3": "des-ede3-cbc"}.get(words[0], words[0][1:]) and parts[1] == words[2]
        assert f"passphrase {number % 2 + 1}" in parts
        assert ("base64" in parts, "no salt" in parts) == ("-a" in words, "-nosalt" in words)
        assert record["padding_bytes"] == (8 if words[0] == "-des3" else 16) and "doubt" not in record


def test_pbkdf2_only_where_it_is_allowed(files):
    plain = unknown_format(64)
    seal(files, "slow", plain, "-aes-256-cbc -md sha256 -pbkdf2 -iter 11")
    seal(files, "fast", plain, "-aes-256-cbc -md sha256")
    files.run(*TREE, *AUTO, *NEW, "--from-iter", "11", check=0)
    assert "PBKDF2" in records(files)["slow"]["found"] and "PBKDF2" not in records(files)["fast"]["found"]
    assert opened(files, "slow") == opened(files, "fast") == plain
    other = "migrate --manifest N --from-tree old --to-tree other".split()
    done = files.run(*other, *AUTO, *NEW, "--from-no-pbkdf2")
    assert done.returncode in (4, 7)  # one of 24 candidates may fit by chance: then with other padding
    assert records(files, "N")["slow"].get("padding_bytes", 0) < 16 and records(files, "N")["fast"]["padding_bytes"] == 16


def test_des_ede3_is_said_to_be_ecb(files):
    # Of `openssl enc -des3 -md md5 -pass pass:secret`, and not with a salt of each run's own: one in 64 fits by chance.
    files.write("old/a", bytes.fromhex("53616c7465645f5f7ba0fb1d96df09807df08c0cd5c834b4f88134ddf596b27c"))
    files.write("pass1", b"secret\n")
    done = files.run("migrate", "--from-auto", "--from-cipher", "des-ede3", "--from-passphrase-file", "pass1", *NEW, "old/a", "new.phalanx")
    files.assert_refused(done, 4, "to openssl enc des-ede3 is ECB, and des3 is CBC")
    done = files.run(*"raw decrypt --openssl --cipher des-ede3 --md md5 --passphrase-file pass1 old/a out".split())
    files.assert_refused(done, 4, "to openssl enc des-ede3 is ECB, and des3 is CBC")


def test_explicit_options_fix_what_is_found(files):
    plain = b"a text that anybody can read, in any case\n"
    seal(files, "a", plain, "-des3 -md md5 -a")
    seal(files, "b", plain, "-des3 -md md5")
    done = files.run(*TREE, *AUTO, *NEW, "--from-md", "md5,sha1", "--from-base64")
    found = records(files)
    assert done.returncode == 2 and found["a"]["state"] == "done" and found["b"]["state"] == "failed"
    assert found["a"]["kind"] == "text" and "base64" in found["b"]["why"]


def test_plaintext_is_said_to_be_plaintext(files):
    for name, content in {
        "notes": b"notes that somebody put between the old files\n", "page.pdf": b"%PDF-1.4\n" + random_bytes(5000)
    }.items():  # fmt: skip
        files.write(f"old/{name}", content)
    seal(files, "long", unknown_format(CHUNK + 3), "-aes-256-cbc -md md5 -a")
    done = files.run(*TREE, *AUTO, *NEW)
    found = records(files)
    assert done.returncode == 2 and found["long"]["state"] == "done"
    assert "is text (ASCII); it is not encrypted" in found["notes"]["why"] and "is a PDF document" in found["page.pdf"]["why"]
    assert {found[name]["reason"] for name in ("notes", "page.pdf")} == {"plaintext"}
    assert not (files.folder / "new.d/notes.phalanx").exists()


@pytest.mark.parametrize(
    "content, code, word",
    [
        (b"", 5, "empty"), (b"Salted__1234", 5, "header"), (b"Salted__12345678" + bytes(13), 5, "whole blocks"),
        (b"U2FsdGVkX18AAAAAAAAAAMWW\n!damaged", 2, "base64"), (b"U2FsdGVkX18AAAAAAAAAAMW", 5, ""),
    ],
)  # fmt: skip
def test_what_is_cut_or_damaged_is_said(files, content, code, word):
    files.write("old/x", content)
    done = files.run(*TREE, *AUTO, *NEW)
    assert done.returncode == code and word in records(files)["x"]["why"] and not (files.folder / "new.d/x.phalanx").exists()


@pytest.mark.parametrize("content", [b"U2FsdGVkX194II", b"U2FsdGVkX1+abcdefghijkl=", b"U2FsdGVkX18AAAAAAAAAAMW", b"Salted__1234"])
@pytest.mark.parametrize("ciphers", ["aes-256-ctr", "des3,aes-256-ctr", "aes-256-cfb,des3"])
def test_what_ends_within_its_salt_stops_no_other(files, content, ciphers):
    plain = b"a text that anybody can read, long enough\n"
    for name in ("a", "z"):
        seal(files, name, plain, f"-{ciphers.split(',')[0]} -md sha256")
    files.write("old/x", content)
    done = files.run(*TREE, "--from-auto", "--from-cipher", ciphers, *SECRETS, *NEW)
    assert done.returncode in (2, 5), done
    assert records(files)["x"]["state"] == "failed" and opened(files, "a") == opened(files, "z") == plain


def test_a_recognised_plaintext_decides_between_two_that_fit(files):
    """A file that two passphrases fit: such are made until there is one whose right passphrase gives no more padding."""
    plain = b"a text of which the end leaves a single byte of padding, and that is all"[: 8 * 8 - 1]
    for number in range(5000):
        files.write("pass2", b"number %d\n" % number)
        sealed = openssl("enc", "-des3", "-md", "md5", "-pass", "file:pass1", "-S", f"{number:016x}", stdin=plain, cwd=files.folder)
        salted = sealed if sealed.startswith(b"Salted__") else b"Salted__" + number.to_bytes(8, "big") + sealed
        files.write("old/a", salted)
        raw = ["raw", "decrypt", "--openssl", "--cipher", "des3", "--md", "md5", "--passphrase-file", "pass2", "old/a", "x", "-f"]
        if files.run(*raw).returncode == 0:
            break
    # The wrong one stands first, and fits; yet the right one is taken, and vouched for.
    wrong_first = ["--from-passphrase-file", "pass2", "--from-passphrase-file", "pass1"]
    files.run(*TREE, "--from-auto", "--from-cipher", "des3", "--from-md", "md5", *wrong_first, *NEW, "--delete-source", check=0)
    record = records(files)["a"]
    assert opened(files, "a") == plain and "passphrase 2" in record["found"] and record["deleted"] is True
    assert len(record["also_fits"]) == 1 and "passphrase 1" in record["also_fits"][0]


def test_what_agrees_in_its_first_block_vouches_for_nothing(files):
    """A PDF's magic is in the first block, which CFB and OFB decrypt alike."""
    plain = b"%PDF-1.7" + random_bytes(1000)
    seal(files, "a", plain, "-aes-256-cfb -md sha256")
    command = [*TREE, "--from-openssl", "--from-cipher", "aes-256-cfb,aes-256-ofb", *SECRETS, *NEW, "--delete-source"]
    files.run(*command, check=7)
    record = records(files)["a"]
    assert "looks like plaintext too" in record["doubt"] and record["deleted"] is False and (files.folder / "old/a").exists()


def test_key_files_go_with_the_ciphers_that_they_fit(files):
    files.write("key24", random_bytes(24, seed=1))
    files.write("key32", random_bytes(32, seed=2).hex().encode() + b"\n")
    files.write("key5", bytes(5))
    plain = unknown_format(8 * 100)
    for name, cipher, key in [("a", "des-ede3-cbc", "key24"), ("b", "aes-256-ecb", "key32")]:
        iv = ["--iv", IV8] if name == "a" else []
        files.write("plain", plain)
        files.run("raw", "encrypt", "--allow-legacy", "--cipher", cipher, "--key-file", key, *iv, "plain", f"old/{name}", check=0)
    keys = ["--from-cipher", "des-ede3-ecb,aes-256-ecb", "--from-key-file", "key24", "--from-key-file", "key32"]
    done = files.run(*TREE, *keys, *NEW)
    found = records(files)
    assert found["b"]["state"] == "done" and "key 2" in found["b"]["found"] and opened(files, "b") == plain
    assert done.returncode in (0, 4) and found["a"].get("padding_bytes", 0) < 8  # CBC is not among them
    refused = files.run(*TREE, *keys, "--from-key-file", "key5", *NEW)
    files.assert_refused(refused, 2, "key5", "24 or 32 bytes")
    refused = files.run(*TREE, *keys, "--from-auto", "--from-md", "md5", *NEW)
    files.assert_refused(refused, 2, "a key is given")


def test_the_same_secret_twice_is_one(files):
    seal(files, "a", unknown_format(64), "-des3 -md md5")
    files.write("pass2", files.read("pass1"))
    files.run(*TREE, *AUTO, *NEW, check=0)
    assert "also_fits" not in records(files)["a"] and "doubt" not in records(files)["a"]


def test_a_single_file(files):
    plain = unknown_format(1600)
    sealed = seal(files, "a", plain, "-aes-256-cbc -md sha1 -a", "pass2")
    done = files.run("migrate", *AUTO, *NEW, "--json", "old/a", "OUT", check=0)
    assert json.loads(done.stdout)["found"] == "aes-256-cbc, sha1, passphrase 2, base64"
    assert b"the search took aes-256-cbc, sha1, passphrase 2" in done.stderr
    assert files.run("decrypt", *NEW, "OUT", check=0).stdout == plain
    files.assert_refused(files.run("migrate", *AUTO, *NEW, "-", "OUT2", stdin=sealed), 2, "seek")
    files.assert_refused(files.run("migrate", "--from-auto", "--from-cipher", "des3,,aes-256-cbc", *SECRETS, *NEW, "old/a", "OUT2"), 2, "comma")
