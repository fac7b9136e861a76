// How fast containers are sealed and opened, from memory to memory, beside libcrypto's AES-256-GCM over messages of 16 KiB
// on one core: the same machine, the same run, one after the other in rounds; the median of the rounds counts.
//
//   container_benchmark [--threads N] [--mebibytes N] [--rounds N] [ENGINE...]
#include <openssl/evp.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/threads/threads.hpp"

namespace {

using namespace phalanx;
using Buffer = std::vector<std::uint8_t>;

struct Row {
  std::string name;
  std::size_t num_bytes;
  std::function<void()> run;
  std::vector<double> rates{};  // GB/s, one a round

  void measure() {
    const auto start = std::chrono::steady_clock::now();
    double seconds = 0;
    std::size_t runs = 0;
    while (seconds < 0.02) {
      run();
      ++runs;
      seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    }
    rates.push_back(static_cast<double>(runs) * static_cast<double>(num_bytes) / seconds / 1e9);
  }
  double median() {
    std::sort(rates.begin(), rates.end());
    return rates[rates.size() / 2];
  }
};

// One message of 16 KiB under a new nonce, in one buffer.
class LibcryptoGcm {
 public:
  explicit LibcryptoGcm(bool seals) : seals_(seals), context_(EVP_CIPHER_CTX_new()), in_(16384, 1), out_(16384) {
    const std::uint8_t key[32] = {1};
    EVP_CipherInit_ex(context_, EVP_aes_256_gcm(), nullptr, key, nullptr, seals_ ? 1 : 0);
  }
  ~LibcryptoGcm() { EVP_CIPHER_CTX_free(context_); }
  LibcryptoGcm(const LibcryptoGcm&) = delete;
  LibcryptoGcm& operator=(const LibcryptoGcm&) = delete;

  void run() {
    std::uint8_t tag[16] = {};
    int size = 0;
    ++nonce_[0];
    EVP_CipherInit_ex(context_, nullptr, nullptr, nullptr, nonce_, -1);
    EVP_CipherUpdate(context_, out_.data(), &size, in_.data(), static_cast<int>(in_.size()));
    if (!seals_) EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_GCM_SET_TAG, 16, tag);
    EVP_CipherFinal_ex(context_, out_.data(), &size);  // an opened message does not verify, and takes as long
    if (seals_) EVP_CIPHER_CTX_ctrl(context_, EVP_CTRL_GCM_GET_TAG, 16, tag);
  }

 private:
  bool seals_;
  EVP_CIPHER_CTX* context_;
  std::uint8_t nonce_[12] = {};
  Buffer in_, out_;
};

struct Setting {
  std::vector<std::string> engines;
  int threads = 0;
  std::size_t mebibytes = 64;
  int rounds = 7;
};

void add_rows(std::vector<Row>& rows, const Suite& suite, const std::string& engine, int threads, Bytes plain,
              Buffer& sealed, Buffer& opened) {
  const Buffer key(suite.key_bytes, 5);
  const auto cipher = std::make_shared<ChunkedCipher>(suite, key, ChunkSalt{}, Bytes{}, EngineOptions{engine, threads});
  const auto sealed_bytes = static_cast<std::size_t>(chunks_bytes(plain.size()));
  const std::string name = std::string(suite.name) + " " + cipher->engine() + " " + std::to_string(threads) + " thread" +
                           (threads == 1 ? "" : "s") + ", " + std::to_string(plain.size() >> 10) + " KiB";
  const auto seal = [=, &sealed] { cipher->seal(0, plain, MutableBytes(sealed).first(sealed_bytes)); };
  rows.push_back({"seal " + name, plain.size(), seal});
  rows.push_back({"open " + name, plain.size(), [=, &sealed, &opened, checked = false]() mutable {
                    if (!checked) seal();  // another row's ciphertext was there
                    cipher->open(0, Bytes(sealed).first(sealed_bytes), MutableBytes(opened).first(plain.size()));
                    if (!checked && std::memcmp(opened.data(), plain.data(), plain.size()) != 0) std::abort();
                    checked = true;
                  }});
}

