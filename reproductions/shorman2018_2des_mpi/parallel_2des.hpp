// Both parallel programs: the paper's, in which a master gives every rank all data and collects, and this library by ranges.
#pragma once

#include "reproductions/shorman2018_2des_mpi/rank_work.hpp"

namespace papers::shorman2018 {

/// The part of a file that is a rank's: whole blocks, as equal as can be.
struct Part {
  std::size_t offset, num_bytes;
};
Part part_of(int rank, int num_ranks, std::size_t num_bytes);

/// Section 6, figure 4: four steps. Called by every rank of MPI_COMM_WORLD; the times are the master's, rank 0.
Phases crypt_by_master(const Files& files, Direction direction, std::size_t num_bytes);

/// This library: every rank reads its own part of the file, crypts it on one thread, and writes it to its place in the
/// output.
Phases crypt_by_ranges(const Files& files, Direction direction, std::size_t num_bytes);

}  // namespace papers::shorman2018
