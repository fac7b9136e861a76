// The files of `openssl enc`: header, names, padding, and the search of the digest, each against what it says in plain
// words.
#include <algorithm>
#include <cstring>
#include <phalanx/padding.hpp>

#include "foreign/digest_search.hpp"
#include "foreign/openssl_enc.hpp"
#include "reference/reference.hpp"
#include "tests/fuzz/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr Padding paddings[] = {Padding::pkcs7, Padding::none, Padding::x923, Padding::iso7816, Padding::zero};

void check_header(Bytes file) {
  OpensslSalt salt{};
  const auto error = error_of([&] { salt = parse_openssl_header(file); });
  const bool whole = file.size() >= openssl_header_bytes && std::memcmp(file.data(), "Salted__", 8) == 0;
  require(error.has_value() != whole, "a header is 'Salted__' and eight bytes");
  if (whole) require(same(make_openssl_header(salt), file.first(openssl_header_bytes)), "a header is made as it was read");
}

void check_name(const std::string& name) {
  NamedCipher named{};
  if (error_of([&] { named = parse_openssl_cipher_name(name); })) return;
  require(named.cipher != nullptr && named.mode != Mode::xts && named.mode != Mode::gcm, "OpenSSL has no XTS and GCM files");
  require(is_mode_of(*named.cipher, named.mode), "the mode is one of the cipher's");
}

// How many bytes at the end of the block are padding, as RFC 5652, ANSI X9.23 and ISO/IEC 7816-4 say it; nullopt: none is
// valid.
std::optional<std::size_t> plain_padding_bytes(Padding padding, Bytes block) {
  const std::size_t last = block.back();
  const auto num_equal = [&](std::uint8_t value, std::size_t skipped) {
    std::size_t count = 0;
    while (skipped + count < block.size() && block[block.size() - 1 - skipped - count] == value) ++count;
    return count;
  };
  switch (padding) {
    case Padding::none:
      return 0;
    case Padding::zero:
      return num_equal(0, 0);
    case Padding::pkcs7:
      if (last == 0 || last > block.size() || num_equal(block.back(), 0) < last) return std::nullopt;
      return last;
    case Padding::x923:
      if (last == 0 || last > block.size() || num_equal(0, 1) + 1 < last) return std::nullopt;
      return last;
    case Padding::iso7816:
      break;
  }
  const std::size_t zeros = num_equal(0, 0);
  if (zeros == block.size() || block[block.size() - 1 - zeros] != 0x80) return std::nullopt;
  return zeros + 1;
}

void check_padding_of(Padding padding, Bytes block, std::size_t used_bytes) {
  const auto expected = plain_padding_bytes(padding, block);
  const PaddingCheck found = check_padding(padding, block);
  require(found.valid == expected.has_value(), "the padding is valid where its standard says so");
  require(found.message_bytes == (expected ? block.size() - *expected : 0), "and as long as it says");
  std::size_t message_bytes = 0;
  const auto error = error_of([&] { message_bytes = remove_padding(padding, block); });
  require(error.has_value() != found.valid && message_bytes == found.message_bytes, "removing it says the same");

  Buffer padded(block.begin(), block.end());
  std::size_t num_bytes = 0;
  if (error_of([&] { num_bytes = pad_last_block(padding, padded, used_bytes); })) {
    require(padding == Padding::none && used_bytes != 0, "only a message that must be whole blocks cannot be padded");
    return;
  }
  require(num_bytes == padded.size() || num_bytes == 0, "a block is padded, or there is none");
  require(same(Bytes(padded).first(used_bytes), block.first(used_bytes)), "padding leaves the message alone");
  if (num_bytes != 0 && can_check(padding)) require(remove_padding(padding, padded) == used_bytes, "and comes off again");
}

// What the digest's key makes of the last block, by the reference.
std::optional<std::size_t> padding_bytes_under(const DigestSearch& search, const std::string& digest) {
  OpensslDerivation derivation = search.derivation;
  derivation.digest = digest;
  Buffer key(search.cipher.cipher->key_bytes);
  Buffer iv(search.cipher.mode == Mode::ecb ? 0 : search.cipher.cipher->block_bytes);
  derive_key_and_iv(derivation, search.passphrase, search.salt, key, iv);
  const std::size_t block_bytes = search.cipher.cipher->block_bytes;
  const bool two = search.last_blocks.size() > block_bytes;
  if (search.cipher.mode == Mode::cbc && two) std::copy_n(search.last_blocks.begin(), block_bytes, iv.begin());
  const Bytes last = search.last_blocks.last(block_bytes);
  const Buffer plain = reference::crypt(full_name(search.cipher), Direction::decrypt, key, iv, last);
  return plain_padding_bytes(search.padding, plain);
}

void check_search(FuzzedInput& input) {
  const auto ciphers = all_ciphers();
  DigestSearch search{.cipher = {&ciphers[input.below(ciphers.size())], input.flag() ? Mode::cbc : Mode::ecb},
                      .padding = paddings[input.below(5)],
                      .derivation = {.digest = "", .pbkdf2 = input.flag(), .num_iterations = 1},
                      .passphrase = {},
                      .salt = {},
                      .iv = {},
                      .last_blocks = {},
                      .options = {"cpu:scalar", 1}};
  search.salt = input.take(input.flag() ? openssl_salt_bytes : 0);
  search.last_blocks = input.take(search.cipher.cipher->block_bytes * (1 + input.below(2)));
  search.passphrase = input.take_rest();
  if (search.salt.size() % openssl_salt_bytes != 0) return;
  DigestChoice choice;
  const auto error = error_of([&] { choice = find_digest(search); });
  if (error && error != ErrorCode::wrong_key) return;
  std::optional<std::size_t> longest;
  for (const char* digest : digest_search_order) {
    longest = std::max(longest, padding_bytes_under(search, digest));
  }
  require(longest.has_value() != error.has_value(), "a digest is found where one fits");
  if (!longest) return;
  require(choice.padding_bytes == *longest, "it is one of the longest padding");
  require(padding_bytes_under(search, choice.digest) == longest, "which is its own");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  switch (input.below(4)) {
    case 0:
      check_header(input.take_rest());
      break;
    case 1:
      check_name(input.text(64));
      break;
    case 2: {
      const phalanx::Padding padding = paddings[input.below(5)];
      const std::size_t used_bytes = input.below(255);
      const phalanx::Bytes block = input.take(255);
      if (!block.empty()) check_padding_of(padding, block, used_bytes % block.size());
      break;
    }
    default:
      check_search(input);
      break;
  }
  return 0;
}
