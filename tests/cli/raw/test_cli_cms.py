"""raw decrypt --cms: messages of the openssl program for every kind of recipient, under every cipher, in every form; those of other
writers by hand; and what was cut, changed, or is a lie."""

import json
import os
import pathlib
import re
import subprocess

import pytest
from conftest import CHUNK, MOST_SECONDS, random_bytes, run_openssl, run_on_terminal

pytest.importorskip("cryptography", reason="cryptography is not installed")

import made_messages as made  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import x25519  # noqa: E402

KEK, PASSPHRASE = made.KEK, "corréct horse"
LEGACY = ["-provider", "legacy", "-provider", "default"]
BY_KEY, BY_EC_KEY = ["--private-key-file", "key.pem"], ["--private-key-file", "ec.pem"]
ROOT = pathlib.Path(__file__).resolve().parents[3]
RECIPIENTS = {  # what openssl is told, and what we are
    "RSA": (["-recip", "cert.pem"], [*BY_KEY, "--from-cert", "cert.pem"]),
    "RSA, by key identifier": (["-keyid", "-recip", "cert.pem"], [*BY_KEY, "--from-cert", "cert.pem"]),
    "RSA, no certificate": (["-recip", "cert.pem"], BY_KEY),
    "OAEP": (["-recip", "cert.pem", "-keyopt", "rsa_padding_mode:oaep"], BY_KEY),
    "OAEP, SHA-256 and label": (
        ["-recip", "cert.pem", "-keyopt", "rsa_padding_mode:oaep", "-keyopt", "rsa_oaep_md:sha256", "-keyopt", "rsa_mgf1_md:sha512",
         "-keyopt", "rsa_oaep_label:0102ff"],
        BY_KEY,
    ),
    "ECDH": (["-recip", "ec_cert.pem"], [*BY_EC_KEY, "--from-cert", "ec_cert.pem"]),
    "ECDH, no certificate": (["-recip", "ec_cert.pem"], BY_EC_KEY),
    "ECDH, by key identifier": (["-keyid", "-recip", "ec_cert.pem"], [*BY_EC_KEY, "--from-cert", "ec_cert.pem"]),
    "ECDH, SHA-256": (["-recip", "ec_cert.pem", "-keyopt", "ecdh_kdf_md:sha256"], BY_EC_KEY),
    "ECDH, cofactor and SHA-512": (
        ["-recip", "ec_cert.pem", "-keyopt", "ecdh_cofactor_mode:1", "-keyopt", "ecdh_kdf_md:sha512"], BY_EC_KEY,
    ),
    "key": (["-secretkey", KEK.hex(), "-secretkeyid", "0badcafe"], ["--key-file", "kek"]),
    "key of 16 bytes": (["-secretkey", KEK[:16].hex(), "-secretkeyid", "00"], ["--key-file", "kek16"]),
    "passphrase": (["-pwri_password", PASSPHRASE], ["--passphrase-file", "pass"]),
}  # fmt: skip
CIPHERS = [
    "-des3", "-des", "-aes128", "-aes192", "-aes256", "-camellia128", "-camellia192", "-camellia256", "-rc2-40", "-rc2-64", "-rc2-128",
    "-seed", "-aes-128-gcm", "-aes-192-gcm", "-aes-256-gcm",
]  # fmt: skip
FORMS = [[form, *stream] for form in ("DER", "PEM", "SMIME") for stream in ([], ["-stream"])]
SIZES = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 100, 1000, CHUNK - 17, CHUNK - 16, CHUNK - 1, CHUNK, CHUNK + 15, CHUNK + 16, 2 * CHUNK, 3 * CHUNK + 5]
IS_NOT_OPENED = "is not opened: the key is not that of a recipient, or the message was changed"


