// The numbers of steps are those of the paper's section 3. Compiled without optimisation (CMakeLists.txt): so it takes some
// 30,000 cycles for one DES; the paper's take 48,000.
#include "reproductions/shorman2018_2des_mpi/bit_array_2des.hpp"

#include "reproductions/fips46_tables.hpp"

namespace papers::shorman2018 {
namespace {

constexpr int num_rounds = 16;

// One DES's sub-keys, a bit an int.
using BitKeys = int[num_rounds][48];

void permute(const unsigned char* table, int num_bits, const int* in, int* out) {
  for (int i = 0; i < num_bits; ++i) out[i] = in[table[i] - 1];
}

void load_bits(const std::uint8_t* bytes, int* bits) {
  for (int i = 0; i < 64; ++i) bits[i] = bytes[i / 8] >> (7 - i % 8) & 1;
}

void store_bits(const int* bits, std::uint8_t* bytes) {
  for (int byte = 0; byte < 8; ++byte) {
    int value = 0;
    for (int i = 0; i < 8; ++i) value = 2 * value + bits[8 * byte + i];
    bytes[byte] = static_cast<std::uint8_t>(value);
  }
}

void left_shift(int* half) {
  const int first = half[0];
  for (int i = 0; i < 27; ++i) half[i] = half[i + 1];
  half[27] = first;
}

// Step 1.
void make_sub_keys(const std::uint8_t* key, BitKeys& keys) {
  int bits[64];
  int CD[56];
  load_bits(key, bits);
  permute(fips46_tables.PC_1, 56, bits, CD);
  for (int i = 0; i < num_rounds; ++i) {
    for (int count = 0; count < fips46_tables.left_shifts[i]; ++count) {
      left_shift(CD);
      left_shift(CD + 28);
    }
    permute(fips46_tables.PC_2, 48, CD, keys[i]);
  }
}

// Steps 3.1 to 3.5.
void f(const int* R, const int* K, int* out) {
  int B[48];
  int substituted[32];
  permute(fips46_tables.E, 48, R, B);
  for (int i = 0; i < 48; ++i) B[i] = B[i] ^ K[i];
  for (int j = 0; j < 8; ++j) {
    const int* const six = B + 6 * j;
    const int row = 2 * six[0] + six[5];
    const int column = 8 * six[1] + 4 * six[2] + 2 * six[3] + six[4];
    int value = fips46_tables.S[j][row][column];
    for (int i = 3; i >= 0; --i, value = value / 2) substituted[4 * j + i] = value % 2;
  }
  permute(fips46_tables.P, 32, substituted, out);
}

// Steps 2 to 4, in place; decryption takes the keys from the last on.
void crypt_des(const BitKeys& keys, Direction direction, int* block) {
  int halves[64];
  int preoutput[64];
  permute(fips46_tables.IP, 64, block, halves);
  int* const L = halves;
  int* const R = halves + 32;
  for (int i = 0; i < num_rounds; ++i) {
    int mixed[32];
    f(R, keys[direction == Direction::encrypt ? i : num_rounds - 1 - i], mixed);
    for (int bit = 0; bit < 32; ++bit) {
      const int before = R[bit];
      R[bit] = L[bit] ^ mixed[bit];
      L[bit] = before;
    }
  }
  for (int bit = 0; bit < 32; ++bit) {
    preoutput[bit] = R[bit];
    preoutput[32 + bit] = L[bit];
  }
  permute(fips46_tables.IP_inverse, 64, preoutput, block);
}

}  // namespace

void crypt_ecb_by_bit_arrays(std::span<const std::uint8_t> key, Direction direction, std::span<const std::uint8_t> in,
                             std::span<std::uint8_t> out) {
  BitKeys keys[2];
  make_sub_keys(key.data(), keys[0]);
  make_sub_keys(key.data() + 8, keys[1]);
  const bool encrypting = direction == Direction::encrypt;
  for (std::size_t offset = 0; offset < in.size(); offset += block_bytes) {
    int block[64];
    load_bits(in.data() + offset, block);
    crypt_des(keys[encrypting ? 0 : 1], direction, block);
    crypt_des(keys[encrypting ? 1 : 0], direction, block);
    store_bits(block, out.data() + offset);
  }
}

}  // namespace papers::shorman2018
