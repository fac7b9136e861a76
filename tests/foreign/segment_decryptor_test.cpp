// CFB with segments of a byte and a bit: the standard's examples, and pieces that are cut anywhere.
#include "files/foreign/segment_decryptor.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <string_view>

#include "engine/text/hex.hpp"
#include "files/foreign/message_plan.hpp"
#include "tests/foreign/format_fixture.hpp"

namespace phalanx {
namespace {

using Octets = std::vector<std::uint8_t>;

constexpr std::string_view standard_key = "2b7e151628aed2a6abf7158809cf4f3c";
constexpr std::string_view standard_iv = "000102030405060708090a0b0c0d0e0f";

Octets from_hex(std::string_view digits) {
  Octets bytes(digits.size() / 2);
  decode_hex(digits, "a test's value", bytes);
  return bytes;
}

ChainValue chain_of(Bytes bytes) {
  ChainValue chain;
  chain.size = bytes.size();
  std::ranges::copy(bytes, chain.bytes.begin());
  return chain;
}

SegmentDecryptor decryptor_of(const char* name, Bytes key, Bytes iv) {
  return {parse_openssl_cipher_name(name), key, chain_of(iv), EngineOptions{"cpu:scalar", 1}};
}

// The part of the ciphertext from `begin` on, decrypted by itself.
Octets decrypt_part(SegmentDecryptor& decryptor, const Octets& ciphertext, std::size_t begin, std::size_t block_bytes) {
  Octets buffer(ciphertext.begin() + static_cast<std::ptrdiff_t>(begin), ciphertext.end());
  Piece piece;
  piece.buffer = buffer;
  piece.size = buffer.size();
  piece.offset = begin;
  if (begin != 0) piece.preceding = chain_of(Bytes(ciphertext).subspan(begin - block_bytes, block_bytes));
  decryptor.process(piece);
  return buffer;
}

// SP 800-38A appendix F.3.7 and F.3.1.
TEST(SegmentDecryptor, DecryptsTheStandardsExamples) {
  SegmentDecryptor bytes = decryptor_of("aes-128-cfb8", from_hex(standard_key), from_hex(standard_iv));
  EXPECT_EQ(encode_hex(decrypt_part(bytes, from_hex("3b79424c9c0dd436bace9e0ed4586a4f32b9"), 0, 16)),
            "6bc1bee22e409f96e93d7e117393172aae2d");
  SegmentDecryptor bits = decryptor_of("aes-128-cfb1", from_hex(standard_key), from_hex(standard_iv));
  EXPECT_EQ(encode_hex(decrypt_part(bits, from_hex("68b3"), 0, 16)), "6bc1");
}

// As the standard has it, a segment at a time, by ECB alone: another way than the windows.
Octets decrypt_serially(const ForeignCipher& named, Bytes key, Bytes iv, const Octets& ciphertext) {
  const RawCipher ecb(named.engine, key, false, [] {
    RunOptions options{EngineOptions{"cpu:scalar", 1}};
    options.policy.allow_legacy = true;
    return options;
  }());
  Octets state(iv.begin(), iv.end()), plain(ciphertext.size());
  for (std::size_t bit = 0; bit < 8 * ciphertext.size(); bit += named.segment_bits) {
    Octets block = state;
    ecb.crypt_part(Direction::encrypt, {}, 0, block);
    for (unsigned i = 0; i < named.segment_bits; ++i) {
      const unsigned place = 7 - (bit + i) % 8;
      const unsigned cipher_bit = ciphertext[bit / 8] >> place & 1U;
      const unsigned key_bit = block[0] >> (7 - i) & 1U;
      plain[bit / 8] |= static_cast<std::uint8_t>((cipher_bit ^ key_bit) << place);
      for (std::size_t at = 0; at < state.size(); ++at) {
        const unsigned next = at + 1 < state.size() ? state[at + 1] >> 7 : cipher_bit;
        state[at] = static_cast<std::uint8_t>(state[at] << 1 | next);
      }
    }
  }
  return plain;
}

TEST(SegmentDecryptor, PartsOfAnyLengthFollowEachOther) {
  for (const char* const name : {"des-cfb8", "des-ede3-cfb1", "aes-256-cfb1", "aes-192-cfb8", "twofish-128-cfb8"}) {
    const ForeignCipher named = parse_openssl_cipher_name(name);
    Octets key(named.key_bytes), iv(named.iv_bytes), ciphertext(5000);
    for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(17 * i + 3);
    for (std::size_t i = 0; i < iv.size(); ++i) iv[i] = static_cast<std::uint8_t>(29 * i + 5);
    for (std::size_t i = 0; i < ciphertext.size(); ++i) ciphertext[i] = static_cast<std::uint8_t>(i * i + 11 * i);
    const Octets expected = decrypt_serially(named, key, iv, ciphertext);
    SegmentDecryptor decryptor = decryptor_of(name, key, iv);
    for (const std::size_t begin :
         {std::size_t{0}, named.block_bytes, std::size_t{500}, std::size_t{4096}, std::size_t{4999}}) {
      const Octets part = decrypt_part(decryptor, ciphertext, begin, named.block_bytes);
      EXPECT_EQ(part, Octets(expected.begin() + static_cast<std::ptrdiff_t>(begin), expected.end())) << name << begin;
    }
    EXPECT_EQ(decrypt_part(decryptor, {}, 0, named.block_bytes), Octets());
  }
}

}  // namespace
}  // namespace phalanx
