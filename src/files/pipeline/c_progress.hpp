// C follows a long call and ends it through these.
#pragma once

#include <phalanx/files/cancellation.h>

#include <phalanx/files/cancellation.hpp>

struct phalanx_cancellation {
  phalanx::Cancellation cancellation;
};

namespace phalanx {

inline OnProgress progress_of(phalanx_on_progress on_progress, void* user_data) {
  if (on_progress == nullptr) return {};
  return [=](std::uint64_t num_bytes) { on_progress(user_data, num_bytes); };
}

inline const Cancellation* cancellation_of(const phalanx_cancellation* cancellation) {
  return cancellation == nullptr ? nullptr : &cancellation->cancellation;
}

}  // namespace phalanx
