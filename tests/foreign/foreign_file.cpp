#include "tests/foreign/foreign_file.hpp"

#include <algorithm>

#include "engine/text/base64.hpp"
#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/openssl_enc.hpp"

namespace phalanx::test {

Buffer varied(std::size_t size, unsigned seed) {
  Buffer bytes(size);
  std::uint32_t state = seed * 2654435761U + 1;
  for (std::uint8_t& byte : bytes) {
    state = state * 1664525 + 1013904223;
    byte = static_cast<std::uint8_t>(state >> 24);
  }
  return bytes;
}

ReadNext reading(Bytes bytes) {
  return [bytes, offset = std::size_t{0}](MutableBytes out) mutable {
    const std::size_t size = std::min(out.size(), bytes.size() - offset);
    std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(offset), size, out.begin());
    offset += size;
    return size;
  };
}

namespace {

void append(Buffer& to, Bytes bytes) { to.insert(to.end(), bytes.begin(), bytes.end()); }

Buffer padded(const ForeignFormat& format, const CipherFacts& facts, Bytes plain) {
  Buffer message(plain.begin(), plain.end());
  if (facts.mode != "ecb" && facts.mode != "cbc") return message;
  const std::size_t used = message.size() % facts.block_bytes;
  message.resize(message.size() - used + facts.block_bytes);
  const MutableBytes last = MutableBytes(message).last(facts.block_bytes);
  const std::size_t kept = pad_last_block(format.padding, last, used);
  message.resize(message.size() - facts.block_bytes + kept);
  return message;
}

}  // namespace

Buffer encrypt_old(const ForeignFormat& format, Bytes plain) {
  const bool from_passphrase = format.key.empty();
  const std::string name = from_passphrase ? full_name(parse_openssl_cipher_name(format.cipher)) : format.cipher;
  const CipherFacts& facts = cipher_facts(name);
  Buffer key(format.key.begin(), format.key.end());
  Buffer iv = format.begins_with_iv ? varied(facts.iv_bytes, 9) : Buffer(format.iv.begin(), format.iv.end());
  Buffer old;
  if (format.begins_with_iv) append(old, iv);
  if (from_passphrase) {
    Buffer salt(format.salt.begin(), format.salt.end());  // one that is given is not in the file
    if (format.salted && salt.empty()) {
      salt = varied(format.salt_bytes, 8);
      const std::string magic = "Salted__";
      old.insert(old.end(), magic.begin(), magic.end());
      append(old, salt);
    }
    key.resize(facts.key_bytes);
    iv.resize(facts.iv_bytes);
    derive_key_and_iv(format.derivation, format.passphrase, salt, key, iv);
  }
  Buffer message = padded(format, facts, plain);
  if (format.sectors.sector_bytes != 0) {
    SectorCipher(name, key, one_thread)
        .encrypt(format.sectors.first_tweak, format.sectors.tweak_step, format.sectors.sector_bytes, message, message);
  } else {
    Cipher(name, key, one_thread, {.allow_legacy = true}).encrypt(iv, message, message);
  }
  append(old, message);
  if (!format.base64) return old;
  Base64Encoder encoder;
  Buffer text(Base64Encoder::max_update_bytes(old.size()) + Base64Encoder::max_finish_bytes);
  const std::size_t size = encoder.update(old, text);
  text.resize(size + encoder.finish(MutableBytes(text).subspan(size)));
  return text;
}

}  // namespace phalanx::test
