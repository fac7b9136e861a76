#include "files/foreign/openpgp/string_to_key.hpp"

#include <algorithm>
#include <bit>
#include <phalanx/error.hpp>
#include <string>

#include "files/foreign/openpgp/algorithms.hpp"
#include "files/libcrypto/argon2.hpp"
#include "files/libcrypto/named_digest.hpp"

namespace phalanx {
namespace {

constexpr std::size_t salt_bytes = 8, argon2_salt_bytes = 16;
constexpr std::uint32_t most_memory_log2 = 22;  // in KiB: a message may not ask for more than 4 GiB
constexpr std::uint64_t most_passed_kib = std::uint64_t{64} << 20;

[[noreturn]] void refuse(const std::string& what) { throw Error(ErrorCode::format, what); }

// The number is coded in one byte (section 3.7.1.3).
std::uint64_t num_hashed_of(std::uint8_t coded) { return std::uint64_t{16U + (coded & 15U)} << ((coded >> 4U) + 6); }

void take_argon2(PacketFields& fields, StringToKey& taken) {
  const Bytes salt = fields.take(argon2_salt_bytes);
  taken.salt.assign(salt.begin(), salt.end());
  taken.num_passes = fields.take_byte();
  taken.num_lanes = fields.take_byte();
  taken.memory_log2 = fields.take_byte();
}

// Salt and passphrase are hashed again and again, up to the number of bytes, and once as a whole at least. They are laid
// out many times, since a short update costs as much as a long one.
void hash_repeated(NamedDigest& digest, Bytes salt, Bytes passphrase, std::uint64_t num_hashed_bytes) {
  constexpr std::size_t about_bytes = std::size_t{16} << 10;
  const std::size_t once_bytes = salt.size() + passphrase.size();
  if (once_bytes == 0) return;
  SecretBytes repeated(once_bytes * std::max<std::size_t>(1, about_bytes / once_bytes));
  for (std::uint8_t* place = repeated.begin(); place != repeated.end();)
    place = std::ranges::copy(passphrase, std::ranges::copy(salt, place).out).out;
  std::uint64_t left = std::max<std::uint64_t>(num_hashed_bytes, once_bytes);
  while (left != 0) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(left, repeated.size()));
    digest.update(Bytes(repeated).first(size));
    left -= size;
  }
}

SecretBytes derive_by_argon2(const StringToKey& specifier, Bytes passphrase, std::size_t key_bytes) {
  if (specifier.memory_log2 > most_memory_log2)
    refuse("its passphrase takes more than 4 GiB of memory, by Argon2, which no message gets");
  if (std::uint64_t{specifier.num_passes} << specifier.memory_log2 > most_passed_kib)
    refuse("its passphrase takes more than 64 GiB that Argon2 passes over, which no message gets");
  SecretBytes key(key_bytes);
  derive_argon2(Argon2Kind::id, passphrase, specifier.salt,
                {.num_passes = specifier.num_passes,
                 .memory_kib = std::uint32_t{1} << specifier.memory_log2,
                 .num_lanes = specifier.num_lanes},
                key);
  return key;
}

}  // namespace

StringToKey take_string_to_key(PacketFields& fields) {
  StringToKey taken;
  const unsigned kind = fields.take_byte();
  taken.kind = static_cast<StringToKey::Kind>(kind);
  if (taken.kind == StringToKey::Kind::argon2) {
    take_argon2(fields, taken);
    return taken;
  }
  const bool is_salted = taken.kind == StringToKey::Kind::salted || taken.kind == StringToKey::Kind::iterated;
  if (kind != 0 && !is_salted)
    refuse("it derives its key in way " + std::to_string(kind) + ", which is not read: gpg -d may open it");
  taken.digest = fields.take_byte();
  if (is_salted) {
    const Bytes salt = fields.take(salt_bytes);
    taken.salt.assign(salt.begin(), salt.end());
  }
  if (taken.kind == StringToKey::Kind::iterated) taken.num_hashed_bytes = num_hashed_of(fields.take_byte());
  return taken;
}

// Section 3.7.1.1: where a key is longer than a digest, further digests have 1, 2, ... zeros in front.
SecretBytes derive_key(const StringToKey& specifier, Bytes passphrase, std::size_t key_bytes) {
  if (specifier.kind == StringToKey::Kind::argon2) return derive_by_argon2(specifier, passphrase, key_bytes);
  NamedDigest digest(openpgp_digest(specifier.digest));
  SecretBytes key(key_bytes), hash(digest.num_bytes());
  const std::vector<std::uint8_t> zeros(key_bytes / digest.num_bytes());
  for (std::size_t done = 0; done < key_bytes; done += hash.size()) {
    digest.begin();
    digest.update(Bytes(zeros).first(done / hash.size()));
    hash_repeated(digest, specifier.salt, passphrase, specifier.num_hashed_bytes);
    digest.finish(hash);
    std::copy_n(hash.begin(), std::min(hash.size(), key_bytes - done), key.begin() + done);
  }
  return key;
}

}  // namespace phalanx
