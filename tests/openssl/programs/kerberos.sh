#!/usr/bin/env bash
# krb5: a ticket by PKINIT, where OpenSSL reads the client's encrypted key and, in the form with RSA that krb5 had until 1.21, makes and
# opens what the KDC sends. Tickets themselves have ciphers of krb5's own, in Debian.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs_root
needs kinit kdb5_util kadmin.local krb5kdc klist
[ -n "$(find /usr/lib -path '*krb5/plugins/preauth/pkinit.so' 2>/dev/null)" ] || skip "krb5 has no pkinit"
port=$(free_port)
realm=EXAMPLE.TEST
cat >krb5.conf <<END
[libdefaults]
default_realm = $realm
dns_lookup_kdc = false
rdns = false
[realms]
$realm = {
  kdc = 127.0.0.1:$port
  pkinit_anchors = FILE:$work/ca.pem
}
[logging]
kdc = FILE:$work/kdc.log
END
cat >kdc.conf <<END
[kdcdefaults]
kdc_listen = 127.0.0.1:$port
kdc_tcp_listen = 127.0.0.1:$port
[realms]
$realm = {
  database_name = $work/principals
  key_stash_file = $work/stash
  pkinit_identity = FILE:$work/kdc.pem,$work/kdc.key
  pkinit_anchors = FILE:$work/ca.pem
}
END
export KRB5_CONFIG=$work/krb5.conf KRB5_KDC_PROFILE=$work/kdc.conf KRB5CCNAME=FILE:$work/tickets

# certify NAME PURPOSE TYPE PRINCIPAL...: a certificate of RFC 4556's kind, for that principal.
certify() {
  local name=$1 purpose=$2 type=$3 i=0
  shift 3
  {
    printf '%s\n' '[ours]' 'basicConstraints = CA:FALSE' 'keyUsage = digitalSignature,keyEncipherment' "extendedKeyUsage = $purpose" \
      'subjectAltName = otherName:1.3.6.1.5.2.2;SEQUENCE:principal' '[principal]' "realm = EXP:0,GeneralString:$realm" 'name = EXP:1,SEQUENCE:name' \
      '[name]' "type = EXP:0,INTEGER:$type" 'parts = EXP:1,SEQUENCE:parts' '[parts]'
    for part in "$@"; do i=$((i + 1)) && echo "part$i = GeneralString:$part"; done
  } >"$name.cnf"
  "${plainly[@]}" openssl req -newkey rsa:2048 -nodes -keyout "$name.key" -subj "/CN=$name" -out "$name.csr" 2>errors || fail "openssl req"
  "${plainly[@]}" openssl x509 -req -in "$name.csr" -CA ca.pem -CAkey ca.key -set_serial "$((RANDOM + 2))" -days 2 -extfile "$name.cnf" -extensions ours -out "$name.pem" 2>errors ||
    fail "openssl x509"
}
"${plainly[@]}" openssl req -x509 -newkey rsa:2048 -nodes -keyout ca.key -subj /CN=ca -days 2 -out ca.pem 2>errors || fail "openssl req"
certify kdc 1.3.6.1.5.2.3.5 2 krbtgt "$realm"
certify client 1.3.6.1.5.2.3.4 1 user
"${plainly[@]}" openssl rsa -aes256 -in client.key -passout pass:words -out client_sealed.key 2>errors || fail "openssl rsa"
kdb5_util create -s -r "$realm" -P words >errors 2>&1 || fail kdb5_util
kadmin.local -r "$realm" addprinc -randkey +requires_preauth user >errors 2>&1 || fail kadmin.local

# krb5kdc waits for TCP at the same port.
start_kdc() {
  choose "$1"
  serve "$port" krb5kdc -n -r "$realm"
}
ask() {
  choose "$1"
  shift
  echo words | "${how[@]}" timeout 60 kinit -X "X509_user_identity=FILE:$work/client.pem,$work/client_sealed.key" "$@" user >errors 2>&1 ||
    { cat kdc.log server_said; fail "kinit $*"; }
  klist 2>errors | grep "krbtgt/$realm" >/dev/null || fail "kinit $*: no ticket"
  kdestroy
}
# Both forms of PKINIT: by Diffie-Hellman, and by RSA, which later releases take for the first.
ask_both() {
  ask "$1"
  ask "$1" -X flag_RSA_PROTOCOL=yes
}
start_kdc plainly
ask_both plainly
used_nothing krb5
ask_both preferring
tell kinit "$(version_of krb5-user)" "tickets by PKINIT with an encrypted key, from a KDC with OpenSSL's ciphers" AES-256-CBC
end_server
start_kdc preferring
ask_both plainly
if [ -s "$report" ]; then
  tell krb5kdc "$(version_of krb5-kdc)" "tickets by PKINIT with RSA, for a client with OpenSSL's ciphers"
else
  echo "| krb5kdc | $(version_of krb5-kdc) | tickets by PKINIT | none: its tickets have ciphers of krb5's own |"
fi
ask_both preferring
tell "kinit, krb5kdc" "as above" "both sides" AES-256-CBC
