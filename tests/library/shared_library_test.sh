#!/bin/sh
# The shared library exports the public interface and nothing else of ours, and the examples run with it.
# usage: shared_library_test.sh LIBRARY SOURCE C_COMPILER CXX_COMPILER
set -eu
library=$1 source=$2 cc=$3 cxx=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

nm -D --defined-only "$library" | c++filt | cut -d' ' -f3- >"$folder/exported"
# The names of phalanx:: that phalanx.hpp and container.hpp declare, with what the compiler adds to them, and phalanx_... of the C
# headers.
allowed='^(typeinfo (name )?for |vtable for |guard variable for )?(phalanx::(Cipher|Error|engines|self_test|cipher_names|mode_names|version|ContainerReader|container_bytes|seal_container)\b|phalanx_[a-z_]+$)'
ours=$(grep -E '(phalanx|Phalanx)' "$folder/exported" | grep -vE '^(void |[^(]*)?std::' || true)
extra=$(printf '%s\n' "$ours" | grep -vE "$allowed" || true)
[ -z "$extra" ] || { echo "exported, and not in the public headers:"; echo "$extra"; exit 1; }
for name in 'phalanx::Cipher::encrypt(' phalanx_encrypt_batch 'typeinfo for phalanx::Error'; do
  printf '%s\n' "$ours" | grep -qF "$name" || { echo "not exported: $name"; exit 1; }
done

LD_LIBRARY_PATH=$(dirname "$library")
export LD_LIBRARY_PATH
for example in container_parts encrypt_buffer message_batch; do
  "$cxx" -std=c++20 -I"$source/include" "$source/examples/$example.cpp" -o "$folder/$example" "$library"
  "$folder/$example"
done
"$cc" -std=c99 -I"$source/include" "$source/examples/message_batch_in_c.c" -o "$folder/message_batch_in_c" "$library"
"$folder/message_batch_in_c"
