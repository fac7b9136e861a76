// What a provider owes the program that it is loaded into: no thread that was not asked for, forks in mid-message, an end that
// comes while contexts live, and settings that say what is wrong with them.
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <thread>

#include "configured_library.hpp"

namespace phalanx {
namespace {

std::size_t num_threads_here() {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator("/proc/self/task")) ++count;
  return count;
}

const ByteVector& made_key() {
  static const ByteVector key = [] {
    ByteVector bytes(64);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7 + 1);
    return bytes;
  }();
  return key;
}

// Encrypts the same text with each cipher, and gives all results as one.
ByteVector by_all_ciphers(const ThreeProviders& providers) {
  ByteVector all;
  for (const std::string& name : providers.names()) {
    const ByteVector out = crypted(providers.ours(name.c_str()).get(), made_key(), made_key(), ByteVector(1000, 5), 1);
    EXPECT_FALSE(out.empty() && name.find("CTS") == std::string::npos) << name;
    all.insert(all.end(), out.begin(), out.end());
  }
  return all;
}

// More than the provider has set memory aside for; none where one does not start.
std::vector<ContextPointer> many_contexts(const EVP_CIPHER* cipher) {
  std::vector<ContextPointer> contexts(3000);
  for (ContextPointer& context : contexts) {
    context.reset(EVP_CIPHER_CTX_new());
    if (EVP_EncryptInit_ex2(context.get(), cipher, made_key().data(), made_key().data(), nullptr) != 1) return {};
  }
  return contexts;
}

TEST(GuestManners, NoThreadIsStarted) {
  const std::size_t before = num_threads_here();
  const ConfiguredLibrary library("", "?provider=phalanx");
  ASSERT_TRUE(library.is_set_up());
  const CipherPointer cipher = library.fetch("AES-128-CTR");
  ASSERT_EQ(provider_of(cipher), "phalanx");
  EXPECT_FALSE(crypted(cipher.get(), made_key(), made_key(), ByteVector(16 << 20, 1), 1).empty());
  EXPECT_EQ(num_threads_here(), before);
}

TEST(GuestManners, ThreadsAreStartedWhereTheyAreAskedFor) {
  const ByteVector text(16 << 20, 1);
  const ConfiguredLibrary alone("");
  const ByteVector expected = crypted(alone.fetch("AES-128-CTR", "provider=default").get(), made_key(), made_key(), text, 1);
  const ConfiguredLibrary library("threads = 2");
  ASSERT_TRUE(library.is_set_up());
  EXPECT_EQ(crypted(library.fetch("AES-128-CTR", "provider=phalanx").get(), made_key(), made_key(), text, 1), expected);
  const bool has_cores = std::thread::hardware_concurrency() > 1;
  EXPECT_EQ(num_threads_here() > 1, has_cores);
}

TEST(GuestManners, WithoutAPreferenceNothingChanges) {
  const ConfiguredLibrary library("");
  ASSERT_TRUE(library.is_set_up());
  for (const char* const name : {"AES-128-CBC", "AES-256-GCM", "DES-EDE3-CBC"})
    EXPECT_EQ(provider_of(library.fetch(name)), "default");
  EXPECT_EQ(provider_of(library.fetch("SERPENT-256-CTR")), "phalanx");
  EXPECT_EQ(provider_of(library.fetch("AES-128-CBC", "?provider=phalanx")), "phalanx");
  EXPECT_EQ(provider_of(library.fetch("AES-128-CCM", "?provider=phalanx")), "default");
  EXPECT_EQ(provider_of(library.fetch("AES-128-CBC", "fips=yes")), "");
}

// All of the default provider's ciphers are there under a preference, those that we do not have by the default provider.
TEST(GuestManners, UnderAPreferenceNoCipherIsMissing) {
  const ConfiguredLibrary library("", "?provider=phalanx");
  ASSERT_TRUE(library.is_set_up());
  const auto look = [](EVP_CIPHER* cipher, void* with) {
    const CipherPointer found = static_cast<const ConfiguredLibrary*>(with)->fetch(EVP_CIPHER_get0_name(cipher));
    EXPECT_NE(found, nullptr) << EVP_CIPHER_get0_name(cipher);
  };
  EVP_CIPHER_do_all_provided(library.library(), look, const_cast<ConfiguredLibrary*>(&library));
}

TEST(GuestManners, SettingsSayWhatIsWrong) {
  for (const char* const settings : {"engine = cpu:avx1024", "threads = many", "threads = -1", "threads = 100000"}) {
    ERR_clear_error();
    const ConfiguredLibrary library(settings);
    EXPECT_FALSE(library.is_set_up() && provider_of(library.fetch("AES-128-CBC", "provider=phalanx")) == "phalanx")
        << settings;
  }
  const ConfiguredLibrary scalar("engine = cpu:scalar");
  ASSERT_TRUE(scalar.is_set_up());
  const CipherPointer cipher = scalar.fetch("AES-128-CTR", "provider=phalanx");
  const char* build = nullptr;
  OSSL_PARAM asked[] = {OSSL_PARAM_construct_utf8_ptr(OSSL_PROV_PARAM_BUILDINFO, const_cast<char**>(&build), 0),
                        OSSL_PARAM_construct_end()};
  ASSERT_EQ(OSSL_PROVIDER_get_params(EVP_CIPHER_get0_provider(cipher.get()), asked), 1);
  EXPECT_NE(std::string(build).find("cpu:scalar"), std::string::npos);
}

