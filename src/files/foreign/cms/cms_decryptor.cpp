#include "files/foreign/cms/cms_decryptor.hpp"

#include <phalanx/error.hpp>

#include "files/foreign/cms/key_recovery.hpp"

namespace phalanx {

void CbcContentDecryptor::process(Piece& piece) {
  try {
    decryptor_->process(piece);
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wrong_key) throw;
    refuse_to_open(name_);
  }
}

}  // namespace phalanx