@pytest.fixture(scope="session")
def keys(tmp_path_factory):
    """Keys and certificates, in each form that is read."""
    folder = tmp_path_factory.mktemp("keys")
    new = ["req", "-x509", "-nodes", "-days", "30"]
    for name, kind in (("key", "rsa:2048"), ("other", "rsa:2048"), ("small", "rsa:1024")):
        cert = "cert.pem" if name == "key" else f"{name}_cert.pem"
        run_openssl(*new, "-newkey", kind, "-keyout", f"{name}.pem", "-out", cert, "-subj", f"/O=Tests/CN={name}, \"quoted\"", cwd=folder)
    curve = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256"]
    run_openssl(*new, *curve, "-keyout", "ec.pem", "-out", "ec_cert.pem", "-subj", "/CN=ec", cwd=folder)
    run_openssl("pkey", "-in", "key.pem", "-outform", "DER", "-out", "key.der", cwd=folder)
    run_openssl("rsa", "-in", "key.pem", "-traditional", "-outform", "DER", "-out", "key1.der", cwd=folder)
    run_openssl("rsa", "-in", "key.pem", "-traditional", "-aes128", "-passout", "pass:secret", "-out", "old_sealed.pem", cwd=folder)
    run_openssl("pkcs8", "-topk8", "-in", "key.pem", "-passout", "pass:secret", "-out", "sealed.pem", cwd=folder)
    run_openssl("pkcs8", "-topk8", "-in", "key.pem", "-passout", "pass:secret", "-outform", "DER", "-out", "sealed.der", cwd=folder)
    store = ["pkcs12", "-export", "-inkey", "key.pem", "-in", "cert.pem"]
    run_openssl(*store, "-passout", "pass:secret", "-out", "store.p12", cwd=folder)
    run_openssl(*store, "-passout", "pass:", "-out", "open.p12", cwd=folder)
    run_openssl(*store, "-legacy", "-passout", "pass:secret", "-out", "legacy.p12", cwd=folder)
    run_openssl("x509", "-in", "cert.pem", "-outform", "DER", "-out", "cert.der", cwd=folder)
    (folder / "both.pem").write_bytes((folder / "ec_cert.pem").read_bytes() + (folder / "cert.pem").read_bytes() + (folder / "key.pem").read_bytes())
    (folder / "kek").write_bytes(KEK)
    (folder / "kek16").write_bytes(KEK[:16])
    (folder / "pass").write_text(PASSPHRASE + "\n", encoding="utf-8")
    (folder / "secret").write_text("secret\n", encoding="utf-8")
    return folder


@pytest.fixture
def files(phalanx, keys):
    for path in keys.iterdir():
        phalanx.write(path.name, path.read_bytes())
    return phalanx


def seal(files, plain, recipient, cipher="-aes256", form=("DER",), name="MESSAGE"):
    """A message of the openssl program."""
    files.write("PLAIN", plain)
    provider = LEGACY if re.match("-(rc2|des$|seed)", cipher) else []
    run_openssl(
        "cms", "-encrypt", "-binary", *provider, cipher, "-in", "PLAIN", "-out", name, "-outform", *form, *recipient, cwd=files.folder
    )  # fmt: skip
    return files.read(name)


def decrypt(files, *options, source="MESSAGE", **more):
    return files.run("raw", "decrypt", "--cms", "-f", *options, source, "OUT", **more)


def assert_opens(files, plain, *options):
    """From a file and from a pipe, to a file and to a pipe."""
    message = files.read("MESSAGE")
    decrypt(files, *options, check=0)
    assert files.read("OUT") == plain
    assert decrypt(files, *options, source="-", stdin=message, check=0).stderr == b""
    assert files.read("OUT") == plain
    assert files.run("raw", "decrypt", "--cms", *options, stdin=message, check=0).stdout == plain


def is_made(kind, cipher):
    """RFC 3394 wraps no key of less than 16 bytes, and openssl none under a passphrase beside GCM."""
    is_wrapped = kind.startswith(("ECDH", "key"))
    return not (is_wrapped and cipher in ("-des", "-rc2-40", "-rc2-64")) and not (kind == "passphrase" and "gcm" in cipher)


@pytest.mark.parametrize("kind, cipher", [(kind, cipher) for kind in RECIPIENTS for cipher in CIPHERS if is_made(kind, cipher)])
def test_each_recipient_under_each_cipher(files, kind, cipher):
    told, ours = RECIPIENTS[kind]
    plain = random_bytes(1000, seed=len(kind))
    form = FORMS[(list(RECIPIENTS).index(kind) + CIPHERS.index(cipher)) % len(FORMS)]
    seal(files, plain, told, cipher, form)
    assert_opens(files, plain, *ours)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("cipher", ["-des3", "-aes256", "-aes-256-gcm"])
