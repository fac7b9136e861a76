// The column "Sequential Implementation" of table 2 of Shorman and Qatawneh (2018): one process, a file in, a file out.
//
//   shorman2018_sequential [--check] [--folder FOLDER] [--tables SUFFIX] [--most BYTES]
//   shorman2018_sequential --folder FOLDER --only BYTES --table NAME --column NAME
//
// --only: one encryption of so many bytes, under the names given.
#include "reproductions/shorman2018_2des_mpi/des_variants.hpp"

namespace papers::shorman2018 {
namespace {

constexpr const char* sequential_column = "Sequential Implementation";

// From one array to another, as every rank of the parallel program does. Taken and written to before any clock starts.
struct Memory {
  ByteVector in = ByteVector(last_bytes);
  ByteVector out = ByteVector(last_bytes);
};

// A file in, `crypt(in, out)`, a file out.
template <class Crypt>
Phases crypt_file(const Files& files, Direction direction, std::size_t num_bytes, Memory& memory, const Crypt& crypt) {
  const MutableBytes in = MutableBytes(memory.in).first(num_bytes);
  const MutableBytes out = MutableBytes(memory.out).first(num_bytes);
  Phases phases;
  phases.total = seconds_of([&] {
    phases.read = seconds_of([&] { Files::read(files.input(direction), in); });
    phases.compute = seconds_of([&] { crypt(in, out); });
    phases.write = seconds_of([&] { Files::write(files.output(), out); });
  });
  return phases;
}

Phases crypt_as_paper(const DesVariant& variant, const Files& files, Direction direction, std::size_t num_bytes,
                      Memory& memory) {
  const Phases phases = crypt_file(files, direction, num_bytes, memory,
                                   [&](Bytes in, MutableBytes out) { variant.crypt(fixed_key(), direction, in, out); });
  files.require_output("sequential 2DES", direction, num_bytes);
  return phases;
}

// This library on one thread.
Phases crypt_with_library(const Files& files, Direction direction, std::size_t num_bytes, Memory& memory) {
  const Phases phases = crypt_file(files, direction, num_bytes, memory, [&](Bytes in, MutableBytes out) {
    const phalanx::Cipher cipher("2des-ecb", fixed_key(), {.engine = "cpu", .num_threads = 1}, {.allow_legacy = true});
    if (direction == Direction::encrypt) cipher.encrypt({}, in, out);
    if (direction == Direction::decrypt) cipher.decrypt({}, in, out);
  });
  files.require_output("ours", direction, num_bytes);
  return phases;
}

void measure(const DesVariant& variant, const Files& files, Direction direction, const Place& place, Memory& memory) {
  crypt_file(files, direction, place.num_bytes, memory,  // not counted
             [&](Bytes in, MutableBytes out) { by_nothing.crypt({}, direction, in, out); });
  files.remove_output();
  std::vector<Phases> runs;
  runs.reserve(num_runs);
  for (int i = 0; i < num_runs; ++i) runs.push_back(crypt_as_paper(variant, files, direction, place.num_bytes, memory));
  print_phases(place, runs);
}

void measure_ours(const Files& files, Direction direction, std::size_t num_bytes, Memory& memory,
                  const std::string& suffix) {
  crypt_with_library(files, direction, num_bytes, memory);  // not counted
  std::vector<Phases> runs;
  runs.reserve(num_runs);
  for (int run = 0; run < num_runs; ++run) runs.push_back(crypt_with_library(files, direction, num_bytes, memory));
  print_phases({table_of(by_words, direction) + suffix, num_bytes, sequential_column, "ours", 1}, runs);
}

void measure_all(const Files& files, Memory& memory, const Wanted& wanted) {
  const auto measure_one = [&](const DesVariant& variant, Direction direction, std::size_t size) {
    const std::string table = table_of(variant, direction) + wanted.suffix;
    measure(variant, files, direction, {table, size, sequential_column, "baseline", 1}, memory);
  };
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    for (std::size_t size = first_bytes; size <= wanted.largest_of(by_words, direction); size *= 2) {
      measure_one(by_words, direction, size);
      measure_ours(files, direction, size, memory, wanted.suffix);
    }
    for (std::size_t size = first_bytes; size <= wanted.largest_of(by_bit_arrays, direction); size *= 2)
      measure_one(by_bit_arrays, direction, size);
  }
}

void check(const Files& files, Memory& memory) {
  for (const Direction direction : {Direction::encrypt, Direction::decrypt}) {
    for (const DesVariant* variant : {&by_words, &by_bit_arrays})
      crypt_as_paper(*variant, files, direction, first_bytes, memory);
    crypt_with_library(files, direction, first_bytes, memory);
  }
}

}  // namespace
}  // namespace papers::shorman2018

int main(int argc, char** argv) {
  using namespace papers::shorman2018;
  const papers::Arguments arguments(argc, argv);
  const bool checking = arguments.has("--check");
  const Folder folder(arguments);
  const Files files(folder.path());
  Memory memory;
  files.prepare(checking ? first_bytes : last_bytes);
  if (!checking) papers::print_compiler();
  if (checking) {
    check(files, memory);
  } else if (arguments.has("--only")) {
    const auto num_bytes = static_cast<std::size_t>(arguments.number("--only", 0));
    const Place place{arguments.text("--table", ""), num_bytes, arguments.text("--column", ""), "method", 1};
    measure(by_words, files, Direction::encrypt, place, memory);
  } else {
    measure_all(files, memory, Wanted(arguments));
  }
  return 0;
}
