#!/usr/bin/env bash
# Builds the Python package's wheels of a build folder's library, and installs each into an empty virtual environment: Debian's
# Python's with all that the tests can use, that of later Pythons, where one is here, with the least. Exits 77 (skipped) where no
# package index is reached.
#
#   install_package.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
source=$1
build=$2
environment=$build/python/environment
later_environment=$build/python/later_environment
rm -rf "$environment" "$later_environment"
"$source/tools/release/build_wheels" --built "$build" "$build/wheels"
/usr/bin/python3 -m venv "$environment"
tag=$(/usr/bin/python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
for wheel in "$build"/wheels/phalanx-*-{"$tag",abi3}-*linux*.whl; do  # from 3.12 on it is that of the stable ABI
  [ ! -e "$wheel" ] || break
done
"$environment/bin/pip" install -q --no-index "$wheel"  # needs nothing else
"$environment/bin/python" -c 'import phalanx; phalanx.self_test("cpu"); print(phalanx.__version__, "is installed")'
"$environment/bin/pip" install -q "phalanx[test,examples] @ file://$wheel" mypy pandas-stubs ||
  { echo "skipped: the packages of the tests cannot be had"; exit 77; }
touch "$environment/complete"

for wheel in "$build"/wheels/phalanx-*-abi3-*linux*.whl; do
  [ -e "$wheel" ] || continue
  for built_by in "$source"/build/python/tools_cp3{12,13,14,15}/bin/python; do
    [ ! -x "$built_by" ] || break
  done
  "$built_by" -m venv "$later_environment"
  "$later_environment/bin/pip" install -q --no-index "$wheel"
  "$later_environment/bin/pip" install -q pytest numpy || { echo "skipped: pytest and NumPy cannot be had"; exit 77; }
  touch "$later_environment/complete"
done
