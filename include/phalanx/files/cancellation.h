/* This header shows how far a long call has come, and ends it early. cancellation.hpp says more, and phalanx.h has the
 * conventions. */
#ifndef PHALANX_CANCELLATION_H
#define PHALANX_CANCELLATION_H

#include <phalanx/phalanx.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* This is called after each piece with the number of bytes that were read for it. Any thread may call it, but one at a
 * time. */
typedef void (*phalanx_on_progress)(void* user_data, uint64_t num_bytes);

/* A cancellation ends the calls that it was given to. They return RUNTIME, "cancelled", and clean up as after any other
 * failure. Any thread, and a signal's handler, may cancel; it stays cancelled. Free it only when no call has it any more. */
typedef struct phalanx_cancellation phalanx_cancellation;
PHALANX_MUST_CHECK int phalanx_cancellation_new(phalanx_cancellation** cancellation);
void phalanx_cancellation_cancel(phalanx_cancellation* cancellation); /* does nothing for null */
void phalanx_cancellation_free(phalanx_cancellation* cancellation);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
