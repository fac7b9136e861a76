// This decrypts the beginning of a file, to see whether it is a plaintext.
#pragma once

#include <cstddef>

#include "engine/secrets/secret_bytes.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/pipeline/piece.hpp"
#include "files/system/input.hpp"

namespace phalanx {

struct FirstPiece {
  SecretBytes memory;
  Piece piece{};  ///< lies in `memory`
};

/// Decrypts the first piece, of about piece_bytes, from where the input stands. `secret` and `derived` are as ForeignMessage
/// takes them. Throws Error: runtime where the input cannot be read, others where the file does not fit the plan.
[[nodiscard]] FirstPiece decrypt_first_piece(const MessagePlan& plan, Bytes secret, Bytes derived, Input& input,
                                             std::size_t piece_bytes);

}  // namespace phalanx
