// The library reads volumes: any part of one, by several threads.
#include <gtest/gtest.h>
#include <phalanx/files/inspect.h>
#include <phalanx/files/volume.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <phalanx/files/inspect.hpp>
#include <phalanx/files/volume.hpp>
#include <random>
#include <thread>

#include "temporary_folder.hpp"
#include "threads_of_a_child.hpp"
#include "written_volume.hpp"

namespace phalanx {
namespace {

using Buffer = std::vector<std::uint8_t>;

Buffer noise(std::size_t size) {
  std::mt19937_64 chance(size);
  Buffer bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(chance());
  return bytes;
}

class VolumeReaders : public testing::Test {
 protected:
  VolumeReaders() { folder.write("IN", write_luks1(plain)); }

  [[nodiscard]] VolumeReader open(const VolumeOptions& volume = {}, const EngineOptions& options = {}) const {
    return {path(), bytes_of(written_passphrase), volume, options};
  }
  [[nodiscard]] std::string path(const std::string& name = "IN") const { return folder.path_of(name); }

  static std::optional<ErrorCode> code_of(const std::function<void()>& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return std::nullopt;
  }

  Buffer plain = noise((std::size_t{3} << 20) + 512);
  test::TemporaryFolder folder;
};

Buffer part_of(const VolumeReader& volume, std::uint64_t offset, std::size_t size) {
  Buffer out(size);
  out.resize(volume.read(offset, out));
  return out;
}

TEST_F(VolumeReaders, GiveAnyPart) {
  const VolumeReader volume = open();
  EXPECT_EQ(volume.num_bytes(), plain.size());
  std::mt19937_64 chance(1);
  for (int i = 0; i < 200; ++i) {
    const std::size_t offset = chance() % (plain.size() + 1);
    const std::size_t size = chance() % (i % 4 == 0 ? plain.size() : 2000);
    const Buffer part = part_of(volume, offset, size);
    ASSERT_EQ(part.size(), std::min(size, plain.size() - offset));
    EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + static_cast<std::ptrdiff_t>(offset)));
  }
  EXPECT_TRUE(part_of(volume, plain.size(), 5).empty());
  EXPECT_TRUE(part_of(volume, UINT64_MAX, 5).empty());
  EXPECT_EQ(part_of(volume, 0, plain.size() + 7), plain);
}

