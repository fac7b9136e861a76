#include "bench/cluster/rank_measuring.hpp"

#include <fcntl.h>
#include <mpi.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <phalanx/catalog.hpp>

#include "engine/bytes/byte_order.hpp"
#include "engine/text/hex.hpp"
#include "files/system/file_descriptor.hpp"

namespace phalanx::bench {
namespace {

constexpr std::size_t block_bytes = 64;
constexpr std::size_t piece_bytes = std::size_t{1} << 20;

}  // namespace

const char* judging_engine() {
  const std::vector<EngineInfo> all = engines();
  const bool is_best =
      std::ranges::any_of(all, [](const EngineInfo& one) { return one.name == "cpu:avx512" && one.usable; });
  return is_best ? "cpu:avx2" : "cpu:scalar";
}

RankPart part_of(std::uint64_t num_bytes, int rank, int num_ranks) {
  const auto edge = [&](int number) {
    const std::uint64_t blocks = (num_bytes + block_bytes - 1) / block_bytes;
    return std::min(num_bytes,
                    blocks * static_cast<std::uint64_t>(number) / static_cast<std::uint64_t>(num_ranks) * block_bytes);
  };
  return {edge(rank), edge(rank + 1) - edge(rank)};
}

void Bench::give_up(const std::string& why) {
  std::fprintf(stderr, "rank_benchmark: %s\n", why.c_str());
  MPI_Abort(MPI_COMM_WORLD, 1);
  std::abort();
}

void Bench::make_file(const std::string& name, std::uint64_t num_bytes) const {
  const FileDescriptor file = open_file(path(name), O_WRONLY | O_CREAT, 0600);
  const RankPart part = part_of(num_bytes, ranks_.rank(), ranks_.num_ranks());
  std::vector<std::uint8_t> piece(piece_bytes);
  for (std::uint64_t done = 0; done < part.num_bytes; done += piece.size()) {
    piece.resize(static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, part.num_bytes - done)));
    std::uint64_t state = part.position + done;
    for (std::size_t i = 0; i + 8 <= piece.size(); i += 8) {
      state = state * 6364136223846793005U + 1442695040888963407U;  // Knuth's MMIX
      store_u64(&piece[i], state ^ (state >> 29));
    }
    write_at(file.get(), piece, part.position + done, name);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

std::vector<std::uint8_t> Bench::key_of(const MeasuredCipher& cipher) {
  std::vector<std::uint8_t> key(cipher.key_bytes);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(37 * i + 11);
  return key;
}

std::vector<std::uint8_t> Bench::iv_of(const MeasuredCipher& cipher) {
  std::vector<std::uint8_t> iv(std::string(cipher.iv).size() / 2);
  decode_hex(cipher.iv, "the iv", iv);
  return iv;
}

void Bench::make_key(const MeasuredCipher& cipher) const {
  if (leads()) {
    const std::string name = std::string("key-") + cipher.name;
    write_all(open_file(path(name), O_WRONLY | O_CREAT | O_TRUNC, 0600).get(), key_of(cipher), name);
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

void Bench::remove(const std::string& name) const {
  MPI_Barrier(MPI_COMM_WORLD);
  if (leads()) unlink(path(name).c_str());
  MPI_Barrier(MPI_COMM_WORLD);
}

Cipher Bench::make_cipher(const MeasuredCipher& cipher, const char* engine) const {
  return Cipher(cipher.name, key_of(cipher), {.engine = engine, .num_threads = 1}, {.allow_legacy = true});
}

void Bench::require_output(const MeasuredCipher* cipher, const std::string& in, const std::string& out) const {
  const FileDescriptor given = open_file(path(in), O_RDONLY), made = open_file(path(out), O_RDONLY);
  struct stat in_status {
  }, out_status{};
  if (fstat(given.get(), &in_status) != 0 || fstat(made.get(), &out_status) != 0) give_up("cannot look at " + out);
  if (in_status.st_size != out_status.st_size) give_up(out + " has another size than " + in);
  const auto part = part_of(static_cast<std::uint64_t>(in_status.st_size), ranks_.rank(), ranks_.num_ranks());
  std::optional<Cipher> judge;
  if (cipher != nullptr) judge.emplace(make_cipher(*cipher, judging_engine()));
  std::vector<std::uint8_t> expected(piece_bytes), found(piece_bytes);
  for (std::uint64_t done = 0; done < part.num_bytes; done += expected.size()) {
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(piece_bytes, part.num_bytes - done));
    expected.resize(size);
    found.resize(size);
    const std::uint64_t position = part.position + done;
    if (read_at(given.get(), expected, position, in) != size || read_at(made.get(), found, position, out) != size)
      give_up(out + " is cut short");
    if (judge) judge->encrypt_part(iv_of(*cipher), position, expected, expected);
    if (expected != found) give_up(out + " is wrong in the MiB from " + std::to_string(position) + " on");
  }
  MPI_Barrier(MPI_COMM_WORLD);
}

double Bench::time(const std::function<void()>& work) const {
  using Clock = std::chrono::steady_clock;
  MPI_Barrier(MPI_COMM_WORLD);
  const auto start = Clock::now();
  work();
  MPI_Barrier(MPI_COMM_WORLD);
  return std::chrono::duration<double>(Clock::now() - start).count();
}

}  // namespace phalanx::bench
