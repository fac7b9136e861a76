#!/usr/bin/env bash
# Programs that know nothing of Phalanx, under a configuration that prefers it: each does what it did, and a report says that it used
# our ciphers. What is not installed is left out, and said. As root, since servers want it.
#
#   real_programs_test.sh FOLDER_OF_PROVIDER SAMPLE_CONFIGURATION
set -euo pipefail
provider=$(realpath "$1")/phalanx.so
sample=$(realpath "$2")
[ "$(id -u)" -eq 0 ] || { echo "skipped: it takes root to start servers"; exit 77; }
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
modules=$work/modules  # where servers that are not root can read it
install -D -m 644 "$provider" "$modules/phalanx.so"
report=$work/report
: >"$report"
chmod 666 "$report"
prefers=$work/prefers.cnf
sed -e "s|^\[phalanx_provider\]|&\nmodule = $modules/phalanx.so|; s|^# report = .*|report = $report|; s|^# default_properties = .*|default_properties = ?provider=phalanx|" "$sample" >"$prefers"
plainly=(env -u OPENSSL_CONF)
preferring=(env "OPENSSL_CONF=$prefers")
fail() { echo "failed: $*"; [ ! -s errors ] || cat errors; exit 1; }
num_tried=0
# tell PROGRAM VERSION WHAT: what it did, and which ciphers by us.
tell() {
  local ciphers
  ciphers=$(sed 's/.* //' "$report" | sort -u | paste -sd ' ')
  [ -n "$ciphers" ] || fail "$1 used nothing of Phalanx"
  echo "| $1 | $2 | $3 | $ciphers |"
  : >"$report"
  num_tried=$((num_tried + 1))
}
version_of() { dpkg-query -W -f='${Version}' "$1" 2>/dev/null || echo unknown; }
# A port that nobody listens at; and a wait until somebody does.
free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' 2>/dev/null || shuf -i 20000-40000 -n 1; }
wait_for_port() {
  local i
  for ((i = 0; i < 2000; i++)); do
    if (exec 3<>"/dev/tcp/127.0.0.1/$1") 2>/dev/null; then return; fi
    read -r -t 0.01 <> <(:) || true
  done
  fail "nobody listens at $1"
}

head -c 3000001 /dev/urandom >text
chmod 644 text
openssl req -x509 -newkey rsa:2048 -nodes -keyout key.pem -subj /CN=localhost -addext subjectAltName=DNS:localhost -days 2 -out certificate.pem 2>/dev/null
tls_rounds=("1.2 AES128-SHA" "1.2 AES256-SHA256" "1.2 ECDHE-RSA-AES256-GCM-SHA384" "1.3 TLS_AES_128_GCM_SHA256" "1.3 TLS_AES_256_GCM_SHA384")

# ask_all PORT ENVIRONMENT...: the text by each version and cipher, with curl.
ask_all() {
  local round version cipher options port=$1
  shift
  for round in "${tls_rounds[@]}"; do
    read -r version cipher <<<"$round"
    options=(--tls-max "$version" "--tlsv$version")
    if [ "$version" = 1.3 ]; then options+=(--tls13-ciphers "$cipher"); else options+=(--ciphers "$cipher:@SECLEVEL=0"); fi
    "$@" curl -s -S -m 60 --cacert certificate.pem --resolve "localhost:$port:127.0.0.1" "${options[@]}" "https://localhost:$port/text" -o received 2>errors || fail "curl: $round, $*"
    cmp received text || fail "curl: $round, $*"
  done
}

if command -v nginx >/dev/null && command -v curl >/dev/null; then
  port=$(free_port)
  cat >nginx.conf <<EOF
daemon off;
pid $work/nginx.pid;
error_log $work/nginx.log;
events {}
http {
  access_log off;
  server {
    listen 127.0.0.1:$port ssl;
    server_name localhost;
    root $work;
    ssl_certificate $work/certificate.pem;
    ssl_certificate_key $work/key.pem;
    ssl_protocols TLSv1.2 TLSv1.3;
    ssl_ciphers ALL:@SECLEVEL=0;
  }
}
EOF
  for server in plainly preferring; do
    if [ "$server" = plainly ]; then how=("${plainly[@]}"); else how=("${preferring[@]}"); fi
    "${how[@]}" nginx -c "$work/nginx.conf" 2>errors &
    nginx=$!
    pids+=("$nginx")
    wait_for_port "$port"
    if [ "$server" = preferring ]; then ask_all "$port" "${plainly[@]}"; tell nginx "$(version_of nginx)" "TLS 1.2 and 1.3 for curl with OpenSSL's ciphers"; fi
    ask_all "$port" "${preferring[@]}"
    if [ "$server" = plainly ]; then tell curl "$(version_of curl)" "TLS 1.2 and 1.3 from nginx with OpenSSL's ciphers"; else tell "nginx, curl" "as above" "both sides"; fi
    kill "$nginx"
    wait "$nginx" || true
  done
else
  echo "left out: nginx or curl is not installed"
fi

