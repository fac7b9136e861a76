// seal_file, unseal_file, NewContainerFile and verify_containers: what they make, what they leave, and how they end early.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/verification.hpp>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

using Names = std::vector<std::string>;

// Of no error if there is none, which fails the test.
template <class Call>
std::pair<ErrorCode, std::string> failure_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    return {error.code(), error.what()};
  }
  ADD_FAILURE() << "no error";
  return {};
}

class ContainerFiles : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), other_key = varied(32, 2), plain = varied(3'000'007, 3);
  Recipient recipient{KeyKind::key, key, {}};
  Identity identity{KeyKind::key, key}, other{KeyKind::key, other_key};
  std::string in = folder.write("in", plain), out = folder.path_of("out"), back = folder.path_of("back");

  SealedFile seal(const SealFileOptions& options = {}) const {
    return seal_file(in, out, "aes-256", {&recipient, 1}, options);
  }
  UnsealedFile unseal(const UnsealFileOptions& options = {}) const {
    return unseal_file(out, back, {&identity, 1}, options);
  }
};

TEST_F(ContainerFiles, AreSealedAndUnsealedWhole) {
  std::uint64_t told_bytes = 0;
  const SealedFile sealed = seal({.verify = true, .on_progress = [&](std::uint64_t num_bytes) { told_bytes += num_bytes; }});
  EXPECT_EQ(sealed.plain_bytes, plain.size());
  EXPECT_EQ(sealed.container_bytes, read_file(out).size());
  EXPECT_EQ(sealed.resumed_bytes, 0U);
  EXPECT_EQ(sealed.input_change, "");
  EXPECT_GT(told_bytes, 2 * plain.size()) << "IN and OUT";
  EXPECT_EQ(unseal().written_bytes, plain.size());
  EXPECT_EQ(read_file(back), plain);
  EXPECT_EQ(folder.names(), (Names{"back", "in", "out"}));
}

