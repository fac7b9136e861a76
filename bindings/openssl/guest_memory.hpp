// Memory for keys, in place of the engine's own (engine/host/host.hpp).
#pragma once

namespace phalanx {

/// Sets aside what keys will lie in. Call it when the provider is loaded: a program may forbid itself to lock memory later, as
/// sshd does, whose system call filter kills who tries.
void reserve_key_memory();

}  // namespace phalanx
