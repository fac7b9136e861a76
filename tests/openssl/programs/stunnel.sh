#!/usr/bin/env bash
# stunnel: both ends of a tunnel, in TLS 1.2 and 1.3; each beside the other without Phalanx, and both with it. It asks for
# "provider!=fips", which overwrites a preference of that name.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs stunnel curl python3
prefer_beside_provider
write_text
make_certificate
# What the tunnel leads to.
plain_port=$(free_port)
choose plainly
serve "$plain_port" /usr/bin/python3 -m http.server "$plain_port" --bind 127.0.0.1

# write_ends ROUND: the configuration of both ends.
write_ends() {
  local version suite settings
  read -r version suite <<<"$1"
  if [ "$version" = 1.3 ]; then settings="ciphersuites = $suite"; else settings="ciphers = $suite:@SECLEVEL=0"; fi
  tunnel_port=$(free_port)
  cat >server.conf <<END
foreground = yes
pid =
[text]
accept = 127.0.0.1:$tunnel_port
connect = 127.0.0.1:$plain_port
cert = $work/certificate.pem
key = $work/key.pem
sslVersionMin = TLSv1.2
$settings
END
  near_port=$(free_port)
  cat >client.conf <<END
foreground = yes
pid =
[text]
client = yes
accept = 127.0.0.1:$near_port
connect = 127.0.0.1:$tunnel_port
sslVersion = TLSv$version
$settings
END
}

# pass_text SERVER CLIENT: the text through tunnels of all rounds, by ends of these environments.
pass_text() {
  local round first
  for round in "${tls_rounds[@]}"; do
    write_ends "$round"
    choose "$1"
    serve "$tunnel_port" stunnel server.conf
    first=$served
    choose "$2"
    serve "$near_port" stunnel client.conf
    curl -s -S -m 60 "http://127.0.0.1:$near_port/text" -o received 2>errors || { cat server_said; fail "stunnel: $round, $*"; }
    cmp received text || fail "stunnel: $round, $*"
    end_server
    served=$first
    end_server
  done
}

what="TLS 1.2 and 1.3"
pass_text plainly plainly
used_nothing stunnel
pass_text plainly preferring
tell "stunnel, client" "$(version_of stunnel4)" "$what, the server with OpenSSL's ciphers" "${tls_ciphers[@]}"
pass_text preferring plainly
tell "stunnel, server" "$(version_of stunnel4)" "$what, the client with OpenSSL's ciphers" "${tls_ciphers[@]}"
pass_text preferring preferring
tell "stunnel, both" "as above" "both sides" "${tls_ciphers[@]}"
