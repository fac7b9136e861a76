"""Messages, batches and containers: what most programs want of the package."""

import os
import tempfile

import phalanx


def main() -> None:
    # One message with authentication. A nonce is never used twice under one key.
    aead = phalanx.Aead("aes-256-gcm", os.urandom(32))
    nonce = os.urandom(12)
    sealed = aead.seal(nonce, b"Attack at dawn.", aad=b"letter 7")
    assert aead.open(nonce, sealed, aad=b"letter 7") == b"Attack at dawn."
    try:
        aead.open(nonce, sealed, aad=b"letter 8")
    except phalanx.AuthenticationError as error:
        print("another header:", error)

    # Records for a system that takes nothing newer than triple DES: all at once, each under its own key. To encrypt with it is
    # refused unless it is allowed; to decrypt never is.
    keys = [os.urandom(24) for _ in range(1000)]
    ivs = [os.urandom(8) for _ in range(1000)]
    records = [os.urandom(100 + number % 7) for number in range(1000)]
    cipher = phalanx.Cipher("des-ede3-cbc", keys[0], allow_legacy=True)
    old = cipher.encrypt_many(records, ivs, keys, padding="pkcs7")
    assert cipher.decrypt_many(old, ivs, keys, padding="pkcs7") == records

    # A container: authenticated, seekable, for anybody who has the key or the passphrase.
    path = os.path.join(tempfile.mkdtemp(), "letters.phalanx")
    with phalanx.open(path, "xb", passphrase="correct horse", scrypt_log_n=14) as file:
        file.write(b"Dear all,\n" * 100_000)
    with phalanx.open(path, passphrase="correct horse") as file:
        file.seek(500_000)
        print(file.readline(), "from the middle of", file.size, "bytes")


if __name__ == "__main__":
    main()
