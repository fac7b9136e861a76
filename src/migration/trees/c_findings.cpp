// migration.h over migration.hpp: phalanx_preview_tree and phalanx_verify_tree.
#include <phalanx/migration.h>

#include <phalanx/migration.hpp>

#include "container/file/c_containers.hpp"
#include "foreign/c_format.hpp"
#include "library/c_errors.hpp"
#include "migration/trees/c_options.hpp"
#include "pipeline/c_progress.hpp"

namespace {

using phalanx::formats_of;
using phalanx::not_null;

void tell(const phalanx_tree_finding_options& given, const phalanx::TreeFileFinding& file) {
  const bool failed = file.verdict == phalanx::TreeVerdict::fails || file.verdict == phalanx::TreeVerdict::differs;
  const phalanx_tree_file_finding told{.name = file.name.c_str(),
                                       .verdict = static_cast<int>(file.verdict),
                                       .code = failed ? static_cast<int>(file.code) : PHALANX_OK,
                                       .detail = file.detail.c_str(),
                                       .doubt = file.doubt.c_str(),
                                       .num_bytes = file.num_bytes};
  if (given.on_finding(given.context, &told) == 0) return;
  throw phalanx::Error(phalanx::ErrorCode::runtime, "the function that hears of each file ended the call");
}

phalanx_tree_finding_counts counts_in_c(const phalanx::TreeFindingCounts& counts) {
  return {.struct_bytes = sizeof(phalanx_tree_finding_counts),
          .num_opening = counts.num_opening,
          .num_failing = counts.num_failing,
          .num_skipped = counts.num_skipped,
          .num_done = counts.num_done,
          .num_same = counts.num_same,
          .num_differing = counts.num_differing,
          .num_doubtful = counts.num_doubtful,
          .num_bytes = counts.num_bytes};
}

// Either call, between what C gives and takes.
template <class Look>
int looked_at(const phalanx_tree_finding_options* finding, const phalanx_options* options,
              phalanx_tree_finding_counts* counts, const Look& look) {
  return phalanx::guarded([&] {
    phalanx_tree_finding_counts& place = not_null(counts, "the place of the counts");
    static_cast<void>(phalanx::taken_struct(place));
    const phalanx_tree_finding_options given = finding == nullptr
                                                   ? phalanx_tree_finding_options PHALANX_TREE_FINDING_OPTIONS_INIT
                                                   : phalanx::taken_struct(*finding);
    phalanx::TreeFindingOptions how{.find_wrapping = given.find_wrapping != 0,
                                    .binding = phalanx::binding_in_c(options),
                                    .num_jobs = given.num_jobs,
                                    .strip_suffixes = phalanx::suffixes_of(given.strip_suffixes, given.num_strip_suffixes),
                                    .on_progress = phalanx::progress_of(given.on_progress, given.progress_context),
                                    .engine = phalanx::container_options_in_c(options),
                                    .cancellation = phalanx::cancellation_of(given.cancellation)};
    if (given.on_finding != nullptr) how.on_finding = [&](const phalanx::TreeFileFinding& file) { tell(given, file); };
    phalanx::give_struct(counts_in_c(look(how)), place);
  });
}

constexpr const char* from_name = "the folder of the old files";
constexpr const char* to_name = "the containers' folder";
constexpr const char* manifest_name = "the manifest";

}  // namespace

int phalanx_preview_tree(const char* from, const char* to, const char* manifest,
                         const phalanx_foreign_format* const* formats, std::size_t num_formats,
                         const phalanx_tree_finding_options* finding, const phalanx_options* options,
                         phalanx_tree_finding_counts* counts) {
  return looked_at(finding, options, counts, [&](const phalanx::TreeFindingOptions& how) {
    return phalanx::preview_tree(&not_null(from, from_name), &not_null(to, to_name), &not_null(manifest, manifest_name),
                                 formats_of(formats, num_formats), how);
  });
}

int phalanx_verify_tree(const char* from, const char* to, const char* manifest, const phalanx_foreign_format* const* formats,
                        std::size_t num_formats, const phalanx_identity* identities, std::size_t num_identities,
                        const phalanx_tree_finding_options* finding, const phalanx_options* options,
                        phalanx_tree_finding_counts* counts) {
  return looked_at(finding, options, counts, [&](const phalanx::TreeFindingOptions& how) {
    return phalanx::verify_tree(&not_null(from, from_name), &not_null(to, to_name), &not_null(manifest, manifest_name),
                                formats_of(formats, num_formats), phalanx::identities_of(identities, num_identities), how);
  });
}
