#!/usr/bin/env bash
# Builds the site and checks it. The last line is "N passed, N failed, N skipped".
#
#   tests/site/test_site.sh [build_site's argument...]      CI=true: what cannot be had is a failure
set -uo pipefail
cd "$(dirname "$0")/../.." || exit 1
passed=0 failed=0 skipped=0

# Counts a test, whose exit status 77 means that it was skipped.
count() {
  local name=$1 status=0
  shift
  "$@" || status=$?
  case "$status" in
    0) passed=$((passed + 1)) ;;
    77) skipped=$((skipped + 1)) ;;
    *) failed=$((failed + 1)) && echo "$name failed" ;;
  esac
  return "$status"
}

count build tests/needs_packages.sh tools/develop/build_site "$@" && count check tests/site/check_site.py . build/docs/html
count planted python3 -B tests/site/plant_names.py
echo "$passed passed, $failed failed, $skipped skipped"
[ "$failed" -eq 0 ]
