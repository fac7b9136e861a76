"""cms_open: encrypted messages of the openssl program and of cryptography."""

import pathlib
import shutil
import subprocess
from typing import Any

import phalanx
import pytest

PLAIN = bytes(range(256)) * 5000
needs_openssl = pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed")


def openssl(*arguments: str, folder: pathlib.Path, stdin: bytes = b"") -> bytes:
    done = subprocess.run(["openssl", *arguments], cwd=folder, input=stdin, capture_output=True, check=True, timeout=120)
    return done.stdout


@pytest.fixture
def keys(tmp_path: pathlib.Path) -> pathlib.Path:
    new = ["req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "30", "-subj", "/CN=me"]
    openssl(*new, "-keyout", "key.pem", "-out", "cert.pem", folder=tmp_path)
    return tmp_path


def seal(folder: pathlib.Path, *options: str, plain: bytes = PLAIN) -> pathlib.Path:
    path = folder / "message"
    path.write_bytes(openssl("cms", "-encrypt", "-binary", *options, folder=folder, stdin=plain))
    return path


@needs_openssl
@pytest.mark.parametrize("form", ["DER", "PEM", "SMIME"])
@pytest.mark.parametrize("cipher", ["-aes256", "-des3", "-aes-256-gcm"])
def test_messages_of_openssl(keys: pathlib.Path, form: str, cipher: str) -> None:
    path = seal(keys, cipher, "-outform", form, "-stream", "-recip", "cert.pem")
    private_key, certificate = (keys / "key.pem").read_bytes(), (keys / "cert.pem").read_bytes()
    with phalanx.cms_open(path, private_key=private_key) as file:
        assert file.read() == PLAIN
    with phalanx.cms_open(path, private_key=phalanx.Secret(private_key), certificate=certificate, threads=1) as file:
        assert file.read(1000) + file.read() == PLAIN
        raw: Any = file.raw
        assert raw._reader.is_authenticated == ("gcm" in cipher)
    openssl("pkcs12", "-export", "-inkey", "key.pem", "-in", "cert.pem", "-passout", "pass:x", "-out", "store", folder=keys)
    with phalanx.cms_open(path, private_key=(keys / "store").read_bytes(), private_key_passphrase="x") as file:
        assert file.read() == PLAIN


@needs_openssl
def test_passphrases_and_keys(tmp_path: pathlib.Path) -> None:
    path = seal(tmp_path, "-aes128", "-outform", "DER", "-pwri_password", "correct horse", "-secretkey", bytes(32).hex(), "-secretkeyid", "00")
    ways: list[dict[str, Any]] = [{"passphrase": "correct horse"}, {"passphrase": b"correct horse"}, {"key": bytes(32)}]
    for options in ways:
        with phalanx.cms_open(path, **options) as file:
            assert file.read() == PLAIN


@needs_openssl
def test_what_is_refused(keys: pathlib.Path) -> None:
    path = seal(keys, "-aes-128-gcm", "-outform", "DER", "-secretkey", bytes(32).hex(), "-secretkeyid", "00")
    message = path.read_bytes()
    refused: list[tuple[dict[str, Any], type[Exception]]] = [
        ({"key": bytes([1]) + bytes(31)}, phalanx.WrongKeyError), ({"passphrase": "x"}, phalanx.WrongKeyError),
        ({"private_key": (keys / "key.pem").read_bytes()}, phalanx.WrongKeyError), ({"private_key": b"none"}, phalanx.FormatError),
        ({}, phalanx.UsageError), ({"key": bytes(32), "passphrase": "x"}, phalanx.UsageError), ({"certificate": b"x"}, phalanx.UsageError),
    ]  # fmt: skip
    for options, error in refused:
        with pytest.raises(error):
            phalanx.cms_open(path, **options)
    path.write_bytes(message[:-1] + bytes([message[-1] ^ 1]))
    with pytest.raises(phalanx.WrongKeyError):
        phalanx.cms_open(path, key=bytes(32))
    path.write_bytes(message[:100])
    with pytest.raises(phalanx.TruncatedError):
        phalanx.cms_open(path, key=bytes(32))
    path.write_bytes(b"no message")
    with pytest.raises(phalanx.FormatError):
        phalanx.cms_open(path, key=bytes(32))
    with pytest.raises(FileNotFoundError):
        phalanx.cms_open(keys / "nothing", key=bytes(32))


def test_messages_of_cryptography(tmp_path: pathlib.Path) -> None:
    """Its newest versions write them."""
    pkcs7 = pytest.importorskip("cryptography.hazmat.primitives.serialization.pkcs7")
    if not hasattr(pkcs7, "PKCS7EnvelopeBuilder"):
        pytest.skip("this version of cryptography writes no encrypted messages")
    import datetime

    from cryptography import x509
    from cryptography.hazmat.primitives import hashes, serialization
    from cryptography.hazmat.primitives.asymmetric import rsa

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048)
    name = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "me")])
    now = datetime.datetime.now(datetime.timezone.utc)
    certificate = (
        x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(key.public_key()).serial_number(7)
        .not_valid_before(now).not_valid_after(now + datetime.timedelta(days=9)).sign(key, hashes.SHA256())
    )  # fmt: skip
    pem = key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    builder = pkcs7.PKCS7EnvelopeBuilder().set_data(PLAIN).add_recipient(certificate)
    for encoding in (serialization.Encoding.DER, serialization.Encoding.PEM, serialization.Encoding.SMIME):
        path = tmp_path / "message"
        path.write_bytes(builder.encrypt(encoding, [pkcs7.PKCS7Options.Binary]))
        with phalanx.cms_open(path, private_key=pem, certificate=certificate.public_bytes(serialization.Encoding.DER)) as file:
            assert file.read() == PLAIN
