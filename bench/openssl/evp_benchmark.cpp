// How long calls of EVP take with the provider, beside those with OpenSSL's own: in turns in one process, so that what else the
// machine does meets both. Each return value is looked at, and each result compared. `openssl speed` counts failures as work.
//
//   evp_benchmark [--rounds N] [--engine NAME] [--cipher NAME]     prints a row for each cipher and size, or those of one cipher
#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/provider.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using ByteVector = std::vector<unsigned char>;

// What is timed: an update under a key and an iv that stay, or a message from its iv to its end.
enum class Unit : unsigned char { update, message };

struct Row {
  const char* cipher;
  bool encrypts;
  Unit unit;
  std::size_t num_bytes;
};

constexpr std::size_t kib = 1024, mib = 1024 * kib;
constexpr Row rows[] = {
    {"DES-EDE3-CBC", false, Unit::update, 4 * kib},  {"DES-EDE3-CBC", false, Unit::update, 16 * kib},
    {"DES-EDE3-CBC", false, Unit::update, mib},      {"DES-EDE3-CBC", true, Unit::update, 16 * kib},
    {"DES-EDE3-ECB", false, Unit::update, 16 * kib}, {"DES-EDE3-CFB", false, Unit::update, 16 * kib},
    {"DES-CBC", false, Unit::update, 16 * kib},      {"AES-128-CTR", true, Unit::update, 16 * kib},
    {"AES-256-CTR", true, Unit::update, 16 * kib},   {"AES-256-CTR", true, Unit::update, mib},
    {"AES-256-CBC", true, Unit::update, 16 * kib},   {"AES-256-CBC", false, Unit::update, 16 * kib},
    {"AES-128-XTS", true, Unit::update, 16 * kib},   {"AES-256-XTS", true, Unit::update, 16 * kib},
    {"AES-256-XTS", false, Unit::update, 4 * kib},   {"AES-256-CFB", true, Unit::update, 16 * kib},
    {"AES-256-CFB", false, Unit::update, 16 * kib},  {"AES-256-CFB8", false, Unit::update, 16 * kib},
    {"AES-256-OFB", true, Unit::update, 16 * kib},   {"AES-128-GCM", true, Unit::message, 16 * kib},
    {"AES-256-GCM", true, Unit::message, kib},       {"AES-256-GCM", true, Unit::message, 16 * kib},
    {"AES-256-GCM", false, Unit::message, 16 * kib}, {"AES-256-GCM", true, Unit::message, mib},
    {"AES-128-CTR", true, Unit::update, 16},         {"AES-128-CTR", true, Unit::update, 64},
    {"AES-128-CBC", true, Unit::update, 16},         {"AES-128-CBC", true, Unit::update, 64},
    {"AES-128-CBC", false, Unit::update, 64},        {"AES-128-ECB", true, Unit::update, 16},
    {"AES-128-ECB", true, Unit::update, 64},         {"AES-128-XTS", true, Unit::update, 64},
    {"AES-128-GCM", true, Unit::message, 16},        {"AES-128-GCM", true, Unit::message, 64},
    {"AES-128-GCM", false, Unit::message, 64},       {"DES-EDE3-CBC", false, Unit::update, 16},
    {"DES-EDE3-CBC", false, Unit::update, 64},       {"DES-EDE3-CBC", true, Unit::update, 64},
};

[[noreturn]] void fail(const std::string& what) { throw std::runtime_error(what); }
void require(bool holds, const char* what) {
  if (!holds) fail(what);
}

struct FreeCipher {
  void operator()(EVP_CIPHER* cipher) const { EVP_CIPHER_free(cipher); }
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};

class Contender {
 public:
  Contender(OSSL_LIB_CTX* library, const Row& row, const char* properties)
      : row_(row), cipher_(EVP_CIPHER_fetch(library, row.cipher, properties)), context_(EVP_CIPHER_CTX_new()) {
    require(cipher_ != nullptr, "no such cipher");
    for (std::size_t i = 0; i < sizeof key_; ++i) key_[i] = static_cast<unsigned char>(i * 7 + 3);
    in_.resize(row.num_bytes);
    for (std::size_t i = 0; i < in_.size(); ++i) in_[i] = static_cast<unsigned char>(i * 31 + i / 256);
    out_.resize(row.num_bytes + 32);
    start(key_);
    if (is_aead() && !row.encrypts) seal_first();
  }

  [[nodiscard]] bool is_aead() const { return (EVP_CIPHER_get_flags(cipher_.get()) & EVP_CIPH_FLAG_AEAD_CIPHER) != 0; }
  [[nodiscard]] const ByteVector& out() const { return out_; }
  void begin_again() { start(key_); }

