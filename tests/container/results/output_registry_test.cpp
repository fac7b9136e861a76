// The outputs of a run over a tree: rivals for one name, and two files that are taken at once.
#include "files/container/results/output_registry.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <phalanx/error.hpp>
#include <stdexcept>
#include <thread>
#include <vector>

#include "files/container/trees/tree_sealing.hpp"
#include "tests/temporary_folder.hpp"

namespace phalanx::test {
namespace {

namespace fs = std::filesystem;

class Outputs : public testing::Test {
 protected:
  TemporaryFolder folder;
  OutputRegistry outputs;
  const OutputRegistry::Source one{.name = "one"}, two{.name = "two"};

  FileIdentity write(const std::string& name) const {
    return identity_at(folder.write(name, Buffer{1, 2, 3})).value();  // NOLINT(bugprone-unchecked-optional-access)
  }
  std::string why_not(const OutputRegistry::Source& source, const std::string& name) {
    try {
      outputs.refuse_another(folder.path_of(name), source);
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      return error.what();
    }
  }
};

TEST_F(Outputs, AreOfTheirSources) {
  outputs.add(write("out"), one);
  EXPECT_EQ(why_not(one, "out"), "");
  EXPECT_EQ(
      why_not(two, "out"),
      folder.path_of("out") + " was made of one by this run: both names lead to one file there; rename one of the two");
  EXPECT_EQ(why_not(two, "nothing"), "");
}

TEST_F(Outputs, OfOneFileUnderTwoNamesAreOfOneSource) {
  const FileIdentity file = write("in");
  outputs.add(write("out"), {.name = "in", .identity = file});
  EXPECT_EQ(why_not({.name = "link", .identity = file}, "out"), "");
  EXPECT_NE(why_not({.name = "other", .identity = write("other")}, "out"), "");
}

TEST_F(Outputs, MayBeRefusedForAnotherReason) {
  OutputRegistry careful({},
                         [](const FileIdentity& /*output*/, const std::string& path, const OutputRegistry::Source& source) {
                           throw Error(ErrorCode::usage, source.name + " is not to replace " + path);
                         });
  const FileIdentity out = write("out");
  EXPECT_THROW(careful.refuse_another(folder.path_of("out"), one), Error);
  careful.add(out, one);
  careful.refuse_another(folder.path_of("out"), one);
}

TEST_F(Outputs, AreClaimedWhileTheyAreMadeAndStay) {
  outputs.make(one, folder.path_of("out"), [&](const OutputRegistry::Claim& claim) {
    claim(write("out"));
    EXPECT_NE(why_not(two, "out"), "");
  });
  EXPECT_NE(why_not(two, "out"), "");
}

TEST_F(Outputs, ThatComeToNothingAreNotClaimed) {
  const auto fail = [&](const OutputRegistry::Claim& claim) {
    claim(write("out"));
    throw std::runtime_error("no space");
  };
  EXPECT_THROW(outputs.make(one, folder.path_of("out"), fail), std::runtime_error);
  EXPECT_FALSE(outputs.contains(identity_at(folder.path_of("out")).value()));
}

// Another file of the run has got the name since it was looked at.
TEST_F(Outputs, AreLookedAtAgainAfterTheClaim) {
  bool went_on = false;
  const auto make = [&](const OutputRegistry::Claim& claim) {
    outputs.add(write("out"), two);
    claim(write("out.phalanx-partial"));
    went_on = true;
  };
  EXPECT_THROW(outputs.make(one, folder.path_of("out"), make), Error);
  EXPECT_FALSE(went_on);
  EXPECT_NE(why_not(one, "out"), "");
}

// The rival has created the file that is in our way, and not yet claimed it.
TEST_F(Outputs, ThatFailAwaitTheirRivals) {
  std::atomic<bool> is_created{false}, has_failed{false};
  const std::string path = folder.path_of("out"), partial = folder.path_of("out.phalanx-partial");
  std::thread rival([&] {
    outputs.make(two, path, [&](const OutputRegistry::Claim& claim) {
      const FileIdentity file = write("out.phalanx-partial");
      is_created = true;
      while (!has_failed) std::this_thread::yield();
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
      claim(file);
      fs::rename(partial, path);
    });
  });
  while (!is_created) std::this_thread::yield();
  try {
    outputs.make(one, path, [&](const OutputRegistry::Claim& /*claim*/) {
      has_failed = true;
      throw Error(ErrorCode::runtime, "another run is at work");
    });
    FAIL() << "it was made";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("was made of two by this run"), std::string::npos) << error.what();
  }
  rival.join();
}

// The first one waits, claimed and unfinished, until the second one has failed.
TEST(RivalsOfOneTree, NeverReplaceEachOther) {
  const TemporaryFolder folder;
  fs::create_directories(folder.path_of("a"));
  fs::create_directories(folder.path_of("b"));
  const std::vector<std::string> from{folder.write("a/x", Buffer(100, 1)), folder.write("b/x", Buffer(100, 2))};
  const std::string to = folder.path_of("to");
  const Buffer key(32, 7);
  std::atomic<bool> has_failed{false};
  const auto await_failure = [&] {
    constexpr int most_looks = 20'000;
    for (int looks = 0; !has_failed && looks < most_looks; ++looks)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
  };
  TreeSealing sealing;
  sealing.job.suite = &find_suite("aes-256");
  sealing.job.recipients = {{KeyKind::key, key, {}}};
  sealing.to = &to;
  sealing.sealing.on_begun = [&](const ContainerFileWriter& /*writer*/) { await_failure(); };
  const ProtectedFiles needed;
  TreeSealer sealer(from, sealing, needed);
  Progress progress;
  std::string why;
  const OnTreeFileResult on_file = [&](const TreeFileResult& file) {
    if (file.outcome != TreeFileAs::failed) return;
    why = file.why;
    EXPECT_EQ(file.code, ErrorCode::usage);
    has_failed = true;
  };
  const TreeCounts counts = sealer.run({.progress = progress, .on_file = on_file, .running = {.at_once = 2}});
  EXPECT_EQ(counts.num_done, 1U);
  EXPECT_EQ(counts.num_failed, 1U);
  EXPECT_NE(why.find("both names lead to one file there"), std::string::npos) << why;
}

}  // namespace
}  // namespace phalanx::test
