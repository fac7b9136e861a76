#include "reproductions/shorman2018_2des_mpi/rank_work.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <stdexcept>

namespace papers::shorman2018 {
namespace {

void sync(const std::filesystem::path& path) {
  const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool is_synced = descriptor >= 0 && fsync(descriptor) == 0;
  if (descriptor >= 0) close(descriptor);
  if (!is_synced) throw std::runtime_error(path.string() + ": cannot be synced");
}

}  // namespace

std::string size_name(std::size_t num_bytes) {
  return num_bytes < mebibyte ? std::to_string(num_bytes >> 10) + "KB" : std::to_string(num_bytes >> 20) + "MB";
}

ByteVector fixed_key() { return test_data(key_bytes, 9); }

Folder::Folder(const Arguments& arguments) : path_(arguments.text("--folder", "")), own_(path_.empty()) {
  if (!own_) return;
  const std::string name_of_mkdtemp(6, 'X');
  path_ = (std::filesystem::temp_directory_path() / ("shorman2018_" + name_of_mkdtemp)).string();
  if (mkdtemp(path_.data()) == nullptr) throw std::runtime_error(path_ + ": cannot be made");
}

Folder::~Folder() {
  std::error_code ignored;
  if (own_) std::filesystem::remove_all(path_, ignored);
}

std::filesystem::path Files::input(Direction direction) const {
  return folder_ / (direction == Direction::encrypt ? "plain" : "cipher");
}

void Files::prepare_alone(Direction direction, std::size_t num_bytes) const {
  ByteVector bytes(num_bytes);
  read(input(direction), bytes);
  write(input_alone(), bytes);
  write(key(), fixed_key());
}

void Files::read(const std::filesystem::path& path, MutableBytes into) {
  std::ifstream file(path, std::ios::binary);
  if (!file.read(reinterpret_cast<char*>(into.data()), static_cast<std::streamsize>(into.size())))
    throw std::runtime_error(path.string() + ": cannot be read, or is too short");
}

void Files::write(const std::filesystem::path& path, Bytes bytes) {
  std::ofstream file(path, std::ios::binary);
  if (!file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())).flush())
    throw std::runtime_error(path.string() + ": cannot be written");
}

void Files::sync_output() const {
  sync(output());
  sync(folder_);
}

void Files::prepare(std::size_t num_bytes) const {
  const std::filesystem::path cipher = input(Direction::decrypt);
  if (std::filesystem::exists(cipher) && std::filesystem::file_size(cipher) >= num_bytes) return;
  const ByteVector plain = test_data(num_bytes);
  write(input(Direction::encrypt), plain);
  write(cipher, phalanx::reference::crypt("2des-ecb", Direction::encrypt, fixed_key(), {}, plain));
}

void Files::require_output(std::string_view who, Direction direction, std::size_t num_bytes) const {
  const Direction inverse = direction == Direction::encrypt ? Direction::decrypt : Direction::encrypt;
  ByteVector got(num_bytes);
  ByteVector expected(num_bytes);
  read(output(), got);
  read(input(inverse), expected);
  require_equal(who, got, expected);
  remove_output();
}

void print_phases(const Place& place, const std::vector<Phases>& runs) {
  print_flags(place.table.starts_with("2_bit_arrays") ? ", bit_array_2des.cpp -O0" : "");
  const auto print = [&](const char* quantity, double seconds) {
    print_figure(
        {place.table, size_name(place.num_bytes), place.column, place.method, quantity, "s", seconds, place.num_ranks});
  };
  const auto mean = [&](double Phases::*phase) {
    double sum = 0;
    for (const Phases& run : runs) sum += run.*phase;
    return sum / static_cast<double>(runs.size());
  };
  double least = runs.front().total;
  for (const Phases& run : runs) least = std::min(least, run.total);
  print("time", mean(&Phases::total));
  print("least time", least);
  if (mean(&Phases::compute) == 0) return;  // of a whole program, which does all of it at once
  print("read", mean(&Phases::read));
  print("distribute", mean(&Phases::distribute));
  print("compute", mean(&Phases::compute));
  print("collect", mean(&Phases::collect));
  print("write", mean(&Phases::write));
}

}  // namespace papers::shorman2018
