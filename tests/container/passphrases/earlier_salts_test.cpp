// Folders that are sealed for a passphrase, night after night: one derivation a run, and the salts of the nights before.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <phalanx/files/recipients.hpp>
#include <phalanx/files/trees.hpp>
#include <set>
#include <stdexcept>

#include "files/container/format/header.hpp"
#include "files/container/format/passphrase_keys.hpp"
#include "tests/container/passphrases/counted_scrypt.hpp"
#include "tests/temporary_folder.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;
using Costs = std::vector<std::uint64_t>;

class EarlierSalts : public testing::Test {
 protected:
  TemporaryFolder folder;
  std::string from = folder.path_of("from"), to = folder.path_of("to"), back = folder.path_of("back");

  EarlierSalts() {
    compute_up_to(4);
    fs::create_directory(from);
  }

  static Recipient by(std::string_view word, std::uint8_t log2_n = 10) {
    return {KeyKind::passphrase, bytes_of(word), {log2_n, 8, 1}};
  }
  void write(int first, int last) const {
    for (int number = first; number < last; ++number) {
      folder.write("from/" + std::to_string(1000 + number), bytes_of("file " + std::to_string(number)));
    }
  }
  [[nodiscard]] SealTreeCounts night(const std::vector<Recipient>& recipients, SealTreeOptions options = {}) const {
    options.update = TreeUpdate::by_time;
    static_cast<void>(take_derived());
    return seal_tree(from, to, "aes-256", recipients, options);
  }
  // Less those of 128 MiB, by which the record of the folder knows the passphrase again.
  static Costs derived() {
    Costs costs = take_derived();
    std::erase(costs, 128);
    return costs;
  }
  [[nodiscard]] ScryptSalt salt_of(int number) const {
    const std::vector<std::uint8_t> sealed = read_file(to + "/" + std::to_string(1000 + number) + ".phalanx");
    ScryptSalt salt;
    std::copy_n(parse_header(sealed).wrapped_keys.front().data.begin(), salt.size(), salt.begin());
    return salt;
  }
  [[nodiscard]] std::set<ScryptSalt> salts(int num_files) const {
    std::set<ScryptSalt> found;
    for (int number = 0; number < num_files; ++number) found.insert(salt_of(number));
    return found;
  }
  std::uint64_t restore(std::string_view word) const {
    fs::remove_all(back);
    static_cast<void>(take_derived());
    const Identity identity{KeyKind::passphrase, bytes_of(word)};
    return unseal_tree(to, back, {&identity, 1}).num_opened;
  }
};

TEST_F(EarlierSalts, AreOneForAFolderThatIsSealedAndRestored) {
  write(0, 201);
  EXPECT_EQ(night({by("open sesame")}).num_sealed, 201U);
  EXPECT_EQ(derived(), Costs{1});
  EXPECT_EQ(restore("open sesame"), 201U);
  EXPECT_EQ(derived(), Costs{1});
  EXPECT_TRUE(std::ranges::equal(read_file(back + "/1200"), bytes_of("file 200")));
}

TEST_F(EarlierSalts, AreTakenByTheNextNight) {
  write(0, 3);
  static_cast<void>(night({by("open sesame"), by("other")}));
  write(3, 6);
  EXPECT_EQ(night({by("open sesame"), by("other")}).num_sealed, 3U);
  EXPECT_EQ(derived(), (Costs{1, 1})) << "which open what is there, and seal";
  EXPECT_EQ(salts(6).size(), 1U);
  EXPECT_EQ(restore("open sesame"), 6U);
  EXPECT_EQ(derived(), Costs{1});
  EXPECT_EQ(restore("other"), 6U);
  EXPECT_EQ(derived(), (Costs{1, 1}));
}

