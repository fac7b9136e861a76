// Which process made an object of Python, as secrets/process_mark.hpp has it; what another one hears is ForkError.
#pragma once

#include "arguments/errors.hpp"
#include "host/process_mark.hpp"

namespace phalanx {

/// Throws BindingError (fork) in a process that was forked since the mark was made.
inline void require_own_process(const ProcessMark& process) {
  if (process.is_of_this_process()) [[likely]]
    return;
  throw BindingError(
      BindingErrorKind::fork,
      "this was begun by the process that this one was forked from, which goes on with it: begin another one here");
}

}  // namespace phalanx
