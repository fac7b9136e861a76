// This header includes all that Phalanx does to Parquet files. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/parquet/modular_encryption.hpp>
