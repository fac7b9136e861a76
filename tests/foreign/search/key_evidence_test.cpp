// When a plaintext is vouched for, and when it may be garbage.
#include "files/foreign/search/key_evidence.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/libcrypto/cmac.hpp"
#include "files/recognition/plaintext_kind.hpp"

namespace phalanx {
namespace {

KeyEvidence padded(std::size_t padding_bytes, std::size_t num_candidates = 1) {
  KeyEvidence evidence;
  evidence.with.candidate = "sha256";
  evidence.with.num_candidates = num_candidates;
  evidence.with.padding_bytes = padding_bytes;
  return evidence;
}

TEST(KeyEvidence, OneByteOfPaddingIsChanceUntilTheKeyHasOpenedMore) {
  KeyTrials trials;
  trials.opened("sha256");
  EXPECT_NE(trials.doubt(padded(1)).sentence, "");  // 1 / 256
  EXPECT_EQ(trials.doubt(padded(2)).sentence, "");  // 1 / 65536
  for (int i = 1; i < 4; ++i) trials.opened("sha256");
  EXPECT_EQ(trials.doubt(padded(1)).sentence, "");     // 1 / (4 * 256) = 0.98 * 10^-3
  EXPECT_NE(trials.doubt(padded(1, 2)).sentence, "");  // 2 / (4 * 256)
}

TEST(KeyEvidence, NothingVouchesForGcmThatHasLostItsTag) {
  KeyEvidence evidence;
  evidence.with.kind = "text";
  evidence.is_text = true;
  EXPECT_EQ(KeyTrials().doubt(evidence).kind, DoubtKind::none);
  evidence.has_lost_its_tag = true;
  EXPECT_EQ(KeyTrials().doubt(evidence).kind, DoubtKind::no_tag);
  evidence.sums_are_right = true;
  EXPECT_EQ(KeyTrials().doubt(evidence).kind, DoubtKind::no_tag);
}

TEST(KeyEvidence, ATagVouchesForAMessageAndPaddingAloneForNone) {
  KeyEvidence evidence = padded(16);
  evidence.is_of_cms = true;
  EXPECT_EQ(KeyTrials().doubt(evidence).kind, DoubtKind::nothing_known);
  evidence.with.kind = "text";
  EXPECT_EQ(KeyTrials().doubt(evidence).kind, DoubtKind::none);
  KeyEvidence sealed;
  EXPECT_EQ(KeyTrials().doubt(sealed).kind, DoubtKind::nothing_known);
  sealed.is_authenticated = true;
  EXPECT_EQ(KeyTrials().doubt(sealed).kind, DoubtKind::none);
}

TEST(KeyEvidence, FailuresOfTheKeySpeakAgainstIt) {
  KeyTrials trials;
  trials.opened("sha256");
  for (int i = 0; i < 64; ++i) trials.failed("sha256");
  EXPECT_EQ(trials.doubt(padded(2)).sentence, "");  // 65 / 65536 = 0.99 * 10^-3
  trials.failed("sha256");
  EXPECT_NE(trials.doubt(padded(2)).sentence, "");
  EXPECT_EQ(trials.doubt(padded(3)).sentence, "");
  EXPECT_NE(trials.doubt(padded(1)).sentence, "");
}

TEST(KeyEvidence, DoubtsSayWhatOpened) {
  KeyTrials trials;
  const auto doubt = [&](const char* candidate, bool is_passphrase) {
    KeyEvidence evidence = padded(1);
    evidence.with.candidate = candidate;
    evidence.is_passphrase = is_passphrase;
    return trials.doubt(evidence).sentence;
  };
  const auto ends_with = [](const std::string& text, const char* words) { return text.ends_with(words); };
  EXPECT_PRED2(ends_with, doubt("", false), "may be chance: the key opened 0 and failed on 0 files");
  EXPECT_PRED2(ends_with, doubt("", true), "may be chance: the passphrase opened 0 and failed on 0 files");
  EXPECT_PRED2(ends_with, doubt("md5", true), "chance: the passphrase with md5 opened 0 and failed on 0 files");
  EXPECT_PRED2(ends_with, doubt("md5, passphrase 2", true), "chance: md5, passphrase 2 opened 0 and failed on 0 files");
  EXPECT_PRED2(ends_with, doubt("aes-256-cbc, key 1", false), "chance: aes-256-cbc, key 1 opened 0 and failed on 0 files");
}

TEST(KeyEvidence, ZerosMayBeTheDatasOwn) {
  KeyTrials trials;
  KeyEvidence evidence = padded(8);
  evidence.padding_is_zeros = true;
  EXPECT_NE(trials.doubt(evidence).sentence, "");
  for (int i = 0; i < 4; ++i) trials.opened("sha256");
  EXPECT_EQ(trials.doubt(evidence).sentence, "");
}

TEST(KeyEvidence, CandidatesAreCountedApart) {
  KeyTrials trials;
  trials.opened("sha256");
  for (int i = 0; i < 1000; ++i) trials.failed("md5");
  EXPECT_EQ(trials.doubt(padded(2)).sentence, "");
}

TEST(KeyEvidence, NothingCheckedOrTwoFitsNeedText) {
  KeyTrials trials;
  for (int i = 0; i < 1000; ++i) trials.opened("sha256");
  KeyEvidence unchecked = padded(0), ambiguous = padded(8);
  ambiguous.with.other_padding_bytes = 8;
  for (KeyEvidence* evidence : {&unchecked, &ambiguous}) {
    EXPECT_NE(trials.doubt(*evidence).sentence, "");
    evidence->with.kind = "PDF";
    EXPECT_NE(trials.doubt(*evidence).sentence, "") << "other modes may begin so, too";
    evidence->with.kind = "text";
    evidence->is_text = true;
    EXPECT_EQ(trials.doubt(*evidence).sentence, "");
  }
}

KeyEvidence text() {
  KeyEvidence evidence = padded(0);
  evidence.with.kind = "text";
  evidence.is_text = true;
  return evidence;
}

TEST(KeyEvidence, TextDoesNotVouchWhereItMayBeginOrEndElsewhere) {
  const KeyTrials trials;
  ASSERT_EQ(trials.doubt(text()).sentence, "");
  for (bool KeyEvidence::*member : {&KeyEvidence::iv_is_read, &KeyEvidence::may_end_in_padding,
                                    &KeyEvidence::sectors_are_untried, &KeyEvidence::first_block_shows_iv}) {
    KeyEvidence evidence = text();
    evidence.*member = !(evidence.*member);
    EXPECT_NE(trials.doubt(evidence).sentence, "");
    evidence.sums_are_right = true;
    EXPECT_EQ(trials.doubt(evidence).sentence, "") << "a format's own sums are of all of it";
  }
  KeyEvidence evidence = text();
  evidence.other_sectors = "sectors of 4096 bytes";
  EXPECT_NE(trials.doubt(evidence).sentence.find("sectors of 4096 bytes"), std::string::npos);
}

TEST(KeyEvidence, AnIvThatIsReadNeedsAFormatAndPadding) {
  const KeyTrials trials;
  KeyEvidence evidence = padded(16);
  evidence.key_shows_iv = evidence.first_block_shows_iv = false;
  evidence.iv_is_read = evidence.beginning_shows_mode = true;
  evidence.with.kind = "PDF";
  EXPECT_EQ(trials.doubt(evidence).sentence, "");
  evidence.with.kind = "text";
  evidence.is_text = true;
  EXPECT_NE(trials.doubt(evidence).sentence, "") << "text without its first block is text";
}

TEST(KeyEvidence, ABeginningThatShowsTheModeVouchesForTheRest) {
  const KeyTrials trials;
  KeyEvidence evidence = padded(1);
  evidence.beginning_shows_mode = true;
  evidence.first_block_shows_iv = false;
  EXPECT_NE(trials.doubt(evidence).sentence, "");
  evidence.with.kind = "PDF";
  EXPECT_EQ(trials.doubt(evidence).sentence, "");
  evidence.beginning_shows_mode = false;
  EXPECT_NE(trials.doubt(evidence).sentence, "") << "as ECB and CBC with an iv of zeros";
  evidence.with.padding_bytes = 2;
  EXPECT_EQ(trials.doubt(evidence).sentence, "") << "the padding does";
}

TEST(KeyEvidence, PaddingSaysNothingOfAnIv) {
  const KeyTrials trials;
  KeyEvidence evidence = padded(16);
  evidence.key_shows_iv = evidence.first_block_shows_iv = false;
  EXPECT_NE(trials.doubt(evidence).sentence, "");
  evidence.with.kind = "PDF";
  EXPECT_EQ(trials.doubt(evidence).sentence, "");
}

TEST(KeyEvidence, CopiesOfOneFileCountOnce) {
  KeyTrials trials;
  for (int i = 0; i < 4; ++i) trials.opened("sha256", "a file's end");
  EXPECT_NE(trials.doubt(padded(1)).sentence, "");
  for (const char* mark : {"another", "a third", "a fourth"}) trials.opened("sha256", mark);
  EXPECT_EQ(trials.doubt(padded(1)).sentence, "");
}

TEST(KeyEvidence, FailuresOfAnEarlierRunOnlySpeakAgainstTheKey) {
  KeyTrials trials;
  for (int i = 0; i < 4; ++i) trials.opened("sha256");
  trials.failed("sha256");
  KeyEvidence evidence = padded(2);
  EXPECT_EQ(trials.doubt(evidence).sentence, "");
  evidence.num_failed_before = 1000;
  EXPECT_NE(trials.doubt(evidence).sentence.find("opened 4 and failed on 1000 files"), std::string::npos)
      << trials.doubt(evidence).sentence;
  evidence.num_failed_before = 0;
  for (int i = 0; i < 1000; ++i) trials.failed("sha256");
  EXPECT_NE(trials.doubt(evidence).sentence, "") << "none of an earlier run takes none of this one away";
  EXPECT_EQ(trials.count_of("sha256").opened, 4U);
  EXPECT_EQ(trials.count_of("sha256").failed, 1001U);
  EXPECT_EQ(trials.count_of("md5").opened, 0U);
}

TEST(KeyEvidence, AnotherThatFitsTakesItsBytesFromThePadding) {
  KeyTrials trials;
  trials.opened("sha256");
  KeyEvidence evidence = padded(3, 48);
  EXPECT_EQ(trials.doubt(evidence).sentence, "");  // 48 / 256^3
  evidence.with.other_padding_bytes = 1;
  EXPECT_EQ(trials.doubt(evidence).sentence, "");  // 48 / 256^2 = 0.73 * 10^-3
  evidence.with.other_padding_bytes = 2;
  EXPECT_NE(trials.doubt(evidence).sentence, "");
}

TEST(KeyEvidence, TwoRecognisedPlaintextsVouchForNeither) {
  KeyTrials trials;
  KeyEvidence evidence = padded(8);
  evidence.with.kind = "text";
  evidence.is_text = true;
  EXPECT_EQ(trials.doubt(evidence).sentence, "");
  evidence.with.another_is_recognised = true;
  EXPECT_NE(trials.doubt(evidence).sentence, "");
}

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
  header[0] = 'n' + 1;
  header[1] = 'a' - 1;
  EXPECT_STREQ(recognise_plaintext(header, true), "tar");
  header[0] = 'n' + 'a' - 1;  // the sum is right, and it is no name
  header[1] = 1;
  EXPECT_EQ(recognise_plaintext(header, true), nullptr);
}

bool is_text(std::string_view part, bool first = true, bool last = true) {
  return is_text_at_sixteen_places(bytes_of(part), {.first = first, .last = last});
}

TEST(PlaintextKind, TextIsLookedAtAtSixteenPlaces) {
  EXPECT_TRUE(is_text("one part") && is_text("") && is_text("\x9f\x94\x91 cut within a character", false));
  EXPECT_FALSE(is_text("\x9f\x94\x91\x80 more than a character has", false) ||
               is_text("\x9f\x94\x91 and not the first part"));
  EXPECT_TRUE(is_text("cut off within a character \xf0\x9f", true, false));
  EXPECT_FALSE(is_text("the end within a character \xf0\x9f"));
  for (std::size_t at = 0; at < 65536; at += 511) {
    std::string part(65536, 'a');
    part[at] = '\0';
    EXPECT_FALSE(is_text(part)) << at << ": of 64 KiB all is looked at";
  }
}

// What is right in the first half of each sector only, whatever the length, is not so at all places.
TEST(PlaintextKind, NoSizeOfSectorsIsMissedAtAllPlaces) {
  for (const std::size_t sector : {4096, 8192, 131072}) {
    for (std::size_t length = 8 * sector; length <= (std::size_t{1} << 20); length += sector - 13) {
      std::string part(length, '\0');
      for (std::size_t begin = 0; begin < length; begin += sector)
        std::fill_n(part.begin() + static_cast<std::ptrdiff_t>(begin), std::min(length - begin, sector / 2), 'a');
      EXPECT_FALSE(is_text(part)) << sector << ' ' << length;
    }
  }
}

TEST(PlaintextKind, TextThatEndsAsPadding) {
  const std::string text = "some text";
  EXPECT_TRUE(text_ends_as_padding(bytes_of(text + std::string(10, '\n'))));
  EXPECT_TRUE(text_ends_as_padding(bytes_of(text + std::string(9, '\t'))));
  EXPECT_FALSE(text_ends_as_padding(bytes_of(text + std::string(9, '\n'))) || text_ends_as_padding(bytes_of("\n")));
  EXPECT_FALSE(text_ends_as_padding(bytes_of(text)) || text_ends_as_padding({}));
}

TEST(PlaintextKind, TheFirstBlockOfTripleDesAsAscii) {
  const auto begins = [](std::string_view text, std::size_t block_bytes, bool whole = false) {
    return begins_beyond_chance(bytes_of(text), block_bytes, whole);
  };
  EXPECT_TRUE(begins("Dear all\xff", 8));
  EXPECT_FALSE(begins("D\xc3\xa4r all", 8) || begins("Dear al", 8));
  EXPECT_TRUE(begins("\xef\xbb\xbfGr\xc3\xbc\xc3\x9f", 8)) << "a byte order mark";
  EXPECT_TRUE(begins("\xd0\xbe\xd1\x82 \xd0\xb2 \xd0", 8)) << "hardly any of ASCII";
  EXPECT_FALSE(begins("\xd0\xbe\xd1\x82 \xd0\xb2\xff", 8));
  EXPECT_TRUE(
      begins("\x80\x81"
             "Dear all of you",
             16));
  EXPECT_FALSE(
      begins("\x80\x81\x82"
             "ear all of you",
             16));
  EXPECT_TRUE(begins("\x90\x91\x90\x92\x90\x93\x90\x94\x95\x96\x97\x98\x99\x9a\x9b\x9c", 16)) << "four alike";
  EXPECT_TRUE(begins("\x80\x81\x82\x83", 8, true)) << "with its padding";
  EXPECT_FALSE(begins("\x80\x81\x82\x83\x84", 8, true) || begins("", 8) || !begins("", 8, true));
}

TEST(PlaintextKind, RandomBytesAreNothing) {
  std::mt19937 random(1);  // always the same: others begin with the magic number of zstd once in 2^32 times
  std::vector<std::uint8_t> noise(64);
  for (int i = 0; i < 200'000; ++i) {
    std::ranges::generate(noise, [&] { return static_cast<std::uint8_t>(random()); });
    ASSERT_EQ(recognise_plaintext(noise, true), nullptr);
    ASSERT_FALSE(is_text_at_sixteen_places(noise, {}));
  }
}

TEST(Cmac, IsCmacOfTheNumberAndTheTagAndKeepsNoState) {
  // SP 800-38B's AES-256 example key; the expected value by `openssl mac -cipher AES-256-CBC -macopt hexkey:... CMAC`.
  const std::vector<std::uint8_t> key = {0x60, 0x3d, 0xeb, 0x10, 0x15, 0xca, 0x71, 0xbe, 0x2b, 0x73, 0xae,
                                         0xf0, 0x85, 0x7d, 0x77, 0x81, 0x1f, 0x35, 0x2c, 0x07, 0x3b, 0x61,
                                         0x08, 0xd7, 0x2d, 0x98, 0x10, 0xa3, 0x09, 0x14, 0xdf, 0xf4};
  const CmacKey macs(key);
  const std::vector<std::uint8_t> tag = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const Cmac first = macs.compute(5, tag);
  const Cmac expected = {0x64, 0x3c, 0x89, 0x01, 0xc0, 0xf9, 0xfd, 0x34, 0x41, 0xc9, 0xb3, 0xfb, 0x1c, 0x62, 0x91, 0xcb};
  EXPECT_EQ(first, expected);
  EXPECT_EQ(macs.compute(5, tag), first);
  EXPECT_NE(macs.compute(6, tag), first);
  std::set<Cmac> all;
  for (std::uint64_t chunk = 0; chunk < 1000; ++chunk) all.insert(macs.compute(chunk, tag));
  EXPECT_EQ(all.size(), 1000U);
}

}  // namespace
}  // namespace phalanx
