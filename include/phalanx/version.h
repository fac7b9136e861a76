/* The version of these headers. phalanx_version() and phalanx::version() tell the library's. */
#ifndef PHALANX_VERSION_H
#define PHALANX_VERSION_H

#define PHALANX_VERSION_MAJOR 0
#define PHALANX_VERSION_MINOR 1
#define PHALANX_VERSION_PATCH 0
#define PHALANX_VERSION "0.1.0"

#endif
