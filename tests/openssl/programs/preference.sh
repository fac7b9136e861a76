# What tests of programs that know nothing of Phalanx have in common: a configuration that prefers it, one way to run a program with it and
# one without, and a report of what was used. For `. preference.sh`, with the arguments of the test:
#
#   NAME.sh PROVIDER SAMPLE_CONFIGURATION
#
# Each prints rows of docs/openssl.md's table: the program, its version, what it did, the ciphers by Phalanx.
# shellcheck shell=bash
set -euo pipefail
[ -z "${OPENSSL_CONF:-}" ] || { echo "failed: OPENSSL_CONF is set already"; exit 1; }
sample=$(realpath "$2")
provider=$(realpath "$1")
# Servers that are not root must be able to read what is below.
work=$(mktemp -d /tmp/programs.XXXXXX)
chmod 755 "$work"
pids=()
finish() {
  local pid
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null || true; done
  wait
  rm -rf "$work"
}
trap finish EXIT
cd "$work"
modules=$work/modules
install -D -m 644 "$provider" "$modules/phalanx.so"
report=$work/report
: >"$report"
chmod 666 "$report"
prefers=$work/prefers.cnf
sed -e "s|^\[phalanx_provider\]|&\nmodule = $modules/phalanx.so|; s|^# report = .*|report = $report|; s|^# default_properties = .*|default_properties = ?provider=phalanx|" "$sample" >"$prefers"
plainly=(env -u OPENSSL_CONF)
preferring=(env "OPENSSL_CONF=$prefers")
# For a program that gives a property `provider` itself, which overwrites a preference of that name.
prefer_beside_provider() { sed -i 's/^default_properties = .*/default_properties = ?phalanx.cipher=yes/' "$prefers"; }
# Puts the environment by that name, plainly or preferring, into `how`.
choose() { if [ "$1" = plainly ]; then how=("${plainly[@]}"); else how=("${preferring[@]}"); fi; }

fail() { echo "failed: $*"; [ ! -s errors ] || cat errors; exit 1; }
skip() { echo "skipped: $*"; exit 77; }
needs() {
  local command
  for command in "$@"; do command -v "$command" >/dev/null || skip "$command is not installed"; done
}
needs_root() { [ "$(id -u)" -eq 0 ] || skip "it takes root to start the server"; }
# A program without the configuration uses nothing of Phalanx.
used_nothing() { [ ! -s "$report" ] || fail "$1 used Phalanx, which nobody asked for"; }
# tell PROGRAM VERSION WHAT [CIPHER...]: what it did, and by which ciphers of ours. Those that are named must be among them.
tell() {
  local program=$1 version=$2 what=$3 ciphers cipher
  shift 3
  ciphers=$(sed 's/.* //' "$report" | sort -u | paste -sd ' ')
  [ -n "$ciphers" ] || fail "$program used nothing of Phalanx"
  for cipher in "$@"; do [[ " $ciphers " = *" $cipher "* ]] || fail "$program used $ciphers, and not $cipher"; done
  echo "| $program | $version | $what | $ciphers |"
  : >"$report"
}
version_of() { dpkg-query -W -f='${Version}' "$1" 2>/dev/null || echo unknown; }
# A port that nobody listens at; and a wait until somebody does.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null || shuf -i 20000-40000 -n 1; }
wait_for_port() {
  local i
  for ((i = 0; i < 3000; i++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
    read -r -t 0.01 <> <(:) || true
  done
  fail "nobody listens at $1"
}
# Starts a server by `how`, and waits for its port: serve PORT COMMAND...
serve() {
  local port=$1
  shift
  "${how[@]}" "$@" >server_said 2>&1 &
  served=$!
  pids+=("$served")
  wait_for_port "$port"
}
end_server() {
  kill "$served"
  wait "$served" || true
}

# Whoever compares with it takes 3 MB over the network.
write_text() {
  head -c 3000001 /dev/urandom >text
  chmod 644 text
}
make_certificate() {
  "${plainly[@]}" openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2 \
    -out certificate.pem 2>errors || fail "openssl req"
}
# Versions of TLS with suites of OpenSSL, and the ciphers that these ask for, but for CBC with a MAC of SHA-1 or SHA-256 without
# encrypt-then-mac, which OpenSSL has in one cipher.
tls_rounds=("1.2 AES128-SHA" "1.2 AES256-SHA256" "1.2 ECDHE-RSA-AES256-GCM-SHA384" "1.3 TLS_AES_128_GCM_SHA256" "1.3 TLS_AES_256_GCM_SHA384")
tls_ciphers=(AES-128-CBC AES-256-CBC AES-128-GCM AES-256-GCM)
