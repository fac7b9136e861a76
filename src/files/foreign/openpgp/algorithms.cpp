#include "files/foreign/openpgp/algorithms.hpp"

#include <algorithm>
#include <iterator>
#include <phalanx/error.hpp>
#include <string_view>

namespace phalanx {
namespace {

struct KnownCipher {
  unsigned number;
  const char* name;
  const char* cfb;
  std::size_t key_bytes, block_bytes;
};

// Section 9.3. Numbers 5 and 6 stand for nothing.
constexpr KnownCipher known_ciphers[] = {
    {1, "idea", nullptr, 16, 8},  // no cipher of Debian's libcrypto
    {2, "des-ede3", "des-ede3-cfb", 24, 8},
    {3, "cast5", "cast5-cfb", 16, 8},
    {4, "blowfish", "bf-cfb", 16, 8},
    {7, "aes-128", "aes-128-cfb", 16, 16},
    {8, "aes-192", "aes-192-cfb", 24, 16},
    {9, "aes-256", "aes-256-cfb", 32, 16},
    {10, "twofish-256", "twofish-256-cfb", 32, 16},
    {11, "camellia-128", "camellia-128-cfb", 16, 16},
    {12, "camellia-192", "camellia-192-cfb", 24, 16},
    {13, "camellia-256", "camellia-256-cfb", 32, 16},
};

struct NumberedName {
  unsigned number;
  const char* name;
};

// Section 9.5.
constexpr NumberedName digests[] = {
    {1, "md5"},     {2, "sha1"},    {3, "ripemd160"}, {8, "sha256"},    {9, "sha384"},
    {10, "sha512"}, {11, "sha224"}, {12, "sha3-256"}, {14, "sha3-512"},
};

// Section 9.1. Signatures alone have the others.
constexpr NumberedName public_keys[] = {
    {1, "RSA"}, {2, "RSA"}, {16, "Elgamal"}, {18, "ECDH"}, {25, "X25519"}, {26, "X448"},
};

template <class Row, std::size_t count>
const Row* find(const Row (&rows)[count], unsigned number) {
  const Row* const found = std::ranges::find(rows, number, &Row::number);
  return found == std::end(rows) ? nullptr : found;
}

template <class Row, std::size_t count>
const Row& find_or_refuse(const Row (&rows)[count], unsigned number, const char* what) {
  const Row* const found = find(rows, number);
  if (found == nullptr) {
    throw Error(ErrorCode::format,
                "it says " + std::string(what) + " " + std::to_string(number) + ", which is not read: gpg -d may open it");
  }
  return *found;
}

}  // namespace

OpenPgpCipher openpgp_cipher(unsigned number) {
  const KnownCipher& known = find_or_refuse(known_ciphers, number, "cipher");
  return {.number = number, .name = known.name, .key_bytes = known.key_bytes, .block_bytes = known.block_bytes};
}

bool is_openpgp_cipher(unsigned number) { return find(known_ciphers, number) != nullptr; }

ForeignCipher cfb_of(const OpenPgpCipher& cipher) {
  const char* const name = find_or_refuse(known_ciphers, cipher.number, "cipher").cfb;
  if (name == nullptr)
    throw Error(ErrorCode::format, "it is encrypted by " + cipher.name + ", which is not read: gpg -d may open it");
  return parse_foreign_cipher_name(name);
}

OpenPgpAead openpgp_aead(unsigned number) {
  if (number < 1 || number > 3)
    throw Error(ErrorCode::format, "it says AEAD " + std::to_string(number) + ", which is not read: gpg -d may open it");
  return static_cast<OpenPgpAead>(number);
}

std::size_t nonce_bytes_of(OpenPgpAead aead) {
  constexpr std::size_t sizes[] = {16, 15, 12};  // section 9.6
  return sizes[static_cast<std::size_t>(aead) - 1];
}

const char* name_of(OpenPgpAead aead) {
  constexpr const char* names[] = {"eax", "ocb", "gcm"};
  return names[static_cast<std::size_t>(aead) - 1];
}

std::string openpgp_digest(unsigned number) { return find_or_refuse(digests, number, "digest").name; }

std::string openpgp_public_key(unsigned number) {
  const NumberedName* const known = find(public_keys, number);
  return known == nullptr ? "algorithm " + std::to_string(number) : known->name;
}

}  // namespace phalanx
