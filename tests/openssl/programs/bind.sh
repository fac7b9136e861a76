#!/usr/bin/env bash
# BIND: named answers over TLS, and dig asks; TLS 1.2 in GCM and TLS 1.3; each beside the other without Phalanx, and both with it.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs_root
[ -x /usr/sbin/named ] || skip "named is not installed"
needs dig
dig +tls -v 2>&1 | grep -i 'invalid option' >/dev/null && skip "this dig has no TLS"
make_certificate
chmod 644 key.pem
cat >zone <<'END'
$TTL 60
@ IN SOA localhost. root.localhost. 1 60 60 60 60
@ IN NS localhost.
text IN TXT "a line of text"
END
# BIND asks for TLS 1.2 or 1.3 and authenticated encryption.
rounds=("1.2 ECDHE-RSA-AES128-GCM-SHA256" "1.2 ECDHE-RSA-AES256-GCM-SHA384" "1.3 TLS_AES_256_GCM_SHA384")
ours=(AES-128-GCM AES-256-GCM)
start_named() {
  local version suite
  read -r version suite <<<"$2"
  port=$(free_port)
  settings="protocols { TLSv$version; };"
  [ "$version" = 1.3 ] || settings="$settings ciphers \"$suite\";"
  cat >named.conf <<END
tls ours { cert-file "$work/certificate.pem"; key-file "$work/key.pem"; $settings };
options {
  directory "$work"; pid-file none; session-keyfile none; lock-file none; recursion no; listen-on-v6 { none; };
  listen-on port $port tls ours { 127.0.0.1; };
};
controls { };
zone "example" { type primary; file "$work/zone"; };
END
  grep -q 'lock-file' <(named -C 2>/dev/null) || sed -i 's/ lock-file none;//' named.conf
  choose "$1"
  serve "$port" named -g -n 1 -c "$work/named.conf"
}
# ask SERVER CLIENT: all rounds, by programs of these environments.
ask_all() {
  local round answer
  for round in "${rounds[@]}"; do
    start_named "$1" "$round"
    choose "$2"
    answer=$("${how[@]}" dig +tls +short -p "$port" @127.0.0.1 text.example TXT 2>errors) || { cat server_said; fail "dig: $round, $*"; }
    [ "$answer" = '"a line of text"' ] || { cat server_said; fail "dig: $round, $*: $answer"; }
    end_server
  done
}
ask_all plainly plainly
used_nothing BIND
ask_all plainly preferring
tell dig "$(version_of bind9-dnsutils)" "DNS over TLS 1.2 and 1.3, the server with OpenSSL's ciphers" "${ours[@]}"
ask_all preferring plainly
tell named "$(version_of bind9)" "DNS over TLS 1.2 and 1.3, the client with OpenSSL's ciphers" "${ours[@]}"
ask_all preferring preferring
tell "named, dig" "as above" "both sides" "${ours[@]}"
