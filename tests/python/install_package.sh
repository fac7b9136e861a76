#!/usr/bin/env bash
# Builds the Python package's wheels of a build folder's library, and installs Debian's Python's into an empty virtual environment,
# with what its tests need. Exits 77 (skipped) where no package index is reached.
#
#   install_package.sh SOURCE_FOLDER BUILD_FOLDER
set -euo pipefail
source=$1
build=$2
environment=$build/python/environment
rm -rf "$environment"
"$source/tools/build_wheels" --built "$build" "$build/wheels"
/usr/bin/python3 -m venv "$environment"
tag=$(/usr/bin/python3 -c 'import sys; print("cp%d%d" % sys.version_info[:2])')
wheel=$(echo "$build"/wheels/phalanx-*-"$tag"-"$tag"-manylinux*.whl)
"$environment/bin/pip" install -q --no-index "$wheel"  # needs nothing else
"$environment/bin/python" -c 'import phalanx; phalanx.self_test("cpu"); print(phalanx.__version__, "is installed")'
"$environment/bin/pip" install -q "phalanx[test,examples] @ file://$wheel" mypy pandas-stubs ||
  { echo "skipped: the packages of the tests cannot be had"; exit 77; }
touch "$environment/complete"

# Another version's wheel, where there is one: it is installed, and works.
for other in "$build"/wheels/*-abi3-*.whl; do
  [ -e "$other" ] || continue
  echo "$other"
done
