/* The paper's CBC in C, as its listings have it, for a compiler that is told not to optimise: one explanation of its
 * cycles. */
#ifndef REPRODUCTIONS_LIN2017_UNOPTIMIZED_CBC_H
#define REPRODUCTIONS_LIN2017_UNOPTIMIZED_CBC_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The tables that a D_ENCRYPT looks up: eight of 64 words each, or four of 4096. */
typedef struct {
  const uint32_t* tables;
  const uint32_t (*schedules)[32]; /* of the three DES, in the order in which they run */
} lin2017_unoptimized;

/* CBC encryption of num_blocks blocks of 8 bytes. */
void lin2017_unoptimized_separate(const lin2017_unoptimized* with, const uint8_t* iv, const uint8_t* in, uint8_t* out,
                                  size_t num_blocks);
void lin2017_unoptimized_merged(const lin2017_unoptimized* with, const uint8_t* iv, const uint8_t* in, uint8_t* out,
                                size_t num_blocks);

#ifdef __cplusplus
}
#endif

#endif
