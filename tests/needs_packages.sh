#!/bin/sh
# Runs a test that is skipped (77) where a package is missing: with CI=true, where all can be had, that is a failure.
#
#   needs_packages.sh COMMAND...
"$@"
status=$?
[ "$status" -eq 77 ] && [ "${CI:-}" = true ] || exit "$status"
echo "failed: with CI=true what cannot be had is a failure"
exit 1