def test_each_form_at_each_length(files, cipher, size):
    plain = random_bytes(size, seed=size + 1)
    for form in FORMS:
        if size == 0 and "gcm" in cipher and "-stream" in form:
            continue  # which openssl fails to write
        seal(files, plain, ["-recip", "cert.pem"], cipher, form)
        decrypt(files, *BY_KEY, check=0)
        assert files.read("OUT") == plain, form
        decrypt(files, *BY_KEY, source="-", stdin=files.read("MESSAGE"), check=0)
        assert files.read("OUT") == plain, form


def test_what_is_signed_within_stays_so(files):
    files.write("PLAIN", b"a contract\n")
    signed = run_openssl("cms", "-sign", "-nodetach", "-signer", "cert.pem", "-inkey", "key.pem", "-in", "PLAIN", cwd=files.folder)
    seal(files, signed, ["-recip", "cert.pem"], form=["SMIME"])
    decrypt(files, *BY_KEY, check=0)
    theirs = run_openssl("cms", "-decrypt", "-in", "MESSAGE", "-inkey", "key.pem", cwd=files.folder)
    assert files.read("OUT") == theirs == signed


@pytest.mark.parametrize("plain", [b"", b"one line\n", b"two\r\nlines\n" * 100])
def test_text_is_given_as_openssl_gives_it(files, plain):
    files.write("PLAIN", plain)
    run_openssl("cms", "-encrypt", "-aes128", "-text", "-in", "PLAIN", "-out", "MESSAGE", "-recip", "cert.pem", cwd=files.folder)
    decrypt(files, *BY_KEY, check=0)
    assert files.read("OUT") == run_openssl("cms", "-decrypt", "-in", "MESSAGE", "-inkey", "key.pem", cwd=files.folder)


@pytest.mark.parametrize("cipher", ["-aes256", "-des3"])
def test_encrypted_data_under_its_own_key(files, cipher):
    key = KEK[: 24 if cipher == "-des3" else 32]
    files.write("own", key)
    files.write("PLAIN", b"plain" * 100)
    run_openssl("cms", "-EncryptedData_encrypt", cipher, "-secretkey", key.hex(), "-binary", "-in", "PLAIN", "-outform", "DER", "-out", "MESSAGE",
                cwd=files.folder)  # fmt: skip
    assert_opens(files, b"plain" * 100, "--key-file", "own")
    files.assert_refused(decrypt(files, *BY_KEY), 4, "it is opened by a key")
    files.assert_refused(decrypt(files, "--key-file", "kek16"), 2, "16 bytes")


KEY_FILES = {
    "key.pem": [], "key.der": [], "key1.der": [], "both.pem": [], "open.p12": [],
    "sealed.pem": ["--passphrase-file", "secret"], "sealed.der": ["--passphrase-file", "secret"],
    "old_sealed.pem": ["--passphrase-file", "secret"], "store.p12": ["--passphrase-file", "secret"],
    "legacy.p12": ["--passphrase-file", "secret"],
}  # fmt: skip


@pytest.mark.parametrize("name", KEY_FILES)
def test_private_keys_in_each_form(files, name):
    passphrase = KEY_FILES[name]
    seal(files, b"plain", ["-recip", "cert.pem"])
    assert_opens(files, b"plain", "--private-key-file", name, *passphrase)
    for certificate in ("cert.pem", "cert.der", "both.pem"):
        decrypt(files, "--private-key-file", name, *passphrase, "--from-cert", certificate, check=0)
    with open(files.folder / name, "rb") as opened:
        os.set_inheritable(opened.fileno(), True)
        decrypt(files, "--private-key-fd", opened.fileno(), *passphrase, pass_fds=[opened.fileno()], check=0)
        assert files.read("OUT") == b"plain"
    if passphrase:
        files.assert_refused(decrypt(files, "--private-key-file", name, "--passphrase-file", "pass"), 4, name, "passphrase")
        asked = run_on_terminal(["raw", "decrypt", "--cms", "-f", "--private-key-file", name, "MESSAGE", "OUT"], files.folder, [b"secret\n"])
        assert asked[0] == 0, asked
        with open(files.folder / "secret", "rb") as opened:
            os.set_inheritable(opened.fileno(), True)
            decrypt(files, "--private-key-file", name, "--passphrase-fd", opened.fileno(), pass_fds=[opened.fileno()], check=0)


