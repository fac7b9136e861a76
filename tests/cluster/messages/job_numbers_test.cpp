// What a description of a run may say, and what becomes of one that says something else: whoever sends it, nothing is done by a
// number that was not checked.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/file/resume_record.hpp"
#include "files/container/file/stages.hpp"
#include "files/pipeline/piece_reader.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/pipeline/scheduler.hpp"
#include "files/system/progress.hpp"
#include "program/cluster/job_description.hpp"
#include "program/cluster/shared_file.hpp"
#include "program/cluster/worker_share.hpp"

namespace phalanx {
namespace {

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr std::uint64_t in_bytes = 200'000;

class NoProgress : public Progress {
 public:
  void add(std::uint64_t /*num_bytes*/) override {}
};

class FirstPieces : public WorkQueue {
 public:
  std::optional<std::uint64_t> next() override { return number_ < 30 ? std::optional(number_++) : std::nullopt; }

 private:
  std::uint64_t number_ = 0;
};

using Numbers = std::map<std::string, std::uint64_t>;

class JobNumbers : public testing::Test {
 protected:
  JobNumbers() {
    std::filesystem::create_directory(folder_);
    std::ofstream(folder_ / "IN") << std::string(in_bytes, 'A');
    std::ofstream(folder_ / "OUT") << std::string(in_bytes, 'o');
    EXPECT_EQ(mkfifo((folder_ / "pipe").c_str(), 0600), 0);
  }
  ~JobNumbers() override { std::filesystem::remove_all(folder_); }

  void put_file(JobEncoder& job, const std::string& name) const {
    struct stat status {};
    EXPECT_EQ(::stat((folder_ / name).c_str(), &status), 0);
    job.put((folder_ / name).string());
    job.put(static_cast<std::uint64_t>(status.st_ino));
    job.put(std::uint64_t{0});
  }

  // Of IN; the mark of OUT that jobs have here, zeros, is behind all that is there.
  void put_proof(JobEncoder& job) const {
    const std::string path = (folder_ / "IN").string();
    put_input_proof(job, open_file(path, O_RDONLY).get(), path);
  }

  // AES-256-CTR of IN to OUT, in pieces of 64 KiB, but for these numbers.
  [[nodiscard]] SecretBytes raw_job(const Numbers& others = {}, const std::string& in = "IN") const {
    const auto number = [&](const std::string& name, std::uint64_t usual) {
      const auto other = others.find(name);
      return other == others.end() ? usual : other->second;
    };
    const auto bytes = [&](const std::string& name, std::uint64_t usual) { return SecretBytes(number(name, usual)); };
    JobEncoder job;
    job.put(program_of_job());
    job.put(number("reader", 1));
    put_file(job, in);
    job.put(number("position", 0));
    job.put(number("num_bytes", in_bytes));
    job.put(number("piece_bytes", 65536));
    job.put(number("block_bytes", 16));
    job.put(number("num_stages", 1));
    for (std::uint64_t i = 0; i < number("num_ciphers", 1); ++i) {
      job.put(number("stage", static_cast<std::uint64_t>(JobPart::piece_cipher)));
      job.put("cpu");
      job.put("aes-256-ctr");
      job.put(Bytes(bytes("key_bytes", 32)));
      job.put(number("by_sectors", 0));
      for (const char* name : {"direction", "mode", "padding", "sector_bytes", "first_tweak", "tweak_step"})
        job.put(number(name, std::string(name) == "mode" ? 2 : 0));
      job.put(Bytes(bytes("iv_bytes", 16)));
    }
    job.put(number("sink", static_cast<std::uint64_t>(JobPart::file)));
    put_file(job, "OUT");
    job.put(number("sink_position", 0));
    put_proof(job);
    job.put(number("mark_position", std::uint64_t{1} << 40));
    job.put(Bytes(bytes("mark_bytes", 32)));
    for (std::uint64_t i = 0; i < number("more", 0); ++i) job.put(std::uint64_t{0});
    return SecretBytes(job.bytes());
  }

