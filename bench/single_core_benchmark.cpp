// One core, one message at a time: every cipher and mode of every usable engine against OpenSSL, interleaved in one run.
//
// Each sample of ours is taken next to a sample of OpenSSL's, the figures are medians, the ratio is the median of the pairs'
// ratios, and every byte of each output is compared with OpenSSL's before its time counts. Serpent and Twofish, which OpenSSL
// lacks, are compared with libgcrypt. Cycles come from a chain of dependent multiplications (3 cycles each) timed beside the
// samples.
#include <gcrypt.h>
#include <openssl/evp.h>
#include <openssl/provider.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <nlohmann/json.hpp>
#include <phalanx/phalanx.hpp>
#include <random>
#include <span>
#include <string>
#include <vector>

namespace {

using ByteVector = std::vector<std::uint8_t>;

struct Row {
  const char* cipher;  ///< ours
  bool encrypt;
  const char* peer;  ///< OpenSSL's name of what it is timed against; nullptr: libgcrypt
  const char* same;  ///< OpenSSL's name of the same cipher and mode, nullptr: `peer` is ECB and makes our key stream
};

constexpr Row rows[] = {
    {"des-ecb", true, "DES-ECB", "DES-ECB"},
    {"des-ecb", false, "DES-ECB", "DES-ECB"},
    {"des-ctr", true, "DES-ECB", nullptr},
    {"des-cbc", false, "DES-ECB", "DES-CBC"},
    {"des-ede3-ecb", true, "DES-EDE3-ECB", "DES-EDE3-ECB"},
    {"des-ede3-ecb", false, "DES-EDE3-ECB", "DES-EDE3-ECB"},
    {"des-ede3-ctr", true, "DES-EDE3-ECB", nullptr},
    {"des-ede3-cbc", false, "DES-EDE3-ECB", "DES-EDE3-CBC"},
    {"des-ede3-cfb", false, "DES-EDE3-ECB", "DES-EDE3-CFB"},
    {"des-ede3-cbc", true, "DES-EDE3-CBC", "DES-EDE3-CBC"},
    {"aes-128-ecb", true, "AES-128-ECB", "AES-128-ECB"},
    {"aes-128-ecb", false, "AES-128-ECB", "AES-128-ECB"},
    {"aes-128-ctr", true, "AES-128-CTR", "AES-128-CTR"},
    {"aes-128-cbc", false, "AES-128-CBC", "AES-128-CBC"},
    {"aes-128-cbc", true, "AES-128-CBC", "AES-128-CBC"},
    {"aes-128-xts", true, "AES-128-XTS", "AES-128-XTS"},
    {"aes-256-ecb", true, "AES-256-ECB", "AES-256-ECB"},
    {"aes-256-ecb", false, "AES-256-ECB", "AES-256-ECB"},
    {"aes-256-ctr", true, "AES-256-CTR", "AES-256-CTR"},
    {"aes-256-cbc", false, "AES-256-CBC", "AES-256-CBC"},
    {"aes-256-cbc", true, "AES-256-CBC", "AES-256-CBC"},
    {"aes-256-cfb", false, "AES-256-CFB", "AES-256-CFB"},
    {"aes-256-ofb", true, "AES-256-OFB", "AES-256-OFB"},
    {"aes-256-xts", true, "AES-256-XTS", "AES-256-XTS"},
    {"aes-256-xts", false, "AES-256-XTS", "AES-256-XTS"},
    {"aes-256-gcm", true, "AES-256-GCM", "AES-256-GCM"},
    {"serpent-256-ecb", true, nullptr, nullptr},
    {"serpent-256-ctr", true, nullptr, nullptr},
    {"serpent-256-cbc", false, nullptr, nullptr},
    {"twofish-256-ecb", true, nullptr, nullptr},
    {"twofish-256-ctr", true, nullptr, nullptr},
    {"twofish-256-cbc", false, nullptr, nullptr},
};

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "single_core_benchmark: %s\n", what.c_str());
  std::exit(1);
}

std::string mode_of(const std::string& cipher) { return cipher.substr(cipher.rfind('-') + 1); }

/// A peer's cipher under a key, ready to crypt a message again and again.
using Crypt = std::function<void(const std::uint8_t* in, std::uint8_t* out, std::size_t size)>;

Crypt openssl_crypt(const char* name, bool encrypt, const ByteVector& key, const ByteVector& iv) {
  EVP_CIPHER* cipher = EVP_CIPHER_fetch(nullptr, name, nullptr);
  if (cipher == nullptr) fail(std::string("OpenSSL has no ") + name);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  if (EVP_CipherInit_ex2(context, cipher, key.data(), iv.data(), encrypt ? 1 : 0, nullptr) != 1) fail(name);
  EVP_CIPHER_CTX_set_padding(context, 0);
  return [=](const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
    EVP_CipherInit_ex2(context, nullptr, nullptr, iv.empty() ? nullptr : iv.data(), -1, nullptr);
    int written = 0;
    EVP_CipherUpdate(context, out, &written, in, static_cast<int>(size));
    std::uint8_t rest[32];
    EVP_CipherFinal_ex(context, rest, &written);  // GCM: the tag is made here
  };
}

