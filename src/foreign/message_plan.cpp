#include "foreign/message_plan.hpp"

#include <algorithm>

#include "foreign/padding_evidence.hpp"

namespace phalanx {
namespace {

[[noreturn]] void throw_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

void require_size(const char* what, std::size_t size, std::size_t wanted, const std::string& cipher) {
  if (size == wanted) return;
  throw_usage(cipher + " takes " + what + " of " + std::to_string(wanted) + " bytes, not of " + std::to_string(size));
}

void plan_key(const ForeignFormat& format, MessagePlan& plan) {
  plan.from_passphrase = format.key.empty();
  if (!plan.from_passphrase) {
    if (!format.passphrase.empty()) throw_usage("foreign data has a key or a passphrase: give one of them");
    return require_size("a key", format.key.size(), key_bytes(plan.cipher), full_name(plan.cipher));
  }
  if (format.passphrase.empty()) throw_usage("foreign data needs a key or a passphrase: both are empty");
  require_digest(format.derivation.digest);
  if (format.find_digest && !shows_wrong_key(plan.job.mode, plan.job.padding))
    throw_usage("the digest is found by the padding, and there is none to check: name it");
}

void plan_sectors(const ForeignFormat& format, MessagePlan& plan) {
  const std::size_t size = format.sectors.sector_bytes;
  if (size == 0) return;
  if (plan.job.mode != Mode::xts) throw_usage("sectors are XTS's");
  if (size % largest_block_bytes != 0 || size > most_sector_bytes) {
    throw_usage("a sector has a multiple of 16 bytes, 1 MiB at most, and not " + std::to_string(size));
  }
  if (!format.iv.empty() || format.begins_with_iv) throw_usage("sectors have tweaks, and no iv");
  if (plan.from_passphrase) throw_usage("sectors have a key, and no passphrase of `openssl enc`");
  plan.job.sectors = format.sectors;
}

void plan_iv(const ForeignFormat& format, MessagePlan& plan) {
  const std::size_t size = plan.job.sectors.sector_bytes != 0 ? 0 : iv_bytes(plan.cipher);
  plan.iv_given = !format.iv.empty();
  plan.iv_prefix = format.begins_with_iv;
  if (plan.iv_given && plan.iv_prefix) throw_usage("foreign data begins with its iv, or the format gives it: not both");
  if (plan.iv_prefix && plan.from_passphrase)
    throw_usage("the passphrase gives the iv, and data cannot begin with it as well");
  if (plan.iv_prefix && size == 0) throw_usage(full_name(plan.cipher) + " has no iv that data could begin with");
  const bool comes_later = plan.iv_prefix || (plan.from_passphrase && !plan.iv_given);
  if (!comes_later) require_size("an iv", format.iv.size(), size, full_name(plan.cipher));
  plan.job.iv.size = size;
  std::ranges::copy(format.iv, plan.job.iv.bytes.begin());
}

}  // namespace

void require_bare_mode(const NamedCipher& named) {
  if (named.mode != Mode::gcm) return;
  throw_usage(
      "gcm is no mode of bare data, since its tag must be checked before a byte is let out: choose ecb, cbc, ctr, cfb, "
      "ofb or xts");
}

MessagePlan plan_foreign(const ForeignFormat& format, const Options& options) {
  MessagePlan plan;
  plan.options = options;
  plan.cipher = format.key.empty() ? parse_openssl_cipher_name(format.cipher) : parse_cipher_name(format.cipher);
  require_bare_mode(plan.cipher);
  plan.job.direction = Direction::decrypt;
  plan.job.mode = plan.cipher.mode;
  plan.job.padding = takes_padding(plan.cipher.mode) ? format.padding : Padding::none;
  plan_key(format, plan);
  plan_sectors(format, plan);
  plan_iv(format, plan);
  plan.openssl = {.derivation = format.derivation,
                  .find_digest = plan.from_passphrase && format.find_digest,
                  .salted = format.salted,
                  .base64 = format.base64};
  return plan;
}

}  // namespace phalanx
