#!/usr/bin/env bash
# Ruby: OpenSSL::Cipher by each cipher that it lists and we have, and an encrypted key, the same with Phalanx as without.
# shellcheck source=tests/openssl/programs/preference.sh
. "$(dirname "$0")/preference.sh"
needs ruby
ruby -e 'require "openssl"' 2>/dev/null || skip "Ruby has no OpenSSL"
cat >crypt.rb <<'END'
require "openssl"
require "digest"
text = "a line of text\n" * 5000
ours = /\A(aes-(128|192|256)-(ecb|cbc|ctr|cfb|cfb8|ofb|gcm)|des-ede3?(-(cbc|cfb|ofb))?)\z/
OpenSSL::Cipher.ciphers.map(&:downcase).uniq.grep(ours).sort.each do |name|
  run = lambda do |encrypts, input, tag|
    cipher = OpenSSL::Cipher.new(name)
    encrypts ? cipher.encrypt : cipher.decrypt
    cipher.key = Digest::SHA512.digest("a key")[0, cipher.key_len]
    cipher.iv = Digest::SHA512.digest("an iv")[0, cipher.iv_len] if cipher.iv_len > 0
    cipher.auth_tag = tag if tag && !encrypts
    cipher.auth_data = "header" if cipher.authenticated?
    output = input.scan(/.{1,3331}/mn).map { |part| cipher.update(part) }.join + cipher.final
    [output, cipher.authenticated? && encrypts ? cipher.auth_tag : nil]
  end
  sealed, tag = run.call(true, text, nil)
  raise "#{name} does not come back" unless run.call(false, sealed, tag)[0] == text
  puts "#{name} #{Digest::SHA256.hexdigest(sealed + tag.to_s)}"
  next unless tag
  begin
    run.call(false, sealed, tag.reverse)
    raise "#{name} takes a wrong tag"
  rescue OpenSSL::Cipher::CipherError => error
    puts "#{name} #{error.class} #{error.message}"
  end
end
begin
  OpenSSL::Cipher.new("aes-128-cbc").decrypt.tap { |cipher| cipher.key = "k" * 16 }.final
rescue OpenSSL::Cipher::CipherError => error
  puts "#{error.class} #{error.message}"
end
key = OpenSSL::PKey::RSA.new(2048)
pem = key.to_pem(OpenSSL::Cipher.new("aes-256-cbc"), "words")
puts OpenSSL::PKey::RSA.new(pem, "words").to_der == key.to_der
END
"${plainly[@]}" ruby crypt.rb >theirs 2>errors || fail ruby
used_nothing ruby
"${preferring[@]}" ruby crypt.rb >ours 2>errors || fail "ruby under a preference"
cmp theirs ours || { diff theirs ours; fail ruby; }
tell Ruby "$(version_of "$(dpkg-query -S "$(realpath "$(command -v ruby)")" 2>/dev/null | cut -d : -f 1)")" "OpenSSL::Cipher, an encrypted key: $(wc -l <ours) results and errors, the same" \
  AES-256-CBC AES-256-GCM DES-EDE3-CBC
