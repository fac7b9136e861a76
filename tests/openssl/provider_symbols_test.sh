#!/bin/sh
# A provider is a guest in any program: it needs nothing but the C library, shows one name, and has no symbol that all libraries of a
# process share.
#
#   provider_symbols_test.sh PROVIDER
set -eu
needed=$(readelf --dynamic --wide "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p' | grep -vE '^(libc\.so\.6|libm\.so\.6|ld-linux-x86-64\.so\.2)$' || true)
[ -z "$needed" ] || { echo "it needs:"; echo "$needed"; exit 1; }

missing=$(nm --dynamic --undefined-only "$1" | grep -v '@GLIBC_' | grep -vE ' w (_ITM_(de)?registerTMCloneTable|__gmon_start__)$' || true)
[ -z "$missing" ] || { echo "undefined, and not the C library's:"; echo "$missing"; exit 1; }

shown=$(nm --dynamic --defined-only "$1" | sed 's/.* //')
[ "$shown" = OSSL_provider_init ] || { echo "shown to others:"; echo "$shown"; exit 1; }

unique=$(nm "$1" 2>/dev/null | grep ' u ' || true)
[ -z "$unique" ] || { echo "one for all libraries of a process:"; echo "$unique"; exit 1; }
readelf --dynamic --wide "$1" | grep -q NODELETE || { echo "it may be unloaded while contexts live"; exit 1; }
echo "$(nm --dynamic --undefined-only "$1" | grep -c '@GLIBC_') names of the C library, no other"
