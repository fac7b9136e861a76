// The recogniser over bytes: every prefix of a file of each kind, random bytes, and the words of our own files.
#include "files/recognition/recognise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "files/container/file/resume_record.hpp"
#include "files/in_place/journal.hpp"

namespace phalanx::test {
namespace {

using namespace std::string_literals;
using Buffer = std::vector<std::uint8_t>;

Buffer buffer_of(const std::string& text) { return {text.begin(), text.end()}; }

Buffer random_bytes(std::size_t size, std::uint32_t seed) {
  std::mt19937 generator(seed);
  Buffer bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(generator());
  return bytes;
}

Buffer with_noise(const std::string& beginning, std::size_t size = 300) {
  Buffer bytes = buffer_of(beginning);
  const Buffer noise = random_bytes(size, 7);
  bytes.insert(bytes.end(), noise.begin(), noise.end());
  return bytes;
}

Buffer kept(const std::string& name) {
  std::ifstream file(PHALANX_VECTORS_DIR "/recognition/" + name, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

RecognisedFile recognise_whole(const Buffer& bytes) { return recognise(glimpse_of(bytes)); }

struct Sample {
  Buffer bytes;
  FileKind kind;
};

std::vector<Sample> samples() {
  std::vector<Sample> all = {
      {with_noise("PHALANX\0\1\1"s), FileKind::container},
      {with_noise("PHALIDX\0\1"s), FileKind::tree_index},
      {with_noise("Salted__12345678"), FileKind::openssl_enc},
      {buffer_of("U2FsdGVkX1/ck3Qr9Jr9lwQxYWR0ZXN0ZXN0ZXN0ZXN0\n"), FileKind::openssl_enc},
      {buffer_of("53616c7465645f5f0123456789abcdef0123456789abcdef\n"), FileKind::openssl_enc},
      {with_noise("age-encryption.org/v1\n-> X25519 abc\nabc\n--- abc\n"), FileKind::age},
      {with_noise("LUKS\xba\xbe\0\2"s), FileKind::luks},
      {with_noise("7z\xbc\xaf\x27\x1c\0\4abcd"s), FileKind::seven_zip},
      {with_noise("Rar!\x1a\7\1\0\1\2\3\4\5\1\0\0"s), FileKind::rar},
      {with_noise("\x1f\x8b\x08\0\0\0\0\0\0\3"s), FileKind::gzip},
      {with_noise("$ANSIBLE_VAULT;1.1;AES256\n", 0), FileKind::ansible_vault},
      {buffer_of("-----BEGIN ENCRYPTED PRIVATE KEY-----\nMIIB\n-----END ENCRYPTED PRIVATE KEY-----\n"),
       FileKind::private_key},
      {buffer_of("MIME-Version: 1.0\nContent-Type: application/pkcs7-mime;\n smime-type=enveloped-data\n\nMIIB\n"),
       FileKind::cms},
      {with_noise("\x30\x82\x10\x00\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03\xa0"s), FileKind::cms},
      {buffer_of("\xff\xfet\0e\0x\0t\0 \0t\0e\0x\0t\0"s), FileKind::text},
      {buffer_of("a text of more than thirty-two characters, with marks\n"), FileKind::text},
  };
  for (const char* name : {"passphrase.gpg", "passphrase.asc", "public_key.gpg", "two_public_keys.asc", "signed.gpg",
                           "signed_zlib.gpg", "clear_signed.asc", "detached.sig", "stored_compressed.gpg"})
    all.push_back({kept(name), FileKind::openpgp});
  all.push_back({kept("public_keys.gpg"), FileKind::openpgp_key});
  all.push_back({kept("secret_key.asc"), FileKind::openpgp_key});
  all.push_back({kept("zip_crypto.zip"), FileKind::zip});
  all.push_back({kept("luks1_header"), FileKind::luks});
  return all;
}

TEST(Recognise, NamesEachKind) {
  for (const Sample& sample : samples()) {
    const RecognisedFile found = recognise_whole(sample.bytes);
    EXPECT_STREQ(name_of(found.kind), name_of(sample.kind));
    EXPECT_TRUE(found.is_certain) << found.description;
    EXPECT_FALSE(words_of(found).empty());
  }
}

// Each in memory of its own size, so that a sanitizer sees what is read behind it.
TEST(Recognise, TakesEveryPrefix) {
  for (const Sample& sample : samples()) {
    for (std::size_t size = 1; size < std::min<std::size_t>(sample.bytes.size(), 700); ++size) {
      const std::unique_ptr<std::uint8_t[]> memory(new std::uint8_t[size]);
      std::copy_n(sample.bytes.begin(), size, memory.get());
      const Bytes prefix(memory.get(), size);
      for (const std::uint64_t num_bytes : {std::uint64_t{size}, std::uint64_t{sample.bytes.size()}, unknown_size}) {
        const RecognisedFile found = recognise({.beginning = prefix, .end = prefix, .num_bytes = num_bytes});
        ASSERT_FALSE(found.description.empty()) << name_of(sample.kind) << ' ' << size;
      }
    }
  }
}

TEST(Recognise, NamesNoRandomBytes) {
  std::mt19937 generator(11);
  for (std::uint32_t seed = 0; seed < 30'000; ++seed) {
    const Buffer bytes = random_bytes(1 + generator() % 400, seed);
    const RecognisedFile found = recognise_whole(bytes);
    ASSERT_FALSE(is_named(found)) << seed << ": " << found.description;
    const bool is_short = bytes.size() < 32;
    ASSERT_TRUE(is_short || found.kind == FileKind::unknown || !found.is_certain) << seed << ": " << found.description;
  }
}

// Where the first two bytes are given, as many bits are left as must be right further on.
TEST(Recognise, GoesByMoreThanTheFirstTwoBytes) {
  for (unsigned first = 0; first < 65'536; ++first) {
    Buffer bytes = random_bytes(96, first);
    bytes[0] = static_cast<std::uint8_t>(first >> 8);
    bytes[1] = static_cast<std::uint8_t>(first);
    const RecognisedFile found = recognise_whole(bytes);
    ASSERT_FALSE(is_named(found)) << first << ": " << found.description;
  }
}

TEST(Recognise, KnowsTheWordsOfOurRecords) {
  const auto kind_of = [](std::string_view magic) {
    Buffer bytes(100);
    std::ranges::copy(magic, bytes.begin());
    return recognise_whole(bytes).kind;
  };
  EXPECT_EQ(kind_of(journal_magic), FileKind::in_place_journal);
  EXPECT_EQ(kind_of(earlier_journal_magic), FileKind::in_place_journal);
  EXPECT_EQ(kind_of(sealed_records.magic), FileKind::resume_record);
  EXPECT_EQ(kind_of(written_records.magic), FileKind::resume_record);
}

TEST(Recognise, LooksAtTheEnd) {
  Buffer pdf = with_noise("%PDF-1.7\n", 200'000);
  const std::string trailer = "trailer << /Encrypt 2 0 R >>";
  std::ranges::copy(trailer, pdf.end() - 100);
  FileGlimpse glimpse = glimpse_of(pdf);
  glimpse.end = Bytes(pdf).last(1000);
  EXPECT_EQ(recognise(glimpse).protection, Protection::encrypted);
  glimpse.end = {};
  EXPECT_EQ(recognise(glimpse).protection, Protection::none);
}

TEST(Recognise, SaysThatTheEndIsMissing) {
  const Buffer whole = kept("passphrase.gpg");
  EXPECT_FALSE(recognise_whole(whole).is_cut);
  EXPECT_TRUE(recognise_whole({whole.begin(), whole.end() - 1}).is_cut);
  EXPECT_TRUE(recognise_whole(with_noise("\x30\x82\x10\x00\x06\x09\x2a\x86\x48\x86\xf7\x0d\x01\x07\x03\xa0"s)).is_cut);
}

TEST(Recognise, TellsDataThatAreNotRandom) {
  EXPECT_EQ(recognise_whole(Buffer(100, 0)).kind, FileKind::data);
  Buffer rows(4096);
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = static_cast<std::uint8_t>(i % 16 == 0 ? i / 16 : i % 3);
  EXPECT_EQ(recognise_whole(rows).kind, FileKind::data);
  EXPECT_EQ(recognise_whole(random_bytes(4096, 5)).kind, FileKind::unknown);
}

TEST(Recognise, TellsNumbersFromHexDigits) {
  std::string numbers, digits;
  for (int number = 1; number <= 300; ++number) numbers += std::to_string(number) + "\n";
  for (int line = 0; line < 9; ++line) digits += std::string(60, static_cast<char>('1' + line)) + "\n";
  digits += "3132\n";
  EXPECT_EQ(recognise_whole(buffer_of(numbers)).kind, FileKind::text);
  EXPECT_EQ(recognise_whole(buffer_of(digits)).form, "hex");
}

TEST(Recognise, ShortTextIsUncertain) {
  const RecognisedFile found = recognise_whole(buffer_of("hello\n"));
  EXPECT_EQ(found.kind, FileKind::text);
  EXPECT_FALSE(is_named(found));
  EXPECT_EQ(words_of(found), "may be text (ASCII)");
}

}  // namespace
}  // namespace phalanx::test
