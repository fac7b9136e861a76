#!/usr/bin/env bash
# OpenSSL's own commands, and ours, under the sample configuration: where it prefers Phalanx they give the same bytes as without it,
# and a report says that they used it.
#
#   openssl_commands_test.sh FOLDER_OF_PROVIDER SAMPLE_CONFIGURATION PROGRAM
set -euo pipefail
export OPENSSL_MODULES=$1
sample=$2
program=$3
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"
report=$work/report

prefers=$work/prefers.cnf
sed -e "s|^# report = .*|report = $report|; s|^# default_properties = .*|default_properties = ?provider=phalanx|" "$sample" >"$prefers"
grep -q "^report = $report" "$prefers" && grep -q '^default_properties = ?provider=phalanx' "$prefers"
plainly() { env -u OPENSSL_CONF "$@"; }
preferring() { OPENSSL_CONF=$prefers "$@"; }
fail() { echo "failed: $*"; exit 1; }
# The last lines of the report name these ciphers among others: a process tells of each once.
used() {
  local cipher
  for cipher in "$@"; do grep -q " $cipher\$" "$report" || { cat "$report"; fail "$cipher was not used"; }; done
  : >"$report"
}

head -c 300007 /dev/urandom >text
key=000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f
count=0
for cipher in aes-{128,192,256}-{ecb,cbc,cfb,cfb8,ofb,ctr} des-ede3-{cbc,cfb,cfb8,ofb} des-ede3 des-ede des-ede-{cbc,cfb,ofb}; do
  case $cipher in
    aes-128* | des-ede | des-ede-*) digits=32 ;;
    aes-192* | des-ede3*) digits=48 ;;
    *) digits=64 ;;
  esac
  case $cipher in aes*) iv=32 ;; *) iv=16 ;; esac
  case $cipher in *-ecb | des-ede | des-ede3) given=(-K "${key:0:digits}") ;; *) given=(-K "${key:0:digits}" -iv "${key:0:iv}") ;; esac
  plainly openssl enc "-$cipher" "${given[@]}" -in text -out theirs
  preferring openssl enc "-$cipher" "${given[@]}" -in text -out ours
  cmp theirs ours || fail "openssl enc -$cipher"
  preferring openssl enc -d "-$cipher" "${given[@]}" -in theirs | cmp - text || fail "openssl enc -d -$cipher"
  [ -s "$report" ] || fail "openssl enc -$cipher did not use Phalanx"
  : >"$report"
  count=$((count + 1))
done

# Without a preference the same configuration uses nothing of ours, but for what OpenSSL does not have.
sed -e "s|^# report = .*|report = $report|" "$sample" >beside.cnf
OPENSSL_CONF=$work/beside.cnf openssl enc -aes-256-cbc -K $key -iv "${key:0:32}" -in text -out theirs
[ ! -s "$report" ] || fail "without a preference Phalanx was used"
OPENSSL_CONF=$work/beside.cnf openssl enc -serpent-256-cbc -pbkdf2 -pass pass:words -in text -out ours
OPENSSL_CONF=$work/beside.cnf openssl enc -d -serpent-256-cbc -pbkdf2 -pass pass:words -in ours | cmp - text || fail "openssl enc -serpent-256-cbc"
used SERPENT-256-CBC

# A wrong padding is said as OpenSSL says it.
said_of_padding() { "$1" openssl enc -d -aes-256-cbc -K "$key" -iv "${key:0:32}" -in text 2>&1 >/dev/null | grep -o 'error:[0-9A-F]*:[^:]*'; }
said_of_padding plainly >said_by_them || true
said_of_padding preferring >said_by_us || true
[ -s said_by_them ] || fail "openssl enc said nothing of a wrong padding"
cmp said_by_them said_by_us || { cat said_by_them said_by_us; fail "another error"; }
: >"$report"

