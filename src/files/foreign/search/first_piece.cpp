#include "files/foreign/search/first_piece.hpp"

#include <memory>

#include "files/foreign/message.hpp"

namespace phalanx {

FirstPiece decrypt_first_piece(const MessagePlan& plan, Bytes secret, Bytes derived, Input& input, std::size_t piece_bytes) {
  ForeignMessage message(plan, secret, input, derived);
  const std::unique_ptr<PieceReader> reader = message.reader(piece_bytes);
  FirstPiece first{.memory = SecretBytes(reader->buffer_bytes())};
  first.piece.buffer = first.memory;
  static_cast<void>(reader->read(first.piece));  // a message of no bytes has a piece, too
  message.decryption().process(first.piece);
  return first;
}

}  // namespace phalanx