TEST_F(EarlierSalts, AreTakenByTheRunAfterOneThatWasStopped) {
  write(0, 9);
  int num_done = 0;
  const auto stop = [&](const TreeFileResult&) {
    if (++num_done == 4) throw std::runtime_error("stopped");
  };
  EXPECT_THROW(static_cast<void>(night({by("open sesame")}, {.on_file = stop})), std::runtime_error);
  EXPECT_EQ(night({by("open sesame")}).num_sealed, 5U);
  EXPECT_EQ(derived(), Costs{1});
  EXPECT_EQ(salts(9).size(), 1U);
}

TEST_F(EarlierSalts, WithNothingToSealAreNotLookedFor) {
  write(0, 3);
  static_cast<void>(night({by("open sesame")}));
  EXPECT_EQ(night({by("open sesame")}).num_unchanged, 3U);
  EXPECT_EQ(derived(), Costs{});
}

TEST_F(EarlierSalts, OfAnotherPassphraseOrCostAreNotTaken) {
  write(0, 1);
  static_cast<void>(night({by("yesterday's")}));
  write(1, 2);
  static_cast<void>(night({by("today's")}));
  EXPECT_EQ(derived(), (Costs{1, 1})) << "tried in vain, and a new one";
  write(2, 3);
  static_cast<void>(night({by("today's")}));
  EXPECT_EQ(derived(), (Costs{1, 1})) << "the second that is tried opens";
  write(3, 4);
  static_cast<void>(night({by("today's", 11)}));
  EXPECT_EQ(derived(), Costs{2}) << "no other cost is tried";
  EXPECT_EQ(salt_of(1), salt_of(2));
  EXPECT_EQ(salts(4).size(), 3U);
}

// Somebody who can write to the folder knows no passphrase: what he puts there has salts that he has chosen.
TEST_F(EarlierSalts, ThatArePlantedAreNotTaken) {
  write(0, 3);
  static_cast<void>(night({by("open sesame")}));
  const ScryptSalt genuine = salt_of(0);
  for (int number = 0; number < 3; ++number) {
    const std::string path = to + "/" + std::to_string(1000 + number) + ".phalanx";
    const fs::file_time_type time = fs::last_write_time(path);
    std::vector<std::uint8_t> sealed = read_file(path);
    sealed[12 + 3] ^= static_cast<std::uint8_t>(number + 1);  // scrypt's salt
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char*>(sealed.data()), static_cast<std::streamsize>(sealed.size()));
    fs::last_write_time(path, time);
  }
  write(3, 6);
  EXPECT_EQ(night({by("open sesame")}).num_sealed, 3U);
  EXPECT_EQ(derived(), Costs(3, 1)) << "two are tried, and then a new salt is drawn";
  EXPECT_EQ(salt_of(3), salt_of(5));
  for (int number = 0; number < 3; ++number) EXPECT_NE(salt_of(3), salt_of(number));
  EXPECT_NE(salt_of(3), genuine);
}

TEST_F(EarlierSalts, OfAnAddedPassphraseAreOneForAllContainers) {
  write(0, 5);
  static_cast<void>(night({by("open sesame")}));
  static_cast<void>(take_derived());
  const auto add = [&](int first, int last) {
    const Identity opener{KeyKind::passphrase, bytes_of("open sesame")};
    const RecipientChanges changes{.added = {by("added")}};
    for (int number = first; number < last; ++number) {
      const ChangedRecipients changed =
          change_recipients(to + "/" + std::to_string(1000 + number) + ".phalanx", {&opener, 1}, changes);
      EXPECT_EQ(changed.num_recipients, 2U);
    }
    return derived();
  };
  EXPECT_EQ(add(0, 3), Costs(3, 1)) << "opens; is tried on what is there; seals";
  EXPECT_EQ(add(2, 5), Costs(3, 1)) << "opens; is tried on both records of the first, of which one is its own";
  EXPECT_EQ(restore("added"), 5U);
  EXPECT_EQ(derived(), (Costs{1, 1}));
}

}  // namespace
}  // namespace phalanx::test
