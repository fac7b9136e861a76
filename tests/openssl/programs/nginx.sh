#!/usr/bin/env bash
# nginx and curl: TLS 1.2 in CBC and GCM, and TLS 1.3; each beside the other without Phalanx, and both with it.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs_root
needs nginx curl
write_text
make_certificate
port=$(free_port)
cat >nginx.conf <<END
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
END

# The text by each version and suite, with curl of that environment.
ask_all() {
  local round version suite options
  choose "$1"
  for round in "${tls_rounds[@]}"; do
    read -r version suite <<<"$round"
    options=(--tls-max "$version" "--tlsv$version")
    if [ "$version" = 1.3 ]; then options+=(--tls13-ciphers "$suite"); else options+=(--ciphers "$suite:@SECLEVEL=0"); fi
    "${how[@]}" curl -s -S -m 60 --cacert certificate.pem --resolve "localhost:$port:127.0.0.1" "${options[@]}" "https://localhost:$port/text" -o received 2>errors ||
      fail "curl: $round, $1"
    cmp received text || fail "curl: $round, $1"
  done
}

# Debian's curl may have another library than OpenSSL.
curl_version=$(curl --version)
ciphers=("${tls_ciphers[@]}")
case $curl_version in *OpenSSL/*) ;; *) skip "curl has no OpenSSL" ;; esac
choose plainly
serve "$port" nginx -c "$work/nginx.conf"
ask_all plainly
used_nothing "nginx or curl"
ask_all preferring
tell curl "$(version_of curl)" "TLS 1.2 and 1.3 from nginx with OpenSSL's ciphers" "${ciphers[@]}"
end_server
choose preferring
serve "$port" nginx -c "$work/nginx.conf"
ask_all plainly
tell nginx "$(version_of nginx)" "TLS 1.2 and 1.3 for curl with OpenSSL's ciphers" "${ciphers[@]}"
ask_all preferring
tell "nginx, curl" "as above" "both sides" "${ciphers[@]}"