def test_a_store_says_by_its_certificate_whom_it_is_for(files):
    """Its recipient alone is tried, and not the other, under which PKCS #1 v1.5 would give a random key."""
    seal(files, b"plain", ["-recip", "other_cert.pem"])
    files.assert_refused(decrypt(files, "--private-key-file", "open.p12"), 4, "is not for this certificate", "CN=other")
    files.assert_refused(decrypt(files, "--private-key-file", "both.pem"), 4, "is not for this certificate")


def test_several_recipients(files):
    told = ["-recip", "other_cert.pem", "-recip", "ec_cert.pem", "-recip", "small_cert.pem", "-recip", "cert.pem"]
    plain = random_bytes(100_000)
    for cipher in ("-aes256", "-aes-256-gcm"):
        seal(files, plain, [*told, "-secretkey", KEK.hex(), "-secretkeyid", "00"], cipher, ["DER", "-stream"])
        for options in (BY_KEY, BY_EC_KEY, ["--private-key-file", "small.pem"], ["--private-key-file", "open.p12"], ["--key-file", "kek"]):
            assert_opens(files, plain, *options)


def refused_as_one(files, *options, tries=3, **more):
    """A wrong key in CBC has right padding once in 256 times, and three times in a row never."""
    for _ in range(tries):
        done = decrypt(files, *options, **more)
        if done.returncode != 0:
            files.assert_refused(done, 4, IS_NOT_OPENED)
            return done.stderr
    raise AssertionError("a wrong key opens a message again and again")


@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_every_failure_under_a_key_is_the_same(files, cipher):
    """A wrong key, a changed key of the content, and a changed content are told in one message, with one exit code."""
    message = seal(files, random_bytes(1000), ["-keyid", "-recip", "cert.pem"], cipher)
    messages = set()
    messages.add(refused_as_one(files, "--private-key-file", "other.pem"))
    for at in range(120, 300, 60):  # within the key that RSA encrypted
        files.write("MESSAGE", message[:at] + bytes([message[at] ^ 0x20]) + message[at + 1 :])
        messages.add(refused_as_one(files, *BY_KEY))
    files.write("MESSAGE", message)
    content = len(message) - (20 if "gcm" in cipher else 3)
    for flip in (1, 0x80, 0xFF):
        damaged = message[:content] + bytes([message[content] ^ flip]) + message[content + 1 :]
        files.write("MESSAGE", damaged)
        done = decrypt(files, *BY_KEY)
        if done.returncode != 0:
            messages.add(done.stderr)
    assert len(messages) == 1, messages


@pytest.mark.parametrize("kind", ["key", "passphrase", "ECDH", "OAEP"])
def test_a_wrong_secret_is_refused_at_once(files, kind):
    seal(files, b"plain" * 300_000, RECIPIENTS[kind][0])
    files.write("wrong", bytes(32))
    files.write("wrong_pass", b"incorrect horse\n")
    run_openssl("genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out", "wrong_ec.pem", cwd=files.folder)
    wrong = {
        "key": ["--key-file", "wrong"], "passphrase": ["--passphrase-file", "wrong_pass"],
        "ECDH": ["--private-key-file", "wrong_ec.pem"], "OAEP": ["--private-key-file", "other.pem"],
    }[kind]  # fmt: skip
    files.assert_refused(decrypt(files, *wrong), 4, IS_NOT_OPENED)
    assert "OUT" not in files.names()


