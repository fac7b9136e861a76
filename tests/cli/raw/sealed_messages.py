"""Messages of CMS that the openssl program makes, and the keys that open them."""

import pathlib
import re

import pytest
from conftest import run_openssl
from made_messages import KEK

PASSPHRASE = "corréct horse"
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
FORMS = [[form, *stream] for form in ("DER", "PEM", "SMIME") for stream in ([], ["-stream"])]
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
