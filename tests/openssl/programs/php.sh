#!/usr/bin/env bash
# PHP: openssl_encrypt and openssl_decrypt by each cipher that it lists and we have, the same with Phalanx as without.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs php
php -r 'exit(extension_loaded("openssl") ? 0 : 1);' || skip "PHP has no extension for OpenSSL"
cat >crypt.php <<'END'
<?php
$text = str_repeat("a line of text\n", 5000);
$num_results = 0;
foreach (array_unique(openssl_get_cipher_methods()) as $method) {  // each comes once of each provider
  if (!preg_match('/^(aes-(128|192|256)-(ecb|cbc|ctr|cfb|cfb8|ofb|gcm|xts)|des-ede3?(-(cbc|cfb|ofb))?)$/', $method)) continue;
  $key = substr(hash("sha512", "a key", true), 0, openssl_cipher_key_length($method));
  $iv = substr(hash("sha512", "an iv", true), 0, openssl_cipher_iv_length($method));
  $tag = null;
  if (str_ends_with($method, "gcm")) {
    $sealed = openssl_encrypt($text, $method, $key, OPENSSL_RAW_DATA, $iv, $tag, "header");
    $opened = openssl_decrypt($sealed, $method, $key, OPENSSL_RAW_DATA, $iv, $tag, "header");
    $forged = openssl_decrypt($sealed, $method, $key, OPENSSL_RAW_DATA, $iv, strrev($tag), "header");
    if ($forged !== false) exit("$method takes a wrong tag\n");
  } else {
    $sealed = openssl_encrypt($text, $method, $key, OPENSSL_RAW_DATA, $iv);
    $opened = openssl_decrypt($sealed, $method, $key, OPENSSL_RAW_DATA, $iv);
  }
  if ($opened !== $text) exit("$method does not come back\n");
  echo $method, " ", hash("sha256", $sealed . $tag), "\n";
}
while (openssl_error_string() !== false);
var_dump(openssl_decrypt("no whole block", "aes-128-cbc", "0123456789abcdef", OPENSSL_RAW_DATA, "0123456789abcdef"));
while (($error = openssl_error_string()) !== false) echo preg_replace('/:[^:]*:.*?([^:]*)$/', ' $1', $error), "\n";
END
"${plainly[@]}" php crypt.php >theirs 2>errors || fail php
used_nothing php
"${preferring[@]}" php crypt.php >ours 2>errors || fail "php under a preference"
cmp theirs ours || { diff theirs ours; fail php; }
tell PHP "$(version_of "$(dpkg-query -S "$(realpath "$(command -v php)")" 2>/dev/null | cut -d : -f 1)")" "openssl_encrypt, openssl_decrypt: $(wc -l <ours) results and errors, the same" \
  AES-256-CBC AES-256-GCM AES-256-XTS DES-EDE3-CBC