def test_what_everybody_sees_is_told(files):
    seal(files, b"plain", ["-recip", "cert.pem"])
    for options, code, words in (
        (["--private-key-file", "key.pem", "--from-cert", "other_cert.pem"], 2, ["not that of the private key"]),
        (["--private-key-file", "other.pem", "--from-cert", "other_cert.pem"], 4, ["not for this certificate", "CN=key", "quoted"]),
        (["--private-key-file", "small.pem"], 4, ["other sizes"]),
        (["--private-key-file", "ec.pem"], 4, ["a key of a curve", "an RSA key"]),
        (["--passphrase-file", "pass"], 4, ["a passphrase", "an RSA key"]),
        (["--key-file", "kek"], 4, ["no recipient with a key", "an RSA key"]),
        ([], 2, ["--private-key-file"]),
        (["--from-cert", "cert.pem"], 2, ["--from-cert", "--private-key-file"]),
        (["--private-key-file", "kek"], 2, ["no private key"]),
        (["--private-key-file", "cert.pem"], 2, ["no private key"]),
        (["--private-key-file", "key.pem", "--from-cert", "key.pem"], 2, ["no X.509 certificate"]),
        (["--private-key-file", "missing"], 1, ["cannot open", "--private-key-file"]),
        ([*BY_KEY, "--key-file", "kek"], 2, ["keep one"]),
        ([*BY_KEY, *BY_KEY], 2, ["more than one private key"]),
        ([*BY_KEY, "--cipher", "aes-256-cbc"], 2, ["a message names its own"]),
        ([*BY_KEY, "--range", "0:1"], 2, ["--range"]),
        ([*BY_KEY, "-a"], 2, ["base64 is found"]),
        ([*BY_KEY, "--nonce", "00"], 2, ["--nonce"]),
    ):
        files.assert_refused(decrypt(files, *options), code, *words)
    files.assert_refused(files.run("raw", "decrypt", *BY_KEY, "MESSAGE", "OUT"), 2, "--cms")
    assert "OUT" not in files.names()


def test_the_message_begins_behind_what_is_skipped(files):
    message = seal(files, b"plain", ["-recip", "cert.pem"])
    files.write("MESSAGE", b"0" * 4096 + message)
    decrypt(files, *BY_KEY, "--skip", "4k", check=0)
    assert files.read("OUT") == b"plain"


def test_other_messages_are_refused_by_name(files):
    files.write("PLAIN", b"plain\n")
    made_by = {
        "SignedData": ["-sign", "-nodetach", "-signer", "cert.pem", "-inkey", "key.pem"],
        "CompressedData": ["-compress"], "DigestedData": ["-digest_create"], "plain data": ["-data_create"],
    }  # fmt: skip
    for name, command in made_by.items():
        done = subprocess.run(
            ["openssl", "cms", *command, "-in", "PLAIN", "-outform", "DER", "-out", "MESSAGE"], cwd=files.folder, capture_output=True, timeout=MOST_SECONDS
        )  # fmt: skip
        if done.returncode == 0:  # this OpenSSL may know no compression
            files.assert_refused(decrypt(files, *BY_KEY), 2, name, "openssl cms")
    for content, words in ((b"", "is empty"), (b"plain text\n" * 10, "no message of CMS"), (random_bytes(100), "no message"), (b"\x30" * 100, "MESSAGE")):
        files.write("MESSAGE", content)
        files.assert_refused(decrypt(files, *BY_KEY), 5 if not content else 2, words)
    files.write("MESSAGE", b"Subject: hello\nContent-Type: text/plain\n\nhello\n")
    files.assert_refused(decrypt(files, *BY_KEY), 2, "smime.p7m")
    assert "OUT" not in files.names()


def test_text_around_a_message_is_passed_over(files):
    plain = random_bytes(5000)
    pem = seal(files, plain, ["-recip", "cert.pem"], form=["PEM"])
    mail = seal(files, plain, ["-recip", "cert.pem"], form=["SMIME"])
    bare = b"".join(pem.splitlines(keepends=True)[1:-1])
    for content in (
        b"\n A note before it\n" + pem + b"and behind it\n", pem.replace(b"\n", b"\r\n"), pem.replace(b" CMS-----", b" PKCS7-----"), b"\xef\xbb\xbf" + pem,
        b"Received: from here\n\tby there\nSubject: a\n" + mail, mail.replace(b"\n", b"\r\n"), mail + b"\n\n", bare, bare.replace(b"\n", b""),
    ):  # fmt: skip
        files.write("MESSAGE", content)
        assert_opens(files, plain, *BY_KEY)
    binary = seal(files, plain, ["-recip", "cert.pem"])
    files.write("MESSAGE", b"Content-Type: application/pkcs7-mime\nContent-Transfer-Encoding: binary\n\n" + binary)
    assert_opens(files, plain, *BY_KEY)


def public_key_of(files, name):
    return serialization.load_pem_private_key(files.read(name), None).public_key()


