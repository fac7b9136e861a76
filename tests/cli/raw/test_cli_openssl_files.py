"""raw --openssl: files of the real `openssl enc`, both ways."""

import hashlib

import pytest
from conftest import openssl, random_bytes

PASSPHRASE = b"correct horse battery staple"


@pytest.fixture
def passphrase(phalanx):
    phalanx.write("pass", PASSPHRASE + b"\n")
    return "pass"


def enc(phalanx, *options, stdin):
    return openssl("enc", *options, "-pass", "file:pass", stdin=stdin, cwd=phalanx.folder)


@pytest.mark.parametrize("digest", ["md5", "sha1", "sha256", "sha512"])
@pytest.mark.parametrize("length", [0, 7, 8, 100_000])
def test_md_auto_opens_what_openssl_wrote(phalanx, passphrase, digest, length):
    plain = random_bytes(length)
    phalanx.write("in", enc(phalanx, "-des-ede3-cbc", "-md", digest, stdin=plain))
    done = phalanx.run(
        *"raw decrypt --openssl --cipher des-ede3-cbc --md auto --passphrase-file pass in out".split(), check=0
    )
    assert f"took {digest}".encode() in done.stderr or b"fits too" in done.stderr
    if f"took {digest}".encode() in done.stderr:
        assert phalanx.read("out") == plain


@pytest.mark.parametrize("options", ["-pbkdf2", "-pbkdf2 -iter 1000", "-pbkdf2 -md sha512", "-nosalt", "-nosalt -pbkdf2", "-a", "-a -A"])
@pytest.mark.parametrize("cipher", ["des-ede3-cbc", "aes-256-ctr"])
def test_reads_every_option(phalanx, passphrase, options, cipher):
    plain = random_bytes(70_001)
    sealed = enc(phalanx, f"-{cipher}", *options.split(), stdin=plain)
    ours = {"-pbkdf2": ["--pbkdf2"], "-iter": ["--iter"], "-md": ["--md"], "-nosalt": ["--no-salt"], "-a": ["-a"], "-A": []}
    arguments = [word for option in options.split() for word in ours.get(option, [option])]
    done = phalanx.run(
        "raw", "decrypt", "--openssl", "--cipher", cipher, *arguments, "--passphrase-file", "pass", stdin=sealed, check=0
    )
    assert done.stdout == plain


def made_by_hand(phalanx, salt, plain, iterations=10_000):
    """As OpenSSL 3.2 writes it with -saltlen, which Debian 12 does not have: the derivation is Python's, the cipher that of `openssl enc -K`."""
    derived = hashlib.pbkdf2_hmac("sha256", PASSPHRASE, salt, iterations, 48)
    return openssl("enc", "-aes-256-cbc", "-K", derived[:32].hex(), "-iv", derived[32:].hex(), stdin=plain, cwd=phalanx.folder)


READ = "raw decrypt --openssl --pbkdf2 --cipher aes-256-cbc --passphrase-file pass".split()
MIGRATE = "migrate --from-auto --from-pbkdf2 --from-cipher aes-256-cbc --from-passphrase-file pass --key-file key".split()


@pytest.mark.parametrize("salt_bytes", [1, 8, 15, 16])
def test_salts_of_other_lengths(phalanx, passphrase, salt_bytes):
    plain, salt = b"a text that anybody can read, in any case\n" * 2000, random_bytes(salt_bytes, seed=5)
    phalanx.write("key", random_bytes(32))
    phalanx.write("in", b"Salted__" + salt + made_by_hand(phalanx, salt, plain))
    length = ["--saltlen", str(salt_bytes)]
    assert phalanx.run(*READ, *length, "in", check=0).stdout == plain
    assert phalanx.run(*READ, *length, stdin=phalanx.read("in"), check=0).stdout == plain
    phalanx.run(*MIGRATE, "--from-saltlen", str(salt_bytes), "in", "box", check=0)
    assert phalanx.run("decrypt", "--key-file", "key", "box", check=0).stdout == plain
    if salt_bytes == 16:  # at the first message
        phalanx.assert_refused(phalanx.run(*READ, "in"), 5, "if openssl enc was given -saltlen, give --saltlen")
        done = phalanx.run(*MIGRATE, "--dry-run", "in")
        assert done.returncode == 5 and b"give --from-saltlen" in done.stdout
        assert b"whether -saltlen of OpenSSL 3.2 made the salt longer" in phalanx.run("inspect", "in", check=0).stdout


