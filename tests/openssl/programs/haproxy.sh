#!/usr/bin/env bash
# HAProxy, which takes providers by itself: the lines of docs/openssl.md.
#
#   haproxy.sh PROVIDER SAMPLE_CONFIGURATION PAGE
page=$(realpath "$3")
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs haproxy curl
make_certificate
port=$(free_port)
cat certificate.pem key.pem >both.pem
{
  echo global
  sed -n '/^# HAProxy/,/^```/p' "$page" | grep '^ssl-'
  cat <<END
defaults
  mode http
  timeout connect 5s
  timeout client 5s
  timeout server 5s
frontend front
  bind 127.0.0.1:$port ssl crt $work/both.pem
  http-request return status 200 content-type text/plain string "a line of text"
END
} >haproxy.cfg
[ "$(grep -c '^ssl-' haproxy.cfg)" -eq 3 ] || fail "$page has other lines for HAProxy"
# Its own lines say what is preferred; the configuration of OpenSSL has the provider's settings alone, for the report.
sed -i '/^default_properties = /d' "$prefers"
how=(env "OPENSSL_CONF=$prefers" "OPENSSL_MODULES=$modules")
serve "$port" haproxy -db -f haproxy.cfg
"${plainly[@]}" curl -s -S -m 60 --cacert certificate.pem --resolve "localhost:$port:127.0.0.1" --tls-max 1.2 "https://localhost:$port/" -o received 2>errors ||
  { cat server_said; fail haproxy; }
[ "$(cat received)" = "a line of text" ] || fail haproxy
tell haproxy "$(version_of haproxy)" "ssl-provider and ssl-propquery: TLS 1.2 for curl" AES-256-GCM
