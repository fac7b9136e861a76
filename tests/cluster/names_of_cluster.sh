#!/bin/sh
# Prints a pattern of all classes of src/program/cluster/, as nm -C shows them: neither the library nor phalanx has any.
set -eu
headers=$(dirname "$0")/../../src/program/cluster
names=$(sed -nE 's/^(class|struct) ([A-Z][A-Za-z]+)( final)?( :.*)? [{].*/\2/p' "$headers"/*.hpp | LC_ALL=C sort -u)
for name in Coordinator JobDecoder JobEncoder JobShare Ranks Worker; do
  printf '%s\n' "$names" | grep -x "$name" >/dev/null || { echo "src/program/cluster/ has no class $name" >&2; exit 1; }
done
printf 'phalanx::(%s)\\b' "$(printf '%s' "$names" | tr '\n' '|')"
