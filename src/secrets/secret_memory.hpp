// Where secrets live: memory that is in no core dump, is not swapped out where the process's limits allow, and holds nothing
// but zeros when it is free. The system gives these properties to whole pages and takes tens of microseconds for it, so
// small pieces share pages, which are kept for the next piece.
#pragma once

#include <cstddef>
#include <cstdint>

namespace phalanx {

/// A piece of such memory, aligned to 64 bytes. `capacity` is num_bytes rounded up; give it back to free_secret_memory.
struct SecretPiece {
  std::uint8_t* data = nullptr;
  std::size_t capacity = 0;
};

/// All zeros. Throws Error (runtime) if there is no memory. Any number of threads may call both functions at once.
SecretPiece allocate_secret_memory(std::size_t num_bytes);

/// Wipes the piece and takes it back.
void free_secret_memory(SecretPiece piece) noexcept;

}  // namespace phalanx
