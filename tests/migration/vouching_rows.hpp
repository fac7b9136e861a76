// How old files were written, and as what they are described: the rows of the two tables of docs/notes/vouching_counted.md.
#pragma once

#include <phalanx/files/foreign.hpp>
#include <string>
#include <vector>

namespace phalanx::test {

enum class IvSource { none, given, zeros, read, derived, beside_passphrase };

/// How a file was written, or as what it is described. Its key and iv are drawn for each file.
struct ForeignWay {
  std::vector<std::string> ciphers;  ///< one; of a description several that are tried
  /// derived: from a passphrase, as `openssl enc` does it; beside_passphrase: as with its -iv, the key alone is.
  IvSource iv = IvSource::given;
  Padding padding = Padding::pkcs7;
  SectorLayout sectors{};
  OpensslDerivation derivation{};
  bool find_digest = false;
};

struct VouchingRow {
  std::string name;
  ForeignWay written;
  ForeignWay described;
  bool wrong_key = false;
  bool wrong_iv = false;
  std::vector<std::string> known_faults{};  ///< kinds of plaintext that were vouched for once: all files of them are made
};

/// Descriptions that are wrong: nothing but the file's own plaintext may be vouched for.
[[nodiscard]] std::vector<VouchingRow> wrong_rows();

/// Descriptions that are right.
struct RightRow {
  VouchingRow row;
  std::vector<std::string> must_be_vouched;  ///< the kinds of plaintext that may not be doubtful
};
[[nodiscard]] std::vector<RightRow> right_rows();

}  // namespace phalanx::test
