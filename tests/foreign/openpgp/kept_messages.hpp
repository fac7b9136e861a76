// Messages that other programs wrote, as tests/vectors/openpgp keeps them.
#pragma once

#include <phalanx/files/openpgp.hpp>
#include <string>
#include <vector>

#include "engine/text/base64.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {

struct KeptMessage {
  std::string what{};  ///< the command that wrote it, and where it stands
  ByteVector file{};
  std::string passphrase{}, session_key{};
  ByteVector plaintext{};

  [[nodiscard]] OpenPgpSecrets by_passphrase() const { return {.passphrase = bytes_of_text(passphrase)}; }
  [[nodiscard]] OpenPgpSecrets by_session_key() const { return {.session_key = bytes_of_text(session_key)}; }

  static Bytes bytes_of_text(const std::string& text) {
    return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
  }
};

/// Returns the messages of a file, such as "gnupg_2.2.40", that have a passphrase and are read: IDEA is not.
inline std::vector<KeptMessage> kept_messages(const std::string& of) {
  std::vector<KeptMessage> messages;
  for (const Record& record : load_records(vectors_folder() / "openpgp" / (of + ".txt"))) {
    const bool is_short = record.has("passphrase") && record.has("session_key") && record.has("plaintext");
    if (!is_short || record.has("optional") || record.text("session_key").starts_with("1:")) continue;
    if (record.has("protection") && record.text("protection") == "none") continue;
    KeptMessage& message = messages.emplace_back();
    message.what = record.where + ": " + record.text("command");
    const std::string& text = record.text("file");
    message.file.resize(Base64Decoder::max_update_bytes(text.size()));
    Base64Decoder decoder;
    message.file.resize(decoder.update(KeptMessage::bytes_of_text(text), message.file));
    message.passphrase = record.text("passphrase");
    message.session_key = record.text("session_key");
    message.plaintext = record.bytes("plaintext");
  }
  return messages;
}

}  // namespace phalanx::test
