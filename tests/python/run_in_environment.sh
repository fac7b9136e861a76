#!/usr/bin/env bash
# Runs a command with the package that install_package.sh has installed; exits 77 (skipped) where it could not.
#
#   run_in_environment.sh ENVIRONMENT COMMAND...        COMMAND: pytest, mypy or python, of that environment
set -euo pipefail
environment=$1
shift
[ -e "$environment/complete" ] || { echo "skipped: the package is not installed"; exit 77; }
export PYTHONDONTWRITEBYTECODE=1
cd "$environment"  # no folder of the source, which would be imported instead
command=$1
shift
exec "$environment/bin/$command" "$@"
