// The one judge of formats: what does not fit is refused by the names that whoever asked has for the settings.
#include "files/foreign/message_plan.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "engine/library/names/cipher_name.hpp"

namespace phalanx::test {
namespace {

constexpr std::uint8_t bytes_of_iv[17] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17};
const Bytes iv16 = Bytes(bytes_of_iv).first(16);

SettingNames program_names() {
  return {.iv = "--iv",
          .iv_in_hex = true,
          .begins_with_iv = "--iv-prefix",
          .padding = "--padding",
          .sectors = "--sector-size and its like",
          .by_sectors = "the sector options",
          .sector_bytes = "--sector-size",
          .large_sectors = "--iv-large-sectors",
          .find_digest = "--md auto",
          .no_salt = "--no-salt",
          .derivation = "--md",
          .allow_legacy = "give --allow-legacy"};
}

MessageFormat format_of(const char* cipher, Bytes iv = {}) {
  MessageFormat format;
  format.cipher = parse_cipher_name(cipher);
  format.iv = iv;
  return format;
}

struct Refusal {
  MessageFormat format;
  std::string words, library_words;
  ErrorCode code = ErrorCode::usage;
};

MessageFormat with(MessageFormat format, const std::function<void(MessageFormat&)>& change) {
  change(format);
  return format;
}

MessageFormat of_sectors(std::uint64_t sector_bytes, std::optional<std::uint64_t> step) {
  return with(format_of("aes-128-xts"), [&](MessageFormat& f) { f.sectors = {sector_bytes, 0, step}; });
}

MessageFormat of_passphrase(const char* cipher) {
  return with(format_of(cipher), [](MessageFormat& f) { f.from_passphrase = true; });
}

std::vector<Refusal> refusals() {
  const MessageFormat cbc = format_of("aes-128-cbc", iv16), ecb = format_of("aes-128-ecb"), xts = format_of("aes-128-xts");
  const auto prefixed = [](MessageFormat& f) { f.begins_with_iv = true; };
  const auto finding = [](MessageFormat& f) { f.openssl.find_digest = true; };
  const auto writing = [](MessageFormat& f) { f.direction = Direction::encrypt; };
  const auto in_sectors = [](MessageFormat& f) { f.sectors = MessageFormat::Sectors{}; };
  return {
      {format_of("aes-128-gcm"), "gcm is no mode of bare data", "gcm is no mode of bare data"},
      {with(format_of("aes-128-ctr", iv16), [](MessageFormat& f) { f.padding = Padding::pkcs7; }),
       "--padding is for ECB and", "`padding` is for ECB and"},
      {with(cbc, in_sectors), "--sector-size and its like are for XTS only", "sectors are for XTS only"},
      {with(format_of("aes-128-xts", iv16), in_sectors), "--iv is the tweak of a single data unit: give it, or the sector",
       "`iv` is the tweak of a single data unit: give it, or `sectors`"},
      {of_sectors(528, std::nullopt),
       "--sector-size 528 is not a multiple of 512: choose one, or count sectors by --iv-large",
       "`sector_bytes` 528 is not a multiple of 512: choose one, or count sectors by `tweak_step`"},
      {of_sectors(520, std::nullopt), "--sector-size 520 is not a multiple of 16 from 16",
       "`sector_bytes` 520 is not a multiple of 16"},
      {of_sectors(4104, std::nullopt), "--sector-size 4104 is not a multiple of 16 from 16",
       "`sector_bytes` 4104 is not a multiple of 16"},
      {of_sectors(520, 1), "--sector-size 520 is not a multiple of 16 from 16",
       "`sector_bytes` 520 is not a multiple of 16"},
      {of_sectors(0, 1), "--sector-size 0 is not a multiple of 16 from", "`sector_bytes` 0 is not a multiple of 16 from"},
      {of_sectors(most_sector_bytes + 16, 1), "--sector-size 1048592 is not", "`sector_bytes` 1048592 is not"},
      {format_of("aes-128-cbc"), "aes-128-cbc needs --iv, 32 hex digits (16 bytes)", "aes-128-cbc needs `iv`, 16 bytes"},
      {xts, "aes-128-xts needs --iv, 32 hex digits (16 bytes), or --sector-size",
       "aes-128-xts needs `iv`, 16 bytes, or `sector_bytes`"},
      {format_of("aes-128-cbc", bytes_of_iv), "takes an iv of 16 bytes, not of 17", "takes an iv of 16 bytes, not of 17"},
      {format_of("aes-128-ecb", iv16), "ECB takes no iv: leave --iv out", "ECB takes no iv: leave `iv` out"},
      {with(cbc, prefixed), "--iv-prefix takes the iv from the file: leave --iv out", "`begins_with_iv` takes the iv from"},
      {with(ecb, prefixed), "ECB takes no iv: leave --iv-prefix out", "ECB takes no iv: leave `begins_with_iv` out"},
      {with(of_sectors(512, 1), prefixed), "XTS by sectors takes no iv: leave --iv-prefix out",
       "leave `begins_with_iv` out"},
      {with(of_passphrase("aes-128-cbc"), prefixed), "the iv comes from the passphrase: leave --iv-prefix out",
       "the iv comes from the passphrase: leave `begins_with_iv` out"},
      {with(of_passphrase("aes-128-ctr"), finding), "--md auto goes by the padding", "`find_digest` goes by the padding"},
      {with(with(of_passphrase("aes-128-cbc"), finding), writing), "--md auto is for decrypting", "`find_digest` is for"},
      {with(of_passphrase("aes-128-cbc"), [](MessageFormat& f) { f.openssl.derivation.digest = "sha257"; }), "sha257",
       "sha257"},
      {with(ecb, writing), "aes-128-ecb shows which blocks are equal: give --allow-legacy to write with it",
       "aes-128-ecb shows which blocks are equal: set allow_legacy to write with it", ErrorCode::policy},
      {with(format_of("des-cbc", iv16.first(8)), writing),
       "des-cbc is a legacy cipher, for reading old data: give --allow-legacy",
       "des-cbc is a legacy cipher, for reading old data: set allow_legacy to", ErrorCode::policy},
      {with(of_passphrase("aes-128-cbc"), [&](MessageFormat& f) { writing(f), f.openssl.derivation.pbkdf2 = false; }),
       "without PBKDF2 a passphrase is guessed fast: give --allow-legacy", "is guessed fast: set allow_legacy",
       ErrorCode::policy},
  };
}

void expect_refused(const MessageFormat& format, ErrorCode code, const SettingNames& names, const std::string& words) {
  try {
    static_cast<void>(plan_message(format, {}, names));
    ADD_FAILURE() << "taken, and should be refused: " << words;
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    EXPECT_NE(std::string(error.what()).find(words), std::string::npos) << error.what() << " lacks " << words;
  }
}

TEST(MessagePlan, RefusesByTheNamesThatTheCallerUses) {
  for (const Refusal& refusal : refusals()) {
    expect_refused(refusal.format, refusal.code, program_names(), refusal.words);
    expect_refused(refusal.format, refusal.code, {}, refusal.library_words);
  }
}

TEST(MessagePlan, LegacyIsReadAndWrittenWherePermitted) {
  MessageFormat format = format_of("des-ede3-ecb");
  EXPECT_NO_THROW(static_cast<void>(plan_message(format, {})));
  format.direction = Direction::encrypt;
  RunOptions options;
  options.policy.allow_legacy = true;
  EXPECT_TRUE(plan_message(format, options).options.policy.allow_legacy);
}

TEST(MessagePlan, CountsTweaksAsIsSaid) {
  EXPECT_EQ(plan_message(of_sectors(4096, std::nullopt), {}).job.sectors.tweak_step, 8U);
  EXPECT_EQ(plan_message(of_sectors(4096, 1), {}).job.sectors.tweak_step, 1U);
  EXPECT_EQ(plan_message(of_sectors(16, 3), {}).job.sectors.sector_bytes, 16U);
}

TEST(MessagePlan, TheLibrarysFormatIsJudgedTheSameWay) {
  const std::vector<std::uint8_t> key(32, 5);
  ForeignFormat format{.cipher = "aes-256-cbc", .padding = Padding::x923, .key = key, .iv = iv16};
  const MessagePlan plan = plan_foreign(format, {});
  EXPECT_EQ(plan.job.padding, Padding::x923);
  EXPECT_EQ(Bytes(plan.job.iv).size(), 16U);
  EXPECT_EQ(Bytes(plan.job.iv)[15], 16);
  EXPECT_TRUE(plan.iv_given && !plan.from_passphrase && !plan.iv_prefix);
  format.cipher = "aes-256-ctr";  // which has no padding, and the format's own is not asked for
  EXPECT_EQ(plan_foreign(format, {}).job.padding, Padding::none);
  format.iv = {};
  EXPECT_THROW(static_cast<void>(plan_foreign(format, {})), Error);
}

}  // namespace
}  // namespace phalanx::test
