#!/bin/sh
# Installs the library into a folder of its own and builds the examples against nothing but that, with CMake and with pkg-config.
# usage: install_test.sh BUILD|--installed SOURCE C_COMPILER CXX_COMPILER        --installed: what a package put where compilers look
set -eu
build=$1 source=$2 cc=$3 cxx=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM

if [ "$build" != --installed ]; then
  cmake --install "$build" --prefix "$folder/prefix" --component library >/dev/null
  mv "$folder/prefix" "$folder/moved"  # the installed tree may be moved
fi
cp -r "$source/examples" "$folder/examples"

examples="add_recipient chunked_stream container_parts container_stream encrypt_buffer file_in_place message_batch old_messages sealed_batch volume_sectors"
run_all() {
  for program in $examples message_batch_in_c seal_message_in_c; do
    (cd "$folder" && "$1/$program") || { echo "$1/$program failed"; exit 1; }
  done
  rm -f "$folder/new"
  "$1/migrate_file_in_c" "$folder/old" old "$folder/new" new || { echo "$1/migrate_file_in_c failed"; exit 1; }
  for program in migrate_tree migrate_tree_in_c; do
    rm -rf "$folder/containers" "$folder/manifest"
    look=$(echo "$program" | sed 's/^migrate_tree/look_at_tree/')
    "$1/$look" "$folder/old_files" "$folder/containers" "$folder/manifest" old || { echo "$1/$look failed beforehand"; exit 1; }
    "$1/$program" "$folder/old_files" "$folder/containers" "$folder/manifest" old new || { echo "$1/$program failed"; exit 1; }
    [ -f "$folder/containers/old.phalanx" ] || { echo "$1/$program made no container"; exit 1; }
    "$1/$look" "$folder/old_files" "$folder/containers" "$folder/manifest" old new || { echo "$1/$look failed afterwards"; exit 1; }
  done
  rm -rf "$folder/backup"
  for night in 1 2; do
    "$1/seal_tree_in_c" "$folder/old_files" "$folder/backup" new || { echo "$1/seal_tree_in_c failed in night $night"; exit 1; }
  done
  [ -f "$folder/backup/old.phalanx" ] || { echo "$1/seal_tree_in_c made no container"; exit 1; }
  rm -f "$folder/upload" "$folder/upload_in_c"
  seq 1000 | head -c 32 >"$folder/key"
  "$1/file_in_place_in_c" "$folder/key" "$folder/new" || { echo "$1/file_in_place_in_c failed"; exit 1; }
  seq 1000 | "$1/upload_to_container" "$folder/upload" open || { echo "$1/upload_to_container failed"; exit 1; }
  seq 1000 | "$1/upload_to_container_in_c" "$folder/upload_in_c" open other || { echo "$1/upload_to_container_in_c failed"; exit 1; }
}
seq 1000 | openssl enc -des3 -md md5 -pass pass:old -out "$folder/old" 2>/dev/null
mkdir "$folder/old_files"
cp "$folder/old" "$folder/old_files/old"

cmake -S "$folder/examples" -B "$folder/with_cmake" -DCMAKE_PREFIX_PATH="$folder/moved" \
  -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
cmake --build "$folder/with_cmake" >"$folder/log" 2>&1 || { cat "$folder/log"; exit 1; }
run_all "$folder/with_cmake"
# Examples for GPUs are built where CMake finds CUDA. Each ends well without a GPU too, and says why.
if grep -q '^CUDAToolkit_BIN_DIR:PATH=/' "$folder/with_cmake/CMakeCache.txt"; then
  for program in device_aead_pages device_pointers; do
    "$folder/with_cmake/$program" || { echo "$program failed"; exit 1; }
  done
fi

mkdir "$folder/with_pkg_config"
if [ "$build" = --installed ]; then
  flags=$(pkg-config --cflags --libs phalanx)
else
  PKG_CONFIG_PATH=$(dirname "$(find "$folder/moved" -name phalanx.pc)")
  export PKG_CONFIG_PATH
  # As docs/library.md has it for a prefix of one's own: programs find a shared library by the folder that they name.
  flags="$(pkg-config --cflags --libs phalanx) -Wl,-rpath,$(dirname "$PKG_CONFIG_PATH")"
fi
for example in $examples look_at_tree migrate_tree upload_to_container; do
  # shellcheck disable=SC2086  # the flags are words
  "$cxx" -std=c++20 -Wall -Wextra -Werror "$folder/examples/$example.cpp" -o "$folder/with_pkg_config/$example" $flags
done
for example in file_in_place_in_c look_at_tree_in_c message_batch_in_c migrate_file_in_c migrate_tree_in_c seal_message_in_c seal_tree_in_c upload_to_container_in_c; do
  # shellcheck disable=SC2086
  "$cc" -std=c99 -Wall -Wextra -Wpedantic -Werror "$folder/examples/$example.c" -o "$folder/with_pkg_config/$example" $flags
done
run_all "$folder/with_pkg_config"

# Who ignores a result of C is warned.
printf '#include <phalanx/phalanx.h>\nint main(void) { phalanx_self_test(NULL); return 0; }\n' >"$folder/ignored_result.c"
# shellcheck disable=SC2086
if "$cc" -std=c99 -Werror -c "$folder/ignored_result.c" -o "$folder/ignored_result.o" $flags 2>"$folder/log"; then echo "a result may be ignored"; exit 1; fi
grep -q 'unused-result' "$folder/log" || { cat "$folder/log"; exit 1; }

# Who does not ask for C++20 is told so, and little else.
echo '#include <phalanx/files/container.hpp>' >"$folder/earlier_standard.cpp"
# shellcheck disable=SC2086
if "$cxx" -std=c++17 -c "$folder/earlier_standard.cpp" -o "$folder/earlier_standard.o" $flags 2>"$folder/log"; then echo "C++17 is taken"; exit 1; fi
grep -q 'Phalanx needs C++20: compile with -std=c++20' "$folder/log" || { cat "$folder/log"; exit 1; }
[ "$(wc -l <"$folder/log")" -lt 20 ] || { echo "C++17 draws more than that"; cat "$folder/log"; exit 1; }
