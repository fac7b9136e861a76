// This crypts IN as OUT by a bare cipher: the whole of a message, as `openssl enc` wraps it where the plan says so.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/message.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Tells the caller of a run over a message. Functions may be empty.
struct MessageNews {
  std::function<void(const RawCipher& cipher)> on_begun{};         ///< nothing is written yet
  std::function<void(const std::string& what)> on_input_change{};  ///< all was read: what became of IN, if anything did
};

/// Says whether a key may be weak.
struct WeakKeyRule {
  bool is_allowed = false;
  std::string how_to_allow = "allow a weak key";  ///< for messages: what the caller can do
};

/// Throws Error (policy) for a weak key that is not allowed.
void check_weak_key(const NamedCipher& cipher, Bytes key, const WeakKeyRule& rule);

/// Encrypts what the watched input has left, under the key or the passphrase that the plan wants. Commits the output, which
/// is not open yet. Returns the bytes of plaintext. All references stay the caller's. Throws Error: as MessageCipher,
/// InputWatch and Output do, and policy as check_weak_key does. Before anything is written, it throws what is known then.
std::uint64_t encrypt_message(const MessagePlan& plan, SecretBytes secret, const WeakKeyRule& weak_keys, InputWatch& watch,
                              Output& output, const MessageNews& news, Progress& progress);

/// Decrypts the ciphertext of an open message, whose input is watched, and commits the output, which is open. `plan` is what
/// was asked for. Returns the bytes of ciphertext. Throws as MessageCipher, InputWatch and Output do.
std::uint64_t decrypt_message(const MessagePlan& plan, OldMessage& message, InputWatch& watch, Output& output,
                              const MessageNews& news, Progress& progress);

}  // namespace phalanx
