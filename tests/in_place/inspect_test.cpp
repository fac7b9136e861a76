// inspect: what a file is without a key.
#include <gtest/gtest.h>
#include <phalanx/files/inspect.h>

#include <algorithm>
#include <cstddef>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/in_place.hpp>
#include <phalanx/files/inspect.hpp>
#include <string_view>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

class Inspecting : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), plain = varied(100'000, 2);

  [[nodiscard]] std::string container() const {
    const Recipient recipient{KeyKind::key, key, {}};
    const std::string path = folder.path_of("container");
    static_cast<void>(seal_file(folder.write("in", plain), path, "twofish-256", {&recipient, 1}));
    return path;
  }
};

TEST_F(Inspecting, TellsWhatAContainerShows) {
  const std::string path = container();
  const InspectedFile file = inspect_file(path);
  ASSERT_EQ(file.format, FileFormat::container);
  EXPECT_EQ(file.file_bytes, read_file(path).size());
  EXPECT_EQ(file.container.version, 1);
  EXPECT_EQ(file.container.suite, "twofish-256");
  EXPECT_EQ(file.container.recipients.size(), 1U);
  EXPECT_EQ(file.container.problem, "");
  EXPECT_EQ(file.container.num_chunks, 7U);
  EXPECT_EQ(file.container.plain_bytes, plain.size());
}

TEST_F(Inspecting, TellsThatNoContainerHasTheLength) {
  const Buffer whole = read_file(container());
  const std::uint64_t last_chunk_bytes = plain.size() % 16384 + 16;
  const InspectedFile cut = inspect(whole, whole.size() - last_chunk_bytes + 10);  // a chunk has a tag of 16 bytes
  EXPECT_NE(cut.container.problem, "");
  EXPECT_EQ(cut.container.plain_bytes, 0U);
  EXPECT_THROW((void)inspect(Bytes(whole).first(20), 20), Error) << "within the header";
}

TEST_F(Inspecting, KnowsTheFilesOfOpenssl) {
  Buffer old(16 + 24);
  std::ranges::copy(std::string_view("Salted__\1\2\3\4\5\6\7\10"), old.begin());
  const InspectedFile file = inspect_file(folder.write("old", old));
  EXPECT_EQ(file.format, FileFormat::openssl_enc);
  EXPECT_FALSE(file.is_base64);
  EXPECT_EQ(file.salt, (std::array<std::uint8_t, 8>{1, 2, 3, 4, 5, 6, 7, 8}));
  EXPECT_EQ(file.ciphertext_bytes, 24U);
  const std::string text = "U2FsdGVkX1/ck3Qr9Jr9lw==\n";
  const InspectedFile base64 = inspect_file(folder.write("text", Buffer(text.begin(), text.end())));
  EXPECT_EQ(base64.format, FileFormat::openssl_enc);
  EXPECT_TRUE(base64.is_base64);
}

TEST_F(Inspecting, NamesWhatOthersWrote) {
  const std::string content = "age-encryption.org/v1\n-> X25519 abc\nabc\n--- abc\n";
  const std::string path = folder.write("theirs", Buffer(content.begin(), content.end()));
  const InspectedFile file = inspect_file(path);
  EXPECT_EQ(file.format, FileFormat::unknown);
  EXPECT_EQ(file.kind, "age");
  EXPECT_EQ(file.protection, "encrypted");
  EXPECT_EQ(file.description, "a file of age, for X25519");
  EXPECT_EQ(file.opened_by, "age -d -i IDENTITY FILE");
  EXPECT_TRUE(file.is_certain);
  EXPECT_FALSE(file.is_cut);
  EXPECT_EQ(inspect_file(container()).kind, "container");
  const InspectedFile noise = inspect_file(folder.write("noise", varied(1000, 9)));
  EXPECT_EQ(noise.kind, "unknown");
  EXPECT_FALSE(noise.is_certain);
}

TEST_F(Inspecting, InCFillsAsMuchAsTheCallerHas) {
  const std::string content = "$ANSIBLE_VAULT;1.1;AES256\n";
  const std::string path = folder.write("vault", Buffer(content.begin(), content.end()));
  phalanx_inspected inspected = PHALANX_INSPECTED_INIT;
  ASSERT_EQ(phalanx_inspect_file(path.c_str(), &inspected), PHALANX_OK);
  EXPECT_STREQ(inspected.kind, "ansible-vault");
  EXPECT_STREQ(inspected.protection, "encrypted");
  EXPECT_STREQ(inspected.opened_by, "ansible-vault view FILE");
  EXPECT_EQ(inspected.is_certain, 1);
  phalanx_inspected older = PHALANX_INSPECTED_INIT;
  older.struct_bytes = offsetof(phalanx_inspected, kind);  // of a program that was compiled before
  older.kind[0] = 'x';
  ASSERT_EQ(phalanx_inspect_file(path.c_str(), &older), PHALANX_OK);
  EXPECT_EQ(older.file_bytes, content.size());
  EXPECT_EQ(older.kind[0], 'x');
}

TEST_F(Inspecting, KnowsJournalsAndNothingElse) {
  const Buffer iv = varied(16, 3);
  Cancellation cancellation;
  const InPlaceOptions stopped{.on_progress = [&](std::uint64_t) { cancellation.cancel(); }, .cancellation = &cancellation};
  const std::string path = folder.write("file", varied(3'000'000, 4));
  EXPECT_THROW((void)encrypt_in_place(path, {.cipher = "aes-256-ctr", .key = key, .iv = iv}, stopped), Error);
  EXPECT_EQ(inspect_file(path + ".phalanx-journal").format, FileFormat::in_place_journal);
  EXPECT_EQ(inspect_file(path).format, FileFormat::unknown);
  try {
    (void)inspect_file(folder.write("empty", {}));
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::truncated);
  }
}

}  // namespace
}  // namespace phalanx::test
