"""raw decrypt --cms: messages of the openssl program for every kind of recipient, under every cipher, in every form; and those of other
writers."""

import json
import os
import re
import subprocess

import pytest
from conftest import CHUNK, MOST_SECONDS, random_bytes, run_openssl, run_on_terminal

pytest.importorskip("cryptography", reason="cryptography is not installed")

import made_messages as made  # noqa: E402
from cryptography.hazmat.primitives import serialization  # noqa: E402
from cryptography.hazmat.primitives.asymmetric import x25519  # noqa: E402
from made_messages import KEK  # noqa: E402
from sealed_messages import (  # noqa: E402, F401
    BY_EC_KEY, BY_KEY, FORMS, IS_NOT_OPENED, LEGACY, PASSPHRASE, RECIPIENTS, ROOT, assert_opens, decrypt, files, keys, seal,
)  # fmt: skip

CIPHERS = [
    "-des3", "-des", "-aes128", "-aes192", "-aes256", "-camellia128", "-camellia192", "-camellia256", "-rc2-40", "-rc2-64", "-rc2-128",
    "-seed", "-aes-128-gcm", "-aes-192-gcm", "-aes-256-gcm",
]  # fmt: skip
SIZES = [0, 1, 7, 8, 9, 15, 16, 17, 31, 32, 100, 1000, CHUNK - 17, CHUNK - 16, CHUNK - 1, CHUNK, CHUNK + 15, CHUNK + 16, 2 * CHUNK, 3 * CHUNK + 5]


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
