// CUDA does not work in a process that was forked from one that used it: it hangs, or gives errors that say nothing.
#pragma once

#include <string_view>

namespace phalanx {

/// This process is about to start CUDA, if the engine's name asks for that. Throws BindingError (fork) where CUDA was used
/// before a fork.
void note_engine(std::string_view engine_name);

/// The same for what starts CUDA in any case.
void note_cuda();

/// Whether CUDA was used before this process was forked: what it made then can only be left alone.
[[nodiscard]] bool cuda_is_lost();

}  // namespace phalanx
