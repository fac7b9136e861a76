/* This is the version of these headers. phalanx_version() and phalanx::version() return the library's. */
#ifndef PHALANX_VERSION_H
#define PHALANX_VERSION_H

/* These are the three numbers of the version, and all in one text. docs/abi.md says what each of them promises. */
#define PHALANX_VERSION_MAJOR 0
#define PHALANX_VERSION_MINOR 2
#define PHALANX_VERSION_PATCH 0
#define PHALANX_VERSION "0.2.0"

/* The names of the C++ interface have the version in them. So code that was compiled with headers of another version does
 * not link, and finds no name in a library of another version (docs/abi.md). */
#define PHALANX_VERSION_NAMESPACE v0_2_0

#endif
