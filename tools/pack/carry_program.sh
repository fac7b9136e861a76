# Sourced by the scripts that pack programs for machines without our build tools and libraries. Needs patchelf.

# carry_program FILE TARGET LIBRARIES [LEFT_OUT]: copies a program or a library, stripped, and into the folder LIBRARIES what it is
# linked with, which it looks for in ../lib from where it lies. Left out is what every machine has, the libraries of C and of the
# compiler, and what begins as the regular expression LEFT_OUT says.
carry_program() {
  local everywhere='libc|libm|libdl|librt|libpthread|libstdc\+\+|libgcc_s|ld-linux-x86-64' library path
  cp -L "$1" "$2"
  strip "$2"
  # RPATH, not RUNPATH: it counts for the libraries of libraries too.
  patchelf --force-rpath --set-rpath '$ORIGIN/../lib' "$2"
  while read -r library _ path _; do
    [[ $library =~ ^($everywhere)\.so || (-n ${4:-} && $library =~ ^(${4:-})) || ! -e ${path:-} ]] || cp -Lu "$path" "$3/$library"
  done < <(ldd "$1" | grep '=> /')
}
