// Files that `phalanx-bench --json` wrote, or anyone: what is read is written again the same, and can be shown.
#include <sstream>

#include "bench/measuring/results.hpp"
#include "bench/reporting/plots.hpp"
#include "bench/reporting/report_page.hpp"
#include "bench/reporting/result_table.hpp"
#include "bench/reporting/verdicts.hpp"
#include "engine/text/utf8.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  bench::Results results;
  if (error_of([&] { results = bench::read_results(input.text(size), "the results"); })) return 0;
  const std::string written = bench::write_results(results);
  bench::Results again;
  require(!error_of([&] { again = bench::read_results(written, "the results"); }), "what was written can be read");
  require(bench::write_results(again) == written, "and is the same");
  const std::string escaped = escape_json_controls(written);
  require(!error_of([&] { again = bench::read_results(escaped, "the results"); }), "what was escaped can be read");
  require(bench::write_results(again) == written, "and says the same");
  require(is_plain_text(bytes_of(escaped)), "and does nothing to a terminal");
  static_cast<void>(bench::table_header(results));
  for (const bench::Measurement& measurement : results.measurements) static_cast<void>(bench::table_rows(measurement));
  const std::vector<bench::Verdict> verdicts = bench::verdicts_of(results, {again});
  static_cast<void>(bench::verdict_table(verdicts));
  for (const bench::Plot& plot : bench::plots_of(results)) static_cast<void>(bench::svg_file(plot));
  static_cast<void>(bench::report_page(results, verdicts));
  return 0;
}
