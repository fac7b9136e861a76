// This implements cancellation.h over cancellation.hpp.
#include <phalanx/files/cancellation.h>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"
#include "files/pipeline/c_progress.hpp"

int phalanx_cancellation_new(phalanx_cancellation** cancellation) {
  return phalanx::guarded([&] {
    phalanx_cancellation*& place = phalanx::place_of(cancellation);
    place = new phalanx_cancellation;
  });
}

void phalanx_cancellation_cancel(phalanx_cancellation* cancellation) {
  if (cancellation != nullptr) cancellation->cancellation.cancel();
}

void phalanx_cancellation_free(phalanx_cancellation* cancellation) { phalanx::free_in_c(cancellation); }
