#include <fcntl.h>
#include <mpi.h>
#include <unistd.h>

#include <stdexcept>

#include "reproductions/shorman2018_2des_mpi/parallel_2des.hpp"

namespace papers::shorman2018 {
namespace {

constexpr int mode_of_output = 0600;

/// A file open for one rank.
class RankFile {
 public:
  RankFile(const std::filesystem::path& path, int flags) : descriptor_(open(path.c_str(), flags, mode_of_output)) {
    if (descriptor_ < 0) throw std::runtime_error(path.string() + ": cannot be opened");
  }
  RankFile(const RankFile&) = delete;
  RankFile& operator=(const RankFile&) = delete;
  ~RankFile() { close(descriptor_); }

  void read_part(const Part& part, std::uint8_t* into) const {
    for (std::size_t done = 0; done < part.num_bytes;)
      done += moved(pread(descriptor_, into + done, part.num_bytes - done, static_cast<off_t>(part.offset + done)));
  }

  void write_part(const Part& part, const std::uint8_t* from) const {
    for (std::size_t done = 0; done < part.num_bytes;)
      done += moved(pwrite(descriptor_, from + done, part.num_bytes - done, static_cast<off_t>(part.offset + done)));
  }

 private:
  static std::size_t moved(ssize_t num_bytes) {
    if (num_bytes <= 0) throw std::runtime_error("a rank cannot read or write its part of the file");
    return static_cast<std::size_t>(num_bytes);
  }

  int descriptor_;
};

/// The slowest rank's.
double slowest(double seconds) {
  double most = 0;
  MPI_Reduce(&seconds, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
  return most;
}

}  // namespace

Part part_of(int rank, int num_ranks, std::size_t num_bytes) {
  const std::size_t num_blocks = num_bytes / block_bytes;
  const auto first_block = [&](int number) {
    return num_blocks * static_cast<std::size_t>(number) / static_cast<std::size_t>(num_ranks);
  };
  return {first_block(rank) * block_bytes, (first_block(rank + 1) - first_block(rank)) * block_bytes};
}

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

Phases crypt_by_ranges(const Run& run, Buffers& buffers) {
  const Part part = part_of(rank_here(), rank_count(), run.num_bytes);
  const MutableBytes data = MutableBytes(buffers.part).first(part.num_bytes);
  const ByteVector key = fixed_key();
  Phases own;
  MPI_Barrier(MPI_COMM_WORLD);
  own.total = seconds_of([&] {
    own.read = seconds_of([&] { RankFile(run.files.input(run.direction), O_RDONLY).read_part(part, data.data()); });
    own.compute = seconds_of([&] {
      const phalanx::Cipher cipher("2des-ecb", key, {"cpu", 1});
      if (run.direction == Direction::encrypt) cipher.encrypt_part({}, part.offset, data, data);
      if (run.direction == Direction::decrypt) cipher.decrypt_part({}, part.offset, data, data);
    });
    own.write = seconds_of([&] { RankFile(run.files.output(), O_WRONLY | O_CREAT).write_part(part, data.data()); });
    MPI_Barrier(MPI_COMM_WORLD);
  });
  return {
      .total = slowest(own.total), .read = slowest(own.read), .compute = slowest(own.compute), .write = slowest(own.write)};
}

}  // namespace papers::shorman2018
