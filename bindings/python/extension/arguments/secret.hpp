// Keys and passphrases on their way from Python: in memory that is wiped.
#pragma once

#include <nanobind/nanobind.h>

#include <utility>
#include <vector>

#include "arguments/buffer.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

/// Python code of ours keeps keys only in this: it shows nothing of them.
struct PythonSecret {
  SecretBytes bytes;
};

/// The bytes of a Secret, or of a buffer. `what` names the argument in messages.
class HeldSecret {
 public:
  HeldSecret() = default;
  HeldSecret(nb::handle object, const char* what);
  [[nodiscard]] Bytes bytes() const { return secret_ != nullptr ? Bytes(secret_->bytes) : buffer_.bytes(); }

 private:
  const PythonSecret* secret_ = nullptr;
  HeldBuffer buffer_;
};

/// A key for each message of a batch, or none for all: a sequence of Secrets and buffers, or an array with two dimensions.
class KeyRows {
 public:
  /// Throws BindingError (size) unless there is one for each message, of key_bytes bytes where the message is there.
  KeyRows(nb::handle object, const HeldRows& messages, std::size_t key_bytes);
  [[nodiscard]] Bytes bytes(std::size_t row) const { return keys_.empty() ? table_.bytes(row) : keys_[row].bytes(); }

 private:
  nb::object held_;               ///< what the Secrets live in
  std::vector<HeldSecret> keys_;  // of a message that is not there, empty
  OptionalRows table_;
};

/// Refuses pickling and copying of instances of a class that holds keys.
void refuse_pickling(nb::object class_object);

void bind_secret(nb::module_& module);

}  // namespace phalanx
