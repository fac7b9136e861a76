/* Compiled with -O0 (CMakeLists.txt). Macros and `register`, since without optimisation a function is a call, and a variable
 * is memory unless it is asked to be a register. The order of tables is that of merged_sptrans.hpp. */
#include "reproductions/lin2017_cbc_3des_cpu/unoptimized_cbc.h"

#include <string.h>

#define ROTATE(a, n) ((a) >> (n) | (a) << (32 - (n)))
#define SWAP_BITS(a, b, t, n, m) ((t) = (((a) >> (n)) ^ (b)) & (m), (b) ^= (t), (a) ^= (t) << (n))
#define SIX(word, low) ((word) >> (low)&0x3f)
#define TWELVE(word, low) (SIX(word, low) | ((word) >> ((low) + 2) & 0xfc0))

/* A round over tables that are apart, and over merged ones: T points to them, S to the round's two key words. */
#define SEPARATE_ROUND(LL, R, S)                                                                                     \
  (u = (R) ^ (S)[0], t = (R) ^ (S)[1], t = ROTATE(t, 4),                                                             \
   (LL) ^= T[SIX(u, 2)] ^ T[2 * 64 + SIX(u, 10)] ^ T[4 * 64 + SIX(u, 18)] ^ T[6 * 64 + SIX(u, 26)] ^                   \
         T[64 + SIX(t, 2)] ^ T[3 * 64 + SIX(t, 10)] ^ T[5 * 64 + SIX(t, 18)] ^ T[7 * 64 + SIX(t, 26)])
#define MERGED_ROUND(LL, R, S)                                                                                       \
  (u = (R) ^ (S)[0], t = (R) ^ (S)[1], t = ROTATE(t, 4),                                                             \
   (LL) ^= T[TWELVE(u, 2)] ^ T[4096 + TWELVE(u, 18)] ^ T[2 * 4096 + TWELVE(t, 2)] ^ T[3 * 4096 + TWELVE(t, 18)])

/* Sixteen rounds between two rotations, written out as the library that the paper times has them. */
#define FOUR_ROUNDS(ROUND, S) \
  (ROUND(l, r, S), ROUND(r, l, (S) + 2), ROUND(l, r, (S) + 4), ROUND(r, l, (S) + 6))
#define DEFINE_DES(name, ROUND)                                              \
  static void name(const uint32_t* tables, const uint32_t* s, uint32_t* block) { \
    register const uint32_t* T = tables;                                     \
    register uint32_t l = ROTATE(block[0], 29);                              \
    register uint32_t r = ROTATE(block[1], 29);                              \
    register uint32_t t;                                                     \
    register uint32_t u;                                                     \
    FOUR_ROUNDS(ROUND, s);                                                   \
    FOUR_ROUNDS(ROUND, s + 8);                                               \
    FOUR_ROUNDS(ROUND, s + 16);                                              \
    FOUR_ROUNDS(ROUND, s + 24);                                              \
    block[0] = ROTATE(r, 3);                                                 \
    block[1] = ROTATE(l, 3);                                                 \
  }

DEFINE_DES(separate_des, SEPARATE_ROUND)
DEFINE_DES(merged_des, MERGED_ROUND)

typedef void (*des_function)(const uint32_t* tables, const uint32_t* s, uint32_t* block);

static void crypt_block(des_function des, const lin2017_unoptimized* with, uint32_t* block) {
  register uint32_t l = block[0];
  register uint32_t r = block[1];
  register uint32_t t;
  uint32_t halves[2];
  SWAP_BITS(r, l, t, 4, 0x0f0f0f0fu);
  SWAP_BITS(l, r, t, 16, 0x0000ffffu);
  SWAP_BITS(r, l, t, 2, 0x33333333u);
  SWAP_BITS(l, r, t, 8, 0x00ff00ffu);
  SWAP_BITS(r, l, t, 1, 0x55555555u);
  halves[0] = r;
  halves[1] = l;
  for (int number = 0; number < 3; ++number) des(with->tables, with->schedules[number], halves);
  l = halves[1];
  r = halves[0];
  SWAP_BITS(r, l, t, 1, 0x55555555u);
  SWAP_BITS(l, r, t, 8, 0x00ff00ffu);
  SWAP_BITS(r, l, t, 2, 0x33333333u);
  SWAP_BITS(l, r, t, 16, 0x0000ffffu);
  SWAP_BITS(r, l, t, 4, 0x0f0f0f0fu);
  block[0] = l;
  block[1] = r;
}

static void cbc_encrypt(des_function des, const lin2017_unoptimized* with, const uint8_t* iv, const uint8_t* in, uint8_t* out,
                        size_t num_blocks) {
  uint32_t chain[2];
  memcpy(chain, iv, 8);
  for (size_t i = 0; i < num_blocks; ++i) {
    uint32_t plain[2];
    memcpy(plain, in + 8 * i, 8);
    chain[0] ^= plain[0];
    chain[1] ^= plain[1];
    crypt_block(des, with, chain);
    memcpy(out + 8 * i, chain, 8);
  }
}

void lin2017_unoptimized_separate(const lin2017_unoptimized* with, const uint8_t* iv, const uint8_t* in, uint8_t* out,
                                  size_t num_blocks) {
  cbc_encrypt(separate_des, with, iv, in, out, num_blocks);
}

void lin2017_unoptimized_merged(const lin2017_unoptimized* with, const uint8_t* iv, const uint8_t* in, uint8_t* out,
                                size_t num_blocks) {
  cbc_encrypt(merged_des, with, iv, in, out, num_blocks);
}
