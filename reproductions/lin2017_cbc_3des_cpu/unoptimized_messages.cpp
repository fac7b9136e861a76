#include <algorithm>
#include <array>

#include "reproductions/lin2017_cbc_3des_cpu/lin2017_timing.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/merged_sptrans.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/unoptimized_cbc.h"

namespace papers::lin2017 {
namespace {

constexpr std::size_t num_blocks = 8192;

using UnoptimizedCbc = void (*)(const lin2017_unoptimized*, const std::uint8_t*, const std::uint8_t*, std::uint8_t*,
                                std::size_t);

// A message, its schedules as C has them, and what reference/ makes of it.
class Message {
 public:
  explicit Message(std::size_t blocks) : plain_(test_data(blocks * block_bytes)), out_(plain_.size()) {
    const TripleSchedule schedule = expand_triple_key(key_);
    for (std::size_t number = 0; number < 3; ++number) std::ranges::copy(schedule.encrypt[number], schedules_[number]);
  }

  void encrypt(UnoptimizedCbc crypt, const std::uint32_t* tables) {
    const lin2017_unoptimized with{tables, schedules_};
    crypt(&with, iv_.data(), plain_.data(), out_.data(), plain_.size() / block_bytes);
  }

  void require_right(const char* who, UnoptimizedCbc crypt, const std::uint32_t* tables) {
    std::ranges::fill(out_, std::uint8_t{0});
    encrypt(crypt, tables);
    require_equal(who, out_, phalanx::reference::crypt("des-ede3-cbc", phalanx::Direction::encrypt, key_, iv_, plain_));
  }

 private:
  ByteVector key_ = test_data(key_bytes, 3);
  ByteVector iv_ = test_data(block_bytes, 4);
  ByteVector plain_, out_;
  std::uint32_t schedules_[3][num_key_words];
};

struct Unoptimized {
  const char* row;
  const char* method;
  UnoptimizedCbc crypt;
  const std::uint32_t* tables;
};

std::array<Unoptimized, 2> both() {
  return {{{"OpenSSL", "baseline", lin2017_unoptimized_separate, DES_SPtrans[0].data()},
           {"Optimized", "method", lin2017_unoptimized_merged, merged_tables[0].data()}}};
}

}  // namespace

void check_unoptimized() {
  for (const std::size_t blocks : {1, 3, 1000})
    for (const auto& [row, method, crypt, tables] : both()) Message(blocks).require_right(row, crypt, tables);
}

void measure_unoptimized() {
  Message message(num_blocks);
  std::vector<Timed> timed;
  for (const auto& [row, method, crypt, tables] : both()) {
    message.require_right(row, crypt, tables);
    Timed one{{"unoptimized", row, "encrypt", method, "time", "cycles", 0}, static_cast<double>(num_blocks), {}};
    one.run = [&message, crypt = crypt, tables = tables] { message.encrypt(crypt, tables); };
    timed.push_back(std::move(one));
  }
  print_flags(", unoptimized_cbc.c -O0");
  print_cycles(timed, 1.5);
  print_flags();
}

}  // namespace papers::lin2017
