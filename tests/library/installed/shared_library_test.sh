#!/bin/sh
# The shared library exports the names of exported_names.txt and nothing else of ours, has nothing of src/program/cluster/, and the examples run with it.
# usage: shared_library_test.sh LIBRARY SOURCE C_COMPILER CXX_COMPILER
set -eu
library=$1 source=$2 cc=$3 cxx=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

version=$(sed -n 's/^#define PHALANX_VERSION_NAMESPACE //p' "$source/include/phalanx/version.h")
# Ours alone, without arguments: what the standard library's templates add, and how its types are spelled, depends on the compiler.
nm -D --defined-only --without-symbol-versions "$library" | c++filt | cut -d' ' -f3- | grep -E '(phalanx|Phalanx)' | grep -vE '^(void |[^(]*)?std::' >"$folder/with_version"
unversioned=$(grep 'phalanx::' "$folder/with_version" | grep -v "phalanx::$version::" || true)
[ -z "$unversioned" ] || { echo "names of C++ without the version: $unversioned"; exit 1; }
sed "s/phalanx::$version::/phalanx::/g" "$folder/with_version" >"$folder/ours"
grep -vE '^(typeinfo|vtable|guard variable) ' "$folder/ours" | sed -E 's/\[abi:cxx11\]//; s/\(.*//' | LC_ALL=C sort -u >"$folder/exported"
diff -u "$source/tests/library/installed/exported_names.txt" "$folder/exported" || { echo "exported_names.txt is not what the library exports"; exit 1; }
grep -qxF 'typeinfo for phalanx::Error' "$folder/ours" || { echo "phalanx::Error cannot be caught"; exit 1; }
if nm -D --undefined-only "$library" | grep -w umask >/dev/null; then echo "changes the umask of its process"; exit 1; fi
of_cluster=$("$source/tests/cluster/names_of_cluster.sh")
if nm -C "$library" | grep -E "$of_cluster"; then echo "has something of src/program/cluster/"; exit 1; fi
readelf -d "$library" | grep NODELETE >/dev/null || { echo "may be unloaded under its threads"; exit 1; }
readelf -d "$library" | grep 'SONAME.*libphalanx\.so\.[0-9]*\.[0-9]*\]' >/dev/null || { echo "no SONAME of two numbers"; exit 1; }

LD_LIBRARY_PATH=$(dirname "$library")
export LD_LIBRARY_PATH
for example in add_recipient chunked_stream container_parts container_stream encrypt_buffer file_in_place message_batch sealed_batch volume_sectors; do
  "$cxx" -std=c++20 -I"$source/include" "$source/examples/$example.cpp" -o "$folder/$example" "$library"
  (cd "$folder" && "./$example")
done
for example in message_batch_in_c migrate_file_in_c; do
  "$cc" -std=c99 -I"$source/include" "$source/examples/$example.c" -o "$folder/$example" "$library"
done
"$folder/message_batch_in_c"
seq 1000 | openssl enc -des3 -md md5 -pass pass:old -out "$folder/old" 2>/dev/null
"$folder/migrate_file_in_c" "$folder/old" old "$folder/new" new | grep "^SHA-256 $(seq 1000 | sha256sum | cut -d' ' -f1), written with md5$"

# What was compiled with the headers of another version does not link.
cp -r "$source/include" "$folder/other_version"
sed -i "s/ $version\$/ v0_0_0/" "$folder/other_version/phalanx/version.h"
if "$cxx" -std=c++20 -I"$folder/other_version" "$source/examples/encrypt_buffer.cpp" -o "$folder/other" "$library" 2>"$folder/log"; then
  echo "a program of another version links"
  exit 1
fi
grep -q 'undefined reference.*v0_0_0' "$folder/log" || { cat "$folder/log"; exit 1; }
