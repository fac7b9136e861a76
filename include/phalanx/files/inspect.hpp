// This header says what a file is, as it shows without a key. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <array>
#include <cstdint>
#include <phalanx/files/cms.hpp>
#include <phalanx/files/openpgp.hpp>
#include <phalanx/files/recipients.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

enum class FileFormat : std::uint8_t {
  unknown = 0,           ///< none of the others: bare ciphertext looks like random bytes
  container = 1,         ///< Phalanx's container
  openssl_enc = 2,       ///< a file of `openssl enc`, under a passphrase, with a salt
  in_place_journal = 3,  ///< the journal of a stopped run in place: the same command again goes on with it
  luks = 4,              ///< a volume of LUKS1 or LUKS2
};

/// Holds what a container's header says, and what follows from its size. None of it is authentic.
struct InspectedContainer {
  int version = 0;
  std::string suite{};  ///< "aes-256"
  std::string aead{};   ///< "AEAD_AES_256_GCM"
  std::vector<ListedRecipient> recipients{};
  bool needs_context = false;  ///< opening it needs a context: Binding::context
  bool has_name = false;       ///< it is bound to a name
  std::uint64_t header_bytes = 0;
  std::string problem{};          ///< why no container has the file's size; "" if one has
  std::uint64_t num_chunks = 0;   ///< chunks, if nothing was cut off or added; 0 with a problem
  std::uint64_t plain_bytes = 0;  ///< plaintext, if nothing was cut off or added; 0 with a problem
};

/// Holds what the header of a volume of LUKS says of a key slot that is in use.
struct InspectedKeySlot {
  unsigned number = 0;
  std::string derivation{};  ///< "argon2id, 4 passes over 1048576 KiB, 4 lanes", or "PBKDF2 with sha256, 1000 iterations"
  std::string encryption{};  ///< of the key in it: "aes-xts-plain64"
  std::string priority{};    ///< "normal", "preferred", or "only by its number"
  std::string problem{};     ///< why it cannot be tried; "" where it can
};

/// Holds what the header of a volume of LUKS says. None of it is authentic.
struct InspectedVolume {
  int version = 0;  ///< 1 or 2; 0 where the header cannot be read
  std::string uuid{};
  std::string label{};
  std::string cipher{};           ///< dm-crypt's name of the first segment's: "aes-xts-plain64"
  std::size_t key_bytes = 0;      ///< the size of the volume key in bytes
  std::size_t sector_bytes = 0;   ///< the longest sector in bytes
  std::uint64_t data_offset = 0;  ///< in bytes, from the beginning of the file that has the data
  std::uint64_t plain_bytes = 0;  ///< plaintext, if the data lie in this file
  std::vector<InspectedKeySlot> key_slots{};
  std::string problem{};  ///< why it cannot be read here; "" where it can
  std::string note{};     ///< that one of LUKS2's two headers is damaged; "" where both are right
};

struct InspectedFile {
  FileFormat format = FileFormat::unknown;
  std::uint64_t file_bytes = 0;
  InspectedContainer container{};      ///< filled for a container
  bool is_base64 = false;              ///< for `openssl enc`: the file is that of `openssl enc -a`
  std::array<std::uint8_t, 8> salt{};  ///< for `openssl enc`, if it is not base64
  std::uint64_t ciphertext_bytes = 0;  ///< for `openssl enc`, if it is not base64: the bytes behind the salt

  /// The next members are for files of any kind, those of other programs too. They only name the file: nothing is opened.
  std::string kind{};  ///< "container", "openssl-enc", "age", "zip", "text", "unknown": docs/what_is_this_file.md has all
  std::string form{};  ///< "" for bytes; "PEM", "armor", "mail", "base64", "hex", "UTF-16", or two of them
  std::string protection{};   ///< "encrypted", "signed", "none", or "unknown" where the file does not show it
  std::string description{};  ///< for people: "a file of age, for X25519"
  std::string opened_by{};    ///< for people: whose program opens or reads it; "" where nothing is known of that
  bool is_certain = false;    ///< random bytes begin so less than once in 2^32 times
  bool is_cut = false;        ///< the file says how long it is, and is shorter
  CmsFacts cms{};             ///< for an encrypted message of CMS or S/MIME
  OpenPgpFacts openpgp{};     ///< for an encrypted message of OpenPGP
  InspectedVolume volume{};   ///< filled for a volume of LUKS
};

/// Inspects the `beginning` of a file: 65,611 bytes of it, or all. The end of a longer file is not looked at, which for zip,
/// 7z, PDF and Office may be what shows that it is encrypted. A message of CMS with
/// more recipients than that has a problem. Throws Error: truncated if it is empty or ends within a
/// container's header; format for a container of a version or suite that this library does not know.
[[nodiscard]] InspectedFile inspect(Bytes beginning, std::uint64_t file_bytes);
/// Inspects a file, or a pipe, which is read to its end. Throws Error (runtime) too.
[[nodiscard]] InspectedFile inspect_file(const std::string& path);

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
