// The key, the sizes and the tables of the paper, and the rows that both programs print.
#pragma once

#include <thread>

#include "ported_aes.hpp"
#include "ported_serpent.hpp"
#include "ported_twofish.hpp"
#include "reproductions/paper_program.hpp"

namespace papers {

inline constexpr std::uint8_t key_128[16] = {0x2b, 0x7e, 0x15, 0x16, 0x28, 0xae, 0xd2, 0xa6,
                                             0xab, 0xf7, 0x15, 0x88, 0x09, 0xcf, 0x4f, 0x3c};
inline constexpr std::size_t block_bytes = 16;
inline constexpr long sizes_mebibytes[] = {1, 4, 16, 32, 64};

template <class PortedCipher>
constexpr const char* paper_table = nullptr;
template <>
inline constexpr const char* paper_table<PortedAes> = "1";
template <>
inline constexpr const char* paper_table<PortedSerpent> = "2";
template <>
inline constexpr const char* paper_table<PortedTwofish> = "3";

/// Test data in ECB by reference/ and nothing else, on all cores. A shorter message of test data begins as a longer one, in
/// ECB its ciphertext too: one call for the longest checks all sizes.
template <class PortedCipher>
ByteVector encrypted_by_reference(std::size_t num_bytes) {
  const ByteVector in = test_data(num_bytes);
  ByteVector out(num_bytes);
  const auto cipher = phalanx::reference::make_cipher(PortedCipher::cipher, key_128);
  std::vector<std::jthread> threads;
  const std::size_t part_bytes = num_bytes / block_bytes / std::thread::hardware_concurrency() * block_bytes + block_bytes;
  for (std::size_t start = 0; start < num_bytes; start += part_bytes) {
    threads.emplace_back([&, start] {
      for (std::size_t i = start; i < std::min(start + part_bytes, num_bytes); i += block_bytes)
        cipher->encrypt_block(&in[i], &out[i]);
    });
  }
  threads.clear();  // joins
  return out;
}

/// Does something with each of the three ciphers, `work(cipher)`.
template <class Work>
void for_each_cipher(const Work& work) {
  work(PortedAes(key_128));
  work(PortedSerpent(key_128));
  work(PortedTwofish(key_128));
}

/// A time in ms under its heading of the tables, and the throughput in megabits a second (of 10^6 bits, a "MB" of 10^6 bytes
/// as the paper counts) under its own.
template <class PortedCipher>
void print_time(long mebibytes, const std::string& who, const char* method, double seconds, int threads = 1) {
  const std::string row = std::to_string(mebibytes);
  const char* table = paper_table<PortedCipher>;
  print_figure({table, row, who, method, "time", "ms", seconds * 1e3, threads});
  print_figure({table, row, who + " Mb/s", method, "rate", "Mb/s",
                static_cast<double>(mebibytes) * mebibyte * 8 / 1e6 / seconds, threads});
}

}  // namespace papers
