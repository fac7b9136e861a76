// What is timed: some messages under a cipher, a mode and a direction, with everything that crypting them takes.
#pragma once

#include <cstddef>
#include <phalanx/phalanx.hpp>
#include <vector>

#include "engine/ciphers/direction.hpp"
#include "engine/modes/named_cipher.hpp"

namespace phalanx::bench {

/// One message. Spans into memory that someone else owns.
struct TaskMessage {
  Bytes key;              ///< key_bytes(Task::cipher) bytes
  Bytes iv;               ///< a block; GCM: the nonce; ECB: empty
  Bytes associated_data;  ///< GCM only
  Bytes in;
  MutableBytes out;  ///< as long as `in`; may be the same memory
  MutableBytes tag;  ///< GCM only, 16 bytes: written by encryption, verified by decryption
};

/// When keys of their own are expanded: as a user of each side would have it, which is in time for our engines and beforehand for the
/// others; beforehand for all; in time for all.
enum class KeySetting : unsigned char { usual, ready, fresh };

struct Task {
  NamedCipher cipher;
  Direction direction = Direction::encrypt;
  bool key_each = false;  ///< the messages' keys differ; else all have the first one's
  KeySetting key_setting = KeySetting::usual;
  bool one_pass = false;  ///< our engines open GCM by PlaintextRelease::wiped_on_failure, as other libraries do
  std::vector<TaskMessage> messages;
};

/// What identifies a measurement: a task without its bytes.
struct Job {
  NamedCipher cipher;
  Direction direction = Direction::encrypt;
  std::size_t message_bytes = 0;
  std::size_t num_messages = 1;
  bool key_each = false;
  bool in_place = false;
  KeySetting key_setting = KeySetting::usual;
  bool one_pass = false;

  [[nodiscard]] std::size_t total_bytes() const { return message_bytes * num_messages; }
};

}  // namespace phalanx::bench