# Keys, certificates and messages.
preferring openssl genrsa -aes256 -passout pass:words -out key.pem 2048 2>/dev/null
used AES-256-CBC
plainly openssl req -x509 -new -key key.pem -passin pass:words -subj /CN=localhost -days 2 -out certificate.pem
preferring openssl pkcs12 -export -passin pass:words -inkey key.pem -in certificate.pem -passout pass:words -keypbe DES-EDE3-CBC -certpbe DES-EDE3-CBC -out keys.p12
used DES-EDE3-CBC
plainly openssl pkcs12 -in keys.p12 -passin pass:words -nodes -out clear.pem
for cipher in des3 aes-128-cbc aes-256-gcm; do
  case $cipher in *gcm) sort=cms extra=(-binary -outform DER) ;; *) sort=smime extra=(-binary -outform DER) ;; esac
  preferring openssl $sort -encrypt "${extra[@]}" -$cipher -in text -out message certificate.pem
  [ -s "$report" ] || fail "openssl $sort -$cipher did not use Phalanx"
  plainly openssl $sort -decrypt -inform DER -in message -inkey clear.pem -out back
  cmp back text || fail "openssl $sort -encrypt -$cipher"
  plainly openssl $sort -encrypt "${extra[@]}" -$cipher -in text -out message certificate.pem
  preferring openssl $sort -decrypt -inform DER -in message -inkey clear.pem -out back
  cmp back text || fail "openssl $sort -decrypt -$cipher"
  : >"$report"
done
preferring openssl rand -hex 64 >random
[ "$(wc -c <random)" -eq 129 ] || fail "openssl rand"
: >"$report"

# TLS: we serve and they ask, and the other way round. The text comes over as it is.
serve() {  # VERSION CIPHER SERVER CLIENT [OPTION...]
  local version=$1 suite=$2 server=$3 client=$4 port place option=-cipher
  shift 4
  [ "$version" != tls1_3 ] || option=-ciphersuites
  rm -f said
  mkfifo said
  $server openssl s_server -accept 127.0.0.1:0 "-$version" "$option" "$suite" "$@" -cert certificate.pem -key clear.pem -HTTP -naccept 1 >said 2>errors &
  serving=$!
  exec 5<said
  port=
  while read -r place <&5; do case $place in ACCEPT*) port=${place##*:} && break ;; esac; done
  printf 'GET /text HTTP/1.0\r\n\r\n' |
    $client timeout 60 openssl s_client -quiet -connect "127.0.0.1:$port" "-$version" "$option" "$suite" "$@" 2>>errors >received || true
  cat <&5 >/dev/null
  exec 5<&-
  wait "$serving" || true
  cmp received text || { cat errors; fail "TLS: $version $suite $server $client"; }
}
rounds=0
# Version, suite, the cipher that we are to have done, options. MAC and then encryption of SHA-1 and SHA-256 is done by OpenSSL's ciphers
# with HMAC, which we do not have; of SHA-384 there are none.
for round in "tls1_2 ECDHE-RSA-AES256-SHA384 AES-256-CBC -no_etm" "tls1_2 ECDHE-RSA-AES128-SHA256 AES-128-CBC" "tls1_2 AES256-SHA AES-256-CBC" \
  "tls1_2 ECDHE-RSA-AES256-GCM-SHA384 AES-256-GCM" "tls1_3 TLS_AES_128_GCM_SHA256 AES-128-GCM" "tls1_3 TLS_AES_256_GCM_SHA384 AES-256-GCM"; do
  read -ra words <<<"$round"
  for pair in "preferring plainly" "plainly preferring" "preferring preferring"; do
    read -r server client <<<"$pair"
    serve "${words[0]}" "${words[1]}" "$server" "$client" "${words[@]:3}"
    used "${words[2]}"
    rounds=$((rounds + 1))
  done
done

# Our own program and library take libcrypto for random bytes and for keys from passphrases: under a preference these come from us,
# and the bytes are the same.
if [ -x "$program" ]; then
  umask 077
  head -c 32 /dev/urandom >key
  printf words >passphrase
  plainly "$program" encrypt --key-file key text sealed
  preferring "$program" decrypt --key-file key sealed - | cmp - text || fail "phalanx decrypt under a preference"
  preferring "$program" encrypt --passphrase-file passphrase text sealed_here
  plainly "$program" decrypt --passphrase-file passphrase sealed_here - | cmp - text || fail "phalanx encrypt under a preference"
  plainly openssl enc -des3 -pbkdf2 -pass file:passphrase -in text -out old
  preferring "$program" raw decrypt --openssl --cipher des3 --md sha256 --pbkdf2 --passphrase-file passphrase old old_text
  cmp old_text text || fail "phalanx raw decrypt under a preference"
fi
echo "$count ciphers of openssl enc, $rounds rounds of TLS"
