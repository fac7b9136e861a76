/* This header includes all that Phalanx does to Parquet files, in C. phalanx.h has the conventions. */
#ifndef PHALANX_PARQUET_H
#define PHALANX_PARQUET_H

#include <phalanx/parquet/modular_encryption.h>

#endif
