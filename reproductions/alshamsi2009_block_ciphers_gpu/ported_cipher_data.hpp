// The key, the sizes and the tables of the paper, and the rows that both programs print.
#pragma once

#include "ported_aes.hpp"
#include "ported_serpent.hpp"
#include "ported_twofish.hpp"
#include "reproductions/paper_program.hpp"
#include "reproductions/paper_reference.hpp"

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

/// Test data in ECB by reference/ and nothing else. A shorter message of test data begins as a longer one, in ECB its
/// ciphertext too: one call for the longest checks all sizes.
template <class PortedCipher>
ByteVector encrypted_by_reference(std::size_t num_bytes) {
  return reference_ecb(PortedCipher::cipher, phalanx::Direction::encrypt, key_128, test_data(num_bytes));
}

/// Section 7's modes: their decryption is what a GPU can do in parallel.
inline constexpr const char* future_modes[] = {"ctr", "cbc"};

/// What section 7's decryption must give, by reference/.
template <class PortedCipher>
ByteVector decrypted_by_reference(const char* mode, Bytes iv, Bytes in) {
  return reference_in_parts(PortedCipher::cipher, mode, phalanx::Direction::decrypt, key_128, iv, in);
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