def test_messages_that_openssl_does_not_make(files):
    """X25519 with HKDF, attributes that a tag covers, short tags and other nonces, and contents in pieces of pieces."""
    plain, key = random_bytes(100_000), random_bytes(32, 5)
    own = x25519.X25519PrivateKey.generate()
    pem = own.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    files.write("x.pem", pem)
    rsa, kek = made.rsa_recipient(public_key_of(files, "key.pem"), key), made.kek_recipient(KEK, key)
    attributes = [
        made.element(made.SEQUENCE, made.object_id("1.2.840.113549.1.9.3"), made.element(made.SET, made.object_id(made.DATA))),
        made.element(made.SEQUENCE, made.object_id("1.2.3.4"), made.element(made.SET, made.number(7))),
        made.element(made.SEQUENCE, made.object_id("1.2.3.4"), made.element(made.SET, made.number(70000))),
    ]  # fmt: skip
    descending = lambda elements: sorted(elements, reverse=True)  # noqa: E731
    for message, options in (
        (made.enveloped([made.x25519_recipient(own.public_key(), key)], key, plain), ["--private-key-file", "x.pem"]),
        (made.enveloped([made.x25519_recipient(own.public_key(), key, b"material")], key, plain), ["--private-key-file", "x.pem"]),
        (made.enveloped([rsa], key, plain, lambda sealed: made.in_pieces(sealed, 1000)), BY_KEY),
        (made.enveloped([rsa], key, plain[:100], made.in_pieces), BY_KEY),
        (made.enveloped([rsa], key, plain, tail=made.element(0xA1, attributes[0])), BY_KEY),
        (made.enveloped([made.element(0xA4, made.object_id("1.2.3")), kek], key, plain), ["--key-file", "kek"]),
        (made.enveloped([made.passphrase_recipient(PASSPHRASE.encode(), key)], key, plain), ["--passphrase-file", "pass"]),
        (made.auth_enveloped([made.passphrase_recipient(PASSPHRASE.encode(), key)], key, plain), ["--passphrase-file", "pass"]),
        (made.auth_enveloped([kek], key, plain, attributes), ["--key-file", "kek"]),
        (made.auth_enveloped([kek], key, plain, attributes, order=descending), ["--key-file", "kek"]),
        (made.auth_enveloped([rsa], key, plain, attributes, tag_bytes=12, nonce=b"n" * 20, content=made.in_pieces), BY_KEY),
        (made.auth_enveloped([rsa], key, b"", tag_bytes=13), BY_KEY),
    ):
        files.write("MESSAGE", message)
        decrypt(files, *options, check=0)
        assert files.read("OUT") in (plain, plain[:100], b"")
        assert_opens(files, files.read("OUT"), *options)
        assert len(files.read("OUT")) != 0 or b"\x80\x00" in message


@pytest.mark.parametrize("is_first", [False, True])
@pytest.mark.parametrize("content", [None, made.in_pieces], ids=["one piece", "pieces"])
def test_one_private_key_may_open_two_recipients(files, content, is_first):
    """Of which one has the key of another content, as a random key of the right length may look, too."""
    plain, key, other = random_bytes(1000), random_bytes(32, 5), random_bytes(32, 6)
    public = public_key_of(files, "key.pem")
    recipients = [made.rsa_recipient(public, key), made.rsa_recipient(public, other)]
    for make in (made.enveloped, made.auth_enveloped):
        files.write("MESSAGE", make(recipients if is_first else recipients[::-1], key, plain, content=content))
        assert_opens(files, plain, *BY_KEY)
    files.write("MESSAGE", made.auth_enveloped(recipients[1:], key, plain))
    files.assert_refused(decrypt(files, *BY_KEY), 4, IS_NOT_OPENED)


def kept_messages(name):
    """Messages that others wrote: {what: fields}."""
    text = (ROOT / "tests/vectors/cms" / name).read_text(encoding="utf-8")
    blocks = re.sub(r"^#.*\n", "", text, flags=re.MULTILINE).strip().split("\n\n")
    records = [dict(line.split(" = ", 1) for line in block.splitlines()) for block in blocks]
    return {fields.get("writer") or fields["section"]: fields for fields in records}


OTHERS = kept_messages("others.txt")


@pytest.mark.parametrize("writer", OTHERS)
def test_messages_of_other_programs(files, writer):
    fields = {name: bytes.fromhex(value) for name, value in OTHERS[writer].items() if name not in ("writer", "program")}
    files.write("MESSAGE", fields["file"])
    files.write("own.pem", fields["key"])
    files.write("own_cert.pem", fields["certificate"])
    for options in ([], ["--from-cert", "own_cert.pem"]):
        assert_opens(files, fields["plaintext"], "--private-key-file", "own.pem", *options)
    assert json.loads(files.run("inspect", "--json", "MESSAGE", check=0).stdout)["type"] == "EnvelopedData"


