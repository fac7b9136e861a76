// What the beginning of an old file says of how it is wrapped.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "files/foreign/openssl_enc.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// The file itself, or what it is the base64 of.
struct SniffedFormat {
  bool possible = false;            ///< the file can be read so
  bool salted = false;              ///< and then begins with "Salted__"
  std::vector<std::uint8_t> bytes;  ///< its first: a header, a salt or an iv
};

class SniffedFile {
 public:
  /// Looks at what stands at the input's position, and leaves it there.
  explicit SniffedFile(Input& input);

  [[nodiscard]] bool is_empty() const { return is_empty_; }
  [[nodiscard]] const SniffedFormat& wrapped(bool base64) const { return base64 ? encoded_ : raw_; }

  /// What kind of plaintext the file seems to be already, "" if none: base64 and "Salted__" are none.
  [[nodiscard]] const std::string& plaintext_kind() const { return plaintext_kind_; }

 private:
  SniffedFormat raw_, encoded_;
  std::string plaintext_kind_;
  bool is_empty_ = false;
};

}  // namespace phalanx
