// Verdicts as C has them: what a call over messages in a GPU's memory gives.
#pragma once

#include <phalanx/device_batch.h>

#include <phalanx/device_batch.hpp>

#include "engine/library/c_arguments.hpp"
#include "engine/library/c_errors.hpp"

struct phalanx_device_verdicts {
  phalanx::DeviceVerdicts verdicts;
};

namespace phalanx {

/// Gives what a call left to its caller.
template <class Call>
int give_verdicts(phalanx_device_verdicts** verdicts, const Call& call) {
  return guarded([&] {
    phalanx_device_verdicts*& place = place_of(verdicts);
    place = new phalanx_device_verdicts{call()};
  });
}

}  // namespace phalanx