def page_rows():
    """The table of docs/cms.md: {what: (the tool's command, ours)}."""
    page = (ROOT / "docs/cms.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|`]+) \| `(openssl cms [^`]+)` \| `(phalanx raw decrypt --cms [^`]+)` \|$", page, re.MULTILINE)
    return {what: (tool.split(), ours.split()[1:]) for what, tool, ours in rows}


@pytest.mark.parametrize("what", page_rows())
def test_rows_of_the_page(files, what):
    tool, ours = page_rows()[what]
    plain = random_bytes(5000)
    files.write("plain", plain)
    given = {"KEK": KEK.hex(), "HEX": KEK[:16].hex(), "WORDS": PASSPHRASE}
    run_openssl(*(given.get(word, word) for word in tool[1:]), "-in", "plain", "-out", "message", cwd=files.folder)
    files.run(*ours, "message", "OUT", check=0)
    assert files.read("OUT") == plain


def test_the_page_names_every_kept_program():
    page = (ROOT / "docs/cms.md").read_text(encoding="utf-8")
    for fields in OTHERS.values():
        assert f"{fields['program']}" in page
    assert len(page_rows()) >= 12


def test_changed_attributes_are_refused(files):
    key = random_bytes(32, 5)
    attribute = made.element(made.SEQUENCE, made.object_id("1.2.3.4"), made.element(made.SET, made.number(7)))
    message = made.auth_enveloped([made.kek_recipient(KEK, key)], key, b"plain", [attribute])
    assert message.count(attribute) == 1
    other = made.element(made.SEQUENCE, made.object_id("1.2.3.4"), made.element(made.SET, made.number(8)))
    files.write("MESSAGE", message.replace(attribute, other))
    files.assert_refused(decrypt(files, "--key-file", "kek"), 4, IS_NOT_OPENED)


@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
@pytest.mark.parametrize("form", [["DER"], ["DER", "-stream"], ["PEM"], ["SMIME", "-stream"]], ids=lambda form: "".join(form))
def test_cut_anywhere(files, cipher, form):
    """A message that has no end is told by that, or in CBC opened by what it has up to its end mark."""
    plain = random_bytes(100)
    message = seal(files, plain, ["-secretkey", KEK.hex(), "-secretkeyid", "00"], cipher, form)
    for size in range(0, len(message.rstrip()), 1 if form[0] == "DER" else 4):  # four characters are three bytes
        done = decrypt(files, "--key-file", "kek", source="-", stdin=message[:size])
        if done.returncode == 0:  # nothing but the text's end is missing
            assert files.read("OUT") == plain and form[0] != "DER"
            files.folder.joinpath("OUT").unlink()
            continue
        assert done.returncode in (2, 5), (size, done)
        assert len(done.stderr.splitlines()) == 1 and "OUT" not in files.names()
        files.write("MESSAGE", message[:size])
        again = decrypt(files, "--key-file", "kek")
        assert again.returncode == done.returncode, (size, again, done)


@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_each_byte_changed(files, cipher):
    """Nothing but a line is said, and GCM gives no other plaintext."""
    plain = random_bytes(40)
    message = seal(files, plain, ["-secretkey", KEK.hex(), "-secretkeyid", "00"], cipher, ["DER", "-stream"])
    for at in range(len(message)):
        for flip in (1, 0x80):
            done = decrypt(files, "--key-file", "kek", source="-", stdin=message[:at] + bytes([message[at] ^ flip]) + message[at + 1 :])
            if done.returncode == 0:
                assert cipher == "-aes256" or files.read("OUT") == plain, at
                files.folder.joinpath("OUT").unlink()
                continue
            assert done.returncode in (2, 4, 5, 6), (at, done)
            assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith(b"phalanx: ") and "OUT" not in files.names()


HOSTILE = dict(made.hostile_messages())