Crypt gcrypt_crypt(const std::string& cipher, bool encrypt, const ByteVector& key, const ByteVector& iv) {
  const int algorithm = cipher.starts_with("serpent") ? GCRY_CIPHER_SERPENT256 : GCRY_CIPHER_TWOFISH;
  const std::string mode = mode_of(cipher);
  const int gcrypt_mode = mode == "ctr" ? GCRY_CIPHER_MODE_CTR : mode == "cbc" ? GCRY_CIPHER_MODE_CBC : GCRY_CIPHER_MODE_ECB;
  gcry_cipher_hd_t handle = nullptr;
  gcry_cipher_open(&handle, algorithm, gcrypt_mode, 0);
  if (gcry_cipher_setkey(handle, key.data(), key.size()) != 0) fail("libgcrypt refuses the key of " + cipher);
  return [=](const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
    if (mode == "ctr") gcry_cipher_setctr(handle, iv.data(), iv.size());
    if (mode == "cbc") gcry_cipher_setiv(handle, iv.data(), iv.size());
    if (encrypt) {
      gcry_cipher_encrypt(handle, out, size, in, size);
    } else {
      gcry_cipher_decrypt(handle, out, size, in, size);
    }
  };
}

/// CTR from a peer that has only ECB: its key stream, XORed.
Crypt counter_mode(const Crypt& ecb, const ByteVector& iv) {
  return [=](const std::uint8_t* in, std::uint8_t* out, std::size_t size) {
    ByteVector counters;
    ByteVector counter = iv;
    while (counters.size() < size) {
      counters.insert(counters.end(), counter.begin(), counter.end());
      for (std::size_t i = counter.size(); i-- > 0 && ++counter[i] == 0;) {
      }
    }
    ecb(counters.data(), counters.data(), size);
    for (std::size_t i = 0; i < size; ++i) out[i] = in[i] ^ counters[i];
  };
}

