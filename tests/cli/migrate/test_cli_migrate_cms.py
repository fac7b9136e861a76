"""migrate --from-cms: messages of the openssl program become containers; GCM is sure, and CBC where its plaintext is of a known kind."""

import json

import pytest
from conftest import CHUNK, random_bytes, run_openssl

KEY = ["--key-file", "key"]
BY_KEY = ["--from-cms", "--from-private-key-file", "own.pem"]
TEXT = b"Dear all, this is what the old files hold.\n" * 3000
CIPHERS = ["-aes256", "-des3", "-aes-256-gcm"]


@pytest.fixture
def files(phalanx):
    phalanx.write("key", random_bytes(32, seed=9))
    phalanx.write("kek", random_bytes(32, seed=8))
    phalanx.write("pass", b"correct horse\n")
    for name in ("own", "other"):
        new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", f"/CN={name}"]
        run_openssl(*new, "-keyout", f"{name}.pem", "-out", f"{name}_cert.pem", cwd=phalanx.folder)
    return phalanx


def seal(files, plain, cipher="-aes256", name="MESSAGE", recipient=("-recip", "own_cert.pem"), form=("DER", "-stream")):
    run_openssl("cms", "-encrypt", "-binary", cipher, "-outform", *form, "-out", name, *recipient, stdin=plain, cwd=files.folder)


def opened(files, name="BOX"):
    return files.run("decrypt", *KEY, name, "-", check=0).stdout


@pytest.mark.parametrize("form", [["DER"], ["DER", "-stream"], ["PEM"], ["SMIME"]], ids=lambda form: "".join(form))
@pytest.mark.parametrize("cipher", CIPHERS)
def test_a_message_becomes_a_container(files, cipher, form):
    seal(files, TEXT, cipher, form=form)
    done = files.run("migrate", *BY_KEY, *KEY, "--json", "MESSAGE", "BOX", check=0)
    assert opened(files) == TEXT
    assert "doubt" not in json.loads(done.stdout), done.stdout
    for source in ("MESSAGE", "-"):
        files.run("migrate", *BY_KEY, *KEY, "-f", source, "BOX", stdin=files.read("MESSAGE"), check=0)
        assert opened(files) == TEXT
    shown = files.run("migrate", "--dry-run", *BY_KEY, "MESSAGE", check=0)
    assert b"CMS" in shown.stdout


@pytest.mark.parametrize("cipher", CIPHERS)
def test_only_a_tag_or_a_known_kind_vouches(files, cipher):
    plain = random_bytes(2 * CHUNK + 5)
    seal(files, plain, cipher)
    is_sure = "gcm" in cipher
    done = files.run("migrate", *BY_KEY, *KEY, "--delete-source", "--delete-volatile", "MESSAGE", "BOX")
    assert done.returncode == (0 if is_sure else 7), done
    assert opened(files) == plain
    assert ("MESSAGE" in files.names()) != is_sure
    assert (b"nothing authenticates a message of CMS in CBC" in done.stderr) != is_sure


def test_other_secrets_open_messages_too(files):
    for recipient, options in (
        (["-pwri_password", "correct horse"], ["--from-passphrase-file", "pass"]),
        (["-secretkey", files.read("kek").hex(), "-secretkeyid", "00"], ["--from-key-file", "kek"]),
        (["-recip", "other_cert.pem", "-recip", "own_cert.pem"], ["--from-private-key-file", "own.pem", "--from-cert", "own_cert.pem"]),
    ):
        seal(files, TEXT, recipient=recipient)
        files.run("migrate", "--from-cms", *options, *KEY, "-f", "MESSAGE", "BOX", check=0)
        assert opened(files) == TEXT
    key = files.read("kek")[:16]
    files.write("short", key)
    run_openssl("cms", "-EncryptedData_encrypt", "-aes128", "-secretkey", key.hex(), "-binary", "-outform", "DER", "-out", "MESSAGE",
                stdin=TEXT, cwd=files.folder)  # fmt: skip
    files.run("migrate", "--from-cms", "--from-key-file", "short", *KEY, "-f", "MESSAGE", "BOX", check=0)
    assert opened(files) == TEXT


def test_what_is_not_opened_leaves_nothing(files):
    seal(files, TEXT, "-aes-256-gcm")
    message = files.read("MESSAGE")
    files.assert_refused(files.run("migrate", "--from-cms", "--from-private-key-file", "other.pem", *KEY, "MESSAGE", "BOX"), 4, "is not opened")
    for content, code, words in (
        (message[:-1] + bytes([message[-1] ^ 1]), (2, 4, 5), ""), (message[:1000], (5,), "cut short"), (TEXT, (2,), "not encrypted"),
        (random_bytes(1000), (2,), "no message"),
    ):  # fmt: skip
        files.write("MESSAGE", content)
        done = files.run("migrate", *BY_KEY, *KEY, "MESSAGE", "BOX")
        assert done.returncode in code and words.encode() in done.stderr and len(done.stderr.splitlines()) == 1, done
    assert "BOX" not in files.names()


def test_options_that_do_not_fit(files):
    seal(files, TEXT)
    for options, words in (
        (["--from-cms"], "--from-private-key-file"),
        ([*BY_KEY, "--from-cipher", "des3"], "names its own"),
        ([*BY_KEY, "--from-auto"], "--from-auto"),
        ([*BY_KEY, "--from-key-file", "kek"], "keep one"),
        (["--from-private-key-file", "own.pem", "--from-cipher", "des3"], "--from-cms"),
        (["--from-cms", "--from-cert", "own_cert.pem"], "a certificate alone"),
    ):
        files.assert_refused(files.run("migrate", *options, *KEY, "MESSAGE", "BOX"), 2, words)
    files.assert_refused(files.run("migrate", *BY_KEY, *KEY, ".", "BOX"), 2, "is a folder", "--from-cms", "--from-private-key-file")


def test_a_folder_of_messages(files):
    """What is no message, or of others, has a reason of its own, and a second run does nothing."""
    (files.folder / "old").mkdir()
    for name, cipher in (("text", "-aes256"), ("sure", "-aes-256-gcm"), ("older", "-des3")):
        seal(files, TEXT, cipher, name=f"old/{name}.p7m")
    seal(files, random_bytes(50_000), name="old/doubtful.p7m")
    seal(files, TEXT, "-aes-256-gcm", name="old/others.p7m", recipient=["-recip", "other_cert.pem"])
    files.write("old/notes.txt", TEXT)
    tree = ["--manifest", "M", "--from-tree", "old", "--to-tree", "new", "--from-cms", "--from-private-key-file", "own.pem", "--from-cert",
            "own_cert.pem"]  # fmt: skip
    done = files.run("migrate", *tree, *KEY, "--strip-suffix", ".p7m")
    assert done.returncode == 1, done  # of several kinds
    assert b"is not for this certificate" in done.stderr + done.stdout
    for name in ("text", "sure", "older"):
        assert opened(files, f"new/{name}.phalanx") == TEXT
    states = {line["name"]: line for line in map(json.loads, files.read("M").splitlines()[1:])}
    assert "doubt" in states["doubtful.p7m"] and "doubt" not in states["sure.p7m"]
    assert "new/others.phalanx" not in files.names() and not (files.folder / "new/notes.txt.phalanx").exists()
    again = files.run("migrate", *tree, *KEY, "--strip-suffix", ".p7m", "--delete-source", "--delete-volatile")
    assert sorted(path.name for path in (files.folder / "old").iterdir()) == ["doubtful.p7m", "notes.txt", "others.p7m"], again