  // IN sealed to OUT, so many times, with what may be wrong of it.
  [[nodiscard]] SecretBytes seal_job(std::size_t num_seals, std::size_t piece_bytes, std::size_t num_key_bytes = 76,
                                     std::size_t num_salt_bytes = chunk_salt_bytes) const {
    JobEncoder job;
    job.put(program_of_job());
    job.put(JobPart::file_pieces);
    put_file(job, "IN");
    for (const std::uint64_t number : {std::uint64_t{0}, in_bytes, std::uint64_t{piece_bytes}, std::uint64_t{0}})
      job.put(number);
    job.put(std::uint64_t{num_seals});
    for (std::size_t i = 0; i < num_seals; ++i) {
      job.put(JobPart::seal);
      job.put("cpu");
      job.put("aes-256");
      job.put(Bytes(SecretBytes(num_key_bytes)));
      job.put(Bytes(SecretBytes(num_salt_bytes)));
      for (const std::uint64_t number : {1U, 0U, 0U}) job.put(number);
    }
    job.put(JobPart::nowhere);
    put_proof(job);
    return SecretBytes(job.bytes());
  }

  static JobShare run(Bytes description) {
    FirstPieces queue;
    NoProgress progress;
    PieceTimes times;
    return run_worker_share(description, {.num_threads = 1, .engine = ""}, queue, progress, times);
  }

  [[nodiscard]] bool has_old_out() const {
    std::ifstream file(folder_ / "OUT");
    return std::string(std::istreambuf_iterator<char>(file), {}) == std::string(in_bytes, 'o');
  }

  void expect_refused(Bytes description, const std::string& what) const {
    const JobShare done = run(description);
    EXPECT_EQ(done.failed_piece, 0U) << what;
    EXPECT_FALSE(done.message.empty()) << what;
    EXPECT_TRUE(has_old_out()) << what;
  }