@pytest.mark.parametrize("old", ["-pbkdf2", "-pbkdf2 -iter 7", "-md md5"])
def test_salts_that_are_given_write_no_header(phalanx, passphrase, old):
    """-S of OpenSSL 3; earlier versions write the header all the same."""
    plain = b"a text that anybody can read, in any case\n" * 100
    sealed = enc(phalanx, "-aes-256-cbc", "-S", "0102030405060708", *old.split(), stdin=plain)
    if sealed.startswith(b"Salted__"):
        sealed = sealed[16:]
    phalanx.write("in", sealed)
    phalanx.write("key", random_bytes(32))
    ours = {"-pbkdf2": "--pbkdf2", "-iter": "--iter", "-md": "--md"}
    options = [ours.get(word, word) for word in old.split()]
    raw = ["raw", "decrypt", "--openssl", "--cipher", "aes-256-cbc", "--passphrase-file", "pass", *options]
    assert phalanx.run(*raw, "--salt", "0102030405060708", "in", check=0).stdout == plain
    phalanx.assert_refused(phalanx.run(*raw, "in"), 2, "--salt what -S wrote")
    migrate = [word.replace("--", "--from-", 1) for word in options]
    command = ["migrate", "--from-openssl", "--from-cipher", "aes-256-cbc", *migrate, "--from-passphrase-file", "pass", "--key-file", "key"]
    phalanx.run(*command, "--from-salt", "0102030405060708", "in", "box", check=0)
    assert phalanx.run("decrypt", "--key-file", "key", "box", check=0).stdout == plain
    phalanx.assert_refused(phalanx.run(*command, "in", "box2"), 2, "--from-salt takes what -S wrote")
    assert b"-S of OpenSSL 3" in phalanx.run("inspect", "in", check=2).stderr


@pytest.mark.parametrize("options, words", [
    ("--saltlen 16", "--saltlen says 16 bytes of salt: without PBKDF2 it has 8 always"),
    ("--salt 0102", "--salt says 2 bytes of salt: without PBKDF2"),
    ("--pbkdf2 --salt " + 34 * "0", "--salt says 17 bytes of salt, and OpenSSL has 1 to 16"),
    ("--pbkdf2 --saltlen 17", "--saltlen"),
    ("--pbkdf2 --saltlen 0", "--saltlen"),
    ("--pbkdf2 --salt 0", "--salt"),
    ("--pbkdf2 --salt 00 --saltlen 1", "--salt is the whole salt: leave --saltlen out"),
    ("--pbkdf2 --salt 00 --no-salt", "--salt is the whole salt: leave --no-salt out"),
])  # fmt: skip
def test_salts_that_do_not_fit(phalanx, passphrase, options, words):
    phalanx.write("in", bytes(48))
    done = phalanx.run("raw", "decrypt", "--openssl", "--cipher", "aes-256-cbc", "--passphrase-file", "pass", *options.split(), "in")
    phalanx.assert_refused(done, 2, words)


@pytest.mark.parametrize("options", ["", "--iter 2000", "--md sha512", "-a", "--no-salt", "--no-pbkdf2", "--no-pbkdf2 --md md5 -a"])
@pytest.mark.parametrize("cipher", ["des-ede3-cbc", "aes-128-cbc", "aes-256-ctr", "aes-128-ecb"])
def test_openssl_opens_ours(phalanx, passphrase, options, cipher):
    plain = random_bytes(70_001)
    done = phalanx.run(
        *("raw", "encrypt", "--openssl", "--cipher", cipher, "--passphrase-file", "pass", "--allow-legacy", *options.split()),
        stdin=plain, check=0,
    )  # fmt: skip
    theirs = {"--iter": "-iter", "--md": "-md", "--no-salt": "-nosalt", "--no-pbkdf2": ""}
    flags = [theirs.get(word, word) for word in options.split()]
    flags += [] if "--no-pbkdf2" in options else ["-pbkdf2"]
    assert enc(phalanx, "-d", f"-{cipher}", *filter(None, flags), stdin=done.stdout) == plain


