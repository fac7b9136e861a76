/* This header reads messages of chunked encryption (chunked.h) in files, in C. chunked_file.hpp says more, and phalanx.h
 * has the conventions. */
#ifndef PHALANX_CHUNKED_FILE_H
#define PHALANX_CHUNKED_FILE_H

#include <phalanx/chunked.h>

#pragma GCC visibility push(default)
#ifdef __cplusplus
extern "C" {
#endif

/* Opens the message in a file, which the reader keeps open. A message in a descriptor's file begins with its first byte; the
 * reader keeps a descriptor of its own. */
PHALANX_MUST_CHECK int phalanx_chunked_reader_of_file(phalanx_chunked_reader** reader, const phalanx_chunked* chunked,
                                                      const char* path);
PHALANX_MUST_CHECK int phalanx_chunked_reader_of_descriptor(phalanx_chunked_reader** reader, const phalanx_chunked* chunked,
                                                            int descriptor);

#ifdef __cplusplus
}
#endif
#pragma GCC visibility pop

#endif
