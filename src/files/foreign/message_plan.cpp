#include "files/foreign/message_plan.hpp"

#include <algorithm>
#include <utility>

#include "files/foreign/padding_evidence.hpp"

namespace phalanx {
namespace {

constexpr std::uint64_t tweak_unit_bytes = 512;  // dm-crypt's plain64 counts these, whatever the sector

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

// Judges a format, under the names that the caller has for its settings.
class FormatJudge {
 public:
  FormatJudge(const MessageFormat& format, const SettingNames& names) : format_(format), names_(names) {}

  void require_bare_mode() const;
  [[nodiscard]] Padding padding() const;
  [[nodiscard]] SectorLayout sectors() const;
  void check_iv() const;
  void check_prefix() const;
  void check_digest() const;
  void check_salt() const;
  void check_policy() const;

 private:
  [[nodiscard]] bool is(Mode mode) const { return format_.cipher.mode == mode; }
  [[nodiscard]] std::string cipher() const { return full_name(format_.cipher); }
  [[nodiscard]] std::string who_takes_no_iv() const { return is(Mode::ecb) ? "ECB" : cipher(); }
  void check_sector(const MessageFormat::Sectors& sectors) const;
  [[noreturn]] void throw_no_iv() const;

  const MessageFormat& format_;
  const SettingNames& names_;
};

void FormatJudge::require_bare_mode() const {
  if (!is_aead(format_.cipher.mode)) return;
  throw_usage(std::string(facts_of(format_.cipher.mode).name) +
              " is no mode of bare data, since its tag must be checked before a byte is let out: " + names_.reads_aead);
}

Padding FormatJudge::padding() const {
  if (takes_padding(format_.cipher.mode)) return format_.padding.value_or(Padding::pkcs7);
  if (format_.padding.value_or(Padding::none) != Padding::none)
    throw_usage(names_.padding + " is for ECB and CBC: this mode takes any length, so leave it out");
  return Padding::none;
}

void FormatJudge::check_sector(const MessageFormat::Sectors& sectors) const {
  const std::string size = names_.sector_bytes + " " + std::to_string(sectors.sector_bytes);
  const bool fits = sectors.sector_bytes != 0 && sectors.sector_bytes % largest_block_bytes == 0;
  if (!fits || sectors.sector_bytes > most_sector_bytes)
    throw_usage(size + " is not a multiple of 16 from 16 to " + std::to_string(most_sector_bytes));
  if (!sectors.tweak_step && sectors.sector_bytes % tweak_unit_bytes != 0)
    throw_usage(size + " is not a multiple of 512: choose one, or count sectors by " + names_.large_sectors);
}

SectorLayout FormatJudge::sectors() const {
  if (!format_.sectors) return {};
  const MessageFormat::Sectors& given = *format_.sectors;
  if (!is(Mode::xts)) throw_usage(names_.sectors + " are for XTS only");
  if (format_.cipher.is_read_only())
    throw_usage(names_.sectors + " are of a volume, and a file of `openssl enc` has none: leave out one or the other");
  if (!format_.iv.empty()) throw_usage(names_.iv + " is the tweak of a single data unit: give it, or " + names_.by_sectors);
  check_sector(given);
  return {.sector_bytes = static_cast<std::size_t>(given.sector_bytes),
          .first_tweak = given.first_tweak,
          .tweak_step = given.tweak_step.value_or(given.sector_bytes / tweak_unit_bytes)};
}

void FormatJudge::throw_no_iv() const {
  const std::string size = std::to_string(iv_bytes(format_.cipher)) + " bytes";
  const std::string digits = std::to_string(2 * iv_bytes(format_.cipher)) + " hex digits (" + size + ")";
  throw_usage(cipher() + " needs " + names_.iv + ", " + (names_.iv_in_hex ? digits : size) +
              (is(Mode::xts) ? ", or " + names_.sector_bytes : ""));
}

// An iv that is not given is derived from a passphrase, or comes from the data.
void FormatJudge::check_iv() const {
  if (format_.sectors) return;
  const std::size_t size = iv_bytes(format_.cipher);
  if (format_.iv.empty()) {
    if (size != 0 && !format_.from_passphrase && !format_.begins_with_iv) throw_no_iv();
    return;
  }
  if (size == 0) throw_usage(who_takes_no_iv() + " takes no iv: leave " + names_.iv + " out");
  if (format_.iv.size() == size) return;
  throw_usage(cipher() + " takes an iv of " + std::to_string(size) + " bytes, not of " + std::to_string(format_.iv.size()));
}

void FormatJudge::check_prefix() const {
  if (!format_.begins_with_iv) return;
  const std::string& name = names_.begins_with_iv;
  if (!format_.iv.empty()) throw_usage(name + " takes the iv from the file: leave " + names_.iv + " out");
  if (iv_bytes(format_.cipher) == 0) throw_usage(who_takes_no_iv() + " takes no iv: leave " + name + " out");
  if (format_.sectors) throw_usage("XTS by sectors takes no iv: leave " + name + " out");
  if (format_.from_passphrase) throw_usage("the iv comes from the passphrase: leave " + name + " out");
}

void FormatJudge::check_digest() const {
  if (!format_.from_passphrase) return;
  if (!format_.openssl.find_digest) return require_digest(format_.openssl.derivation.digest);
  const std::string& name = names_.find_digest;
  if (format_.direction == Direction::encrypt) throw_usage(name + " is for decrypting: name a digest");
  if (!shows_wrong_key(format_.cipher.mode, padding()))
    throw_usage(name + " goes by the padding, and there is none to check: name the digest");
}

// EVP_BytesToKey takes eight bytes or none, and PBKDF2 any; OpenSSL has room for sixteen.
void FormatJudge::check_salt() const {
  if (!format_.from_passphrase) return;
  const OpensslPlan& openssl = format_.openssl;
  const bool is_given = !openssl.salt.empty();
  if (is_given && openssl.salted) throw_usage(names_.salt + " is of a file that does not begin with its salt");
  const std::size_t num_bytes = is_given ? openssl.salt.size() : openssl.salt_bytes;
  const std::string& name = is_given ? names_.salt : names_.salt_bytes;
  if (num_bytes == 0 || num_bytes > most_openssl_salt_bytes)
    throw_usage(name + " says " + std::to_string(num_bytes) + " bytes of salt, and OpenSSL has 1 to " +
                std::to_string(most_openssl_salt_bytes));
  if (num_bytes != openssl_salt_bytes && !openssl.derivation.pbkdf2)
    throw_usage(name + " says " + std::to_string(num_bytes) + " bytes of salt: without PBKDF2 it has " +
                std::to_string(openssl_salt_bytes) + " always");
}

void FormatJudge::check_policy() const {
  if (format_.direction == Direction::decrypt) return;
  const auto refuse = [&](const std::string& why, const char* what) {
    throw Error(ErrorCode::policy, why + ": " + names_.allow_legacy + " to write " + what);
  };
  if (format_.cipher.engine.cipher->family == CipherFamily::des)
    refuse(cipher() + " is a legacy cipher, for reading old data", "with it");
  if (is(Mode::ecb)) refuse(cipher() + " shows which blocks are equal", "with it");
  if (format_.from_passphrase && !format_.openssl.derivation.pbkdf2)
    refuse("without PBKDF2 a passphrase is guessed fast", "so");
}

void check_key(const ForeignFormat& format, const ForeignCipher& cipher) {
  const bool has_secret = !format.key.empty() || !format.passphrase.empty();
  if (format.passphrase_is_empty && has_secret)
    throw_usage("foreign data has a key or a passphrase, and its passphrase is said to be empty: choose");
  if (format.passphrase_is_empty) return;
  if (!has_secret) throw_usage("foreign data needs a key or a passphrase: both are empty");
  if (format.key.empty()) return;
  if (!format.passphrase.empty()) throw_usage("foreign data has a key or a passphrase: give one of them");
  const std::size_t size = key_bytes(cipher);
  if (format.key.size() == size) return;
  throw_usage(full_name(cipher) + " takes a key of " + std::to_string(size) + " bytes, not of " +
              std::to_string(format.key.size()));
}

}  // namespace

void refuse_read_only(const ForeignCipher& cipher, const std::string& what) {
  if (!cipher.is_read_only()) return;
  throw_usage("Phalanx reads " + full_name(cipher) + ", and does not " + what);
}

MessagePlan plan_message(const MessageFormat& format, const RunOptions& options, SettingNames names) {
  MessagePlan plan;
  plan.names = std::make_shared<const SettingNames>(std::move(names));
  const FormatJudge judge(format, *plan.names);
  if (format.direction == Direction::encrypt) refuse_read_only(format.cipher, "write it");
  judge.require_bare_mode();
  plan.job.padding = judge.padding();
  plan.job.sectors = judge.sectors();
  judge.check_prefix();
  judge.check_iv();
  judge.check_digest();
  judge.check_salt();
  if (!options.policy.allow_legacy) judge.check_policy();
  plan.cipher = format.cipher;
  plan.job.direction = format.direction;
  plan.job.mode = format.cipher.mode;
  if (format.cipher.way == ForeignWay::restarted) plan.job.restart_bytes = openssl_unit_bytes;
  plan.job.iv.size = format.sectors ? 0 : iv_bytes(format.cipher);
  std::ranges::copy(format.iv, plan.job.iv.bytes.begin());
  plan.from_passphrase = format.from_passphrase;
  plan.iv_given = !format.iv.empty();
  plan.iv_prefix = format.begins_with_iv;
  plan.openssl = format.openssl;
  plan.options = options;
  return plan;
}

std::string hint_of_ecb(const MessagePlan& plan) {
  const CipherSpec* const spec = plan.cipher.engine.cipher;
  const bool is_des = spec != nullptr && spec->family == CipherFamily::des;
  if (!plan.from_passphrase || plan.cipher.mode != Mode::ecb || !is_des) return "";
  return "; to openssl enc des-ede3 is ECB, and des3 is CBC";
}

MessagePlan plan_foreign(const ForeignFormat& format, const RunOptions& options, Direction direction) {
  MessageFormat message;
  message.from_passphrase = format.key.empty();
  message.cipher =
      message.from_passphrase ? parse_openssl_cipher_name(format.cipher) : parse_foreign_cipher_name(format.cipher);
  message.direction = direction;
  check_key(format, message.cipher);
  if (takes_padding(message.cipher.mode)) message.padding = format.padding;
  message.iv = format.iv;
  message.begins_with_iv = format.begins_with_iv;
  const SectorLayout& sectors = format.sectors;
  if (sectors.sector_bytes != 0)
    message.sectors = {
        .sector_bytes = sectors.sector_bytes, .first_tweak = sectors.first_tweak, .tweak_step = sectors.tweak_step};
  message.openssl = {.derivation = format.derivation,
                     .find_digest = message.from_passphrase && format.find_digest,
                     .salted = format.salted && format.salt.empty(),
                     .base64 = format.base64,
                     .salt_bytes = format.salt_bytes,
                     .salt = {format.salt.begin(), format.salt.end()}};
  return plan_message(message, options);
}

}  // namespace phalanx
