#!/usr/bin/env bash
# Perl's Net::SSLeay, by IO::Socket::SSL: a server and a client, TLS 1.2 and 1.3, each beside the other without Phalanx, and both with it.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
perl -MIO::Socket::SSL -e 1 2>/dev/null || skip "Perl has no IO::Socket::SSL"
write_text
make_certificate
cat >serve.pl <<'END'
use strict; use warnings; use IO::Socket::SSL;
my ($port, $suite) = @ARGV;
my $server = IO::Socket::SSL->new(LocalAddr => "127.0.0.1", LocalPort => $port, Listen => 5, ReuseAddr => 1, SSL_cert_file => "certificate.pem",
  SSL_key_file => "key.pem", SSL_cipher_list => "ALL:\@SECLEVEL=0") or die "no server: $!, $SSL_ERROR";
open my $file, "<:raw", "text" or die;
my $text = do { local $/; <$file> };
while (1) {
  my $client = $server->accept or next;
  print $client $text;
  close $client;
}
END
cat >ask.pl <<'END'
use strict; use warnings; use IO::Socket::SSL;
my ($port, $version, $suite) = @ARGV;
$version =~ tr/./_/;
my %suite = $version eq "1_3" ? (SSL_ciphersuites => $suite) : (SSL_cipher_list => "$suite:\@SECLEVEL=0");
my $server = IO::Socket::SSL->new(PeerHost => "localhost", PeerPort => $port, SSL_ca_file => "certificate.pem", SSL_version => "TLSv$version", %suite)
  or die "no connection: $!, $SSL_ERROR";
my $is = $server->get_cipher;
die "the suite is $is, and not $suite" unless $is eq $suite;
binmode STDOUT;
my $part;
print $part while $server->sysread($part, 16384);
END
ask_all() {
  local round version suite
  choose "$1"
  for round in "${tls_rounds[@]}"; do
    read -r version suite <<<"$round"
    "${how[@]}" timeout 60 perl ask.pl "$port" "$version" "$suite" >received 2>errors || fail "IO::Socket::SSL: $round"
    cmp received text || fail "IO::Socket::SSL: $round"
  done
}
versions="IO::Socket::SSL $(version_of libio-socket-ssl-perl), Net::SSLeay $(version_of libnet-ssleay-perl)"
port=$(free_port)
choose plainly
serve "$port" perl serve.pl "$port"
ask_all plainly
used_nothing perl
ask_all preferring
tell "Perl, client" "$versions" "TLS 1.2 and 1.3, the server with OpenSSL's ciphers" "${tls_ciphers[@]}"
end_server
port=$(free_port)
choose preferring
serve "$port" perl serve.pl "$port"
ask_all plainly
tell "Perl, server" "as above" "TLS 1.2 and 1.3, the client with OpenSSL's ciphers" "${tls_ciphers[@]}"
ask_all preferring
tell "Perl, both" "as above" "both sides" "${tls_ciphers[@]}"
