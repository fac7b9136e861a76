// The parts of lin2017_cbc's measurement, a file each.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "program/cli/bench/sampling.hpp"
#include "reproductions/lin2017_cbc_3des_cpu/cbc_3des.hpp"
#include "reproductions/paper_program.hpp"

namespace papers::lin2017 {

/// What is measured beside others: so many operations a run, and the figure of one operation (its value is put in).
struct Timed {
  Figure figure;
  double num_operations;
  std::function<void()> run;
  double num_bytes = 0;  ///< of a run; if not 0, the rate in MB/s is printed as well
};

/// Takes samples of all in turn and prints the cycles of each figure, in the order given; returns them. The lower quartile:
/// other work of the machine can only make a sample longer.
std::vector<double> print_cycles(const std::vector<Timed>& all, double seconds);

/// Table I, the permutations of sections III.A and V.A to B, and the D_ENCRYPTs of IV.A and V.C, each a chain in which every
/// operation waits for the one before.
void measure_kernels(const KeySchedule& schedule);

/// How many ANDs, shifts and loads this processor does a cycle, the latency of its caches, and that of random loads from
/// tables of several sizes: what section IV.A reckons with.
void measure_processor();

/// Exits 1 unless every variant of the paper's CBC, both ways, is reference/'s byte for byte.
void check_variants();

/// Tables II and III by time stamps.
void measure_stages();

/// The same two, unoptimised: exits 1 unless both are reference/'s; and the cycles of whole messages.
void check_unoptimized();
void measure_unoptimized();

/// Whole messages: the variants, the merged tables one by one, what misses the L1 cache, OpenSSL itself and this library.
void measure_messages();

}  // namespace papers::lin2017
