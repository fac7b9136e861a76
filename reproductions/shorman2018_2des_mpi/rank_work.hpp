// What the sequential and the parallel programs share: files of a size, both directions, the check, and what is printed.
#pragma once

#include <filesystem>
#include <string>

#include "reproductions/paper_program.hpp"
#include "reproductions/shorman2018_2des_mpi/textbook_2des.hpp"

namespace papers::shorman2018 {

using phalanx::MutableBytes;

inline constexpr int num_runs = 3;  ///< as the paper: the mean of three; one more goes before, which is not counted
inline constexpr std::size_t first_bytes = 8 << 10;
inline constexpr std::size_t last_bytes = 16 << 20;

/// Seconds of one run, by part; those of the slowest rank where ranks differ.
struct Phases {
  double total = 0;
  double read = 0;
  double distribute = 0;  ///< the data to every rank
  double compute = 0;
  double collect = 0;  ///< the parts to the master, after the slowest rank has computed
  double write = 0;
};

/// "8KB", "1MB", as in table 2.
std::string size_name(std::size_t num_bytes);

/// The files that the programs read and write, in one folder. In ECB a smaller file is the beginning of a larger one.
class Files {
 public:
  explicit Files(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// Writes plain text, and cipher text by reference/, where they are not there yet, so that programs can share them.
  void prepare(std::size_t num_bytes) const;

  [[nodiscard]] std::filesystem::path input(Direction direction) const;
  [[nodiscard]] std::filesystem::path output() const { return folder_ / "output"; }

  /// For a program that takes whole files: the key, and the first bytes of the input in a file of their own.
  void prepare_alone(Direction direction, std::size_t num_bytes) const;
  [[nodiscard]] std::filesystem::path key() const { return folder_ / "key"; }
  [[nodiscard]] std::filesystem::path input_alone() const { return folder_ / "input"; }
  static void read(const std::filesystem::path& path, MutableBytes into);
  static void write(const std::filesystem::path& path, Bytes bytes);

  /// Waits until the output and its name are on the disk, as phalanx-mpi does with its own.
  void sync_output() const;

  void remove_output() const { std::filesystem::remove(output()); }

  /// Exits 1 unless output() holds reference/'s bytes; the output is removed, so that the next run must write it again.
  void require_output(std::string_view who, Direction direction, std::size_t num_bytes) const;

 private:
  std::filesystem::path folder_;
};

/// `--folder`, or a new one for this process, which is removed with its files.
class Folder {
 public:
  explicit Folder(const Arguments& arguments);
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder();

  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
  bool own_;
};

ByteVector fixed_key();

/// Where a figure stands, but for its quantity: see Figure. `column` is "Sequential Implementation" or a number of ranks.
struct Place {
  std::string table;
  std::size_t num_bytes;
  std::string column;
  const char* method;
  int num_ranks;
};

/// Prints the mean of the total of the runs, its least, and the mean of each phase where these were told apart.
void print_phases(const Place& place, const std::vector<Phases>& runs);

}  // namespace papers::shorman2018