double seconds(const std::function<void()>& run) {
  const auto start = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

/// Clock cycles a second, now: a chain of multiplications, each waiting 3 cycles for the one before. The best of a few, since
/// another guest of the machine can only make a chain longer.
double clock_rate() {
  constexpr int num_multiplications = 5000;
  double shortest = 1;
  std::uint64_t x = 3;
  for (int attempt = 0; attempt < 5; ++attempt) {
    shortest = std::min(shortest, seconds([&x] {
                          for (int i = 0; i < num_multiplications; ++i) {
                            x *= 0x9e3779b97f4a7c15U;
                            __asm__ volatile("" : "+r"(x));
                          }
                        }));
  }
  return 3.0 * num_multiplications / shortest;
}

struct Figure {
  double megabytes_per_second;
  double cycles_per_byte;
  double ratio;  ///< of the peer's time to ours
  double peer_megabytes_per_second;
};

Figure measure(const std::function<void()>& ours, const std::function<void()>& peer, std::size_t size, int num_samples) {
  const auto repeats = [](const std::function<void()>& run) { return std::max(1, static_cast<int>(2e-3 / seconds(run))); };
  const int our_repeats = repeats(ours);
  const int peer_repeats = repeats(peer);
  const auto time = [](const std::function<void()>& run, int times) {
    return seconds([&] {
             for (int i = 0; i < times; ++i) run();
           }) /
           times;
  };
  std::vector<double> our_times, peer_times, cycles, ratios;
  for (int i = 0; i < num_samples; ++i) {
    peer_times.push_back(time(peer, peer_repeats));
    const double rate = clock_rate();
    our_times.push_back(time(ours, our_repeats));
    cycles.push_back(our_times.back() * rate / static_cast<double>(size));
    ratios.push_back(peer_times.back() / our_times.back());
  }
  const auto rate = [size](double t) { return static_cast<double>(size) / t / 1e6; };
  return {rate(median(our_times)), median(cycles), median(ratios), rate(median(peer_times))};
}

/// Memory that begins a page. A core mistakes a load for one of a store before it whose address has the same low 12 bits, and
/// waits; so ours and the peer get the same two buffers, at a distance that harms neither.
struct AlignedBuffer {
  explicit AlignedBuffer(std::size_t size)
      : memory(size + page_bytes), bytes(memory.data() + (page_bytes - address(memory.data()) % page_bytes), size) {}
  AlignedBuffer(const AlignedBuffer&) = delete;
  AlignedBuffer& operator=(const AlignedBuffer&) = delete;

  static constexpr std::size_t page_bytes = 4096;
  static std::size_t address(const void* p) { return reinterpret_cast<std::uintptr_t>(p); }

  ByteVector memory;
  std::span<std::uint8_t> bytes;
};

ByteVector random_bytes(std::size_t size, std::mt19937_64& random) {
  ByteVector bytes(size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

/// One row on one engine: checks every byte, then times.
Figure run_row(const Row& row, const std::string& engine, std::size_t size, int num_samples) {
  std::mt19937_64 random(size);
  const std::string mode = mode_of(row.cipher);
  ByteVector key(32);
  const auto named = std::string(row.cipher);
  const std::size_t cipher_key = named.starts_with("des-ede3") ? 24
                                 : named.starts_with("des")    ? 8
                                 : named.find("128") < 9       ? 16
                                                               : 32;
  key = random_bytes(mode == "xts" ? 2 * cipher_key : cipher_key, random);
  const phalanx::Cipher cipher(row.cipher, key, {engine, 1});
  const ByteVector iv = random_bytes(cipher.iv_bytes(), random);
  AlignedBuffer in(size), out(size);
  ByteVector expected(size), tag(16);
  const ByteVector message = random_bytes(size, random);
  std::copy(message.begin(), message.end(), in.bytes.begin());

  Crypt peer;
  Crypt same;
  if (row.peer == nullptr) {
    peer = same = gcrypt_crypt(row.cipher, row.encrypt, key, iv);
  } else {
    peer = openssl_crypt(row.peer, row.encrypt, key, iv);
    same = row.same != nullptr ? openssl_crypt(row.same, row.encrypt, key, iv) : counter_mode(peer, iv);
  }
  const auto ours = [&] {
    if (mode == "gcm") {
      cipher.seal(iv, {}, in.bytes, out.bytes, tag);
    } else if (row.encrypt) {
      cipher.encrypt(iv, in.bytes, out.bytes);
    } else {
      cipher.decrypt(iv, in.bytes, out.bytes);
    }
  };
  ours();
  same(message.data(), expected.data(), size);
  if (!std::equal(expected.begin(), expected.end(), out.bytes.begin()))
    fail(engine + " " + row.cipher + " differs from its peer");
  return measure(
      ours, [&] { peer(in.bytes.data(), out.bytes.data(), size); }, size, num_samples);
}

}  // namespace

/// single_core_benchmark [--json FILE] [--size BYTES] [--samples N] [--only TEXT]
int main(int argc, char** argv) {
  std::string json_file, only;
  std::size_t size = 65536;
  int num_samples = 25;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--json") json_file = argv[i + 1];
    if (option == "--only") only = argv[i + 1];
    if (option == "--size") size = std::strtoull(argv[i + 1], nullptr, 10);
    if (option == "--samples") num_samples = std::atoi(argv[i + 1]);
  }
  OSSL_PROVIDER_load(nullptr, "default");
  OSSL_PROVIDER_load(nullptr, "legacy");  // single DES
  gcry_check_version(nullptr);
  gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);

  nlohmann::json results = nlohmann::json::array();
  std::printf("one core, messages of %zu bytes; peer: %s, libgcrypt %s for Serpent and Twofish\n", size,
              OpenSSL_version(OPENSSL_VERSION), gcry_check_version(nullptr));
  std::printf("%-18s %-4s %-12s %10s %8s   %-14s %10s %8s\n", "cipher", "", "engine", "MB/s", "c/B", "peer", "MB/s",
              "ratio");
  for (const Row& row : rows) {
    if (!only.empty() && std::string(row.cipher).find(only) == std::string::npos) continue;
    for (const phalanx::EngineInfo& engine : phalanx::engines()) {
      if (!engine.usable || !engine.name.starts_with("cpu:")) continue;
      const Figure f = run_row(row, engine.name, size, num_samples);
      const char* peer = row.peer != nullptr ? row.peer : "libgcrypt";
      std::printf("%-18s %-4s %-12s %10.1f %8.3f   %-14s %10.1f %7.2fx\n", row.cipher, row.encrypt ? "enc" : "dec",
                  engine.name.c_str(), f.megabytes_per_second, f.cycles_per_byte, peer, f.peer_megabytes_per_second,
                  f.ratio);
      std::fflush(stdout);
      results.push_back({{"cipher", row.cipher},
                         {"direction", row.encrypt ? "encrypt" : "decrypt"},
                         {"engine", engine.name},
                         {"message_bytes", size},
                         {"megabytes_per_second", f.megabytes_per_second},
                         {"cycles_per_byte", f.cycles_per_byte},
                         {"peer", peer},
                         {"peer_megabytes_per_second", f.peer_megabytes_per_second},
                         {"ratio", f.ratio},
                         {"every_byte_checked", true}});
    }
  }
  if (!json_file.empty()) {
    std::FILE* file = std::fopen(json_file.c_str(), "w");
    if (file == nullptr) fail("cannot write " + json_file);
    const nlohmann::json all = {{"compiler", PHALANX_COMPILER},
                                {"flags", PHALANX_FLAGS},
                                {"openssl", OpenSSL_version(OPENSSL_VERSION)},
                                {"libgcrypt", gcry_check_version(nullptr)},
                                {"threads", 1},
                                {"rows", results}};
    std::fprintf(file, "%s\n", all.dump(1).c_str());
    std::fclose(file);
  }
}
