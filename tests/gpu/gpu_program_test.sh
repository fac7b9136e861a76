#!/usr/bin/env bash
# The program over --engine cuda, from files to files: the same bytes as over --engine cpu, as OpenSSL's where it is installed, and
# back again; a pipe, a file in place, and a file of more than 4 GiB where there is room.
#
#   gpu_program_test.sh PATH_OF_PHALANX
#
# The last line counts the checks. Exits 1 if one fails, 77 where the engine cuda cannot run.
set -euo pipefail
export LC_ALL=C

phalanx=$(realpath "$1")
num_passed=0
num_failed=0
num_skipped=0

"$phalanx" engines | grep '^cuda  *yes' >/dev/null || { echo "no usable GPU"; exit 77; }
place=${TMPDIR:-/dev/shm}
folder=$(mktemp -d "$place/phalanx_gpu.XXXXXX")
trap 'rm -rf "$folder"' EXIT
cd "$folder"

# check WHAT COMMAND...: counts whether the command succeeds.
check() {
  local what=$1
  shift
  if "$@"; then
    num_passed=$((num_passed + 1))
  else
    num_failed=$((num_failed + 1))
    echo "FAILED: $what" >&2
  fi
}

# crypt ENGINE encrypt|decrypt NAME IN OUT
crypt() {
  local iv=(--iv "${ivs[${3##*-}]:-}")
  case $3 in
    des*-ctr | des*-cbc | 2des*) iv[1]=${iv[1]:0:16} ;;
    *-ecb) iv=() ;;
    *-xts) iv=(--sector-size 4096) ;;
  esac
  "$phalanx" raw "$2" --engine "$1" --cipher "$3" "${iv[@]}" --key-file "key.$(key_bytes_of "$3")" --allow-legacy -q -f "$4" "$5"
}
key_bytes_of() {
  case $1 in
    des-ede3-*) echo 24 ;;
    des-ede-* | 2des-* | *-128-xts) [[ $1 == *xts ]] && echo 32 || echo 16 ;;
    des-*) echo 8 ;;
    *-256-xts) echo 64 ;;
    *-128-*) echo 16 ;;
    *-192-*) echo 24 ;;
    *) echo 32 ;;
  esac
}
declare -A ivs=([ctr]=00ffffffffffffffffffffffffffff00 [cbc]=0f1e2d3c4b5a69788796a5b4c3d2e1f0
  [cfb]=8796a5b4c3d2e1f00f1e2d3c4b5a6978)
for size in 8 16 24 32 64; do head -c "$size" /dev/urandom >"key.$size"; done

there_and_back() { # NAME FILE
  crypt cuda encrypt "$1" "$2" by_cuda
  crypt cpu encrypt "$1" "$2" by_cpu
  check "$1 encrypts $2 as the CPU" cmp by_cuda by_cpu
  crypt cuda decrypt "$1" by_cpu back
  check "$1 decrypts $2" cmp "$2" back
}

# The key is made for this run: openssl takes it as an argument only.
as_openssl() { # NAME FILE
  crypt cuda encrypt "$1" "$2" by_cuda
  openssl enc "-$1" -K "$(od -An -v -tx1 "key.$(key_bytes_of "$1")" | tr -d ' \n')" -iv "$3" -in "$2" -out by_openssl
  check "$1 encrypts $2 as OpenSSL" cmp by_cuda by_openssl
  crypt cuda decrypt "$1" by_openssl back
  check "$1 decrypts $2 of OpenSSL" cmp "$2" back
}

for size in 17 4194304 4194305 16777232 100000003; do head -c "$size" /dev/urandom >"plain.$size"; done
for name in des-ede3-cbc des-ctr 2des-cbc aes-128-ctr aes-192-cbc serpent-256-ctr twofish-256-cfb aes-256-ecb; do
  for size in 17 4194305; do there_and_back "$name" "plain.$size"; done
done
for name in des-ede3-ctr aes-256-ctr serpent-128-cbc twofish-128-ecb; do
  for size in 16777232 100000003; do there_and_back "$name" "plain.$size"; done
done
for name in aes-256-xts serpent-128-xts twofish-256-xts; do
  for size in 4194304 16777232; do there_and_back "$name" "plain.$size"; done
done

if command -v openssl >/dev/null; then
  as_openssl aes-256-ctr plain.100000003 "${ivs[ctr]}"
  as_openssl aes-128-cbc plain.4194305 "${ivs[cbc]}"
  as_openssl des-ede3-cbc plain.4194305 "${ivs[cbc]:0:16}"
else
  num_skipped=$((num_skipped + 1))
fi

crypt cpu encrypt aes-256-ctr plain.100000003 by_cpu
crypt cuda encrypt aes-256-ctr - - <plain.100000003 | cmp - by_cpu && piped=true || piped=false
check "aes-256-ctr through pipes" $piped
cp plain.100000003 in_place
"$phalanx" raw encrypt --engine cuda --cipher aes-256-ctr --iv "${ivs[ctr]}" --key-file key.32 -q --in-place in_place
check "aes-256-ctr in place" cmp in_place by_cpu
rm -f plain.* by_* back in_place

free_kib=$(df -Pk . | awk 'END { print $4 }')
if [ "$free_kib" -ge $((14 * 1024 * 1024)) ]; then
  truncate -s $(((4 << 30) + 4099)) plain.large
  there_and_back aes-256-ctr plain.large
else
  num_skipped=$((num_skipped + 1))
fi
echo "$num_passed passed, $num_failed failed, $num_skipped skipped"
[ "$num_failed" -eq 0 ]
