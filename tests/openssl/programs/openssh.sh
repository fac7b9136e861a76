#!/usr/bin/env bash
# ssh and sshd: each of their AES ciphers and triple DES; each beside the other without Phalanx, and both with it.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs_root
needs ssh
[ -x /usr/sbin/sshd ] || skip "sshd is not installed"
write_text
port=$(free_port)
mkdir -p /run/sshd
ssh-keygen -q -t ed25519 -N '' -f host_key
ssh-keygen -q -t ed25519 -N '' -f user_key
cp user_key.pub authorized_keys
ciphers=$(ssh -Q cipher | grep -E '^(aes|3des)' | paste -sd ,)
ours=(AES-128-CTR AES-192-CTR AES-256-CTR AES-128-GCM AES-256-GCM AES-128-CBC AES-256-CBC DES-EDE3-CBC)

# The text there and back by each cipher, with ssh of that environment.
ask_all() {
  local cipher
  choose "$1"
  for cipher in ${ciphers//,/ }; do
    timeout 60 "${how[@]}" ssh -F /dev/null -i user_key -p "$port" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR \
      -o "Ciphers=$cipher" root@127.0.0.1 cat <text "$work/text" >received 2>errors || fail "ssh -c $cipher, $1"
    cmp received text || fail "ssh -c $cipher, $1"
  done
}
start_sshd() {
  choose "$1"
  serve "$port" /usr/sbin/sshd -D -e -f /dev/null -p "$port" -h "$work/host_key" -o "AuthorizedKeysFile=$work/authorized_keys" -o StrictModes=no \
    -o PermitRootLogin=prohibit-password -o ListenAddress=127.0.0.1 -o "Ciphers=$ciphers"
}

start_sshd plainly
ask_all preferring
tell ssh "$(version_of openssh-client)" "$ciphers, to a server with OpenSSL's" "${ours[@]}"
end_server
start_sshd preferring
ask_all plainly
tell sshd "$(version_of openssh-server)" "$ciphers, for a client with OpenSSL's" "${ours[@]}"
ask_all preferring
tell "ssh, sshd" "as above" "both sides" "${ours[@]}"
