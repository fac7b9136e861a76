// What the programs of reproductions/ share: their arguments, their clock, the lines that they print, and the check of what
// they computed.
//
// A program prints lines of CSV for `run` (paper_run.py), and nothing else, to standard output:
//
//   fact,NAME,VALUE                                                        of the rows that follow: compiler, flags, library, mpi, gpu
//   result,TABLE,ROW,COLUMN,METHOD,QUANTITY,UNIT,VALUE,THREADS             a figure; cells of paper_table_TABLE.csv
//   skipped,WHAT,WHY                                                       what this machine cannot do
//
// METHOD is `method` (the paper's own), `baseline` (what the paper compares it with), `published` (both, as the authors'
// own code has them where it differs from their text), `ours`, `library` (a library of today), or, of no cipher at all,
// `processor` (what it does) or `model` (what is computed of it). It exits 0, 1 if an output is wrong (and prints no figure
// for it), or 77 if it cannot run here at all.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <phalanx/phalanx.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "reference/reference.hpp"

namespace papers {

using ByteVector = std::vector<std::uint8_t>;
using phalanx::Bytes;

inline constexpr int cannot_run = 77;
inline constexpr std::size_t mebibyte = std::size_t{1} << 20;

/// `--name value` and `--name` of a command line. With --help it says what the program does, and ends it: MPI is not begun yet.
class Arguments {
 public:
  Arguments(int argc, char** argv) : words_(argv + 1, argv + argc) {
    if (!has("--help") && !has("-h")) return;
    std::printf(
        "%s measures, for seconds or minutes, and prints lines of CSV for `run` in its paper's folder of reproductions/.\n"
        "--check compares what it computes with the reference, and measures nothing. `./run --help` has the rest.\n",
        argv[0]);
    std::exit(0);
  }

  [[nodiscard]] bool has(std::string_view name) const {
    return std::find(words_.begin(), words_.end(), name) != words_.end();
  }

  [[nodiscard]] std::string text(std::string_view name, const std::string& otherwise) const {
    const auto found = std::find(words_.begin(), words_.end(), name);
    return found == words_.end() || found + 1 == words_.end() ? otherwise : *(found + 1);
  }

  [[nodiscard]] long number(std::string_view name, long otherwise) const {
    const std::string words = text(name, "");
    return words.empty() ? otherwise : std::atol(words.c_str());
  }

 private:
  std::vector<std::string> words_;
};

/// Prints one line of CSV; a value with a comma or a quote is quoted.
inline void print_line(std::initializer_list<std::string_view> values) {
  const char* separator = "";
  for (const std::string_view value : values) {
    const bool quoted = value.find_first_of(",\"\n") != std::string_view::npos;
    std::printf("%s%s", separator, quoted ? "\"" : "");
    for (const char c : value) std::printf(c == '"' ? "\"%c" : "%c", c);
    std::printf("%s", quoted ? "\"" : "");
    separator = ",";
  }
  std::printf("\n");
  std::fflush(stdout);
}

#ifdef PAPER_COMPILER
inline void print_compiler() {
  print_line({"fact", "compiler", PAPER_COMPILER});
  print_line({"fact", "flags", PAPER_FLAGS});
}

/// The flags of the rows that follow: the program's, and `more` where a source of theirs has its own.
inline void print_flags(std::string_view more = "") { print_line({"fact", "flags", PAPER_FLAGS + std::string(more)}); }
#endif

inline void print_skipped(std::string_view what, std::string_view why) { print_line({"skipped", what, why}); }

struct Figure {
  std::string table;     ///< "1", as in paper_table_1.csv; or "figure_5", "section_5" for what is in no table
  std::string row;       ///< the first cell of the table's row
  std::string column;    ///< the heading of the table's column
  std::string method;    ///< see above
  std::string quantity;  ///< time, rate, cycles, ...
  std::string unit;      ///< ms, MB/s, ...
  double value;
  int threads = 1;
};

inline void print_figure(const Figure& f) {
  char value[32];
  std::snprintf(value, sizeof value, "%.8g", f.value);
  print_line({"result", f.table, f.row, f.column, f.method, f.quantity, f.unit, value, std::to_string(f.threads)});
}

/// The same bytes on every machine, and no pattern in them (SplitMix64).
inline ByteVector test_data(std::size_t num_bytes, std::uint64_t seed = 1) {
  ByteVector data(num_bytes);
  for (std::size_t i = 0; i < num_bytes; ++i) {
    std::uint64_t z = (seed << 56) + (i + 1) * 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    data[i] = static_cast<std::uint8_t>((z ^ (z >> 27)) >> 40);
  }
  return data;
}

template <class Work>
double seconds_of(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// The median of so many runs, after one that is not counted.
template <class Work>
double median_seconds(int num_runs, const Work& work) {
  work();
  std::vector<double> seconds;
  for (int i = 0; i < num_runs; ++i) seconds.push_back(seconds_of(work));
  return median(seconds);
}

/// Exits 1 if the bytes differ, saying where first.
inline void require_equal(std::string_view what, Bytes got, Bytes expected) {
  const auto [wrong, right] = std::mismatch(got.begin(), got.end(), expected.begin(), expected.end());
  if (wrong == got.end() && right == expected.end()) return;
  std::fprintf(stderr, "%.*s: differs from byte %td on\n", static_cast<int>(what.size()), what.data(), wrong - got.begin());
  std::exit(1);
}

}  // namespace papers