TEST_F(VolumeReaders, AreUsedByThreadsAtOnce) {
  const VolumeReader volume = open({}, {.num_threads = 1});
  std::vector<std::thread> threads;
  std::vector<int> is_right(8);
  for (std::size_t i = 0; i < is_right.size(); ++i) {
    threads.emplace_back([&, i] {
      const Buffer part = part_of(volume, 1000 * i, 100'000);
      is_right[i] = std::equal(part.begin(), part.end(), plain.begin() + static_cast<std::ptrdiff_t>(1000 * i)) ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::ranges::count(is_right, 1), 8);
}

TEST_F(VolumeReaders, SayWhatTheHeaderSays) {
  const VolumeReader volume = open({.key_slot = 2});
  EXPECT_EQ(volume.facts().format, "LUKS1");
  EXPECT_EQ(volume.facts().cipher, "aes-xts-plain64");
  EXPECT_EQ(volume.facts().key_bytes, 64);
  EXPECT_EQ(volume.facts().sector_bytes, 512);
  EXPECT_EQ(volume.facts().key_slot, 2);
  EXPECT_EQ(volume.facts().uuid, "a uuid");
  const InspectedFile inspected = inspect_file(path());
  EXPECT_EQ(inspected.format, FileFormat::luks);
  EXPECT_EQ(inspected.volume.cipher, "aes-xts-plain64");
  EXPECT_EQ(inspected.volume.plain_bytes, plain.size());
  ASSERT_EQ(inspected.volume.key_slots.size(), 1);
  EXPECT_EQ(inspected.volume.key_slots[0].derivation, "PBKDF2 with sha256, 10 iterations");
  EXPECT_EQ(inspected.volume.problem, "");
}

TEST_F(VolumeReaders, SayWhatIsWrong) {
  const auto opens = [&](const std::string& name, const char* passphrase, const VolumeOptions& volume = {}) {
    return code_of([&] { VolumeReader(path(name), bytes_of(passphrase), volume); });
  };
  EXPECT_EQ(opens("IN", written_passphrase), std::nullopt);
  EXPECT_EQ(opens("IN", "wrong"), ErrorCode::wrong_key);
  EXPECT_EQ(opens("IN", ""), ErrorCode::wrong_key);
  EXPECT_EQ(opens("IN", written_passphrase, {.key_slot = 1}), ErrorCode::usage);
  EXPECT_EQ(opens("IN", written_passphrase, {.key_slot = -2}), ErrorCode::usage);
  EXPECT_EQ(opens("IN", written_passphrase, {.start = 1}), ErrorCode::format);
  EXPECT_EQ(opens("IN", written_passphrase, {.start = UINT64_MAX}), ErrorCode::truncated);
  EXPECT_EQ(opens("none", written_passphrase), ErrorCode::runtime);
  folder.write("cut", Buffer(write_luks1({})));
  EXPECT_EQ(opens("cut", written_passphrase), ErrorCode::truncated);
  EXPECT_EQ(code_of([&] { static_cast<void>(open({}, {.engine = "cpu:none"})); }), ErrorCode::usage);
}

TEST_F(VolumeReaders, TakeAHeaderOfAnotherFile) {
  Buffer image = write_luks1(plain);
  folder.write("header", Buffer(image.begin(), image.begin() + written_data_offset));
  std::fill_n(image.begin(), written_data_offset, std::uint8_t{7});
  image.insert(image.begin(), 100, std::uint8_t{1});
  folder.write("data", image);
  const VolumeReader volume(path("data"), bytes_of(written_passphrase), {.header_path = path("header"), .start = 100});
  EXPECT_EQ(part_of(volume, 0, plain.size()), plain);
}

TEST_F(VolumeReaders, SeeThatTheFileBecameShorter) {
  const VolumeReader volume = open();
  folder.write("IN", Buffer(written_data_offset));
  EXPECT_EQ(code_of([&] { static_cast<void>(part_of(volume, 0, 10)); }), ErrorCode::runtime);
}

TEST_F(VolumeReaders, AreTheSameInC) {
  const Bytes secret = bytes_of(written_passphrase);
  phalanx_volume_reader* reader = nullptr;
  ASSERT_EQ(phalanx_volume_reader_new(&reader, path().c_str(), secret.data(), secret.size(), nullptr, nullptr), PHALANX_OK);
  phalanx_volume_facts facts = PHALANX_VOLUME_FACTS_INIT;
  ASSERT_EQ(phalanx_volume_reader_facts(reader, &facts), PHALANX_OK);
  EXPECT_STREQ(facts.format, "LUKS1");
  EXPECT_STREQ(facts.cipher, "aes-xts-plain64");
  EXPECT_EQ(facts.num_bytes, plain.size());
  EXPECT_EQ(facts.key_slot, 2);
  Buffer part(5000);
  std::size_t size = 0;
  ASSERT_EQ(phalanx_volume_reader_read(reader, 777, part.data(), part.size(), &size), PHALANX_OK);
  EXPECT_EQ(size, part.size());
  EXPECT_TRUE(std::equal(part.begin(), part.end(), plain.begin() + 777));
  ASSERT_EQ(phalanx_volume_reader_read(reader, plain.size() - 3, part.data(), part.size(), &size), PHALANX_OK);
  EXPECT_EQ(size, 3);
  EXPECT_EQ(phalanx_volume_reader_read(reader, 0, nullptr, 5, &size), PHALANX_USAGE);
  EXPECT_EQ(phalanx_volume_reader_read(nullptr, 0, part.data(), 5, &size), PHALANX_USAGE);
  phalanx_volume_reader_free(reader);
  phalanx_volume_reader_free(nullptr);
}

TEST_F(VolumeReaders, SayInCWhatIsWrong) {
  const Bytes secret = bytes_of("wrong");
  phalanx_volume_reader* reader = nullptr;
  EXPECT_EQ(phalanx_volume_reader_new(&reader, path().c_str(), secret.data(), secret.size(), nullptr, nullptr),
            PHALANX_WRONG_KEY);
  EXPECT_EQ(reader, nullptr);
  EXPECT_EQ(phalanx_volume_reader_new(&reader, nullptr, secret.data(), secret.size(), nullptr, nullptr), PHALANX_USAGE);
  phalanx_volume_options options = PHALANX_VOLUME_OPTIONS_INIT;
  options.start = 1;
  EXPECT_EQ(phalanx_volume_reader_new(&reader, path().c_str(), secret.data(), secret.size(), &options, nullptr),
            PHALANX_FORMAT);
  options.struct_bytes = 3;
  EXPECT_EQ(phalanx_volume_reader_new(&reader, path().c_str(), secret.data(), secret.size(), &options, nullptr),
            PHALANX_USAGE);
  phalanx_inspected inspected = PHALANX_INSPECTED_INIT;
  ASSERT_EQ(phalanx_inspect_file(path().c_str(), &inspected), PHALANX_OK);
  EXPECT_EQ(inspected.format, PHALANX_FORMAT_LUKS);
  EXPECT_EQ(inspected.volume_version, 1);
  EXPECT_STREQ(inspected.volume_cipher, "aes-xts-plain64");
  EXPECT_EQ(inspected.volume_bytes, plain.size());
  EXPECT_EQ(inspected.num_key_slots, 1);
}

TEST_F(VolumeReaders, GoOnInAChild) {
  if (!test::has_threads_of_a_child()) GTEST_SKIP() << test::no_threads_of_a_child;
  const VolumeReader volume = open({}, {.num_threads = 2});
  const pid_t child = fork();
  if (child == 0) _exit(part_of(volume, 0, plain.size()) == plain ? 0 : 1);
  EXPECT_EQ(part_of(volume, 0, plain.size()), plain);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(VolumeReaders, AreMoved) {
  VolumeReader volume = open();
  const VolumeReader other = std::move(volume);
  EXPECT_EQ(part_of(other, 5, 3), Buffer(plain.begin() + 5, plain.begin() + 8));
  EXPECT_EQ(code_of([&] { static_cast<void>(volume.num_bytes()); }), ErrorCode::usage);  // NOLINT(bugprone-use-after-move)
}

}  // namespace
}  // namespace phalanx
