#include "cipher_context.hpp"

#include <algorithm>

#include "block_context.hpp"
#include "data_unit_context.hpp"
#include "gcm_context.hpp"
#include "stolen_context.hpp"
#include "stream_context.hpp"

namespace phalanx {

CipherContext::CipherContext(const CipherContext& other) : provider_(other.provider_), served_(other.served_) {
  for (const std::unique_ptr<CipherContext>& pipe : other.pipes) pipes.push_back(pipe->copy());
}

bool CipherContext::update_together(std::span<const Piece> pieces) {
  return std::all_of(pieces.begin(), pieces.end(),
                     [](const Piece& piece) { return piece.message->update(piece.out, piece.in); });
}

std::unique_ptr<CipherContext> make_context(const Provider& provider, const ServedCipher& served) {
  switch (served.manner) {
    case Manner::blocks:
      return std::make_unique<BlockContext>(provider, served);
    case Manner::stolen_blocks:
      return std::make_unique<StolenContext>(provider, served);
    case Manner::key_stream:
      return std::make_unique<KeyStreamContext>(provider, served);
    case Manner::byte_feedback:
      return std::make_unique<ByteFeedbackContext>(provider, served);
    case Manner::data_unit:
      return std::make_unique<DataUnitContext>(provider, served);
    case Manner::gcm:
      return std::make_unique<GcmContext>(provider, served);
    case Manner::xaes_gcm:
      break;
  }
  return std::make_unique<XaesContext>(provider, served);
}

}  // namespace phalanx
