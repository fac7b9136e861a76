// This looks at the beginning of an old file: how it is wrapped, and of what kind it is.
#pragma once

#include <cstdint>
#include <vector>

#include "files/foreign/openssl_enc.hpp"
#include "files/recognition/recognised_file.hpp"
#include "files/system/input.hpp"

namespace phalanx {

/// Describes the file itself, or what it is the base64 of.
struct SniffedFormat {
  bool possible = false;            ///< the file can be read so
  bool salted = false;              ///< and then begins with "Salted__"
  std::vector<std::uint8_t> bytes;  ///< its first bytes: a header, a salt or an iv
};

class SniffedFile {
 public:
  /// Looks at what stands at the input's position, and leaves it there. The input can seek.
  explicit SniffedFile(Input& input);

  [[nodiscard]] bool is_empty() const { return is_empty_; }
  [[nodiscard]] const SniffedFormat& wrapped(bool base64) const { return base64 ? encoded_ : raw_; }

  /// Returns what the file is; an empty one is unknown.
  [[nodiscard]] const RecognisedFile& recognised() const { return recognised_; }

 private:
  SniffedFormat raw_, encoded_;
  RecognisedFile recognised_;
  bool is_empty_ = false;
};

}  // namespace phalanx
