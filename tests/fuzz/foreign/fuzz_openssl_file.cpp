// The files of `openssl enc`: header, names, padding, and the search of the digest, each against what it says in plain
// words.
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <phalanx/files/padding.hpp>

#include "files/foreign/foreign_cipher.hpp"
#include "files/foreign/openssl_enc.hpp"
#include "files/foreign/padding_evidence.hpp"
#include "files/foreign/search/find_candidate.hpp"
#include "files/foreign/search/sniff.hpp"
#include "reference/reference.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr Padding paddings[] = {Padding::pkcs7, Padding::none, Padding::x923, Padding::iso7816, Padding::zero};

void check_header(Bytes file) {
  OpensslSalt salt{};
  const auto error = error_of([&] { salt = parse_openssl_header(file); });
  const bool whole = file.size() >= openssl_header_bytes && std::memcmp(file.data(), "Salted__", 8) == 0;
  require(error.has_value() != whole, "a header is 'Salted__' and eight bytes");
  const OpensslSalt made = random_openssl_salt();
  require(parse_openssl_header(make_openssl_header(made)) == made, "a salt that was drawn is read again");
  if (whole) require(same(make_openssl_header(salt), file.first(openssl_header_bytes)), "a header is made as it was read");
}

// What is seen of it before anything is asked.
void check_beginning(Bytes file) {
  FileDescriptor memory(::memfd_create("file", MFD_CLOEXEC));
  write_all(memory.get(), file, "file");
  Input input(std::move(memory), "file");
  input.seek(0);
  const SniffedFile sniffed(input);
  require(input.position() == 0, "the input stays where it was");
  require(sniffed.is_empty() == file.empty(), "nothing is nothing");
  require(openssl_encoding_of(file) != OpensslEncoding::binary || sniffed.wrapped(false).salted, "a salt is seen");
  const RecognisedFile& found = sniffed.recognised();
  require(!sniffed.wrapped(false).salted || found.kind == FileKind::openssl_enc, "what has a salt is a file of OpenSSL");
  const std::vector<std::uint8_t>& kept = sniffed.wrapped(false).bytes;
  require(kept.size() <= file.size() && same(kept, file.first(kept.size())), "what is kept is its beginning");
}

