// The column "Sequential Implementation" of table 2 of Shorman and Qatawneh (2018): one process, a file in, a file out.
//
//   shorman2018_sequential [--check] [--folder FOLDER]
#include "reproductions/shorman2018_2des_mpi/rank_work.hpp"

namespace papers::shorman2018 {
namespace {

Phases crypt_file(const Files& files, Direction direction, std::size_t num_bytes) {
  const ByteVector key = fixed_key();
  ByteVector data;
  Phases phases;
  phases.total = seconds_of([&] {
    phases.read = seconds_of([&] { data = Files::read(files.input(direction), num_bytes); });
    phases.compute =
        seconds_of([&] { crypt_ecb(make_double_key(std::span(key).first<key_bytes>()), direction, data, data); });
    phases.write = seconds_of([&] { Files::write(files.output(), data); });
  });
  files.require_output("sequential 2DES", direction, num_bytes);
  return phases;
}

/// This library on one thread and on all: a file in, a file out as well.
Phases crypt_file_with_library(const Files& files, Direction direction, std::size_t num_bytes, int num_threads) {
  const ByteVector key = fixed_key();
  ByteVector data;
  Phases phases;
  phases.total = seconds_of([&] {
    phases.read = seconds_of([&] { data = Files::read(files.input(direction), num_bytes); });
    phases.compute = seconds_of([&] {
      const phalanx::Cipher cipher("2des-ecb", key, {"cpu", num_threads});
      if (direction == Direction::encrypt) cipher.encrypt({}, data, data);
      if (direction == Direction::decrypt) cipher.decrypt({}, data, data);
    });
    phases.write = seconds_of([&] { Files::write(files.output(), data); });
  });
  files.require_output("ours", direction, num_bytes);
  return phases;
}

void measure(const Files& files, Direction direction, std::size_t num_bytes) {
  std::vector<Phases> sequential;
  std::vector<Phases> ours;
  for (int run = 0; run < num_runs; ++run) {
    sequential.push_back(crypt_file(files, direction, num_bytes));
    ours.push_back(crypt_file_with_library(files, direction, num_bytes, 1));
  }
  print_phases(num_bytes, direction, "Sequential Implementation", "baseline", 1, sequential);
  print_phases(num_bytes, direction, "Sequential Implementation", "ours", 1, ours);
}

}  // namespace
}  // namespace papers::shorman2018

int main(int argc, char** argv) {
  using namespace papers::shorman2018;
  const papers::Arguments arguments(argc, argv);
  const bool checking = arguments.has("--check");
  const Folder folder(arguments);
  const Files files(folder.path());
  const std::size_t most_bytes = checking ? first_bytes : last_bytes;
  files.prepare(most_bytes);
  if (!checking) papers::print_compiler();
  for (std::size_t size = first_bytes; size <= most_bytes; size *= 2) {
    for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
      if (checking) crypt_file(files, direction, size);
      if (!checking) measure(files, direction, size);
    }
  }
  return 0;
}
