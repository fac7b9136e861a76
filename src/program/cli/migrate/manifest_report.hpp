// This writes `migrate --report`: what became of each old file, for people who were not there, as a table or a page.
#pragma once

#include <string>

#include "files/migration/manifest/manifest.hpp"
#include "files/system/byte_stream.hpp"

namespace phalanx {

enum class ReportKind : unsigned char { csv, html };

/// Returns the kind that the end of a report's name says: ".csv" or ".html". Throws Error (usage) for another.
[[nodiscard]] ReportKind report_kind_of(const std::string& path);

/// Counts the files that are in a report, by their states.
struct ReportTotals {
  std::uint64_t num_sure = 0, num_doubtful = 0, num_failed = 0, num_skipped = 0;
  std::uint64_t num_removed = 0;
  std::uint64_t old_bytes = 0, container_bytes = 0;  ///< of the files that are done

  [[nodiscard]] std::uint64_t num_files() const { return num_sure + num_doubtful + num_failed + num_skipped; }
};

/// Writes a report of a manifest's newest lines, and returns its totals. A table (RFC 4180) has a line for each file, in the
/// order of the names. A page needs nothing but itself. Throws what the sink throws.
ReportTotals write_report(ReportKind kind, const Manifest& manifest, const std::string& manifest_path, ByteSink& out);

/// Returns a text such as "3 done, 1 doubtful, 0 failed, 0 skipped, 2 of the old files removed".
[[nodiscard]] std::string describe_totals(const ReportTotals& totals);

}  // namespace phalanx
