// Other people's implementations of our ciphers and modes, behind one interface: second opinions on random input.
#pragma once

#include <string>
#include <vector>

#include "ciphers/direction.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {

class OtherLibrary {
 public:
  OtherLibrary() = default;
  OtherLibrary(const OtherLibrary&) = delete;
  OtherLibrary& operator=(const OtherLibrary&) = delete;
  virtual ~OtherLibrary() = default;

  /// The full names (cipher-mode) that it has.
  [[nodiscard]] virtual std::vector<std::string> names() const = 0;
  /// Crypts one message, as reference::crypt does; every mode but GCM. Throws std::runtime_error if the library refuses.
  [[nodiscard]] virtual ByteVector crypt(const std::string& full_name, Direction direction, const ByteVector& key,
                                         const ByteVector& iv, const ByteVector& in) const = 0;
  /// GCM: the ciphertext followed by a tag of 16 bytes.
  [[nodiscard]] virtual ByteVector seal(const std::string& full_name, const ByteVector& key, const ByteVector& nonce,
                                        const ByteVector& associated_data, const ByteVector& in) const = 0;
};

const OtherLibrary& libgcrypt();
const OtherLibrary& nettle();
const OtherLibrary& openssl();

/// Every cipher of `ciphers` in every mode of `modes`, as full names.
inline std::vector<std::string> full_names(const std::vector<std::string>& ciphers, const std::vector<std::string>& modes) {
  std::vector<std::string> names;
  for (const std::string& cipher : ciphers) {
    for (const std::string& mode : modes) names.push_back(cipher + "-" + mode);
  }
  return names;
}

struct SplitName {
  std::string cipher, mode;
};

inline SplitName split_name(const std::string& full_name) {
  const std::size_t dash = full_name.rfind('-');
  return {full_name.substr(0, dash), full_name.substr(dash + 1)};
}

/// The 24-byte key bundle of des (K, K, K), des-ede (K1, K2, K1) or des-ede3, for libraries that have only the last.
inline ByteVector tdes_key_bundle(const ByteVector& key) {
  ByteVector bundle = key;
  while (bundle.size() < 24) bundle.insert(bundle.end(), key.begin(), key.begin() + 8);
  return bundle;
}

}  // namespace phalanx::test
