// container_file.h, verification.h, inspect.h and in_place.h: what they do is what C++ does; null pointers and impossible sizes are
// usage errors.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <phalanx/files/container_file.h>
#include <phalanx/files/in_place.h>
#include <phalanx/files/inspect.h>
#include <phalanx/files/verification.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstddef>

#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

#define EXPECT_USAGE(call) EXPECT_EQ(call, PHALANX_USAGE) << #call << ": " << phalanx_last_error()
#define ASSERT_OK(call) ASSERT_EQ(call, PHALANX_OK) << #call << ": " << phalanx_last_error()

const std::size_t too_many = SIZE_MAX - 7;

class CFiles : public testing::Test {
 protected:
  TemporaryFolder folder;
  Buffer key = varied(32, 1), plain = varied(200'000, 2);
  phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  phalanx_identity identity{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  std::string in = folder.write("in", plain), out = folder.path_of("out"), back = folder.path_of("back");
  phalanx_file_options options = PHALANX_FILE_OPTIONS_INIT;
  phalanx_file_result result = PHALANX_FILE_RESULT_INIT;

  int seal() {
    return phalanx_seal_file(in.c_str(), out.c_str(), "aes-256", &recipient, 1, &options, nullptr, nullptr, &result);
  }
  int unseal() {
    return phalanx_unseal_file(out.c_str(), back.c_str(), &identity, 1, nullptr, &options, nullptr, nullptr, &result);
  }
};

TEST_F(CFiles, AreSealedAndUnsealed) {
  options.verify = 1;
  ASSERT_OK(seal());
  EXPECT_EQ(result.plain_bytes, plain.size());
  EXPECT_EQ(result.container_bytes, read_file(out).size());
  EXPECT_STREQ(result.input_change, "");
  EXPECT_STREQ(result.lost_attributes, "");
  ASSERT_OK(unseal());
  EXPECT_EQ(read_file(back), plain);
  EXPECT_USAGE(unseal()) << "OUT exists";
  options.replace = 1;
  options.offset = 1000;
  options.num_bytes = 10;
  ASSERT_OK(phalanx_unseal_file(out.c_str(), back.c_str(), &identity, 1, nullptr, &options, nullptr, nullptr, nullptr));
  EXPECT_EQ(read_file(back), Buffer(plain.begin() + 1000, plain.begin() + 1010));
}

TEST_F(CFiles, KeepModeAndTimeUnlessTheyAreToldNotTo) {
  const auto status_of = [](const std::string& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return status;
  };
  const timespec times[] = {{1, 2}, {1'000'000'000, 3}};
  ASSERT_EQ(chmod(in.c_str(), 0700), 0);
  ASSERT_EQ(utimensat(AT_FDCWD, in.c_str(), times, 0), 0);
  options.keep = 0;
  ASSERT_OK(seal());
  EXPECT_NE(status_of(out).st_mtim.tv_sec, 1'000'000'000);
  options = PHALANX_FILE_OPTIONS_INIT;
  options.replace = 1;
  ASSERT_OK(seal());
  EXPECT_EQ(status_of(out).st_mtim.tv_sec, 1'000'000'000);
  ASSERT_EQ(chmod(out.c_str(), 0750), 0);
  ASSERT_OK(unseal());
  EXPECT_EQ(status_of(back).st_mtim.tv_sec, 1'000'000'000);
  EXPECT_EQ(status_of(back).st_mode & 0700U, 0700U);
}

TEST_F(CFiles, TellAnotherFormatFromAMistakeOfTheCaller) {
  folder.write("out", plain);
  EXPECT_EQ(unseal(), PHALANX_FORMAT) << phalanx_last_error();
  EXPECT_EQ(phalanx_last_error_errno(), 0);
  ASSERT_OK((options.replace = 1, seal()));
  Buffer container = read_file(out);
  container[8] = 2;  // docs/format.md: the version
  folder.write("out", container);
  EXPECT_EQ(unseal(), PHALANX_FORMAT) << phalanx_last_error();
  const phalanx_identity short_key{sizeof(phalanx_identity), PHALANX_KEY, key.data(), 31};
  container[8] = 1;
  folder.write("out", container);
  EXPECT_USAGE(phalanx_unseal_file(out.c_str(), back.c_str(), &short_key, 1, nullptr, &options, nullptr, nullptr, nullptr));
}

TEST_F(CFiles, HaveTheirFailuresFacts) {
  in = folder.path_of("missing");
  EXPECT_EQ(seal(), PHALANX_RUNTIME);
  EXPECT_EQ(phalanx_last_error_errno(), ENOENT);
  EXPECT_STREQ(phalanx_last_error_name(), in.c_str());
  EXPECT_EQ(phalanx_last_error_offset(), PHALANX_NO_OFFSET);
  EXPECT_NE(std::string(phalanx_last_error()).find(in), std::string::npos) << "the sentence is whole without them";
  EXPECT_USAGE(phalanx_seal_file(nullptr, out.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(phalanx_last_error_errno(), 0) << "each failure has its own";
  EXPECT_STREQ(phalanx_last_error_name(), "");
}

TEST_F(CFiles, RefuseWhatIsNull) {
  EXPECT_USAGE(phalanx_seal_file(nullptr, out.c_str(), "aes-256", &recipient, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_seal_file(in.c_str(), nullptr, "aes-256", &recipient, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_seal_file(in.c_str(), out.c_str(), nullptr, &recipient, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_seal_file(in.c_str(), out.c_str(), "aes-256", nullptr, 1, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_seal_file(in.c_str(), out.c_str(), "aes-256", &recipient, 0, nullptr, nullptr, nullptr, nullptr));
  result.struct_bytes = 3;
  EXPECT_USAGE(seal());
  EXPECT_USAGE(phalanx_unseal_file(nullptr, back.c_str(), &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_unseal_file(out.c_str(), nullptr, &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"in"}));
}

TEST_F(CFiles, AreWrittenAsTheyCome) {
  phalanx_new_container_file* file = nullptr;
  ASSERT_OK(phalanx_new_container_file_new(&file, out.c_str(), 0, "aes-256", &recipient, 1, nullptr, nullptr));
  EXPECT_USAGE(phalanx_new_container_file_write(file, nullptr, 1));
  ASSERT_OK(phalanx_new_container_file_write(file, plain.data(), plain.size()));
  ASSERT_OK(phalanx_new_container_file_finish(file));
  EXPECT_USAGE(phalanx_new_container_file_finish(file));
  phalanx_new_container_file_free(file);
  phalanx_new_container_file_free(nullptr);
  ASSERT_OK(unseal());
  EXPECT_EQ(read_file(back), plain);
  EXPECT_USAGE(phalanx_new_container_file_new(&file, out.c_str(), 0, "aes-256", &recipient, 1, nullptr, nullptr));
  EXPECT_EQ(file, nullptr);
  EXPECT_USAGE(phalanx_new_container_file_new(nullptr, out.c_str(), 1, "aes-256", &recipient, 1, nullptr, nullptr));
  EXPECT_USAGE(phalanx_new_container_file_new(&file, nullptr, 1, "aes-256", &recipient, 1, nullptr, nullptr));
  EXPECT_USAGE(phalanx_new_container_file_write(nullptr, plain.data(), 1));
  EXPECT_USAGE(phalanx_new_container_file_finish(nullptr));
}

TEST_F(CFiles, HaveRecipientsThatChange) {
  ASSERT_OK(seal());
  const Buffer words{'o', 'p', 'e', 'n'};
  const phalanx_recipient added{sizeof(phalanx_recipient), PHALANX_PASSPHRASE, words.data(), words.size(), 10, 8, 1};
  ASSERT_OK(phalanx_change_recipients(out.c_str(), &identity, 1, &added, 1, nullptr, 0, nullptr, &options, nullptr, nullptr,
                                      &result));
  EXPECT_EQ(result.num_recipients, 2U);
  phalanx_listed_recipient listed[] = {PHALANX_LISTED_RECIPIENT_INIT, PHALANX_LISTED_RECIPIENT_INIT};
  std::size_t count = 0;
  ASSERT_OK(phalanx_list_recipients(out.c_str(), listed, 2, &count));
  EXPECT_EQ(count, 2U);
  EXPECT_EQ(listed[0].kind, PHALANX_KEY);
  EXPECT_EQ(listed[0].log2_n, 0);
  EXPECT_EQ(listed[1].kind, PHALANX_PASSPHRASE);
  EXPECT_EQ(listed[1].log2_n, 10);
  EXPECT_EQ(listed[1].scrypt_bytes, std::uint64_t{1} << 20);
  const std::size_t first = 1;
  const phalanx_identity spoken{sizeof(phalanx_identity), PHALANX_PASSPHRASE, words.data(), words.size()};
  ASSERT_OK(phalanx_change_recipients(out.c_str(), &spoken, 1, nullptr, 0, &first, 1, nullptr, nullptr, nullptr, nullptr,
                                      nullptr));
  ASSERT_OK(phalanx_list_recipients(out.c_str(), nullptr, 0, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(unseal(), PHALANX_WRONG_KEY);
  std::size_t number = 0;
  ASSERT_OK(phalanx_recipients_opened_by(out.c_str(), &spoken, 1, nullptr, &number, 1, &count));
  EXPECT_EQ(count, 1U);
  EXPECT_EQ(number, 1U);
  EXPECT_USAGE(phalanx_recipients_opened_by(out.c_str(), &spoken, 1, nullptr, nullptr, 1, &count));
  EXPECT_USAGE(phalanx_list_recipients(nullptr, listed, 2, &count));
  EXPECT_USAGE(phalanx_list_recipients(out.c_str(), nullptr, 2, &count));
  listed[1].struct_bytes = 0;
  EXPECT_USAGE(phalanx_list_recipients(out.c_str(), listed, 2, &count)) << "each is begun";
  EXPECT_USAGE(phalanx_list_recipients(out.c_str(), listed, 2, nullptr));
  EXPECT_USAGE(
      phalanx_change_recipients(nullptr, &spoken, 1, nullptr, 0, &first, 1, nullptr, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_change_recipients(out.c_str(), &spoken, 1, nullptr, 0, &first, too_many, nullptr, nullptr, nullptr,
                                         nullptr, nullptr));
}

TEST_F(CFiles, AreVerifiedByTheirNames) {
  ASSERT_OK(seal());
  const char* const paths[] = {out.c_str(), in.c_str()};
  phalanx_verification_options how = PHALANX_VERIFICATION_OPTIONS_INIT;
  how.sha256 = 1;
  phalanx_verification_counts counts = PHALANX_VERIFICATION_COUNTS_INIT;
  std::string told;
  const auto tell = [](void* user_data, const phalanx_file_verification* file) {
    *static_cast<std::string*>(user_data) += std::to_string(file->code) + ' ' + std::to_string(file->plain_bytes) + ' ' +
                                             std::to_string(std::string(file->sha256).size()) + '\n';
    return 0;
  };
  ASSERT_OK(phalanx_verify_containers(paths, 2, &identity, 1, nullptr, tell, &told, &how, nullptr, nullptr, &counts));
  EXPECT_EQ(told, "0 200000 64\n7 0 0\n");
  EXPECT_EQ(counts.num_authentic, 1U);
  EXPECT_EQ(counts.num_failed, 1U);
  const auto end = [](void*, const phalanx_file_verification*) { return 1; };
  EXPECT_EQ(phalanx_verify_containers(paths, 2, &identity, 1, nullptr, end, nullptr, nullptr, nullptr, nullptr, &counts),
            PHALANX_RUNTIME);
  EXPECT_USAGE(
      phalanx_verify_containers(nullptr, 1, &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, &counts));
  EXPECT_USAGE(
      phalanx_verify_containers(paths, 1, &identity, 1, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr));
}

TEST_F(CFiles, AreReadFromTheirDisk) {
  ASSERT_OK(seal());
  phalanx_verification_options how = PHALANX_VERIFICATION_OPTIONS_INIT;
  how.from_disk = 1;
  phalanx_verified verified = PHALANX_VERIFIED_INIT;
  const int code = phalanx_verify_container(out.c_str(), &identity, 1, nullptr, &how, nullptr, nullptr, &verified);
  if (code == PHALANX_OK) {
    EXPECT_EQ(verified.plain_bytes, 200000U);
  } else {  // the folder of tests lies in memory
    EXPECT_EQ(code, PHALANX_RUNTIME);
    EXPECT_NE(std::string(phalanx_last_error()).find("in memory"), std::string::npos) << phalanx_last_error();
  }
  how.from_disk = 0;
  ASSERT_OK(phalanx_verify_container(out.c_str(), &identity, 1, nullptr, &how, nullptr, nullptr, &verified));
  how.struct_bytes = offsetof(phalanx_verification_options, from_disk);
  EXPECT_USAGE(phalanx_verify_container(out.c_str(), &identity, 1, nullptr, &how, nullptr, nullptr, &verified))
      << "there was no smaller version";
}

TEST_F(CFiles, EndWhereTheyAreCancelled) {
  phalanx_cancellation* cancellation = nullptr;
  ASSERT_OK(phalanx_cancellation_new(&cancellation));
  options.cancellation = cancellation;
  options.user_data = cancellation;
  options.on_progress = [](void* user_data, std::uint64_t) {
    phalanx_cancellation_cancel(static_cast<phalanx_cancellation*>(user_data));
  };
  EXPECT_EQ(seal(), PHALANX_RUNTIME);
  EXPECT_STREQ(phalanx_last_error(), "cancelled");
  EXPECT_EQ(folder.names(), (std::vector<std::string>{"in"}));
  phalanx_cancellation_cancel(nullptr);
  phalanx_cancellation_free(cancellation);
  phalanx_cancellation_free(nullptr);
  EXPECT_USAGE(phalanx_cancellation_new(nullptr));
}

TEST_F(CFiles, AreBound) {
  const Buffer context = varied(9, 4), other = varied(9, 5);
  phalanx_binding binding = PHALANX_BINDING_INIT;
  binding.context = context.data();
  binding.context_bytes = context.size();
  ASSERT_OK(phalanx_seal_file(in.c_str(), out.c_str(), "aes-256", &recipient, 1, nullptr, &binding, nullptr, nullptr));
  const auto opened = [&](const phalanx_binding* given) {
    phalanx_verified verified = PHALANX_VERIFIED_INIT;
    const int code = phalanx_verify_container(out.c_str(), &identity, 1, nullptr, nullptr, given, nullptr, &verified);
    options.replace = 1;
    EXPECT_EQ(phalanx_unseal_file(out.c_str(), back.c_str(), &identity, 1, nullptr, &options, given, nullptr, nullptr),
              code);
    return code;
  };
  EXPECT_EQ(opened(&binding), PHALANX_OK);
  EXPECT_EQ(opened(nullptr), PHALANX_USAGE);
  binding.context = other.data();
  EXPECT_EQ(opened(&binding), PHALANX_WRONG_KEY);
}

TEST_F(CFiles, ShowWhatTheyAre) {
  ASSERT_OK(seal());
  phalanx_inspected inspected = PHALANX_INSPECTED_INIT;
  ASSERT_OK(phalanx_inspect_file(out.c_str(), &inspected));
  EXPECT_EQ(inspected.format, PHALANX_FORMAT_CONTAINER);
  EXPECT_STREQ(inspected.suite, "aes-256");
  EXPECT_STREQ(inspected.problem, "");
  EXPECT_EQ(inspected.num_recipients, 1U);
  EXPECT_EQ(inspected.plain_bytes, plain.size());
  EXPECT_USAGE(phalanx_inspect_file(nullptr, &inspected));
  EXPECT_USAGE(phalanx_inspect_file(out.c_str(), nullptr));
}

TEST_F(CFiles, AreCryptedInPlace) {
  const Buffer iv = varied(16, 3);
  phalanx_in_place_format format = PHALANX_IN_PLACE_FORMAT_INIT;
  format.cipher = "aes-256-ctr";
  format.key = key.data();
  format.key_bytes = key.size();
  format.iv = iv.data();
  format.iv_bytes = iv.size();
  phalanx_crypted_in_place crypted = PHALANX_CRYPTED_IN_PLACE_INIT;
  ASSERT_OK(phalanx_encrypt_in_place(in.c_str(), &format, nullptr, nullptr, nullptr, &crypted));
  EXPECT_EQ(crypted.file_bytes, plain.size());
  EXPECT_EQ(crypted.resumed_bytes, 0U);
  EXPECT_NE(read_file(in), plain);
  ASSERT_OK(phalanx_decrypt_in_place(in.c_str(), &format, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(read_file(in), plain);
  format.cipher = "des-ede3-ctr";
  format.key_bytes = 24;
  format.iv_bytes = 8;
  EXPECT_EQ(phalanx_encrypt_in_place(in.c_str(), &format, nullptr, nullptr, nullptr, nullptr), PHALANX_POLICY);
  phalanx_cipher_policy policy = PHALANX_CIPHER_POLICY_INIT;
  policy.allow_legacy = 1;
  ASSERT_OK(phalanx_encrypt_in_place(in.c_str(), &format, nullptr, &policy, nullptr, nullptr));
  ASSERT_OK(phalanx_decrypt_in_place(in.c_str(), &format, nullptr, nullptr, nullptr, nullptr));
  EXPECT_EQ(read_file(in), plain);
  policy.struct_bytes = 0;
  EXPECT_USAGE(phalanx_encrypt_in_place(in.c_str(), &format, nullptr, &policy, nullptr, nullptr));
  EXPECT_USAGE(phalanx_encrypt_in_place(nullptr, &format, nullptr, nullptr, nullptr, nullptr));
  EXPECT_USAGE(phalanx_encrypt_in_place(in.c_str(), nullptr, nullptr, nullptr, nullptr, nullptr));
  format.cipher = nullptr;
  EXPECT_USAGE(phalanx_decrypt_in_place(in.c_str(), &format, nullptr, nullptr, nullptr, nullptr));
}

}  // namespace
}  // namespace phalanx::test
