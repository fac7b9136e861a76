#!/bin/sh
# The program that users install has nothing of reference/, of bench/ and of the libraries that we compare with, nor of src/program/cluster/: no symbol, and no library
# that it needs. Peers are in the namespace bench. phalanx-bench has all of them: there this test sees what it looks for.
# usage: program_symbols_test.sh PHALANX [PHALANX_BENCH]
set -eu
ours='phalanx::(reference|bench)::'
of_cluster=$("$(dirname "$0")"/../cluster/names_of_cluster.sh)
theirs='(gcrypt|nettle|crypto\+\+|cryptopp|botan|IPSec_MB)'

names_in() { nm -C "$1" | grep -E "$ours" || true; }
libraries_of() { readelf -d "$1" | grep NEEDED | grep -E "$theirs" || true; }

num_symbols=$(nm -C "$1" | grep -c 'phalanx::' || true)
[ "$num_symbols" -gt 100 ] || { echo "$1 has no symbols to look at"; exit 1; }
found=$(names_in "$1")
[ -z "$found" ] || { echo "symbols that $1 should not have:"; echo "$found" | sed -n 1,20p; exit 1; }
found=$(nm -C "$1" | grep -E "$of_cluster" || true)
[ -z "$found" ] || { echo "symbols of the cluster in $1:"; echo "$found" | sed -n 1,20p; exit 1; }
found=$(libraries_of "$1")
[ -z "$found" ] || { echo "libraries that $1 should not need:"; echo "$found"; exit 1; }

[ $# -lt 2 ] || [ -n "$(names_in "$2" | grep phalanx::reference::)" ] || { echo "$2 shows no symbol of reference/"; exit 1; }
