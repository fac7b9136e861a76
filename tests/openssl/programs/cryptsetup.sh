#!/usr/bin/env bash
# libcryptsetup, by cryptsetup: the key slots of LUKS volumes in files, which one writes with Phalanx and the other reads without, both ways.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs cryptsetup
printf words >passphrase
# volume_key ENVIRONMENT FILE: what the passphrase opens.
volume_key() {
  choose "$1"
  "${how[@]}" cryptsetup luksDump --batch-mode --dump-volume-key --key-file passphrase "$2" 2>errors | sed -n '/^MK dump\|^Volume Key\|^Key:/,$p'
}
count=0
for volume in "luks1 aes-cbc-essiv:sha256 256" "luks2 aes-xts-plain64 512"; do
  read -r type cipher key_bits <<<"$volume"
  kdf=(--pbkdf-force-iterations 1000)
  [ "$type" = luks1 ] || kdf+=(--pbkdf pbkdf2)
  for writer in plainly preferring; do
    truncate -s 32M volume
    choose "$writer"
    "${how[@]}" cryptsetup luksFormat --batch-mode --type "$type" "${kdf[@]}" --cipher "$cipher" --key-size "$key_bits" --key-file passphrase volume 2>errors ||
      fail "cryptsetup luksFormat, $volume, $writer"
    volume_key plainly volume >theirs
    volume_key preferring volume >ours
    [ -s theirs ] || fail "cryptsetup luksDump, $volume, $writer"
    cmp theirs ours || fail "cryptsetup: $volume, written $writer"
    rm volume
    count=$((count + 1))
  done
done
# It takes OpenSSL by a library context of its own, which reads no configuration: it works, and by the default provider.
used_nothing cryptsetup
echo "| cryptsetup (libcryptsetup) | $(version_of cryptsetup-bin) | $count volumes of LUKS 1 and 2: key slots written by one, read by the other | none: its library context reads no configuration |"
