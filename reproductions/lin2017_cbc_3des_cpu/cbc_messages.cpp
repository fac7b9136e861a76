#include <openssl/crypto.h>
#include <openssl/evp.h>

#include <algorithm>
#include <thread>

#include "reproductions/lin2017_cbc_3des_cpu/cbc_variants.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/lin2017_timing.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/load_misses.hpp"
#include "reproductions/paper_reference.hpp"

namespace papers::lin2017 {
namespace {

constexpr std::size_t message_bytes = 64 << 10;
constexpr double num_message_blocks = message_bytes / block_bytes;
constexpr std::size_t num_batch_messages = 1024;  // for each thread: a group of lanes takes up to 512
constexpr std::size_t batch_message_bytes = 4096;

void check(const Variant& variant, Bytes key, Bytes iv, Bytes in) {
  const TripleSchedule schedule = expand_triple_key(key);
  ByteVector out(in.size());
  variant.encrypt(schedule, iv, in, out);
  require_equal(variant.name, out, phalanx::reference::crypt("des-ede3-cbc", phalanx::Direction::encrypt, key, iv, in));
  ByteVector back(in.size());
  variant.decrypt(schedule, iv, out, back);
  require_equal(variant.name, back, in);
}

// The same message and key for everybody.
struct Work {
  ByteVector key = test_data(key_bytes, 3);
  ByteVector iv = test_data(block_bytes, 4);
  ByteVector plain = test_data(message_bytes);
  TripleSchedule schedule = expand_triple_key(key);
  ByteVector cipher = phalanx::reference::crypt("des-ede3-cbc", phalanx::Direction::encrypt, key, iv, plain);
  ByteVector out = ByteVector(message_bytes);
};

Timed timed_message(const char* table, const char* row, const char* column, const char* method, std::function<void()> run) {
  return {{table, row, column, method, "time", "cycles", 0}, num_message_blocks, std::move(run), message_bytes};
}

// OpenSSL's own, as programs call it: what the baseline is modelled on.
void openssl_crypt(const Work& work, bool encrypting, Bytes in, MutableBytes out) {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int length = 0;
  EVP_CipherInit_ex(context, EVP_des_ede3_cbc(), nullptr, work.key.data(), work.iv.data(), encrypting ? 1 : 0);
  EVP_CIPHER_CTX_set_padding(context, 0);
  EVP_CipherUpdate(context, out.data(), &length, in.data(), static_cast<int>(in.size()));
  EVP_CIPHER_CTX_free(context);
}

// What is timed below, once, over the message that is timed: every byte of it.
void require_work(Work& work) {
  const auto require = [&](const char* who, const ByteVector& expected, const auto& run) {
    std::fill(work.out.begin(), work.out.end(), std::uint8_t{0});
    run();
    require_equal(who, work.out, expected);
  };
  for (const std::span<const Variant> all : {std::span<const Variant>(variants), std::span<const Variant>(by_num_merged)}) {
    for (const Variant& variant : all) {
      require(variant.name, work.cipher, [&] { variant.encrypt(work.schedule, work.iv, work.plain, work.out); });
      require(variant.name, work.plain, [&] { variant.decrypt(work.schedule, work.iv, work.cipher, work.out); });
    }
  }
  require("OpenSSL itself", work.cipher, [&] { openssl_crypt(work, true, work.plain, work.out); });
  require("OpenSSL itself", work.plain, [&] { openssl_crypt(work, false, work.cipher, work.out); });
}

void add_variants(std::vector<Timed>& timed, Work& work) {
  for (const Variant& variant : variants) {
    timed.push_back(timed_message("cbc", variant.name, "encrypt", variant.method,
                                  [&] { variant.encrypt(work.schedule, work.iv, work.plain, work.out); }));
    timed.push_back(timed_message("cbc", variant.name, "decrypt", variant.method,
                                  [&] { variant.decrypt(work.schedule, work.iv, work.cipher, work.out); }));
  }
  for (const Variant& variant : by_num_merged)
    timed.push_back(timed_message("merged_tables", variant.name, "encrypt", variant.method,
                                  [&] { variant.encrypt(work.schedule, work.iv, work.plain, work.out); }));
  timed.push_back(timed_message("cbc", "OpenSSL itself", "encrypt", "library",
                                [&] { openssl_crypt(work, true, work.plain, work.out); }));
  timed.push_back(timed_message("cbc", "OpenSSL itself", "decrypt", "library",
                                [&] { openssl_crypt(work, false, work.cipher, work.out); }));
}

// This library: one message in each direction, and a batch of messages with one iv each.
class Ours {
 public:
  Ours(const Work& work, int num_threads)
      : cipher_("des-ede3-cbc", work.key, {.engine = "cpu", .num_threads = num_threads}, {.allow_legacy = true}),
        threads_(num_threads),
        plain_(test_data(static_cast<std::size_t>(num_threads) * num_batch_messages * batch_message_bytes)),
        sealed_(plain_.size()),
        out_(plain_.size()) {
    for (std::size_t offset = 0; offset < plain_.size(); offset += batch_message_bytes) {
      const Bytes in = Bytes(plain_).subspan(offset, batch_message_bytes);
      messages_.push_back({work.iv, in, MutableBytes(sealed_).subspan(offset, batch_message_bytes), {}});
    }
    require_right(work);
  }

