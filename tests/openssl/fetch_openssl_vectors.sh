#!/usr/bin/env bash
# Fetches the test vectors of OpenSSL's ciphers from Debian's source package of this release, by apt in a folder of its own, which
# touches nothing of the system's. Skipped (77) where that cannot be had.
#
#   fetch_openssl_vectors.sh FOLDER       the files are FOLDER/evpciph_*.txt afterwards
set -euo pipefail
folder=$1
[ ! -e "$folder/evpciph_aes_common.txt" ] || exit 0
rm -rf "$folder"
mkdir -p "$folder"
work=$(mktemp -d "$folder.XXXXXX")
trap 'rm -rf "$work"' EXIT
mkdir -p "$work"/{lists/partial,archives/partial,sources}

# Where this system has its packages from, sources are as well.
cp /etc/apt/sources.list "$work/sources/main.list" 2>/dev/null || true
cp /etc/apt/sources.list.d/*.list /etc/apt/sources.list.d/*.sources "$work/sources/" 2>/dev/null || true
find "$work/sources" -type f -not -name 'debian*' -not -name 'main.list' -delete
find "$work/sources" -type f -exec sed -i 's/^Types: deb$/Types: deb-src/; s/^deb /deb-src /' {} +
cat >"$work/apt.conf" <<EOF
Dir::State::lists "$work/lists";
Dir::Cache "$work";
Dir::Etc::sourcelist "/dev/null";
Dir::Etc::sourceparts "$work/sources";
APT::Sandbox::User "$(id -un)";
EOF
export APT_CONFIG="$work/apt.conf"
cd "$work"
if ! { apt-get -q update && apt-get -q source --tar-only openssl; } >"$work/log" 2>&1 || ! ls openssl_*.orig.tar.* >/dev/null 2>&1; then
  cat "$work/log"
  echo "skipped: apt-get has no source package of openssl here"
  exit 77
fi
archive=$(find . -name 'openssl_*.orig.tar.*' -not -name '*.asc' | sed -n 1p)
tar -xf "$archive" --wildcards --strip-components=4 -C "$folder" '*/test/recipes/30-test_evp_data/evpciph_*.txt'
echo "$(basename "$archive"): $(find "$folder" -name 'evpciph_*.txt' | wc -l) files of vectors"
