#!/usr/bin/env bash
# python3-cryptography of Debian: results and errors of its AES and triple DES, the same with Phalanx as without.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
/usr/bin/python3 -c 'import cryptography' 2>/dev/null || skip "python3-cryptography is not installed"
cat >crypt.py <<'END'
# Prints what each cipher makes of a text, and which errors are told.
import hashlib
from cryptography.exceptions import InvalidTag
from cryptography.fernet import Fernet
from cryptography.hazmat.primitives import padding
from cryptography.hazmat.primitives.ciphers import Cipher, aead, algorithms, modes

text, iv = bytes(i * 7 & 255 for i in range(100000)), bytes(range(16))
for key_bytes in 16, 24, 32:
    key = bytes(range(key_bytes))
    for mode in modes.CBC(iv), modes.CTR(iv), modes.CFB(iv), modes.CFB8(iv), modes.OFB(iv), modes.ECB(), modes.GCM(iv[:12]):
        encryptor = Cipher(algorithms.AES(key), mode).encryptor()
        result = b"".join(encryptor.update(text[i : min(i + 3331, 96000)]) for i in range(0, 96000, 3331)) + encryptor.finalize()
        decryptor = Cipher(algorithms.AES(key), mode if mode.name != "GCM" else modes.GCM(iv[:12], encryptor.tag)).decryptor()
        assert text.startswith(decryptor.update(result) + decryptor.finalize())
        print("AES", key_bytes, mode.name, hashlib.sha256(result).hexdigest())
    print("AESGCM", hashlib.sha256(aead.AESGCM(key).encrypt(iv[:12], text, b"x")).hexdigest())
for key_bytes in 32, 64:
    encryptor = Cipher(algorithms.AES(bytes(range(key_bytes))), modes.XTS(iv)).encryptor()
    print("XTS", key_bytes, hashlib.sha256(encryptor.update(text) + encryptor.finalize()).hexdigest())
for key_bytes in 8, 16, 24:
    for mode in modes.CBC(iv[:8]), modes.CFB(iv[:8]), modes.OFB(iv[:8]), modes.ECB():
        encryptor = Cipher(algorithms.TripleDES(bytes(range(key_bytes))), mode).encryptor()
        print("3DES", key_bytes, mode.name, hashlib.sha256(encryptor.update(text) + encryptor.finalize()).hexdigest())
token = Fernet(b"A" * 43 + b"=").encrypt(text)
assert Fernet(b"A" * 43 + b"=").decrypt(token) == text
for attempt in (lambda: aead.AESGCM(bytes(16)).decrypt(iv[:12], text, None),
                lambda: Cipher(algorithms.AES(bytes(16)), modes.CBC(iv)).encryptor().finalize(),
                lambda: [e := Cipher(algorithms.AES(bytes(16)), modes.CBC(iv)).encryptor(), e.update(b"short"), e.finalize()],
                lambda: Cipher(algorithms.AES(bytes(16)), modes.CTR(iv[:8])).encryptor()):
    try:
        attempt()
        print("no error")
    except Exception as error:
        print(type(error).__name__, error)
END
"${plainly[@]}" /usr/bin/python3 -W ignore crypt.py >theirs 2>errors || fail "python3-cryptography"
used_nothing python3-cryptography
"${preferring[@]}" /usr/bin/python3 -W ignore crypt.py >ours 2>errors || fail "python3-cryptography under a preference"
cmp theirs ours || { diff theirs ours; fail "python3-cryptography"; }
tell python3-cryptography "$(version_of python3-cryptography)" "$(wc -l <ours) results and errors, the same as by OpenSSL" AES-256-CBC AES-256-GCM DES-EDE3-CBC