TEST(GuestManners, AReportSaysWhatWasUsed) {
  const std::string report = testing::TempDir() + "phalanx_provider_report_" + std::to_string(getpid());
  std::filesystem::remove(report);
  const ConfiguredLibrary library("report = " + report, "?provider=phalanx");
  ASSERT_TRUE(library.is_set_up());
  for (int i = 0; i < 3; ++i) crypted(library.fetch("TWOFISH-192-CBC").get(), made_key(), made_key(), ByteVector(100, 1), 1);
  std::ifstream file(report);
  std::string line;
  std::getline(file, line);
  EXPECT_EQ(line, std::to_string(getpid()) + " " + program_invocation_short_name + " TWOFISH-192-CBC");
  EXPECT_FALSE(std::getline(file, line));
  std::filesystem::remove(report);
}

TEST(GuestManners, ContextsWorkAfterTheProviderIsUnloaded) {
  const LibraryPointer library(OSSL_LIB_CTX_new());
  OSSL_PROVIDER* const provider = load_phalanx(library.get());
  ASSERT_NE(provider, nullptr);
  CipherPointer cipher(EVP_CIPHER_fetch(library.get(), "AES-128-CTR", nullptr));
  ContextPointer context(EVP_CIPHER_CTX_new());
  const ByteVector in(100, 3);
  ByteVector first(100), second(100);
  int written = 0;
  ASSERT_EQ(EVP_EncryptInit_ex2(context.get(), cipher.get(), made_key().data(), made_key().data(), nullptr), 1);
  ASSERT_EQ(EVP_EncryptUpdate(context.get(), first.data(), &written, in.data(), 100), 1);
  ASSERT_EQ(OSSL_PROVIDER_unload(provider), 1);
  cipher.reset();
  ASSERT_EQ(EVP_EncryptUpdate(context.get(), second.data(), &written, in.data(), 100), 1);
  EXPECT_NE(first, second);
  ContextPointer copied(EVP_CIPHER_CTX_new());
  EXPECT_EQ(EVP_CIPHER_CTX_copy(copied.get(), context.get()), 1);
  context.reset();
  EXPECT_EQ(EVP_EncryptUpdate(copied.get(), second.data(), &written, in.data(), 100), 1);
}

TEST(GuestManners, LoadsAndUnloadsManyTimes) {
  for (int i = 0; i < 100; ++i) {
    const LibraryPointer library(OSSL_LIB_CTX_new());
    OSSL_PROVIDER* const provider = load_phalanx(library.get());
    ASSERT_NE(provider, nullptr);
    const CipherPointer cipher(EVP_CIPHER_fetch(library.get(), "DES-EDE3-CBC", nullptr));
    EXPECT_EQ(crypted(cipher.get(), made_key(), made_key(), ByteVector(100, 3), 1).size(), 104U);
    OSSL_PROVIDER_unload(provider);
  }
}

// libcrypto cleans itself up while a context lives, which is freed afterwards.
TEST(GuestMannersDeathTest, NothingCrashesAfterCleanup) {
  const auto clean_up_first = [] {
    OSSL_PROVIDER* const provider = load_phalanx(nullptr);
    EVP_CIPHER* const cipher = EVP_CIPHER_fetch(nullptr, "AES-256-GCM", "provider=phalanx");
    EVP_CIPHER_CTX* const context = EVP_CIPHER_CTX_new();
    const bool works =
        provider != nullptr && EVP_EncryptInit_ex2(context, cipher, made_key().data(), made_key().data(), nullptr) == 1;
    OPENSSL_cleanup();
    EVP_CIPHER_CTX_free(context);
    EVP_CIPHER_free(cipher);
    std::_Exit(works ? 7 : 1);
  };
  EXPECT_EXIT(clean_up_first(), testing::ExitedWithCode(7), "");
}

