#!/bin/sh
# Each part by itself, with those below it: built from a bare folder that has nothing of the parts above, installed, found by CMake and
# pkg-config, and linked with the examples that need no more. `engine`: that alone is built, and of the parts above it is tried whether
# CMake is content.
# usage: parts_alone_test.sh SOURCE GENERATOR C_COMPILER CXX_COMPILER engine|all
set -eu
source=$1 generator=$2 cc=$3 cxx=$4 built=$5
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT INT TERM
say_log() { tail -n 20 "$folder/log"; echo "$1"; exit 1; }

mkdir -p "$folder/source/src" "$folder/source/include/phalanx"
cp -r "$source/CMakeLists.txt" "$source/cmake" "$folder/source"
cp "$source/src/CMakeLists.txt" "$folder/source/src"
cp "$source"/include/phalanx/*.h* "$folder/source/include/phalanx"
rm "$folder"/source/include/phalanx/files.h* "$folder"/source/include/phalanx/parquet.h*

# add_part NAME: what the part is built from, beside what is there.
add_part() {
  cp -r "$source/src/$1" "$folder/source/src"
  [ "$1" = engine ] || cp -r "$source/include/phalanx/$1" "$source/include/phalanx/$1.h" "$source/include/phalanx/$1.hpp" "$folder/source/include/phalanx"
}

# configure PARTS SHARED: without optimisation, since it is tried whether it builds and runs, not how fast. The parts below are not
# compiled again.
configure() {
  cmake -S "$folder/source" -B "$folder/build" -G "$generator" -DCMAKE_C_COMPILER="$cc" -DCMAKE_CXX_COMPILER="$cxx" -DPHALANX_PARTS="$1" \
    -DPHALANX_PROGRAM=OFF -DPHALANX_CUDA=OFF -DBUILD_SHARED_LIBS="$2" -DCMAKE_BUILD_TYPE=Debug -DCMAKE_CXX_FLAGS_DEBUG=-O0 \
    "-DPHALANX_KERNEL_OPTIONS=-O0" >"$folder/log" 2>&1 || say_log "cmake failed for $1"
}

# build PARTS PACKAGE SHARED
build() {
  configure "$1" "$3"
  rm -rf "$folder/prefix"
  cmake --build "$folder/build" --parallel 2 --target installed >"$folder/log" 2>&1 || say_log "$1 does not build alone"
  cmake --install "$folder/build" --prefix "$folder/prefix" >"$folder/log" 2>&1 || say_log "$1 is not installed"
  package=$2
}

# Of the shared library: its name, and that it needs no more than OpenSSL.
check_shared_library() {
  library=$(find "$folder/prefix" -name "lib$package.so")
  [ -n "$library" ] || { echo "there is no lib$package.so"; exit 1; }
  readelf -d "$library" | grep "SONAME.*lib$package\.so\.[0-9]*\.[0-9]*\]" >/dev/null || { echo "$package has not a SONAME of its own"; exit 1; }
  needed=$(readelf -d "$library" | sed -n 's/.*NEEDED.*\[\(lib[a-z+_]*\).*/\1/p' | grep -vxE 'libc|libm|libgcc_s|libstdc\+\+|libcrypto' || true)
  [ -z "$needed" ] || { echo "$package needs more than OpenSSL: $needed"; exit 1; }
}

# Each header is whole by itself, and none names a part above.
check_headers() {
  for header in $(cd "$folder/prefix/include" && find phalanx -name '*.h' -o -name '*.hpp'); do
    case $header in *.h) language=c standard=c99 compiler=$cc ;; *) language=c++ standard=c++20 compiler=$cxx ;; esac
    echo "#include <$header>" | "$compiler" -x $language -std=$standard -Wall -Wextra -Werror -fsyntax-only -I"$folder/prefix/include" - 2>"$folder/log" ||
      say_log "$header of $package needs something else"
  done
}

# link COMPONENT EXAMPLE...: by CMake, against one part.
link() {
  component=$1
  shift
  mkdir -p "$folder/guest_source"
  cat >"$folder/guest_source/CMakeLists.txt" <<END
cmake_minimum_required(VERSION 3.25)
project(guest LANGUAGES CXX)
find_package($package REQUIRED COMPONENTS $component)
foreach(example IN ITEMS $*)
  add_executable(\${example} $source/examples/\${example}.cpp)
  target_link_libraries(\${example} PRIVATE phalanx::$component)
endforeach()
END
  rm -rf "$folder/guest"
  cmake -S "$folder/guest_source" -B "$folder/guest" -G "$generator" -DCMAKE_CXX_COMPILER="$cxx" -DCMAKE_CXX_FLAGS=-O0 \
    -DCMAKE_PREFIX_PATH="$folder/prefix" >"$folder/log" 2>&1 || say_log "CMake does not find $component of $package"
  cmake --build "$folder/guest" >"$folder/log" 2>&1 || say_log "the examples do not link with $component of $package"
  for example in "$@"; do (cd "$folder" && "guest/$example" >/dev/null) || { echo "$example failed with $component of $package"; exit 1; }; done
}

# refuse_component THERE: a component that there is not is named, beside those that there are.
refuse_component() {
  sed -i 's/COMPONENTS [a-z]*/COMPONENTS novel/' "$folder/guest_source/CMakeLists.txt"
  if cmake -S "$folder/guest_source" -B "$folder/none" -G "$generator" -DCMAKE_PREFIX_PATH="$folder/prefix" >"$folder/log" 2>&1; then
    echo "find_package finds a component that there is not"
    exit 1
  fi
  rm -rf "$folder/none"
  tr -s ' \n' ' ' <"$folder/log" | grep -qF "there is no component novel; the components of this package: $1." ||
    say_log "find_package does not say which components of $package there are"
}

# link_by_pkg_config: an example in C, against the package.
link_by_pkg_config() {
  PKG_CONFIG_PATH=$(dirname "$(find "$folder/prefix" -name "$package.pc")")
  LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
  export PKG_CONFIG_PATH LD_LIBRARY_PATH
  # shellcheck disable=SC2046  # the flags are words
  "$cc" -std=c99 "$source/examples/message_batch_in_c.c" -o "$folder/in_c" $(pkg-config --cflags --libs "$package")
  "$folder/in_c" >/dev/null
  unset PKG_CONFIG_PATH LD_LIBRARY_PATH
}

of_engine="chunked_stream encrypt_buffer message_batch sealed_batch volume_sectors"
add_part engine
build engine phalanx-engine ON
check_shared_library
check_headers
# shellcheck disable=SC2086  # the names are words
link engine $of_engine
refuse_component engine
link_by_pkg_config

add_part files
if [ "$built" = engine ]; then
  configure files OFF
  add_part parquet
  configure all OFF
  exit 0
fi
build files phalanx-files OFF
check_headers
link files add_recipient container_parts container_stream
link engine encrypt_buffer  # from the archive of one part of the two
link_by_pkg_config

add_part parquet
build all phalanx OFF
check_headers
link parquet encrypt_buffer container_stream
refuse_component "parquet, files, engine"
