#include <mpi.h>

#include <algorithm>

#include "reproductions/shorman2018_2des_mpi/parallel_2des.hpp"

namespace papers::shorman2018 {
namespace {

constexpr int master = 0;
constexpr int tag = 0;

// Step 1: every processor gets a copy of the whole data. The paper names MPI_Send and MPI_Recv and no collective operation.
void distribute(std::uint8_t* data, int num_bytes) {
  if (rank_here() == master) {
    for (int rank = 1; rank < rank_count(); ++rank) MPI_Send(data, num_bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD);
  } else {
    MPI_Recv(data, num_bytes, MPI_BYTE, master, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

// Step 4: the master takes the parts, rank after rank.
void collect(const std::uint8_t* own, std::uint8_t* whole, std::size_t num_bytes) {
  const Part mine = part_of(rank_here(), rank_count(), num_bytes);
  if (rank_here() != master) {
    MPI_Send(own, static_cast<int>(mine.num_bytes), MPI_BYTE, master, tag, MPI_COMM_WORLD);
    return;
  }
  std::copy(own, own + mine.num_bytes, whole);
  for (int rank = 1; rank < rank_count(); ++rank) {
    const Part part = part_of(rank, rank_count(), num_bytes);
    MPI_Recv(whole + part.offset, static_cast<int>(part.num_bytes), MPI_BYTE, rank, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

void write(const Run& run, Bytes whole) {
  Files::write(run.files.output(), whole);
  if (run.is_synced) run.files.sync_output();
}

}  // namespace

Phases crypt_by_master(const Run& run, Buffers& buffers) {
  const bool is_master = rank_here() == master;
  const MutableBytes whole = MutableBytes(buffers.whole).first(run.num_bytes);
  const Part part = part_of(rank_here(), rank_count(), run.num_bytes);
  const ByteVector key = fixed_key();
  Phases phases;
  double own_compute = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  phases.total = seconds_of([&] {
    if (is_master) phases.read = seconds_of([&] { Files::read(run.files.input(run.direction), whole); });
    phases.distribute = seconds_of([&] { distribute(whole.data(), static_cast<int>(run.num_bytes)); });
    own_compute = seconds_of([&] {  // steps 2 and 3: every processor takes its part and crypts its blocks in sequence
      run.variant.crypt(key, run.direction, whole.subspan(part.offset, part.num_bytes),
                        MutableBytes(buffers.part).first(part.num_bytes));
    });
    phases.collect = seconds_of([&] { collect(buffers.part.data(), whole.data(), run.num_bytes); });
    if (is_master) phases.write = seconds_of([&] { write(run, whole); });
  });
  MPI_Reduce(&own_compute, &phases.compute, 1, MPI_DOUBLE, MPI_MAX, master, MPI_COMM_WORLD);
  // While the master waits in collect for a rank that still computes, that is the rank's computing, not communication.
  if (is_master) phases.collect = std::max(0.0, phases.collect - (phases.compute - own_compute));
  return phases;
}

}  // namespace papers::shorman2018