@pytest.mark.parametrize("what", HOSTILE)
def test_hostile_structures(files, what):
    files.write("MESSAGE", HOSTILE[what])
    for options in (["--key-file", "kek"], BY_KEY, ["--passphrase-file", "pass"]):
        for source, stdin in (("MESSAGE", b""), ("-", HOSTILE[what])):
            done = decrypt(files, *options, source=source, stdin=stdin)
            assert done.returncode in (2, 4, 5), done
            assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith(b"phalanx: "), done
    files.run("inspect", "--json", "MESSAGE")
    assert "OUT" not in files.names()


def test_a_passphrase_that_would_take_for_ever(files):
    """The number of iterations is the message's, and nobody is kept waiting for ever."""
    recipient = made.passphrase_recipient(b"horse", bytes(32), said_iterations=2**31 - 1)
    files.write("MESSAGE", made.enveloped([recipient], bytes(32), b"plain"))
    files.assert_refused(decrypt(files, "--passphrase-file", "pass"), 6, "2147483647 iterations")


def test_inspect_says_for_whom_it_is(files):
    told = ["-recip", "cert.pem", "-recip", "ec_cert.pem", "-secretkey", KEK.hex(), "-secretkeyid", "0badcafe", "-pwri_password", "p"]
    serial = run_openssl("x509", "-in", "cert.pem", "-noout", "-serial", cwd=files.folder).decode().strip().removeprefix("serial=").lower()
    for form in FORMS:
        seal(files, b"plain", told, form=form)
        found = json.loads(files.run("inspect", "--json", "MESSAGE", check=0).stdout)
        assert found["kind"] == "cms" and found["type"] == "EnvelopedData" and found["cipher"] == "aes-256-cbc"
        assert "phalanx raw decrypt --cms" in found["opened_by"]
        kinds = [(recipient["kind"], recipient["algorithm"]) for recipient in found["recipients"]]
        assert kinds == [
            ("key transport", "rsaEncryption"), ("key agreement", "stdDH-sha1kdf"), ("key", "aes256-wrap"), ("passphrase", "PWRI-KEK"),
        ]  # fmt: skip
        first, agreed, key, _ = found["recipients"]
        assert first["serial"] == serial and "O=Tests" in first["issuer"] and agreed["issuer"] == "CN=ec" and key["key_id"] == "0badcafe"
        assert found["recipients"] == json.loads(files.run("inspect", "--json", "-", stdin=files.read("MESSAGE"), check=0).stdout)["recipients"]
        assert "rsaEncryption" in files.run("inspect", "MESSAGE", check=0).stdout.decode()


@pytest.mark.parametrize("form", [["DER"], ["DER", "-stream"], ["PEM"]], ids=lambda form: "".join(form))
@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_what_is_appended_is_no_part_of_it(files, faults, cipher, form):
    plain = random_bytes(3 * CHUNK)
    seal(files, plain, ["-recip", "cert.pem"], cipher, form)
    done = decrypt(files, *BY_KEY, env=faults("pread:MESSAGE@4=run", actor="echo more >> MESSAGE"), check=0)
    assert files.read("OUT") == plain and b"grew" in done.stderr
    decrypt(files, *BY_KEY, check=0)
    assert files.read("OUT") == plain, "what stands behind a message is none of it"


@pytest.mark.parametrize("form", [["DER"], ["DER", "-stream"]], ids=lambda form: "".join(form))
@pytest.mark.parametrize("cipher", ["-aes256", "-aes-256-gcm"])
def test_a_message_that_changes_meanwhile(files, faults, cipher, form):
    """It is refused, or was read before it changed, and no OUT has anything else."""
    plain, codes = random_bytes(2 * CHUNK), set()
    message = seal(files, plain, ["-recip", "cert.pem"], cipher, form)
    change = f"""python3 -S -c 'import os; f = os.open("MESSAGE", 2); os.pwrite(f, bytes([{message[CHUNK] ^ 1}]), {CHUNK})'"""
    for number in (*range(1, 24, 2), 31, 41, 61, 101):
        files.write("MESSAGE", message)
        environment = faults(f"pread:MESSAGE@{number}=run", actor=change)
        done = decrypt(files, "--threads", "1", *BY_KEY, env=environment)
        codes.add(done.returncode)
        assert done.returncode in (0, 1, 4), done
        if done.returncode == 0:
            assert files.read("OUT") == plain
            files.folder.joinpath("OUT").unlink()
        assert "OUT" not in files.names()
    assert 1 in codes and 0 in codes, codes
