#!/usr/bin/env bash
# The Python package, and the library in it, under a preference: the same bytes as without it, and containers that either opens. What they
# take from libcrypto may come from the provider.
#
#   phalanx_package.sh PROVIDER SAMPLE_CONFIGURATION PAGE ENVIRONMENT
environment=$4
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
[ -e "$environment/complete" ] || skip "the package is not installed"
export PYTHONDONTWRITEBYTECODE=1
cat >crypt.py <<'END'
# crypt.py WRITTEN READ: prints what has no random bytes in it, writes a container, and reads one.
import hashlib
import pathlib
import sys

import phalanx

written, read = map(pathlib.Path, sys.argv[1:])
text = bytes(i * 7 & 255 for i in range(96000))
key = bytes(range(64))
for name, key_bytes, iv_bytes in (("des-ede3-cbc", 24, 8), ("aes-256-cbc", 32, 16), ("aes-128-ctr", 16, 16), ("aes-256-xts", 64, 16), ("serpent-256-cfb", 32, 16)):
    cipher = phalanx.Cipher(name, key[:key_bytes], allow_legacy=True)
    padding = {"padding": "pkcs7"} if name.endswith("cbc") else {}
    sealed = cipher.encrypt(text, iv=key[:iv_bytes], **padding)
    assert bytes(cipher.decrypt(sealed, iv=key[:iv_bytes], **padding)) == text
    print(name, hashlib.sha256(sealed).hexdigest())
for name, nonce_bytes in ("aes-256-gcm", 12), ("xaes-256-gcm", 24):
    print(name, hashlib.sha256(phalanx.Aead(name, key[:32]).seal(key[:nonce_bytes], text, aad=b"header")).hexdigest())
print("openssl", hashlib.sha256(phalanx.openssl_open("old.enc", passphrase="words", cipher="des3", digest="sha256", pbkdf2=True).read()).hexdigest())
container = phalanx.seal(text, passphrase="words")
written.write_bytes(container)
assert phalanx.unseal(container, passphrase="words") == text
if read.exists():
    assert phalanx.unseal(read.read_bytes(), passphrase="words") == text
    print("a container of the other")
END
head -c 5000 /dev/urandom >text
"${plainly[@]}" openssl enc -des3 -pbkdf2 -md sha256 -pass pass:words -in text -out old.enc
"${plainly[@]}" "$environment/bin/python" crypt.py one.phalanx none 2>errors >first || fail "the package"
used_nothing "the package"
"${preferring[@]}" "$environment/bin/python" crypt.py two.phalanx one.phalanx 2>errors >ours || fail "the package under a preference"
"${plainly[@]}" "$environment/bin/python" crypt.py one.phalanx two.phalanx 2>errors >theirs || fail "the package"
cmp theirs ours || { diff theirs ours; fail "the package gives other bytes"; }
echo "| phalanx, of Python | this one | $(wc -l <ours) results and containers, the same with and without | $(sed 's/.* //' "$report" | sort -u | paste -sd ' ') |"