  std::filesystem::path folder_ = std::filesystem::temp_directory_path() / ("job_numbers_" + std::to_string(getpid()));
};

TEST_F(JobNumbers, AreUsedWhereTheyAreRight) {
  EXPECT_EQ(run(raw_job()).failed_piece, JobShare::none);
  EXPECT_FALSE(has_old_out());
  EXPECT_EQ(run(seal_job(1, plain_piece_bytes)).failed_piece, JobShare::none);
}

TEST_F(JobNumbers, AreRefusedWhereTheyAreNot) {
  const std::map<std::string, std::vector<std::uint64_t>> wrong{
      {"reader", {0, 2, 99, largest}},
      {"position", {largest, largest - 15, std::uint64_t{1} << 63}},
      {"num_bytes", {largest, std::uint64_t{1} << 63}},
      {"piece_bytes", {0, 1, 15, 17, 65535, std::uint64_t{1} << 32, std::uint64_t{1} << 63, largest - 15, largest}},
      {"block_bytes", {1, 15, 17, 24, 60000, std::uint64_t{1} << 32, largest}},
      {"num_stages", {0, 2, 9, largest}},
      {"stage", {0, 1, 7, 11, 258, largest}},
      {"key_bytes", {0, 31, 33, 5000}},
      {"by_sectors", {1, 2, largest}},
      {"direction", {2, 256, largest}},
      {"mode", {0, 1, 3, 5, 6, 258, largest}},
      {"padding", {5, 256, largest}},
      {"sector_bytes", {7, 16, 512, largest}},
      {"iv_bytes", {17, 32, 5000}},
      {"sink", {0, 1, 2, 9, 10, 11, largest}},
      {"sink_position", {largest, largest - 65535, std::uint64_t{1} << 62}},
      {"mark_position", {0, in_bytes - 1, largest, most_job_bytes + 1}},
      {"mark_bytes", {0, 31, 33, 5000}},
      {"more", {1, 2}},
  };
  for (const auto& [name, values] : wrong) {
    for (const std::uint64_t value : values) expect_refused(raw_job({{name, value}}), name + " " + std::to_string(value));
  }
}

TEST_F(JobNumbers, AreThereToTheLast) {
  const SecretBytes whole = raw_job();
  for (std::size_t size = 0; size < whole.size(); ++size)
    expect_refused(Bytes(whole).first(size), "cut at " + std::to_string(size));
}

TEST_F(JobNumbers, OneCipherOnlyAndFirst) {
  expect_refused(raw_job({{"num_stages", 2}, {"num_ciphers", 2}}), "two ciphers");
}

// What the second makes of a piece would not fit into the first one's buffer.
TEST_F(JobNumbers, OnlyOneStageMakesChunks) {
  expect_refused(seal_job(2, plain_piece_bytes), "sealed twice");
  expect_refused(seal_job(1, 65536), "pieces of another size");
  expect_refused(seal_job(1, plain_piece_bytes, 75), "a key that is short");
  expect_refused(seal_job(1, plain_piece_bytes, 5000), "a key that is long");
  expect_refused(seal_job(1, plain_piece_bytes, 76, 5000), "a salt that is long");
}

TEST_F(JobNumbers, OnlyRegularFilesAreOpened) {
  expect_refused(raw_job({}, "pipe"), "a pipe, for whose writer nobody waits");
  expect_refused(raw_job({}, "."), "a folder");
}

// Of the same inode number and size, as the first files of two disks are.
TEST_F(JobNumbers, AnotherFileIsTold) {
  const std::string path = (folder_ / "IN").string();
  const SecretBytes job = raw_job();
  struct stat before {};
  ASSERT_EQ(::stat(path.c_str(), &before), 0);
  const auto put_back = [&](std::size_t place, char what) {
    std::fstream(path, std::ios::in | std::ios::out).seekp(static_cast<std::streamoff>(place)).put(what);
    const timespec times[] = {before.st_atim, before.st_mtim};
    ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  };
  for (const std::size_t place : {std::size_t{0}, std::size_t{in_bytes - 1}}) {
    put_back(place, 'B');
    expect_refused(job, "other bytes");
    EXPECT_NE(run(job).message.find("is another file here"), std::string::npos);
    put_back(place, 'A');
  }
  const timespec times[] = {before.st_atim, {before.st_mtim.tv_sec - 1, 0}};
  ASSERT_EQ(utimensat(AT_FDCWD, path.c_str(), times, 0), 0);
  expect_refused(job, "another time");
  std::ofstream(path, std::ios::app) << "more";
  EXPECT_EQ(run(job).failed_piece, JobShare::none) << "what is appended is another's business";
}

TEST_F(JobNumbers, AMarkThatIsNotThereIsTold) {
  expect_refused(raw_job({{"mark_position", in_bytes - 32}}), "bytes of another OUT");
}

TEST_F(JobNumbers, AreOfOneProgram) {
  JobEncoder other;
  other.put("phalanx-mpi 0.0.9, jobs of form 3");
  const std::size_t own_bytes = sizeof(std::uint64_t) + program_of_job().size();
  const SecretBytes job = raw_job();
  std::vector<std::uint8_t> changed(other.bytes().begin(), other.bytes().end());
  changed.insert(changed.end(), job.begin() + own_bytes, job.end());
  expect_refused(changed, "another version");
  EXPECT_NE(run(changed).message.find("another program than rank 0's"), std::string::npos);
}

// Without the check, block_bytes 60000 is a length that is read into Piece::preceding, 16 bytes: the hardened build ends there.
TEST_F(JobNumbers, AreNoWayOutOfThePiece) {
  const FileDescriptor in = open_file((folder_ / "IN").string(), O_RDONLY);
  FilePieces reader({in.get(), "IN", 0, in_bytes}, 65536, 60000);
  SecretBytes memory(reader.buffer_bytes());
  const auto read_second_piece = [&] {
    Piece piece;
    piece.number = 1;
    piece.buffer = memory;
    reader.read(piece);
  };
  EXPECT_EXIT(read_second_piece(), testing::KilledBySignal(SIGABRT), "");
}

}  // namespace
}  // namespace phalanx
