#include "program/cluster/rank_seal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace phalanx {
namespace {

const std::vector<std::uint8_t> message{1, 2, 3, 4, 5};

SecretBytes filled(std::size_t size, std::uint8_t value) {
  SecretBytes bytes(size);
  std::fill(bytes.begin(), bytes.end(), value);
  return bytes;
}

RankSeal seal_of(int rank, std::uint8_t key = 1, std::uint8_t salt = 2) {
  RankSeal seal(filled(team_key_bytes, key), rank);
  seal.set_salt(3, filled(team_salt_bytes, salt));
  return seal;
}

std::vector<std::uint8_t> bytes_of(Bytes bytes) { return {bytes.begin(), bytes.end()}; }

TEST(RankSeal, OpensWhatTheOtherSealedInItsOrder) {
  RankSeal leader = seal_of(0), member = seal_of(3);
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(bytes_of(member.open(0, leader.seal(3, message))), message);
    EXPECT_EQ(bytes_of(leader.open(3, member.seal(0, message))), message);
  }
}

TEST(RankSeal, RefusesAnotherOrderAndARepetition) {
  RankSeal leader = seal_of(0);
  const SecretBytes first = leader.seal(3, message), second = leader.seal(3, message);
  EXPECT_NE(bytes_of(first), bytes_of(second));
  RankSeal late = seal_of(3);
  EXPECT_THROW(static_cast<void>(late.open(0, second)), Error);
  RankSeal twice = seal_of(3);
  static_cast<void>(twice.open(0, first));
  EXPECT_THROW(static_cast<void>(twice.open(0, first)), Error);
}

TEST(RankSeal, RefusesAnotherKeySaltDirectionOrBit) {
  EXPECT_THROW(static_cast<void>(seal_of(3, 9).open(0, seal_of(0).seal(3, message))), Error);
  EXPECT_THROW(static_cast<void>(seal_of(3, 1, 9).open(0, seal_of(0).seal(3, message))), Error);  // of an earlier run
  EXPECT_THROW(static_cast<void>(seal_of(0).open(3, seal_of(0).seal(3, message))), Error);        // given back
  for (std::size_t byte = 0; byte < message.size() + 16; ++byte) {
    SecretBytes sealed = seal_of(0).seal(3, message);
    sealed.data()[byte] ^= 1;
    EXPECT_THROW(static_cast<void>(seal_of(3).open(0, sealed)), Error) << byte;
  }
  EXPECT_THROW(static_cast<void>(seal_of(3).open(0, message)), Error);
}

std::vector<SecretFile> files_of(const std::vector<std::string>& arguments) { return secret_files_of(arguments); }

TEST(RankSeal, FindsTheFilesThatArgumentsName) {
  const auto files =
      files_of({"phalanx-mpi", "migrate", "--from-passphrase-file", "old", "IN", "--key-file=new", "--", "--key-file", "x"});
  ASSERT_EQ(files.size(), 2U);
  EXPECT_EQ(files[0].path, "old");
  EXPECT_TRUE(files[0].is_passphrase);
  EXPECT_EQ(files[1].path, "new");
  EXPECT_FALSE(files[1].is_passphrase);
  for (const std::vector<std::string>& refused : std::vector<std::vector<std::string>>{
           {}, {"--key-fd", "3"}, {"--from-key-env=K"}, {"--key-file", "-"}, {"--key-file"}, {"--key-file", "/dev/fd/3"}})
    EXPECT_THROW(static_cast<void>(files_of(refused)), Error);
}

TEST(RankSeal, ATeamKeyIsOfAllFilesAndTheSalt) {
  const auto folder = std::filesystem::temp_directory_path() / ("rank_seal_" + std::to_string(getpid()));
  std::filesystem::create_directory(folder);
  const auto file = [&](const char* name, const std::string& content) {
    std::ofstream(folder / name) << content;
    return SecretFile{.path = (folder / name).string()};
  };
  const SecretFile ab = file("ab", "ab"), a = file("a", "a"), b = file("b", "b"), also_b = file("also_b", "b");
  const auto key = [](const std::vector<SecretFile>& files, std::uint8_t salt) {
    return bytes_of(read_team_key(files, filled(team_salt_bytes, salt)));
  };
  EXPECT_EQ(key({a, b}, 1), key({a, also_b}, 1));
  EXPECT_NE(key({a, b}, 1), key({a, b}, 2));
  EXPECT_NE(key({a, b}, 1), key({b, a}, 1));
  EXPECT_NE(key({a, b}, 1), key({ab}, 1));
  EXPECT_NE(key({a}, 1), key({SecretFile{.path = a.path, .is_passphrase = true}}, 1));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace phalanx
