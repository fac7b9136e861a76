// Reading, crypting and writing, overlapped.
#pragma once

#include "io/byte_stream.hpp"
#include "io/chunk_cipher.hpp"
#include "io/progress.hpp"

namespace phalanx {

/// Chunks in flight at once. The memory of a run, whatever its length and the number of threads, is this many chunks
/// (24 MiB with the usual ones) and what the program itself takes.
inline constexpr std::size_t chunks_in_flight = 6;

/// Reads `source` to its end, crypts it and writes it to `sink`, each on its own thread: crypting a chunk takes the threads
/// that the cipher was made for. Finishes the sink. Returns the bytes read. The chunks are wiped. An Error of any of the
/// three ends all of them.
std::uint64_t run_pipeline(ByteSource& source, ChunkCipher& cipher, const CryptJob& job, std::size_t block_bytes,
                           ByteSink& sink, Progress& progress);

}  // namespace phalanx