  void run() {
    if (row_.unit == Unit::message) start(nullptr);
    if (is_aead() && !row_.encrypts) {
      require(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_SET_TAG, 16, tag_) == 1, "a tag is refused");
    }
    int written = 0;
    require(EVP_CipherUpdate(context_.get(), out_.data(), &written, in_.data(), static_cast<int>(in_.size())) == 1,
            "an update failed");
    require(static_cast<std::size_t>(written) == row_.num_bytes, "an update gave another number of bytes");
    if (row_.unit == Unit::update) return;
    require(EVP_CipherFinal_ex(context_.get(), out_.data() + written, &written) == 1 && written == 0,
            "a message has no good end");
    if (is_aead() && row_.encrypts) {
      require(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, 16, out_.data() + row_.num_bytes) == 1, "no tag");
    }
  }

 private:
  void start(const unsigned char* key) {
    const bool is_first = key != nullptr;
    require(EVP_CipherInit_ex2(context_.get(), is_first ? cipher_.get() : nullptr, key, key_ + 8, row_.encrypts ? 1 : 0,
                               nullptr) == 1,
            "a cipher does not start");
    if (is_first) EVP_CIPHER_CTX_set_padding(context_.get(), 0);
  }
  // What is to be opened.
  void seal_first() {
    int written = 0;
    require(EVP_CipherInit_ex2(context_.get(), nullptr, nullptr, key_ + 8, 1, nullptr) == 1, "no start");
    require(EVP_CipherUpdate(context_.get(), out_.data(), &written, in_.data(), static_cast<int>(in_.size())) == 1,
            "no update");
    require(EVP_CipherFinal_ex(context_.get(), out_.data(), &written) == 1, "no end");
    require(EVP_CIPHER_CTX_ctrl(context_.get(), EVP_CTRL_AEAD_GET_TAG, 16, tag_) == 1, "no tag");
    std::copy_n(out_.begin(), in_.size(), in_.begin());
  }

  const Row& row_;
  std::unique_ptr<EVP_CIPHER, FreeCipher> cipher_;
  std::unique_ptr<EVP_CIPHER_CTX, FreeCipher> context_;
  unsigned char key_[64];
  unsigned char tag_[16] = {};
  ByteVector in_, out_;
};

// The clock is of this thread alone. What else runs on a busy machine does not count, though it may slow both.
double thread_seconds() {
  timespec now;
  require(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now) == 0, "no clock");
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

double seconds_of(Contender& contender, std::size_t count) {
  const double start = thread_seconds();
  for (std::size_t i = 0; i < count; ++i) contender.run();
  return thread_seconds() - start;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

// So many calls that a measurement takes about two milliseconds.
std::size_t calls_of_measurement(Contender& contender) {
  std::size_t count = 1;
  while (count < 1000000 && seconds_of(contender, count) < 0.002) count *= 2;
  return count;
}

void measure(OSSL_LIB_CTX* library, const Row& row, const char* their_properties, std::size_t num_rounds) {
  Contender ours(library, row, "provider=phalanx");
  Contender theirs(library, row, their_properties);
  const std::size_t our_count = calls_of_measurement(ours);
  const std::size_t their_count = calls_of_measurement(theirs);
  std::vector<double> our_seconds;
  std::vector<double> their_seconds;
  for (std::size_t i = 0; i < num_rounds; ++i) {
    our_seconds.push_back(seconds_of(ours, our_count) / static_cast<double>(our_count));
    their_seconds.push_back(seconds_of(theirs, their_count) / static_cast<double>(their_count));
  }
  ours.begin_again();
  theirs.begin_again();
  for (int i = 0; i < 3; ++i) {
    ours.run();
    theirs.run();
    require(ours.out() == theirs.out(), "the results differ");
  }
  const double our_time = median(our_seconds);
  const double their_time = median(their_seconds);
  fmt::print("| {} {} | {} | {} | {:.1f} | {:.1f} | {:.2f} | {:+.1f} |\n", row.cipher,
             row.encrypts ? "encryption" : "decryption", row.unit == Unit::update ? "update" : "message", row.num_bytes,
             our_time * 1e9, their_time * 1e9, their_time / our_time, (our_time - their_time) * 1e9);
  (void)std::fflush(stdout);
}

OSSL_LIB_CTX* set_up_library(const std::string& engine) {
  OSSL_LIB_CTX* const library = OSSL_LIB_CTX_new();
  const std::string file =
      (std::filesystem::temp_directory_path() / ("evp_benchmark_" + std::to_string(getpid()) + ".cnf")).string();
  std::ofstream(file) << "openssl_conf = init\n[init]\nproviders = providers\n[providers]\ndefault = usual\nlegacy = usual\n"
                      << "phalanx = phalanx\n[usual]\nactivate = 1\n[phalanx]\nactivate = 1\nmodule = "
                      << PHALANX_PROVIDER_FOLDER << "/phalanx.so\n"
                      << (engine.empty() ? "" : "engine = " + engine) << "\n";
  require(OSSL_LIB_CTX_load_config(library, file.c_str()) == 1, "the providers cannot be loaded");
  std::filesystem::remove(file);
  return library;
}

void run(std::span<char*> arguments) {
  std::size_t num_rounds = 101;
  std::string engine, cipher;
  for (std::size_t i = 1; i + 1 < arguments.size(); i += 2) {
    if (std::strcmp(arguments[i], "--rounds") == 0) {
      num_rounds = std::strtoull(arguments[i + 1], nullptr, 10);
    } else if (std::strcmp(arguments[i], "--engine") == 0) {
      engine = arguments[i + 1];
    } else if (std::strcmp(arguments[i], "--cipher") == 0) {
      cipher = arguments[i + 1];
    } else {
      fail(std::string("unknown: ") + arguments[i]);
    }
  }
  OSSL_LIB_CTX* const library = set_up_library(engine);
  fmt::print("{}; {}; medians of {} rounds in turns, of the thread's time\n\n", OpenSSL_version(OPENSSL_VERSION),
             engine.empty() ? "the widest engine" : engine, num_rounds);
  fmt::print(
      "| EVP | of | bytes | Phalanx, ns | OpenSSL, ns | times as fast | ns more |\n|---|---|---:|---:|---:|---:|---:|\n");
  for (const Row& row : rows) {
    if (!cipher.empty() && cipher != row.cipher) continue;
    const bool is_legacy = std::string_view(row.cipher) == "DES-CBC";
    measure(library, row, is_legacy ? "provider=legacy" : "provider=default", num_rounds);
  }
  OSSL_LIB_CTX_free(library);
}

}  // namespace

int main(int argc, char** argv) {
  try {
    run({argv, static_cast<std::size_t>(argc)});
    return 0;
  } catch (const std::exception& failure) {
    fmt::print(stderr, "evp_benchmark: {}\n", failure.what());
    return 1;
  }
}
