#include <mpi.h>

#include "reproductions/shorman2018_2des_mpi/parallel_2des.hpp"

namespace papers::shorman2018 {
namespace {

constexpr int master = 0;
constexpr int tag = 0;

int rank_here() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int rank_count() {
  int size = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Step 1: every processor gets a copy of the whole data. The paper names MPI_Send and MPI_Recv and no collective operation.
void distribute(ByteVector& data) {
  const int num_bytes = static_cast<int>(data.size());
  if (rank_here() == master) {
    for (int rank = 1; rank < rank_count(); ++rank) MPI_Send(data.data(), num_bytes, MPI_BYTE, rank, tag, MPI_COMM_WORLD);
  } else {
    MPI_Recv(data.data(), num_bytes, MPI_BYTE, master, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  }
}

/// Steps 2 and 3: every processor takes its part and crypts its blocks in sequence.
ByteVector crypt_part(Direction direction, const Part& part, Bytes data) {
  const ByteVector key = fixed_key();
  ByteVector out(part.num_bytes);
  crypt_ecb(make_double_key(std::span(key).first<key_bytes>()), direction, data.subspan(part.offset, part.num_bytes), out);
  return out;
}

/// Step 4: the master takes the parts, rank after rank.
void collect(const ByteVector& own, ByteVector& all) {
  if (rank_here() != master) {
    MPI_Send(own.data(), static_cast<int>(own.size()), MPI_BYTE, master, tag, MPI_COMM_WORLD);
    return;
  }
  std::copy(own.begin(), own.end(), all.begin());
  for (int rank = 1; rank < rank_count(); ++rank) {
    const Part part = part_of(rank, rank_count(), all.size());
    MPI_Recv(all.data() + part.offset, static_cast<int>(part.num_bytes), MPI_BYTE, rank, tag, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
  }
}

}  // namespace

Phases crypt_by_master(const Files& files, Direction direction, std::size_t num_bytes) {
  const bool is_master = rank_here() == master;
  Phases phases;
  ByteVector own;
  ByteVector all(num_bytes);
  double own_compute = 0;
  MPI_Barrier(MPI_COMM_WORLD);
  phases.total = seconds_of([&] {
    if (is_master) phases.read = seconds_of([&] { all = Files::read(files.input(direction), num_bytes); });
    phases.distribute = seconds_of([&] { distribute(all); });
    own_compute = seconds_of([&] { own = crypt_part(direction, part_of(rank_here(), rank_count(), num_bytes), all); });
    phases.collect = seconds_of([&] { collect(own, all); });
    if (is_master) phases.write = seconds_of([&] { Files::write(files.output(), all); });
  });
  MPI_Reduce(&own_compute, &phases.compute, 1, MPI_DOUBLE, MPI_MAX, master, MPI_COMM_WORLD);
  // While the master waits in collect for a rank that still computes, that is the rank's computing, not communication.
  if (is_master) phases.collect = std::max(0.0, phases.collect - (phases.compute - own_compute));
  return phases;
}

}  // namespace papers::shorman2018
