#!/usr/bin/env bash
# The provider has each cipher and object identifier of served_names.txt, and no other: docs/compatibility.md. OpenSSL shows names in a case
# of its own, and its releases may know more names of one cipher: a line of the list has those of ours, and OpenSSL's line has them all.
#
#   served_names_test.sh FOLDER_OF_PROVIDER [--write]
set -euo pipefail
export OPENSSL_MODULES=$1
kept=$(dirname "$0")/served_names.txt
now() {  # a line for each cipher: its names in small letters, in order
  env -u OPENSSL_CONF openssl list -provider default -provider phalanx -cipher-algorithms |
    sed -n 's/ @ phalanx$//p' | tr -d '{},' | tr '[:upper:]' '[:lower:]' |
    while read -ra names; do printf '%s\n' "${names[@]}" | LC_ALL=C sort | paste -sd ' '; done | LC_ALL=C sort
}
if [ "${2:-}" = --write ]; then
  now >"$kept"
  exit
fi
served=$(now)
fail() { echo "$1"; exit 1; }
while read -ra names; do
  line=$served
  for name in "${names[@]}"; do line=$(grep -E "(^| )${name//./\\.}( |\$)" <<<"$line" || true); done
  [ -n "$line" ] || fail "taken away: ${names[*]}"
done <"$kept"
[ "$(wc -l <<<"$served")" = "$(wc -l <"$kept")" ] || fail "a cipher is new: served_names_test.sh FOLDER --write keeps it"
echo "$(wc -l <"$kept") ciphers have their names"
