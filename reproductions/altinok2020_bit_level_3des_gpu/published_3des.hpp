// The programs that the authors published beside the paper, rewritten: a way to the GPU and back for each of the three
// passes; and on the CPU a parallel loop whose work variables are one for all threads.
#pragma once

#include <phalanx/phalanx.hpp>
#include <vector>

namespace papers::altinok2020 {

/// Whose the chars between the passes are: one copy for all threads, as published, so that threads overwrite what others
/// still need; or one a thread, as it was surely meant.
enum class WorkVariables { shared, private_to_thread };

/// The published CPU program's loop, over num_blocks blocks of 64 chars: encrypts `text` into `out`, and leaves `text`
/// permuted by IP. It kept no block but the last; here each is copied to `out` when its loop pass ends.
void published_cpu_3des(const std::vector<char>& round_keys, WorkVariables work, char* text, char* out,
                        std::size_t num_blocks, int num_threads);

}  // namespace papers::altinok2020