if [ -x /usr/sbin/sshd ]; then
  port=$(free_port)
  mkdir -p /run/sshd
  ssh-keygen -q -t ed25519 -N '' -f host_key
  ssh-keygen -q -t ed25519 -N '' -f user_key
  cp user_key.pub authorized_keys
  ciphers=$(ssh -Q cipher | grep -E '^(aes|3des)' | paste -sd ,)
  for server in plainly preferring; do
    if [ "$server" = plainly ]; then how=("${plainly[@]}"); else how=("${preferring[@]}"); fi
    "${how[@]}" /usr/sbin/sshd -D -e -f /dev/null -p "$port" -h "$work/host_key" -o "AuthorizedKeysFile=$work/authorized_keys" -o StrictModes=no \
      -o PermitRootLogin=prohibit-password -o ListenAddress=127.0.0.1 -o "Ciphers=$ciphers" 2>errors &
    sshd=$!
    pids+=("$sshd")
    wait_for_port "$port"
    if [ "$server" = preferring ]; then clients=(plainly preferring); else clients=(preferring); fi
    for client in "${clients[@]}"; do
      if [ "$client" = plainly ]; then how=("${plainly[@]}"); else how=("${preferring[@]}"); fi
      for cipher in ${ciphers//,/ }; do
        timeout 60 "${how[@]}" ssh -F /dev/null -i user_key -p "$port" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -o "Ciphers=$cipher" \
          "root@127.0.0.1" cat <text "$work/text" >received || fail "ssh -c $cipher, $server, $client"
        cmp received text || fail "ssh -c $cipher, $server, $client"
      done
      case "$server $client" in
        "plainly preferring") tell ssh "$(version_of openssh-client)" "$ciphers, to a server with OpenSSL's" ;;
        "preferring plainly") tell sshd "$(version_of openssh-server)" "$ciphers, for a client with OpenSSL's" ;;
        *) tell "ssh, sshd" "as above" "both sides" ;;
      esac
    done
    kill "$sshd"
    wait "$sshd" || true
  done
else
  echo "left out: sshd is not installed"
fi

if /usr/bin/python3 -c 'import cryptography' 2>/dev/null; then
  cat >crypt.py <<'EOF'
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
EOF
  "${plainly[@]}" /usr/bin/python3 -W ignore crypt.py >theirs 2>errors || fail "python3-cryptography"
  [ ! -s "$report" ] || fail "a program without the configuration used Phalanx"
  "${preferring[@]}" /usr/bin/python3 -W ignore crypt.py >ours 2>errors || fail "python3-cryptography under a preference"
  cmp theirs ours || { diff theirs ours; fail "python3-cryptography"; }
  tell python3-cryptography "$(version_of python3-cryptography)" "$(wc -l <ours) results and errors, the same as by OpenSSL"
else
  echo "left out: python3-cryptography is not installed"
fi

postgres=$({ find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null || true; } | sort -V | sed -n '$p')
if [ -n "$postgres" ] && [ -e "$("$postgres/pg_config" --sharedir 2>/dev/null || echo "/usr/share/postgresql/$(basename "$(dirname "$postgres")")")/extension/pgcrypto.control" ]; then
  cat >calls.sql <<'EOF'
create extension if not exists pgcrypto;
select encode(digest(encrypt(convert_to(repeat('text', 10000), 'UTF8'), 'sixteen bytes...', c), 'sha256'), 'hex') from unnest(array['aes', 'aes-cbc', 'aes-ecb', '3des', 'aes-cbc/pad:pkcs']) c;
select convert_from(decrypt(encrypt('secret', 'key', c), 'key', c), 'UTF8') from unnest(array['aes', '3des']) c;
select pgp_sym_decrypt(pgp_sym_encrypt(repeat('text', 1000), 'words', 'cipher-algo=' || c), 'words') = repeat('text', 1000) from unnest(array['aes128', 'aes192', 'aes256', '3des']) c;
EOF
  mkdir data
  chown postgres data
  runuser -u postgres -- "$postgres/initdb" -D "$work/data" -A trust >errors 2>&1 || fail initdb
  for how in plainly preferring; do
    if [ "$how" = plainly ]; then environment=("${plainly[@]}"); else environment=("${preferring[@]}"); fi
    runuser -u postgres -- "${environment[@]}" "$postgres/pg_ctl" -D "$work/data" -w -l "$work/data/log" -o "-c listen_addresses= -k $work/data" start >errors 2>&1 || fail "pg_ctl"
    runuser -u postgres -- psql -h "$work/data" -At -f "$work/calls.sql" postgres >"$how" 2>errors || fail "pgcrypto, $how"
    runuser -u postgres -- "$postgres/pg_ctl" -D "$work/data" -w -m immediate stop >errors 2>&1
  done
  cmp plainly preferring || fail "pgcrypto"
  tell pgcrypto "$(version_of "postgresql-$(basename "$(dirname "$postgres")")")" "$(wc -l <preferring) results, the same as by OpenSSL"
else
  echo "left out: pgcrypto is not installed"
fi

if command -v haproxy >/dev/null && command -v curl >/dev/null; then
  port=$(free_port)
  cat certificate.pem key.pem >both.pem
  cat >haproxy.cfg <<EOF
global
  ssl-propquery ?provider=phalanx
  ssl-provider default
  ssl-provider phalanx
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend front
  bind 127.0.0.1:$port ssl crt $work/both.pem
  http-request return status 200 content-type text/plain string "a line of text"
EOF
  env -u OPENSSL_CONF "OPENSSL_MODULES=$modules" haproxy -db -f haproxy.cfg >errors 2>&1 &
  haproxy=$!
  pids+=("$haproxy")
  wait_for_port "$port"
  "${plainly[@]}" curl -s -S -m 60 --cacert certificate.pem --resolve "localhost:$port:127.0.0.1" --tls-max 1.2 "https://localhost:$port/" -o received || fail "haproxy"
  [ "$(cat received)" = "a line of text" ] || fail haproxy
  grep -q phalanx.so "/proc/$haproxy/maps" || fail "haproxy did not load the provider"
  kill "$haproxy"
  echo "| haproxy | $(version_of haproxy) | ssl-provider and ssl-propquery: loaded, and TLS 1.2 | not reported |"
  num_tried=$((num_tried + 1))
else
  echo "left out: haproxy is not installed"
fi
[ "$num_tried" -gt 0 ] || exit 77
echo "$num_tried rows"