def test_base64_is_what_openssl_writes(phalanx, passphrase):
    plain = random_bytes(5_000_000)
    ours = phalanx.run(*"raw encrypt --openssl --cipher aes256 -a --no-salt --passphrase-file pass".split(), stdin=plain, check=0)
    assert ours.stdout == enc(phalanx, "-aes256", "-a", "-nosalt", "-pbkdf2", stdin=plain)


@pytest.mark.parametrize("name, ours", [("des3", "des-ede3-cbc"), ("des-ede3", "des-ede3-ecb"), ("aes256", "aes-256-cbc")])
def test_openssl_names(phalanx, passphrase, name, ours):
    plain = random_bytes(1000)
    sealed = enc(phalanx, f"-{name}", "-pbkdf2", stdin=plain)
    for cipher in (name, ours):
        done = phalanx.run(
            "raw", "decrypt", "--openssl", "--cipher", cipher, "--pbkdf2", "--passphrase-file", "pass", stdin=sealed, check=0
        )
        assert done.stdout == plain


@pytest.mark.parametrize("lines", [b"\r\n", b"\n"])
def test_md_auto_with_base64_pbkdf2_and_either_line_end(phalanx, lines):
    phalanx.write("pass", PASSPHRASE + b"\n")
    plain = random_bytes(123_456)
    sealed = enc(phalanx, "-aes-256-cbc", "-a", "-pbkdf2", "-iter", "50", "-md", "sha1", stdin=plain)
    phalanx.write("in", sealed.replace(b"\n", lines))
    phalanx.write("pass", PASSPHRASE + lines + b"second line\n")
    done = phalanx.run(
        *"raw decrypt --openssl --cipher aes-256-cbc -a --md auto --iter 50 --passphrase-file pass in out".split(), check=0
    )
    assert b"sha1, which gives" in done.stderr
    assert phalanx.read("out") == plain


def test_md_auto_starts_where_standard_input_stands(phalanx, passphrase):
    plain = random_bytes(3000)
    path = phalanx.write("in", b"skipped" + enc(phalanx, "-des3", "-md", "md5", stdin=plain))
    with path.open("rb") as file:
        file.seek(7)
        import os

        os.lseek(file.fileno(), 7, os.SEEK_SET)
        done = phalanx.run(
            *"raw decrypt --openssl --cipher des3 --md auto --passphrase-file pass".split(), stdin_file=file, check=0
        )
    assert done.stdout == plain


def test_key_instead_of_passphrase(phalanx, key):
    """As `openssl enc -K -iv`: no header, base64 if wanted."""
    name, digits = key("aes-256")
    plain = random_bytes(999)
    sealed = openssl("enc", "-aes256", "-a", "-K", digits, "-iv", "01" * 16, stdin=plain)
    options = ["--openssl", "--cipher", "aes256", "-a", "--key-file", name, "--iv", "01" * 16]
    assert phalanx.run("raw", "encrypt", *options, stdin=plain, check=0).stdout == sealed
    assert phalanx.run("raw", "decrypt", *options, stdin=sealed, check=0).stdout == plain


def test_passphrase_and_data_from_one_pipe(phalanx):
    plain = random_bytes(5000)
    phalanx.write("pass", PASSPHRASE)
    sealed = enc(phalanx, "-aes-256-cbc", "-pbkdf2", stdin=plain)
    done = phalanx.run(
        *"raw decrypt --openssl --cipher aes-256-cbc --pbkdf2 --passphrase-fd 0".split(), stdin=PASSPHRASE + b"\n" + sealed, check=0
    )
    assert done.stdout == plain
