// This file implements tree_index.h by tree_index.hpp.
#include <phalanx/files/tree_index.h>

#include <phalanx/files/tree_index.hpp>

#include "engine/library/c_errors.hpp"
#include "files/container/file/c_containers.hpp"
#include "files/container/index/c_index.hpp"
#include "files/pipeline/c_progress.hpp"

namespace phalanx {

TreeIndexOptions index_in_c(const phalanx_tree_index_options& index) {
  const phalanx_tree_index_options given = taken_struct(&index, PHALANX_TREE_INDEX_OPTIONS_INIT);
  if (given.key_kind < PHALANX_INDEX_SECRET || given.key_kind > PHALANX_INDEX_PUBLIC_KEY) {
    throw Error(ErrorCode::usage, "the key of an index has the kind " + std::to_string(given.key_kind) +
                                      ": give PHALANX_INDEX_SECRET, PHALANX_INDEX_SIGNING or PHALANX_INDEX_PUBLIC_KEY");
  }
  const Bytes key{&not_null(given.key, "the key of the index"), index_key_bytes};
  return {.path = &not_null(given.path, "the index's path"),
          .key = {static_cast<IndexKeyKind>(given.key_kind), key},
          .digest = given.digest != 0,
          .at_least = given.at_least,
          .forget = given.forget != 0};
}

IndexInC::IndexInC(const phalanx_tree_index_options* index, phalanx_index_generation* generation) : place_(generation) {
  if (index != nullptr) options_ = index_in_c(*index);
  static_cast<void>(taken_struct(place_, PHALANX_INDEX_GENERATION_INIT));
}

void IndexInC::give(const IndexGeneration& generation) const {
  if (place_ == nullptr) return;
  phalanx_index_generation filled = PHALANX_INDEX_GENERATION_INIT;
  filled.number = generation.number;
  filled.num_containers = generation.num_containers;
  filled.cut_bytes = generation.cut_bytes;
  put_text(generation.digest, filled.digest);
  filled.num_without_header = generation.num_without_header;
  filled.num_headers_taken = generation.num_headers_taken;
  filled.num_headers_older = generation.num_headers_older;
  give_struct(filled, *place_);
}

namespace {

OnIndexedFile on_file_of(phalanx_on_indexed_file on_file, void* user_data) {
  return [=](const IndexedFile& file) {
    if (on_file == nullptr) return;
    const phalanx_indexed_file told{.name = file.name.c_str(),
                                    .outcome = static_cast<int>(file.outcome),
                                    .code = file.outcome == IndexedAs::failed ? static_cast<int>(file.code) : PHALANX_OK,
                                    .other = file.other.c_str(),
                                    .generation = file.generation,
                                    .why = file.why.c_str()};
    if (on_file(user_data, &told) == 0) return;
    throw Error(ErrorCode::runtime, "the function that hears of each file ended the call");
  };
}

void fill(const TreeIndexCounts& from, phalanx_tree_index_counts& to) {
  to.num_right = from.num_right;
  to.num_opened = from.num_opened;
  to.num_digests = from.num_digests;
  to.num_wrong = from.num_wrong;
  to.num_added = from.num_added;
  to.num_failed = from.num_failed;
  to.num_skipped = from.num_skipped;
  to.num_headers_changed = from.num_headers_changed;
  to.num_without_header = from.num_without_header;
}

}  // namespace
}  // namespace phalanx

int phalanx_make_index_keys(std::uint8_t* signing_key, std::uint8_t* public_key) {
  return phalanx::guarded([&] {
    phalanx::make_index_keys({&phalanx::not_null(signing_key, "the signing key's place"), phalanx::index_key_bytes},
                             {&phalanx::not_null(public_key, "the public key's place"), phalanx::index_key_bytes});
  });
}

int phalanx_verify_tree_index(const char* folder, const phalanx_tree_index_options* index,
                              const phalanx_identity* identities, std::size_t num_identities,
                              const phalanx_cost_limits* limits, const phalanx_tree_index_verification* verification,
                              const phalanx_binding* binding, const phalanx_engine_options* options,
                              phalanx_tree_index_counts* counts, phalanx_index_generation* generation) {
  return phalanx::guarded([&] {
    phalanx::StructPlace place(&phalanx::not_null(counts, "the place of the counts"), PHALANX_TREE_INDEX_COUNTS_INIT);
    phalanx_tree_index_counts& filled = place.filled;
    const phalanx::IndexInC given_index(&phalanx::not_null(index, "the index"), generation);
    const phalanx_tree_index_verification given = phalanx::taken_struct(verification, PHALANX_TREE_INDEX_VERIFICATION_INIT);
    const phalanx::TreeIndexVerification how{
        .limits = phalanx::limits_of(limits),
        .binding = phalanx::binding_in_c(binding),
        .on_progress = phalanx::progress_of(given.on_progress, given.progress_user_data),
        .cancellation = phalanx::cancellation_of(given.cancellation),
        .engine = phalanx::engine_in_c(options)};
    const phalanx::TreeIndexCounts found = phalanx::verify_tree_index(
        &phalanx::not_null(folder, "the folder"), *given_index.options(), phalanx::identities_of(identities, num_identities),
        phalanx::on_file_of(given.on_file, given.user_data), how);
    phalanx::fill(found, filled);
    place.give();
    given_index.give(found.generation);
  });
}
