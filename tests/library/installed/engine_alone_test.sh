#!/bin/sh
# The engine by itself: built from a bare folder with PHALANX_PARTS=engine, installed, found by CMake and pkg-config as phalanx-engine, and
# linked with the examples that need no files.
# usage: engine_alone_test.sh SOURCE GENERATOR C_COMPILER CXX_COMPILER
set -eu
source=$1 generator=$2 cc=$3 cxx=$4
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
say_log() { tail -n 20 "$folder/log"; echo "$1"; exit 1; }

# What it is built from: nothing else of the tree.
mkdir "$folder/source"
cp -r "$source/CMakeLists.txt" "$source/cmake" "$source/include" "$folder/source"
mkdir "$folder/source/src"
cp "$source/src/CMakeLists.txt" "$folder/source/src"
for room in $(sed -n 's/^foreach(room \(bytes .*\))$/\1/p' "$source/src/CMakeLists.txt"); do cp -r "$source/src/$room" "$folder/source/src"; done
[ -d "$folder/source/src/engine/chunked" ] || { echo "src/CMakeLists.txt does not list the engine's rooms in a line"; exit 1; }

# Without optimisation: it is tried whether it builds and runs, not how fast.
cmake -S "$folder/source" -B "$folder/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DPHALANX_PARTS=engine \
  -DPHALANX_CUDA=OFF -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 "-DPHALANX_KERNEL_OPTIONS=-O0" >"$folder/log" 2>&1 || say_log "cmake failed"
cmake --build "$folder/build" --parallel 2 --target installed >"$folder/log" 2>&1 || say_log "the engine does not build alone"
cmake --install "$folder/build" --prefix "$folder/prefix" >/dev/null
library=$(find "$folder/prefix" -name 'libphalanx-engine.so')
[ -n "$library" ] || { echo "there is no libphalanx-engine.so"; exit 1; }
readelf -d "$library" | grep -q 'SONAME.*libphalanx-engine\.so\.[0-9]*\.[0-9]*\]' || { echo "it has not a SONAME of its own"; exit 1; }
needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(lib[a-z+_]*\).*/\1/p' | grep -vxE 'libc|libm|libgcc_s|libstdc\+\+|libcrypto' || true)
[ -z "$needed" ] || { echo "it needs more than OpenSSL: $needed"; exit 1; }

# Each header is whole by itself, and none names a part above.
for header in "$folder"/prefix/include/phalanx/*; do
  case $header in *.h) language=c standard=c99 compiler=$cc ;; *) language=c++ standard=c++20 compiler=$cxx ;; esac
  echo "#include <phalanx/${header##*/}>" | "$compiler" -x $language -std=$standard -Wall -Wextra -Werror -fsyntax-only -I"$folder/prefix/include" - 2>"$folder/log" ||
    say_log "$header needs something else"
done

cat >"$folder/source/CMakeLists.txt" <<'END'
cmake_minimum_required(VERSION 3.25)
project(guest LANGUAGES CXX)
find_package(phalanx-engine REQUIRED)
foreach(example IN LISTS EXAMPLES)
  add_executable(${example} ${FOLDER}/${example}.cpp)
  target_link_libraries(${example} PRIVATE phalanx::phalanx-engine)
endforeach()
END
examples="chunked_stream encrypt_buffer message_batch sealed_batch volume_sectors"
cmake -S "$folder/source" -B "$folder/guest" -G "$generator" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_PREFIX_PATH="$folder/prefix" \
  "-DEXAMPLES=$(echo $examples | tr ' ' ';')" -DFOLDER="$source/examples" >"$folder/log" 2>&1 || say_log "CMake does not find phalanx-engine"
cmake --build "$folder/guest" >"$folder/log" 2>&1 || say_log "the examples do not link"
for example in $examples; do (cd "$folder" && "guest/$example" >/dev/null) || { echo "$example failed"; exit 1; }; done

PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name phalanx-engine.pc)")
LD_LIBRARY_PATH=$(dirname "$library")
export PKG_CONFIG_PATH LD_LIBRARY_PATH
# shellcheck disable=SC2046  # the flags are words
"$cc" -std=c99 "$source/examples/message_batch_in_c.c" -o "$folder/in_c" $(pkg-config --cflags --libs phalanx-engine)
"$folder/in_c" >/dev/null