void check_name(const std::string& name) {
  Padding padding{};
  if (!error_of([&] { padding = parse_padding(name); })) require(padding_name(padding) == name, "a padding has one name");
  ForeignCipher named;
  if (error_of([&] { named = parse_openssl_cipher_name(name); })) return;
  require(named.key_bytes != 0 && named.block_bytes != 0 && !named.name.empty(), "a cipher has a key and a name");
  require(named.mode != Mode::gcm, "GCM without a tag is judged as CTR");
  require(named.is_of_libcrypto() == (named.engine.cipher == nullptr), "either the engine decrypts it, or libcrypto");
  require(named.is_read_only() || (named.mode == named.engine.mode && is_mode_of(*named.engine.cipher, named.mode)),
          "the mode is one of the cipher's");
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

// Of padding that so many keys give: the longest, and the first of equals.
void check_ranking(Bytes block) {
  const std::vector<std::size_t> numbers(block.begin(), block.end());
  const std::optional<KeyRanking> ranking = rank_by_padding(numbers);
  const std::size_t longest = numbers.empty() ? 0 : std::ranges::max(numbers);
  require(ranking.has_value() == (longest != 0), "one is the best where any fits");
  if (!ranking) return;
  const auto is_longest = [&](std::size_t number) { return number == longest; };
  require(ranking->best == static_cast<std::size_t>(std::ranges::find(numbers, longest) - numbers.begin()), "the longest");
  require(ranking->equal.size() + 1 == static_cast<std::size_t>(std::ranges::count_if(numbers, is_longest)),
          "and its equals");
  const auto num_valid = numbers.size() - static_cast<std::size_t>(std::ranges::count(numbers, std::size_t{0}));
  require(ranking->equal.size() + ranking->shorter.size() + 1 == num_valid, "and all that are shorter");
}

// A file under a passphrase, and how it was written but for the digest.
struct OpensslFile {
  ForeignFormat format;
  ForeignCipher cipher;
  Bytes salt, ciphertext;
};

// What the digest's key makes of the last block, by the reference.
std::optional<std::size_t> padding_bytes_under(const OpensslFile& file, const std::string& digest) {
  OpensslDerivation derivation = file.format.derivation;
  derivation.digest = digest;
  const std::size_t block_bytes = file.cipher.block_bytes;
  Buffer key(file.cipher.key_bytes);
  Buffer iv(file.cipher.mode == Mode::ecb ? 0 : block_bytes);
  derive_key_and_iv(derivation, file.format.passphrase, file.salt, key, iv);
  const bool two = file.ciphertext.size() > block_bytes;
  if (file.cipher.mode == Mode::cbc && two) std::copy_n(file.ciphertext.begin(), block_bytes, iv.begin());
  const Bytes last = file.ciphertext.last(block_bytes);
  const Buffer plain = reference::crypt(full_name(file.cipher), Direction::decrypt, key, iv, last);
  return plain_padding_bytes(file.format.padding, plain);
}

// A file in memory, which can seek.
Input input_of(const OpensslFile& file) {
  FileDescriptor memory(::memfd_create("file", MFD_CLOEXEC));
  if (!file.salt.empty()) {
    OpensslSalt salt{};
    std::ranges::copy(file.salt, salt.begin());
    write_all(memory.get(), make_openssl_header(salt), "file");
  }
  write_all(memory.get(), file.ciphertext, "file");
  Input input(std::move(memory), "file");
  input.seek(0);
  return input;
}

void check_search(FuzzedInput& input) {
  constexpr const char* names[] = {"des-cbc", "des-ecb", "des-ede3-cbc", "aes-128-cbc", "aes-256-ecb", "aes-192-cbc"};
  OpensslFile file;
  file.format.cipher = names[input.below(std::size(names))];
  file.cipher = parse_openssl_cipher_name(file.format.cipher);
  file.format.padding = paddings[input.below(5)];
  file.format.derivation = {.digest = "sha256", .pbkdf2 = input.flag(), .num_iterations = 1};
  file.format.find_digest = true;
  file.format.salted = input.flag();
  file.salt = input.take(file.format.salted ? openssl_salt_bytes : 0);
  file.ciphertext = input.take(file.cipher.block_bytes * (1 + input.below(2)));
  file.format.passphrase = input.take_rest();
  if (file.format.salted && file.salt.size() != openssl_salt_bytes) return;
  MatchedCandidate choice;
  const auto error = error_of([&] {
    const MessagePlan plan = plan_foreign(file.format, EngineOptions{"cpu:scalar", 1});
    const Candidates candidates = make_candidates(plan, SecretBytes(file.format.passphrase));
    Input opened = input_of(file);
    KeyTrials trials;
    choice = find_candidate(candidates, opened, trials);
  });
  if (error && error != ErrorCode::wrong_key) return;
  std::optional<std::size_t> longest;
  for (const char* digest : digest_search_order) longest = std::max(longest, padding_bytes_under(file, digest));
  require(longest.has_value() != error.has_value(), "a digest is found where one fits");
  if (!longest) return;
  const auto found = padding_bytes_under(file, choice.plan.openssl.derivation.digest);
  require(found == choice.with.padding_bytes, "its padding is what is said of it");
  require(found == longest || choice.with.note.find("of a known kind") != std::string::npos,
          "it is one of the longest, but for one whose plaintext is recognised");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  switch (input.below(4)) {
    case 0: {
      const phalanx::Bytes file = input.take_rest();
      check_header(file);
      check_beginning(file);
      break;
    }
    case 1:
      check_name(input.text(64));
      break;
    case 2: {
      const phalanx::Padding padding = paddings[input.below(5)];
      const std::size_t used_bytes = input.below(255);
      const phalanx::Bytes block = input.take(255);
      check_ranking(block);
      if (!block.empty()) check_padding_of(padding, block, used_bytes % block.size());
      break;
    }
    default:
      check_search(input);
      break;
  }
  return 0;
}
