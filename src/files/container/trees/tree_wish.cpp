#include "files/container/trees/tree_wish.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <phalanx/files/key_derivation.hpp>
#include <string_view>
#include <vector>

#include "engine/chunked/suite.hpp"
#include "engine/host/host.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/hex.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "files/libcrypto/sha256.hpp"

namespace phalanx {
namespace {

constexpr std::string_view domain("PHALANX tree wish 1\0", 20);
constexpr std::size_t salt_bytes = 16, part_bytes = 64;
constexpr unsigned usual_log2_n = 17, most_log2_n = 20;  // with r = 8 and p = 1: 128 MiB, and 1 GiB
using Salt = std::array<std::uint8_t, salt_bytes>;

// Holds the parts of a recorded wish: "SALT:LOG2_N:DIGEST".
struct WishParts {
  Salt salt{};
  unsigned log2_n = usual_log2_n;
};

void append(Bytes bytes, std::vector<std::uint8_t>& all) {
  const auto size = static_cast<std::uint32_t>(bytes.size());
  for (int shift = 24; shift >= 0; shift -= 8) all.push_back(static_cast<std::uint8_t>(size >> shift));
  all.insert(all.end(), bytes.begin(), bytes.end());
}

std::vector<std::uint8_t> salted(const WishParts& parts, std::string_view what) {
  std::vector<std::uint8_t> text(domain.begin(), domain.end());
  append(bytes_of(what), text);
  append(parts.salt, text);
  return text;
}

// It begins with the kind of secret, so that no key is taken for a passphrase.
std::vector<std::uint8_t> part_of_key(const WishParts& parts, std::string_view what, Bytes key) {
  std::vector<std::uint8_t> part(part_bytes);
  compute_hmac_sha512(key, salted(parts, what), part);
  part.insert(part.begin(), what.begin(), what.end());
  return part;
}

std::vector<std::uint8_t> part_of_guessable(const WishParts& parts, std::string_view what, Bytes secret) {
  SecretBytes key(32);
  derive_scrypt(secret, salted(parts, what), parts.log2_n, 8, 1, key);
  return part_of_key(parts, what, key);
}

std::vector<std::uint8_t> part_of_public(Bytes text) {
  constexpr std::string_view what = "public key";
  std::vector<std::uint8_t> part(what.begin(), what.end());
  part.insert(part.end(), text.begin(), text.end());
  return part;
}

// Only what is no secret is written as it is.
std::vector<std::uint8_t> part_of(const WishParts& parts, const Recipient& recipient) {
  switch (recipient.kind) {
    case KeyKind::key:
      return part_of_key(parts, "key", recipient.secret);
    case KeyKind::passphrase:
      return part_of_guessable(parts, "passphrase", recipient.secret);
    case KeyKind::public_key:
      break;
  }
  // If a call of the caller wraps, there may be no text: such recipients are counted alone.
  return part_of_public(recipient.secret);
}

std::string text_of(const WishParts& parts, const ContainerJob& job, bool bind_names) {
  std::vector<std::vector<std::uint8_t>> all;
  for (const Recipient& recipient : job.recipients) all.push_back(part_of(parts, recipient));
  std::ranges::sort(all, [](const auto& a, const auto& b) { return std::ranges::lexicographical_compare(a, b); });
  if (!job.binding.context.empty()) all.push_back(part_of_guessable(parts, "context", job.binding.context));
  std::vector<std::uint8_t> message = salted(parts, job.suite->name);
  message.push_back(static_cast<std::uint8_t>(parts.log2_n));
  message.push_back(bind_names ? 1 : 0);
  append(bytes_of(bind_names ? job.binding.below : ""), message);
  for (const std::vector<std::uint8_t>& part : all) append(part, message);
  Sha256 digest;
  digest.update(message);
  return encode_hex(parts.salt) + ':' + std::to_string(parts.log2_n) + ':' + digest.finish();
}

std::optional<WishParts> parts_of(std::string_view recorded) {
  WishParts parts;
  const std::size_t first = recorded.find(':'), second = recorded.find(':', first + 1);
  if (first != 2 * salt_bytes || second == std::string_view::npos) return std::nullopt;
  const std::string_view digits = recorded.substr(first + 1, second - first - 1);
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), parts.log2_n);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  if (parts.log2_n == 0 || parts.log2_n > most_log2_n) return std::nullopt;
  try {
    decode_hex(recorded.substr(0, first), "a salt", parts.salt);
  } catch (const Error&) {
    return std::nullopt;
  }
  return parts;
}

}  // namespace

std::string make_tree_wish(const ContainerJob& job, bool bind_names) {
  WishParts parts;
  fill_random(parts.salt);
  return text_of(parts, job, bind_names);
}

bool is_tree_wish(const std::string& recorded, const ContainerJob& job, bool bind_names) {
  const std::optional<WishParts> parts = parts_of(recorded);
  return parts && text_of(*parts, job, bind_names) == recorded;
}

}  // namespace phalanx
