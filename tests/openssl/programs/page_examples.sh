#!/usr/bin/env bash
# The commands and the program of docs/openssl.md, as they stand there, but for where the files are. HAProxy's lines have a test of their own;
# those of nginx and Ceph are one variable of the environment.
#
#   page_examples.sh PROVIDER SAMPLE_CONFIGURATION PAGE
page=$(realpath "$3")
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
export OPENSSL_MODULES=$modules
# What stands between the line that this is in, and the end of its block.
block_with() { awk -v wanted="$1" '/^```/ { inside = 0 } inside; index($0, wanted) { inside = 1; if (!/^#/) print }' "$page"; }
here() { sed "s|/usr/share/phalanx/phalanx_openssl.cnf|$sample|g; s|/etc/phalanx_openssl.cnf|$prefers|g"; }
require() { [ "$1" -eq "$2" ] || fail "$page has another $3"; }

block_with 'openssl list -providers   ' | here >listed.sh
require "$(wc -l <listed.sh)" 1 "list of providers"
bash -e listed.sh >listed 2>errors || fail "openssl list"
grep -A 3 '^  phalanx$' listed | grep 'status: active' >/dev/null || { cat listed; fail "openssl list does not show phalanx"; }

head -c 100000 /dev/urandom >text
cp text notes
echo words >pass
"${plainly[@]}" openssl enc -des3 -pbkdf2 -pass file:pass -in text -out old.enc
block_with "# openssl enc, and OpenSSL's other commands" | here >commands.sh
require "$(grep -c '^\(OPENSSL_CONF=.*\)\?openssl enc' commands.sh)" 2 "openssl enc"
bash -e commands.sh <<<'words
words' >said 2>errors || fail "openssl enc"
cmp old text || fail "openssl enc -d -des3"
[ -s notes.enc ] || fail "openssl enc -serpent-256-cbc"
echo "| page | this one | openssl list and openssl enc | $(sed 's/.* //' "$report" | sort -u | paste -sd ' ') |"

if command -v cc >/dev/null && [ -e /usr/include/openssl/evp.h ]; then
  {
    printf '%s\n' '#include <openssl/evp.h>' '#include <openssl/provider.h>' 'int main(void) {' '  unsigned char key[24] = {1, 2, 3}, iv[8] = {0};' \
      '  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();'
    block_with "/* A program of one's own"
    printf '%s\n' '  return EVP_CIPHER_CTX_get_num(context) == 0 && EVP_CIPHER_CTX_get_key_length(context) == 24 ? 0 : 1;' '}'
  } >example.c
  require "$(grep -c 'EVP_CIPHER_fetch' example.c)" 1 "program"
  cc example.c -o example -lcrypto 2>errors || fail "the page's program is no C"
  env -u OPENSSL_CONF ./example 2>errors || fail "the page's program"
  echo "its program in C ran"
fi
