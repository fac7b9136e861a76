// Results as text for a terminal.
#pragma once

#include <string>

#include "bench/measuring/results.hpp"

namespace phalanx::bench {

[[nodiscard]] std::string table_header(const Results& results);

/// The rows of one measurement: a line for each contender.
[[nodiscard]] std::string table_rows(const Measurement& measurement);

/// "des-ede3-cbc dec 4096 x 1K, own keys"
[[nodiscard]] std::string describe_job(const Measurement& measurement);

/// "38.1 ns", "102 us"
[[nodiscard]] std::string describe_time(double seconds);

/// The figure of that name with one thread; nullptr if it took no part.
[[nodiscard]] const Figure* find_figure(const Measurement& measurement, const std::string& name);

/// The fastest other library of the measurement, in whatever mode it ran; nullptr if none took part.
[[nodiscard]] const Figure* fastest_peer(const Measurement& measurement);

/// "openssl", or "openssl in ECB" where that stands in.
[[nodiscard]] std::string describe_contender(const Figure& figure, const Measurement& measurement);

}  // namespace phalanx::bench