// Every core on its own: what all cores together can reach at this machine's clock and caches, without sharing any work.
void add_independent_row(std::vector<Row>& rows, const Suite& suite, const std::string& engine, int threads, Bytes plain,
                         Buffer& sealed) {
  constexpr std::size_t part_bytes = 1 << 20;
  constexpr int repetitions = 20;
  const Buffer key(suite.key_bytes, 5);
  const auto cipher = std::make_shared<ChunkedCipher>(suite, key, ChunkSalt{}, Bytes{}, EngineOptions{engine, 1});
  const auto sealed_bytes = static_cast<std::size_t>(chunks_bytes(part_bytes));
  const auto run_part = [=, &sealed](std::size_t part) {
    for (int i = 0; i < repetitions; ++i) {
      cipher->seal(0, plain.subspan(part * part_bytes, part_bytes),
                   MutableBytes(sealed).subspan(part * (part_bytes + 2048), sealed_bytes));
    }
  };
  const std::string name = "seal " + std::string(suite.name) + " " + cipher->engine() + ", " + std::to_string(threads) +
                           " independent threads, 1024 KiB each";
  const auto num_parts = static_cast<std::size_t>(threads);
  for (int twice = 0; twice < 2; ++twice) {  // rows come in pairs
    rows.push_back({name, num_parts * repetitions * part_bytes, [=] {
                      std::vector<std::thread> all;
                      for (std::size_t part = 0; part < num_parts; ++part) all.emplace_back(run_part, part);
                      for (std::thread& thread : all) thread.join();
                    }});
  }
}

Setting parse(int argc, char** argv) {
  Setting setting;
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--threads" && i + 1 < argc) {
      setting.threads = std::atoi(argv[++i]);
    } else if (argument == "--mebibytes" && i + 1 < argc) {
      setting.mebibytes = static_cast<std::size_t>(std::atoi(argv[++i]));
    } else if (argument == "--rounds" && i + 1 < argc) {
      setting.rounds = std::atoi(argv[++i]);
    } else {
      setting.engines.push_back(argument);
    }
  }
  if (setting.engines.empty()) setting.engines = {"cpu"};
  return setting;
}

}  // namespace

int main(int argc, char** argv) {
  const Setting setting = parse(argc, argv);
  const std::size_t plain_bytes = setting.mebibytes << 20;
  const Buffer plain(plain_bytes, 0x5a);
  Buffer sealed(chunks_bytes(plain_bytes) + (plain_bytes >> 8));
  Buffer opened(plain_bytes, 1);
  LibcryptoGcm libcrypto_seal(true);
  LibcryptoGcm libcrypto_open(false);
  std::vector<Row> rows;
  rows.push_back({"seal libcrypto AES-256-GCM, 16 KiB", 16384, [&] { libcrypto_seal.run(); }});
  rows.push_back({"open libcrypto AES-256-GCM, 16 KiB", 16384, [&] { libcrypto_open.run(); }});
  const int all = thread_count(setting.threads);
  for (const std::string& engine : setting.engines) {
    for (const Suite& suite : all_suites()) {
      add_rows(rows, suite, engine, 1, Bytes(plain).first(std::min<std::size_t>(plain_bytes, 256 << 10)), sealed, opened);
      add_rows(rows, suite, engine, 1, plain, sealed, opened);
      if (all == 1) continue;
      add_rows(rows, suite, engine, all, plain, sealed, opened);
      const bool is_shared = engine.starts_with("cuda");  // independent threads would wait for one another
      if (!is_shared && plain_bytes >= static_cast<std::size_t>(all) << 20)
        add_independent_row(rows, suite, engine, all, plain, sealed);
    }
  }
  for (Row& row : rows) row.run();  // memory is there, kernels are in the cache
  for (int round = 0; round < setting.rounds; ++round) {
    for (Row& row : rows) row.measure();
  }
  const double bar[2] = {rows[0].median(), rows[1].median()};
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const double rate = rows[i].median();
    std::printf("%-64s %8.3f GB/s  %6.2f x libcrypto\n", rows[i].name.c_str(), rate, rate / bar[i % 2]);
  }
}
