// The record of a public key: stanzas of age that wrap a file key, and the data key under what follows from that.
// docs/format.md, section 3.
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

/// Its parts. What is Bytes lies in the record.
struct PublicKeyRecord {
  std::vector<std::string> labels;   ///< in their order
  std::vector<std::string> stanzas;  ///< each the text of one
  Bytes salt;
  Bytes labels_and_stanzas;  ///< as they stand in it, with their numbers
  Bytes message;
};

/// Nothing where it is malformed: then it is nobody's, as a record of a kind that we do not know.
[[nodiscard]] std::optional<PublicKeyRecord> read_public_key_record(const Suite& suite, Bytes data);

/// The types of its stanzas, each once: "X25519".
[[nodiscard]] std::vector<std::string> stanza_types_of(const PublicKeyRecord& record);

/// The size of a record of a key that we know ourselves.
[[nodiscard]] std::size_t native_record_bytes(const Suite& suite);

/// Throws Error (usage) for a text that is no public key; a call of the caller's is not asked.
void check_public_key(const Recipient& recipient);

/// Wraps the data key for a recipient of the kind public_key, with a new file key and new salts. Throws Error (usage) for a
/// key that is none, and where what a call of the caller's gives is no stanza, no label, or too much.
[[nodiscard]] std::vector<std::uint8_t> make_public_key_record(const FixedPart& fixed_part, const Recipient& recipient,
                                                               Bytes data_key);

/// The data key; nothing if no stanza is this identity's, or the record is malformed. Throws Error: authentication if one is
/// and the record was changed, format for a stanza of X25519 that is none; and as the identity's call does.
[[nodiscard]] std::optional<SecretBytes> open_public_key_record(const FixedPart& fixed_part, Bytes data,
                                                                const Identity& identity);

/// Whether what is sealed for this public key is opened by this identity, as far as can be said without asking anybody: not
/// where one of the two is a call of the caller's, which may stand for any key.
[[nodiscard]] bool is_held_by(const Recipient& recipient, const Identity& identity);

/// The set of labels that a recipient's stanzas have; nothing of a key file or a passphrase.
using LabelSet = std::optional<std::vector<std::string>>;

/// extension-labels of c2sp.org/age-plugin: throws Error (policy) unless all that are public keys have the same set, and,
/// where others stand beside them, that is empty or `postquantum` alone.
void check_label_sets(std::span<const LabelSet> recipients);

}  // namespace phalanx
