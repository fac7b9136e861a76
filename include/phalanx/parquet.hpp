// What Phalanx does to Parquet files, in one include. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/parquet/modular_encryption.hpp>