  void add_to(std::vector<Timed>& timed, const Work& work) {
    add(timed, "many messages", "encrypt", plain_.size(), [this] { cipher_.encrypt_batch(messages_); });
    add(timed, "one message", "decrypt", plain_.size(), [this, &work] { cipher_.decrypt(work.iv, sealed_, out_); });
    if (threads_ != 1) return;
    add(timed, "one message", "encrypt", message_bytes,
        [this, &work] { cipher_.encrypt(work.iv, work.plain, MutableBytes(out_).first(message_bytes)); });
    // The same once more under the name of table III's last cell, for the overview.
    const std::string row = "Optimized";
    timed.push_back({{"3", row, "Total", "ours", "time", "cycles", 0}, timed[0].num_operations, timed[0].run});
  }

 private:
  // Every message of the batch, one message each way, and the long message that is decrypted: all bytes.
  void require_right(const Work& work) {
    cipher_.encrypt_batch(messages_);
    ByteVector expected(sealed_.size());
    in_parts(plain_.size(), batch_message_bytes, [&](std::size_t offset, std::size_t num_bytes) {
      const Bytes in = Bytes(plain_).subspan(offset, num_bytes);
      const ByteVector sealed =
          phalanx::reference::crypt("des-ede3-cbc", phalanx::Direction::encrypt, work.key, work.iv, in);
      std::ranges::copy(sealed, expected.begin() + static_cast<std::ptrdiff_t>(offset));
    });
    require_equal("ours, a batch", sealed_, expected);
    cipher_.decrypt(work.iv, sealed_, out_);
    require_equal("ours, decrypting one message", out_,
                  reference_in_parts("des-ede3", "cbc", phalanx::Direction::decrypt, work.key, work.iv, sealed_));
    const MutableBytes out = MutableBytes(out_).first(message_bytes);
    cipher_.encrypt(work.iv, work.plain, out);
    require_equal("ours, encrypting one message", out, work.cipher);
  }

  void add(std::vector<Timed>& timed, const char* row, const char* column, std::size_t num_bytes,
           std::function<void()> run) const {
    const std::string threads = threads_ == 1 ? "" : ", all cores";
    timed.push_back({{"cbc", row + threads, column, "ours", "time", "cycles", 0, threads_},
                     static_cast<double>(num_bytes / block_bytes),
                     std::move(run),
                     static_cast<double>(num_bytes)});
  }

  phalanx::Cipher cipher_;
  int threads_;
  ByteVector plain_, sealed_, out_;
  std::vector<phalanx::Message> messages_;
};

void measure_misses(Work& work) {
  const LoadMissCounter counter;
  if (!counter.usable()) return print_skipped("L1 misses of the merged tables", "this machine has no counter for them");
  for (const Variant& variant : by_num_merged) {
    const auto encrypt = [&] { variant.encrypt(work.schedule, work.iv, work.plain, work.out); };
    encrypt();
    const double misses = static_cast<double>(counter.count(encrypt)) / num_message_blocks;
    print_figure({"merged_tables", variant.name, "L1 misses", variant.method, "misses", "a block", misses});
  }
}

}  // namespace

void check_variants() {
  for (const std::uint64_t seed : {1, 2, 3}) {
    const ByteVector key = test_data(key_bytes, seed);
    const ByteVector iv = test_data(block_bytes, seed + 10);
    for (const std::size_t num_blocks : {1, 2, 3, 1000}) {
      const ByteVector in = test_data(num_blocks * block_bytes, seed + 20);
      for (const Variant& variant : variants) check(variant, key, iv, in);
      for (const Variant& variant : by_num_merged) check(variant, key, iv, in);
    }
  }
}

void measure_messages() {
  Work work;
  require_work(work);
  print_line({"fact", "library", OpenSSL_version(OPENSSL_VERSION)});
  std::vector<Timed> methods;
  add_variants(methods, work);
  print_cycles(methods, 6);
  measure_misses(work);
  const int num_cores = static_cast<int>(std::thread::hardware_concurrency());
  for (int num_threads = 1; num_threads <= num_cores; num_threads += std::max(1, num_cores - 1)) {
    Ours ours(work, num_threads);
    std::vector<Timed> timed;
    ours.add_to(timed, work);
    print_cycles(timed, 1.5);
  }
}

}  // namespace papers::lin2017