// As the program's files do: a new one has the mode, and any the time, but a part has not.
TEST_F(ContainerFiles, KeepModeAndTime) {
  const auto status_of = [](const std::string& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return status;
  };
  const mode_t umask_before = umask(027);
  const timespec times[] = {{1, 2}, {1'000'000'000, 123'456'789}};
  ASSERT_EQ(chmod(in.c_str(), 04755), 0);
  ASSERT_EQ(utimensat(AT_FDCWD, in.c_str(), times, 0), 0);
  seal();
  EXPECT_EQ(status_of(out).st_mode & 07777U, 0750U);
  EXPECT_EQ(status_of(out).st_mtim.tv_nsec, 123'456'789);
  ASSERT_EQ(chmod(out.c_str(), 0700), 0);
  unseal();
  EXPECT_EQ(status_of(back).st_mode & 07777U, 0700U);
  EXPECT_EQ(status_of(back).st_mtim.tv_sec, 1'000'000'000);
  ASSERT_EQ(chmod(back.c_str(), 0640), 0);
  unseal({.replace = true});
  EXPECT_EQ(status_of(back).st_mode & 07777U, 0640U) << "one that is replaced keeps its own rights";
  unseal({.replace = true, .offset = 1});
  EXPECT_NE(status_of(back).st_mtim.tv_sec, 1'000'000'000);
  unlink(out.c_str());
  seal({.keep = false});
  EXPECT_EQ(status_of(out).st_mode & 07777U, 0640U);
  EXPECT_NE(status_of(out).st_mtim.tv_sec, 1'000'000'000);
  unlink(back.c_str());
  unseal({.keep = false});
  EXPECT_EQ(status_of(back).st_mode & 07777U, 0640U);
  umask(umask_before);
}

TEST_F(ContainerFiles, ReplaceOnlyWhereThatIsAskedFor) {
  seal();
  const Buffer before = read_file(out);
  EXPECT_EQ(failure_of([&] { seal(); }).first, ErrorCode::usage);
  EXPECT_EQ(read_file(out), before);
  seal({.replace = true});
  EXPECT_NE(read_file(out), before);
  folder.write("back", varied(1, 9));
  EXPECT_EQ(failure_of([&] { unseal(); }).first, ErrorCode::usage);
  EXPECT_EQ(read_file(back), varied(1, 9));
  EXPECT_EQ(failure_of([&] {
              static_cast<void>(seal_file(in, in, "aes-256", {&recipient, 1}, {.replace = true}));
            }).first,
            ErrorCode::usage);
  EXPECT_EQ(read_file(in), plain);
}

TEST_F(ContainerFiles, GiveAnyPart) {
  seal();
  EXPECT_EQ(unseal({.offset = 1'234'567, .num_bytes = 100'000}).written_bytes, 100'000U);
  EXPECT_EQ(read_file(back), Buffer(plain.begin() + 1'234'567, plain.begin() + 1'334'567));
  EXPECT_EQ(unseal({.replace = true, .offset = plain.size() - 5, .num_bytes = 5}).written_bytes, 5U);
  EXPECT_EQ(unseal({.replace = true, .num_bytes = 0}).written_bytes, 0U);
  EXPECT_EQ(read_file(back).size(), 0U);
  const auto over = failure_of([&] { unseal({.replace = true, .offset = plain.size() - 5, .num_bytes = 6}); });
  EXPECT_EQ(over.first, ErrorCode::usage);
  EXPECT_NE(over.second.find("has " + std::to_string(plain.size()) + " bytes, and the range ends behind it"),
            std::string::npos)
      << over.second;
  const auto [code, why] = failure_of([&] { unseal({.replace = true, .offset = plain.size() + 1}); });
  EXPECT_EQ(code, ErrorCode::usage);
  EXPECT_EQ(why.find("--"), std::string::npos) << "no option of the program";
  EXPECT_EQ(failure_of([&] { unseal({.replace = true, .resume = true, .offset = 1}); }).first, ErrorCode::usage);
}

TEST_F(ContainerFiles, ThatAreNotAuthenticLeaveNothing) {
  seal();
  EXPECT_EQ(failure_of([&] { static_cast<void>(unseal_file(out, back, {&other, 1})); }).first, ErrorCode::wrong_key);
  Buffer changed = read_file(out);
  changed[changed.size() - 100] ^= 1;
  folder.write("out", changed);
  EXPECT_EQ(failure_of([&] { unseal(); }).first, ErrorCode::authentication);
  EXPECT_EQ(folder.names(), (Names{"in", "out"}));
}

TEST_F(ContainerFiles, CancelledLeaveNothingAndResumedGoOn) {
  Cancellation cancellation;
  SealFileOptions options{.on_progress = [&](std::uint64_t) { cancellation.cancel(); }, .cancellation = &cancellation};
  EXPECT_EQ(failure_of([&] { seal(options); }), std::pair(ErrorCode::runtime, std::string("cancelled")));
  EXPECT_EQ(folder.names(), (Names{"in"}));
  EXPECT_EQ(failure_of([&] { seal(options); }).second, "cancelled") << "it stays so";

  Cancellation second;
  std::uint64_t told_bytes = 0;
  options = {.resume = true,
             .on_progress =
                 [&](std::uint64_t num_bytes) {
                   told_bytes += num_bytes;
                   if (told_bytes > plain.size() / 2) second.cancel();
                 },
             .cancellation = &second,
             .engine = one_thread};
  EXPECT_EQ(failure_of([&] { seal(options); }).second, "cancelled");
  EXPECT_EQ(folder.names(), (Names{"in", "out.phalanx-partial", "out.phalanx-record"}));
  const Buffer partial = read_file(folder.path_of("out.phalanx-partial"));
  EXPECT_EQ(seal({.resume = true}).resumed_bytes, 0U) << "no sync has said that any of it is on the disk";
  const Buffer sealed = read_file(out);
  EXPECT_TRUE(std::equal(sealed.begin(), sealed.begin() + 1000, partial.begin())) << "under the same keys";
  unseal();
  EXPECT_EQ(read_file(back), plain);
}

TEST_F(ContainerFiles, AreWrittenAsTheyCome) {
  {
    NewContainerFile file(out, "serpent-256", {&recipient, 1});
    for (std::size_t i = 0; i < plain.size(); i += 100'000) {
      file.write(Bytes(plain).subspan(i, std::min<std::size_t>(100'000, plain.size() - i)));
    }
    EXPECT_FALSE(std::ranges::count(folder.names(), "out")) << "it has no name before it is finished";
    NewContainerFile moved = std::move(file);
    moved.finish();
    EXPECT_EQ(failure_of([&] { moved.write(plain); }).first, ErrorCode::usage);
    EXPECT_EQ(failure_of([&] { moved.finish(); }).first, ErrorCode::usage);
  }
  unseal();
  EXPECT_EQ(read_file(back), plain);
  const Buffer before = read_file(out);
  {
    NewContainerFile file(out, "aes-256", {&recipient, 1}, true);
    file.write(plain);
  }
  EXPECT_EQ(read_file(out), before) << "without finish a file that has the name stays";
  EXPECT_EQ(folder.names(), (Names{"back", "in", "out"}));
  EXPECT_EQ(failure_of([&] { NewContainerFile(out, "aes-256", {&recipient, 1}); }).first, ErrorCode::usage);
}

class ManyContainers : public ContainerFiles {
 protected:
  std::vector<std::string> told;
  OnVerified tell = [this](const FileVerification& file) {
    const char* const words[] = {"", "authentic", "failed", "skipped"};
    told.push_back(file.path.substr(file.path.rfind('/') + 1) + ' ' + words[static_cast<int>(file.outcome)]);
  };

  ManyContainers() {
    seal();
    static_cast<void>(seal_file(in, folder.path_of("small.phalanx"), "aes-256", {&recipient, 1}));
    const Recipient short_key{KeyKind::key, Bytes(key).first(16), {}};
    static_cast<void>(seal_file(in, folder.path_of("short.phalanx"), "aes-128", {&short_key, 1}));
    folder.write("wrong.phalanx", varied(100, 4));
    folder.write("other.phalanx-partial", varied(100, 4));
  }
};

TEST_F(ManyContainers, AreVerifiedInFoldersToo) {
  const std::string root = in.substr(0, in.rfind('/'));
  const std::vector<std::string> paths{root};
  const Identity identities[] = {identity, {KeyKind::key, Bytes(key).first(16)}};
  const VerificationCounts counts = verify_containers(paths, identities, tell);
  EXPECT_EQ(told, (Names{"in skipped", "other.phalanx-partial skipped", "out authentic", "short.phalanx authentic",
                         "small.phalanx authentic", "wrong.phalanx failed"}));
  EXPECT_EQ(counts.num_authentic, 3U);
  EXPECT_EQ(counts.num_failed, 1U);
  EXPECT_EQ(counts.num_skipped, 2U);
}

TEST_F(ManyContainers, ThatAreNamedFailWhereTheyAreNone) {
  const std::vector<std::string> paths{in, out, folder.path_of("missing")};
  std::vector<FileVerification> results;
  static_cast<void>(verify_containers(paths, {&identity, 1}, [&](const FileVerification& file) { results.push_back(file); },
                                      {.sha256 = true}));
  ASSERT_EQ(results.size(), 3U);
  EXPECT_EQ(results[0].code, ErrorCode::format);
  EXPECT_EQ(results[1].verified.plain_bytes, plain.size());
  EXPECT_EQ(results[1].verified.sha256, verify_container(out, {&identity, 1}, {.sha256 = true}).sha256);
  EXPECT_EQ(results[2].code, ErrorCode::runtime);
}

TEST_F(ManyContainers, EndWhereTheyAreCancelledOrTheCallerThrows) {
  const std::vector<std::string> paths{out, out, out};
  Cancellation cancellation;
  const auto cancel = [&](const FileVerification& file) {
    tell(file);
    cancellation.cancel();
  };
  EXPECT_EQ(failure_of([&] {
              static_cast<void>(verify_containers(paths, {&identity, 1}, cancel, {.cancellation = &cancellation}));
            }).second,
            "cancelled");
  EXPECT_EQ(told.size(), 1U);
  const auto raise = [&](const FileVerification&) { throw std::length_error("enough"); };
  EXPECT_THROW(static_cast<void>(verify_containers(paths, {&identity, 1}, raise)), std::length_error);
}

}  // namespace
}  // namespace phalanx::test
