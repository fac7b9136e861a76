#!/usr/bin/env bash
# PostgreSQL's pgcrypto: a server with Phalanx gives what one without it gives.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs_root
postgres=$({ find /usr/lib/postgresql -maxdepth 2 -name bin 2>/dev/null || true; } | sort -V | sed -n '$p')
[ -n "$postgres" ] || skip "PostgreSQL is not installed"
release=$(basename "$(dirname "$postgres")")
[ -e "/usr/share/postgresql/$release/extension/pgcrypto.control" ] || skip "pgcrypto is not installed"
cat >calls.sql <<'END'
create extension if not exists pgcrypto;
select encode(digest(encrypt(convert_to(repeat('text', 10000), 'UTF8'), 'sixteen bytes...', c), 'sha256'), 'hex') from unnest(array['aes', 'aes-cbc', 'aes-ecb', '3des', 'aes-cbc/pad:pkcs']) c;
select convert_from(decrypt(encrypt('secret', 'key', c), 'key', c), 'UTF8') from unnest(array['aes', '3des']) c;
select pgp_sym_decrypt(pgp_sym_encrypt(repeat('text', 1000), 'words', 'cipher-algo=' || c), 'words') = repeat('text', 1000) from unnest(array['aes128', 'aes192', 'aes256', '3des']) c;
END
mkdir data
chown postgres data
runuser -u postgres -- "$postgres/initdb" -D "$work/data" -A trust >errors 2>&1 || fail initdb
for environment in plainly preferring; do
  choose "$environment"
  runuser -u postgres -- "${how[@]}" "$postgres/pg_ctl" -D "$work/data" -w -l "$work/data/log" -o "-c listen_addresses= -k $work/data" start >errors 2>&1 || fail "pg_ctl"
  runuser -u postgres -- psql -h "$work/data" -qAt -f "$work/calls.sql" postgres >"$environment" 2>errors || fail "pgcrypto, $environment"
  runuser -u postgres -- "$postgres/pg_ctl" -D "$work/data" -w -m immediate stop >errors 2>&1
  [ "$environment" = preferring ] || used_nothing pgcrypto
done
cmp plainly preferring || fail "pgcrypto"
tell pgcrypto "$(version_of "postgresql-$release")" "$(wc -l <preferring) results, the same as by OpenSSL" AES-128-CBC DES-EDE3-CBC
