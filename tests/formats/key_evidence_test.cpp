// When a plaintext is vouched for, and when it may be garbage.
#include "formats/key_evidence.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "formats/plaintext_kind.hpp"
#include "formats/random_bytes.hpp"
#include "formats/tag_mac.hpp"

namespace phalanx {
namespace {

KeyEvidence padded(std::size_t padding_bytes, std::size_t num_candidates = 1) {
  KeyEvidence evidence;
  evidence.candidate = "sha256";
  evidence.num_candidates = num_candidates;
  evidence.padding_bytes = padding_bytes;
  return evidence;
}

TEST(KeyEvidence, OneByteOfPaddingIsChanceUntilTheKeyHasOpenedMore) {
  KeyTrials trials;
  trials.opened("sha256");
  EXPECT_NE(trials.doubt(padded(1)), "");  // 1 / 256
  EXPECT_EQ(trials.doubt(padded(2)), "");  // 1 / 65536
  for (int i = 1; i < 4; ++i) trials.opened("sha256");
  EXPECT_EQ(trials.doubt(padded(1)), "");     // 1 / (4 * 256) = 0.98 * 10^-3
  EXPECT_NE(trials.doubt(padded(1, 2)), "");  // 2 / (4 * 256)
}

TEST(KeyEvidence, FailuresOfTheKeySpeakAgainstIt) {
  KeyTrials trials;
  trials.opened("sha256");
  for (int i = 0; i < 64; ++i) trials.failed("sha256");
  EXPECT_EQ(trials.doubt(padded(2)), "");  // 65 / 65536 = 0.99 * 10^-3
  trials.failed("sha256");
  EXPECT_NE(trials.doubt(padded(2)), "");
  EXPECT_EQ(trials.doubt(padded(3)), "");
  EXPECT_NE(trials.doubt(padded(1)), "");
}

TEST(KeyEvidence, CandidatesAreCountedApart) {
  KeyTrials trials;
  trials.opened("sha256");
  for (int i = 0; i < 1000; ++i) trials.failed("md5");
  EXPECT_EQ(trials.doubt(padded(2)), "");
}

TEST(KeyEvidence, NothingCheckedOrTwoFitsNeedARecognisedPlaintext) {
  KeyTrials trials;
  for (int i = 0; i < 1000; ++i) trials.opened("sha256");
  KeyEvidence unchecked = padded(0), ambiguous = padded(8);
  ambiguous.other_padding_bytes = 8;
  for (KeyEvidence* evidence : {&unchecked, &ambiguous}) {
    EXPECT_NE(trials.doubt(*evidence), "");
    evidence->recognised = true;
    EXPECT_NE(trials.doubt(*evidence), "") << "other modes may begin so, too";
    evidence->end_is_recognised = true;
    EXPECT_EQ(trials.doubt(*evidence), "");
    evidence->recognised = false;
    EXPECT_NE(trials.doubt(*evidence), "") << "an end alone";
  }
}

TEST(KeyEvidence, ABeginningThatShowsTheModeVouchesForTheRest) {
  const KeyTrials trials;
  KeyEvidence evidence = padded(1);
  evidence.beginning_shows_mode = true;
  EXPECT_NE(trials.doubt(evidence), "");
  evidence.recognised = true;
  EXPECT_EQ(trials.doubt(evidence), "");
  evidence.beginning_shows_mode = false;
  EXPECT_NE(trials.doubt(evidence), "") << "as ECB and CBC with an iv of zeros";
  evidence.padding_bytes = 2;
  EXPECT_EQ(trials.doubt(evidence), "") << "the padding does";
}

TEST(KeyEvidence, PaddingSaysNothingOfAnIvThatIsGiven) {
  const KeyTrials trials;
  KeyEvidence evidence = padded(16);
  evidence.key_shows_iv = false;
  EXPECT_NE(trials.doubt(evidence), "");
  evidence.recognised = true;
  EXPECT_EQ(trials.doubt(evidence), "");
}

TEST(KeyEvidence, CopiesOfOneFileCountOnce) {
  KeyTrials trials;
  for (int i = 0; i < 4; ++i) trials.opened("sha256", "a file's end");
  EXPECT_NE(trials.doubt(padded(1)), "");
  for (const char* mark : {"another", "a third", "a fourth"}) trials.opened("sha256", mark);
  EXPECT_EQ(trials.doubt(padded(1)), "");
}

TEST(KeyEvidence, AnotherThatFitsTakesItsBytesFromThePadding) {
  KeyTrials trials;
  trials.opened("sha256");
  KeyEvidence evidence = padded(3, 48);
  EXPECT_EQ(trials.doubt(evidence), "");  // 48 / 256^3
  evidence.other_padding_bytes = 1;
  EXPECT_EQ(trials.doubt(evidence), "");  // 48 / 256^2 = 0.73 * 10^-3
  evidence.other_padding_bytes = 2;
  EXPECT_NE(trials.doubt(evidence), "");
}

TEST(KeyEvidence, TwoRecognisedPlaintextsVouchForNeither) {
  KeyTrials trials;
  KeyEvidence evidence = padded(8);
  evidence.recognised = evidence.end_is_recognised = true;
  EXPECT_EQ(trials.doubt(evidence), "");
  evidence.another_is_recognised = true;
  EXPECT_NE(trials.doubt(evidence), "");
}

Bytes bytes_of(std::string_view text) { return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}; }

const char* kind_of(std::string_view text) { return recognise_plaintext(bytes_of(text), true); }

TEST(PlaintextKind, TextIsUtf8WithoutControlCharacters) {
  const std::string line = "a line of text, as people write them\n";
  EXPECT_STREQ(kind_of(line), "text");
  EXPECT_EQ(kind_of("short"), nullptr);
  EXPECT_EQ(kind_of(""), nullptr);
  for (const char* bad : {"\x01", "\x7f", "\x80", "\xc1\x80", "\xed\xa0\x80", "\xf5\x80\x80\x80", "\xe0\x80\x80", "\xc3"}) {
    EXPECT_EQ(kind_of(line + bad), nullptr);
  }
  EXPECT_STREQ(kind_of(line + "\xc3\xa9\xe2\x82\xac\xf0\x9f\x94\x91\t\r\n"), "text");
  // Cut within a character where there is more; not at its end.
  EXPECT_STREQ(recognise_plaintext(bytes_of(line + "\xe2\x82"), false), "text");
  EXPECT_EQ(recognise_plaintext(bytes_of(line + "\xe2\x82"), true), nullptr);
}

TEST(PlaintextKind, FormatsAreParsedBeyondAShortMagicNumber) {
  using namespace std::string_view_literals;
  EXPECT_STREQ(kind_of("\x1f\x8b\x08\0\0\0\0\0\0\x03 compressed"sv), "gzip");
  EXPECT_EQ(kind_of("\x1f\x8b\x08\xff\0\0\0\0\0\x03 compressed"sv), nullptr);
  EXPECT_STREQ(kind_of("PK\x03\x04\x14\0\0\0\x08\0aaaabbbbccccddddee\x04\0\0\0name"sv), "zip");
  EXPECT_EQ(kind_of("PK\x03\x04\xff\0\0\0\x08\0aaaabbbbccccddddee\x04\0\0\0name"sv), nullptr);
  EXPECT_STREQ(kind_of("\x7f"
                       "ELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0"sv),
               "ELF");
  EXPECT_EQ(kind_of("\x7f"
                    "ELF\x07\x01\x01\0\0\0\0\0\0\0\0\0\x03\0>\0"sv),
            nullptr);
  EXPECT_STREQ(kind_of("SQLite format 3\0 and more"sv), "SQLite");
  EXPECT_STREQ(kind_of("%PDF-1.4 \x80 more"sv), "PDF");
}

TEST(PlaintextKind, ATarHeaderNeedsItsChecksum) {
  std::vector<std::uint8_t> header(512);
  const auto put = [&](std::size_t at, std::string_view text) {
    std::copy(text.begin(), text.end(), header.begin() + static_cast<std::ptrdiff_t>(at));
  };
  put(0, "name");
  put(257, "ustar");
  put(148, "        ");
  unsigned sum = 0;
  for (const std::uint8_t byte : header) sum += byte;
  for (int i = 5, rest = static_cast<int>(sum); i >= 0; --i, rest /= 8)
    header[148 + static_cast<std::size_t>(i)] = static_cast<std::uint8_t>('0' + rest % 8);
  header[154] = 0;
  EXPECT_STREQ(recognise_plaintext(header, true), "tar");
  header[0] ^= 1;
  EXPECT_EQ(recognise_plaintext(header, true), nullptr);
}

bool ends_as(const char* kind, std::string_view text) { return is_among(kind, kinds_that_end_so(bytes_of(text))); }

TEST(PlaintextKind, TheEndIsThatOfTheKind) {
  using namespace std::string_view_literals;
  const std::string noise = "\x01\xff noise \x80\x02", zeros(1024, '\0'), record = "PK\x05\x06" + std::string(18, '\0');
  EXPECT_TRUE(ends_as("text", "\x9f\x94\x91 cut within a character"));
  EXPECT_FALSE(ends_as("text", "\x9f\x94\x91\x80 more than a character has"));
  EXPECT_FALSE(ends_as("text", "cut off within a character \xf0\x9f"));
  EXPECT_FALSE(ends_as("text", "some fifteen ..") || ends_as("text", ""));
  EXPECT_TRUE(ends_as("PDF", noise + "%%EOF") && ends_as("PDF", noise + "%%EOF \r\n"));
  EXPECT_FALSE(ends_as("PDF", noise + "%%EOF more") || ends_as("PDF", "%EOF") || ends_as("PDF", "\n\n"));
  EXPECT_TRUE(ends_as("zip", noise + record));
  EXPECT_FALSE(ends_as("zip", record + "a comment") || ends_as("zip", record.substr(1)));
  EXPECT_TRUE(ends_as("PNG", noise + std::string("\0\0\0\0IEND\xae\x42\x60\x82"sv)));
  EXPECT_TRUE(ends_as("JPEG", noise + "\xff\xd9"));
  EXPECT_TRUE(ends_as("tar", noise + zeros) && ends_as("tar", std::string_view(zeros).substr(0, 512)));
  EXPECT_FALSE(ends_as("tar", std::string_view(zeros).substr(1, 511)) || ends_as("tar", zeros + "\1"));
  EXPECT_FALSE(ends_as("gzip", noise) || ends_as("", zeros) || ends_as("zip", zeros));
}

TEST(PlaintextKind, RandomBytesAreNothing) {
  std::vector<std::uint8_t> noise(64);
  for (int i = 0; i < 200'000; ++i) {
    fill_random(noise);
    ASSERT_EQ(recognise_plaintext(noise, true), nullptr);
    ASSERT_FALSE(is_among("text", kinds_that_end_so(noise)));
  }
}

TEST(TagMac, IsCmacOfTheNumberAndTheTagAndKeepsNoState) {
  // SP 800-38B's AES-256 example key; the expected value by `openssl mac -cipher AES-256-CBC -macopt hexkey:... CMAC`.
  const std::vector<std::uint8_t> key = {0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae,
                                         0xf0, 0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61,
                                         0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4};
  const TagMacKey macs(key);
  const std::vector<std::uint8_t> tag = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const TagMac first = macs.compute(5, tag);
  const TagMac expected = {0x64, 0x3c, 0x89, 0x01, 0xc0, 0xf9, 0xfd, 0x34, 0x41, 0xc9, 0xb3, 0xfb, 0x1c, 0x62, 0x91, 0xcb};
  EXPECT_EQ(first, expected);
  EXPECT_EQ(macs.compute(5, tag), first);
  EXPECT_NE(macs.compute(6, tag), first);
  std::set<TagMac> all;
  for (std::uint64_t chunk = 0; chunk < 1000; ++chunk) all.insert(macs.compute(chunk, tag));
  EXPECT_EQ(all.size(), 1000U);
}

}  // namespace
}  // namespace phalanx
