// The record of a public key has stanzas of age that wrap a file key (docs/format.md, section 3). It also has the data key,
// under a key that is derived from the file key. It has these fields:
//
//   salt (16) || number of labels (1) || labels, each after its size (1) || number of stanzas (1) || stanzas, as age's text
//   || message
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <phalanx/files/container.hpp>
#include <span>
#include <string>
#include <vector>

#include "engine/secrets/secret_bytes.hpp"
#include "files/container/format/fixed_part.hpp"

namespace phalanx {

inline constexpr std::size_t public_key_salt_bytes = 16;
inline constexpr std::size_t most_stanzas = 64;  ///< in a record
inline constexpr std::size_t most_stanza_bytes = 8192;
inline constexpr std::size_t most_label_bytes = 255;

/// Holds the parts of a record. Members of type Bytes point into the record.
struct PublicKeyRecord {
  std::vector<std::string> labels;   ///< in the record's order
  std::vector<std::string> stanzas;  ///< the text of each stanza
  Bytes salt;
  Bytes labels_and_stanzas;  ///< their bytes in the record, with their numbers
  Bytes message;
};

/// Returns nothing where the record is malformed. Then it is nobody's, as a record of an unknown kind.
[[nodiscard]] std::optional<PublicKeyRecord> read_public_key_record(const Suite& suite, Bytes data);

/// Returns the types of its stanzas, each once: "X25519".
[[nodiscard]] std::vector<std::string> stanza_types_of(const PublicKeyRecord& record);

/// Returns the size of a record of a key that the library knows itself.
[[nodiscard]] std::size_t native_record_bytes(const Suite& suite);

/// Throws Error (usage) for a text that is no public key. It does not ask a call of the caller.
void check_public_key(const Recipient& recipient);

/// Wraps the data key for a recipient of the kind public_key, with a new file key and new salts. Throws Error (usage) for a
/// text that is no public key. It throws that too where a call of the caller gives no stanza, no label, or too much.
[[nodiscard]] std::vector<std::uint8_t> make_public_key_record(const FixedPart& fixed_part, const Recipient& recipient,
                                                               Bytes data_key);

/// Opens the data key, or returns nothing if no stanza is this identity's, or the record is malformed. Throws as the
/// identity's call does, and Error: authentication if a stanza is this identity's and the record was changed, format for a
/// malformed stanza of X25519.
[[nodiscard]] std::optional<SecretBytes> open_public_key_record(const FixedPart& fixed_part, Bytes data,
                                                                const Identity& identity);

/// Says whether this identity opens what is sealed for this public key, as far as that is known without asking anybody. It
/// is not known where one of the two is a call of the caller, which may stand for any key.
[[nodiscard]] bool is_held_by(const Recipient& recipient, const Identity& identity);

/// This is the set of labels that a recipient's stanzas have. Key files and passphrases have none.
using LabelSet = std::optional<std::vector<std::string>>;

/// Checks extension-labels of c2sp.org/age-plugin. Throws Error (policy) unless all public keys have the same set. Where
/// other recipients stand beside them, that set must be empty or `postquantum` alone.
void check_label_sets(std::span<const LabelSet> recipients);

}  // namespace phalanx
