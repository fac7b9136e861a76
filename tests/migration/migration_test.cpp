// migrate_file and verify_container: what they make, what they say of it, and that they lose nothing.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "files/pipeline/digest_stage.hpp"
#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

std::string sha256_of(Bytes bytes) {
  Sha256 digest;
  digest.update(bytes);
  return digest.finish();
}

class Migrating : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer old_key = varied(24, 1), iv = varied(8, 2), key = varied(32, 4), plain = varied(5'000'007, 3);
  ForeignFormat format{.cipher = "des-ede3-cbc", .key = old_key, .iv = iv};
  Recipient recipient{KeyKind::key, key, {}};
  Identity identity{KeyKind::key, key};
  std::string in = folder.write("in", encrypt_old(format, plain));
  std::string out = folder.path_of("out");

  Migrated migrate(const MigrationOptions& options = {}) const {
    return migrate_file(in, format, out, "aes-256", {&recipient, 1}, options);
  }
  ErrorCode failure(const MigrationOptions& options = {}) const {
    try {
      migrate(options);
    } catch (const Error& error) {
      return error.code();
    }
    ADD_FAILURE() << "no error";
    return {};
  }
};

TEST_F(Migrating, MakesAContainerOfThePlaintext) {
  std::uint64_t told_bytes = 0;
  const Migrated migrated = migrate({.on_progress = [&](std::uint64_t num_bytes) { told_bytes += num_bytes; }});
  EXPECT_EQ(migrated.source_bytes, read_file(in).size());
  EXPECT_EQ(migrated.container_bytes, read_file(out).size());
  EXPECT_GT(told_bytes, 2 * plain.size()) << "the old file and the container";
  EXPECT_EQ(migrated.sha256, "") << "nobody asked for it";
  EXPECT_EQ(migrated.digest, "");
  const ContainerReader reader(out, {&identity, 1});
  Buffer read(reader.size());
  reader.read(0, read);
  EXPECT_EQ(read, plain);
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"in", "out"}));
}

// A library does not keep the umask of its first use, and another thread's never sees it changed.
TEST_F(Migrating, TakesTheUmaskOfEachCall) {
  const mode_t before = umask(022);
  for (const mode_t mask : {022, 077, 002}) {
    umask(mask);
    migrate();
    struct stat status {};
    ASSERT_EQ(::stat(out.c_str(), &status), 0);
    EXPECT_EQ(status.st_mode & 0777, 0666U & ~mask);
    EXPECT_EQ(umask(mask), mask);
    ASSERT_EQ(::unlink(out.c_str()), 0);
  }
  umask(before);
}

TEST_F(Migrating, SaysWhyAPlaintextIsDoubtful) {
  EXPECT_NE(migrate().doubt.sentence, "") << "noise, and one byte of padding";
  const std::string text = "Dear reader, this is plain text that anybody can read, line by line.\n";
  in = folder.write("in", encrypt_old(format, {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
  EXPECT_EQ(migrate({.replace = true}).doubt.sentence, "");
}

TEST_F(Migrating, ReplacesNothingUnlessItIsTold) {
  folder.write("out", varied(5, 6));
  EXPECT_EQ(failure(), ErrorCode::usage);
  EXPECT_EQ(read_file(out), varied(5, 6));
  EXPECT_EQ(migrate({.replace = true, .sha256 = true}).sha256, sha256_of(plain));
  const Buffer before = read_file(in);
  out = in;
  EXPECT_EQ(failure({.replace = true}), ErrorCode::usage);
  EXPECT_EQ(read_file(in), before);
}

TEST_F(Migrating, LeavesNothingOfAFailure) {
  const Buffer wrong = varied(24, 8);
  format.key = wrong;
  EXPECT_EQ(failure(), ErrorCode::wrong_key);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"in"});
  format.key = old_key;
  format.iv = Bytes(iv).first(3);
  EXPECT_EQ(failure(), ErrorCode::usage);
  format = {.cipher = "aes-256-xts", .key = wrong, .sectors = {.sector_bytes = 48}};
  EXPECT_EQ(failure(), ErrorCode::usage);
  EXPECT_EQ(folder.names(), std::vector<std::string>{"in"});
}

TEST_F(Migrating, NeedNotVerify) {
  EXPECT_EQ(migrate({.verify = false, .sha256 = true}).sha256, sha256_of(plain)) << "of what was read once";
  EXPECT_EQ(verify_container(out, {&identity, 1}, {.sha256 = true}).sha256, sha256_of(plain));
}

TEST_F(Migrating, AWholeContainerIsVerified) {
  migrate();
  std::uint64_t told_bytes = 0;
  const Verified verified =
      verify_container(out, {&identity, 1}, {.on_progress = [&](std::uint64_t bytes) { told_bytes += bytes; }});
  EXPECT_EQ(verified.plain_bytes, plain.size());
  EXPECT_EQ(verified.sha256, "");
  Cancellation cancelled;
  cancelled.cancel();
  EXPECT_THROW(static_cast<void>(verify_container(out, {&identity, 1}, {.cancellation = &cancelled})), Error);
  EXPECT_GT(told_bytes, plain.size());
  const Buffer wrong = varied(32, 8);
  const Identity other{KeyKind::key, wrong};
  EXPECT_THROW(static_cast<void>(verify_container(out, {&other, 1})), Error);
  const Buffer container = read_file(out);
  for (const std::size_t place : {std::size_t{40}, container.size() / 2, container.size() - 1}) {
    Buffer damaged = container;
    damaged[place] ^= 1;
    folder.write("out", damaged);
    EXPECT_THROW(static_cast<void>(verify_container(out, {&identity, 1})), Error) << place;
  }
  folder.write("out", Bytes(container).first(container.size() - 1));
  EXPECT_THROW(static_cast<void>(verify_container(out, {&identity, 1})), Error);
}

}  // namespace
}  // namespace phalanx::test
