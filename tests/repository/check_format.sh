#!/bin/sh
# Skipped (77) where clang-format or the git checkout is missing: a plain `make test` does not install the formatter.
cd "$1" || exit 1
command -v clang-format-14 >/dev/null && git rev-parse --git-dir >/dev/null 2>&1 ||
  { echo "skipped: no clang-format-14, or no checkout of git"; exit 77; }
exec tools/develop/format_sources --dry-run --Werror
