#include "files/migration/reading_again.hpp"

#include "files/foreign/message.hpp"

namespace phalanx {
namespace {

void read_pieces(ForeignMessage& message, const std::function<bool(Piece&)>& look) {
  const std::unique_ptr<PieceReader> reader = message.reader(most_sector_bytes);  // whole sectors, of any usual size
  SecretBytes memory(reader->buffer_bytes());
  for (std::uint64_t number = 0;; ++number) {
    Piece piece;
    piece.number = number;
    piece.buffer = memory;
    if (!reader->read(piece)) return;
    message.decryption().process(piece);
    if (!look(piece) || piece.last) return;
  }
}

}  // namespace

void read_again(const MessagePlan& plan, Bytes secret, Bytes derived, Input& input, std::uint64_t start,
                const std::function<bool(Piece&)>& look) {
  const std::uint64_t before = input.position();
  input.seek(start);
  try {
    ForeignMessage message(plan, secret, input, derived);
    read_pieces(message, look);
  } catch (const Error&) {
    input.seek(before);
    throw;
  }
  input.seek(before);
}

}  // namespace phalanx
