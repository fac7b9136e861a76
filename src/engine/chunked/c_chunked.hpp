// These are the objects of chunked.h.
#pragma once

#include <phalanx/chunked.h>

#include <phalanx/chunked.hpp>

#include "engine/library/c_arguments.hpp"

struct phalanx_chunked {
  phalanx::ChunkedAead aead;
};
struct phalanx_chunked_sealer {
  phalanx::ChunkedSealer sealer;
};
struct phalanx_chunked_opener {
  phalanx::ChunkedOpener opener;
};
struct phalanx_chunked_reader {
  phalanx::ChunkedReader reader;
};

namespace phalanx {

inline const ChunkedAead& aead_of(const phalanx_chunked* chunked) { return not_null(chunked, "the key of messages").aead; }

}  // namespace phalanx
