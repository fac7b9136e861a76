// The parallel programs: the paper's, in which a master gives every rank all data and collects, and ours, phalanx-mpi.
#pragma once

#include "reproductions/shorman2018_2des_mpi/des_variants.hpp"

namespace papers::shorman2018 {

/// The part of a file that is a rank's: whole blocks, as equal as can be.
struct Part {
  std::size_t offset, num_bytes;
};
Part part_of(int rank, int num_ranks, std::size_t num_bytes);

int rank_here();
int rank_count();

/// What one rank needs memory for, taken and written to before any clock starts.
struct Buffers {
  ByteVector whole = ByteVector(last_bytes);  ///< the copy of all data; on the master also the result
  ByteVector part = ByteVector(last_bytes);   ///< what this rank has crypted
};

/// One run: a file in, a file out. Called by every rank of MPI_COMM_WORLD.
struct Run {
  const Files& files;
  const DesVariant& variant;
  Direction direction;
  std::size_t num_bytes;
  bool is_synced = false;  ///< their output is on the disk when the time ends; ours always is
};

/// Section 6, figure 4: four steps. The times are the master's, rank 0.
Phases crypt_by_master(const Run& run, Buffers& buffers);

/// A whole command of phalanx-mpi, on these ranks: IN is opened, pieces are read, crypted and written by the ranks as its
/// scheduler has it, one thread each, and OUT gets its name when it is on the disk. Of its time there is only the whole.
/// Which cipher the run names does not matter to it.
Phases crypt_by_program(const Run& run, Buffers& buffers);

/// What shorman2018_mpi measures, each under its method's name in the results.
struct ParallelMethod {
  const char* name;
  Phases (*crypt)(const Run&, Buffers&);
};
inline constexpr ParallelMethod their_method = {"method", crypt_by_master};
inline constexpr ParallelMethod our_method = {"ours", crypt_by_program};

}  // namespace papers::shorman2018