// In mid-message, while other threads take and give back memory for keys.
TEST(GuestManners, AForkedProcessGoesOn) {
  const ThreeProviders providers;
  const ByteVector expected = by_all_ciphers(providers);
  std::atomic<bool> is_over{false};
  std::thread other([&] {
    while (!is_over) by_all_ciphers(providers);
  });
  for (int i = 0; i < 20; ++i) {
    const ContextPointer context(EVP_CIPHER_CTX_new());
    const ByteVector in(50, 3);
    ByteVector out(50), after(50);
    int written = 0;
    ASSERT_EQ(EVP_EncryptInit_ex2(context.get(), providers.ours("AES-256-OFB").get(), made_key().data(), made_key().data(),
                                  nullptr),
              1);
    ASSERT_EQ(EVP_EncryptUpdate(context.get(), out.data(), &written, in.data(), 50), 1);
    const ContextPointer unforked(EVP_CIPHER_CTX_new());
    ASSERT_EQ(EVP_CIPHER_CTX_copy(unforked.get(), context.get()), 1);
    ASSERT_EQ(EVP_EncryptUpdate(unforked.get(), after.data(), &written, in.data(), 50), 1);
    const pid_t child = fork();
    if (child == 0) {
      alarm(60);  // a lock that another thread held would wait for ever
      const bool goes_on = EVP_EncryptUpdate(context.get(), out.data(), &written, in.data(), 50) == 1 && out == after;
      const CipherPointer cipher = providers.ours("DES-EDE3-CBC");
      _exit(goes_on && crypted(cipher.get(), made_key(), made_key(), in, 1).size() == 56 ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
    ASSERT_EQ(EVP_EncryptUpdate(context.get(), out.data(), &written, in.data(), 50), 1);
    EXPECT_EQ(out, after);
  }
  is_over = true;
  other.join();
  EXPECT_EQ(by_all_ciphers(providers), expected);
}

TEST(GuestManners, ThreadsCallAtOnce) {
  const ThreeProviders providers;
  const ByteVector expected = by_all_ciphers(providers);
  std::vector<std::thread> threads;
  std::atomic<int> num_same{0};
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int j = 0; j < 5; ++j) num_same += by_all_ciphers(providers) == expected ? 1 : 0;
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(num_same, 20);
}

// A process that has forbidden itself what only whoever sets memory aside needs, as sshd does, is killed if it tries.
TEST(GuestManners, ASandboxedProcessGoesOn) {
  const ThreeProviders providers;
  const ByteVector expected = by_all_ciphers(providers);
  const pid_t child = fork();
  if (child == 0) {
    const auto kill_at = [](unsigned call) {
      return std::array<sock_filter, 2>{
          {BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1), BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS)}};
    };
    std::vector<sock_filter> filter = {BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
    for (const unsigned call :
         {__NR_mlock, __NR_mlock2, __NR_madvise, __NR_openat, __NR_socket, __NR_clone, __NR_clone3, __NR_prctl}) {
      for (const sock_filter& step : kill_at(call)) filter.push_back(step);
    }
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) _exit(2);
    const std::vector<ContextPointer> contexts = many_contexts(providers.ours("DES-EDE3-CBC").get());
    _exit(!contexts.empty() && by_all_ciphers(providers) == expected ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(GuestManners, ManyContextsLiveAtOnce) {
  const ThreeProviders providers;
  const CipherPointer cipher = providers.ours("DES-EDE3-CBC");
  const ByteVector in(1000, 5), expected = crypted(cipher.get(), made_key(), made_key(), in, 1);
  const std::vector<ContextPointer> contexts = many_contexts(cipher.get());
  ASSERT_EQ(contexts.size(), 3000U);
  for (const ContextPointer& context : contexts) {
    ByteVector out(1100);
    int written = 0;
    ASSERT_EQ(EVP_EncryptUpdate(context.get(), out.data(), &written, in.data(), 1000), 1);
    ASSERT_TRUE(std::equal(expected.begin(), expected.begin() + written, out.begin()));
  }
}

// Random keys and nonces are random, and DES's keys have odd parity.
TEST(GuestManners, RandomBytesDiffer) {
  const ThreeProviders providers;
  const ContextPointer context(EVP_CIPHER_CTX_new());
  ASSERT_EQ(EVP_EncryptInit_ex2(context.get(), providers.ours("DES-EDE3-CBC").get(), nullptr, nullptr, nullptr), 1);
  ByteVector one(24), other(24);
  ASSERT_EQ(EVP_CIPHER_CTX_rand_key(context.get(), one.data()), 1);
  ASSERT_EQ(EVP_CIPHER_CTX_rand_key(context.get(), other.data()), 1);
  EXPECT_NE(one, other);
  for (const std::uint8_t byte : one) EXPECT_EQ(__builtin_popcount(byte) % 2, 1);
  ByteVector ivs[2];
  for (ByteVector& iv : ivs) {
    const ContextPointer gcm(EVP_CIPHER_CTX_new());
    ByteVector out(16);
    int written = 0;
    ASSERT_EQ(EVP_EncryptInit_ex2(gcm.get(), providers.ours("AES-128-GCM").get(), made_key().data(), nullptr, nullptr), 1);
    ASSERT_EQ(EVP_EncryptUpdate(gcm.get(), out.data(), &written, out.data(), 16), 1);
    iv.resize(12);
    ASSERT_EQ(EVP_CIPHER_CTX_get_original_iv(gcm.get(), iv.data(), iv.size()), 1);
  }
  EXPECT_NE(ivs[0], ivs[1]);
}

}  // namespace
}  // namespace phalanx
