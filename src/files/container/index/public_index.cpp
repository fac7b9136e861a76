// This file implements tree_index.hpp.
#include <phalanx/files/tree_index.hpp>

#include "engine/host/host.hpp"
#include "files/container/file/stream_reader.hpp"
#include "files/container/index/index_comparison.hpp"
#include "files/libcrypto/ed25519.hpp"
#include "files/pipeline/progress_call.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

void make_index_keys(MutableBytes signing_key, MutableBytes public_key) {
  if (signing_key.size() != index_key_bytes || public_key.size() != index_key_bytes)
    throw Error(ErrorCode::usage, "the keys of an index have 32 bytes each");
  fill_random(signing_key);
  find_ed25519_public_key(signing_key, public_key);
}

TreeIndexCounts verify_tree_index(const std::string& folder, const TreeIndexOptions& index,
                                  std::span<const Identity> identities, const OnIndexedFile& on_file,
                                  const TreeIndexVerification& options) {
  const ProtectedFiles needed;
  ProgressCall progress(options.on_progress, options.cancellation);
  IndexComparison comparison(require_named(folder), index, needed);
  IndexComparing how;
  how.engine = RunOptions{options.engine, nullptr};
  how.cancellation = options.cancellation;
  if (!identities.empty()) {
    require_no_name_of_tree(options.binding);
    how.open = [&](Input& input, const std::string& name) {
      return read_one_of_many(input, identities, options.limits, placed_at(options.binding, name), options.engine);
    };
  }
  return comparison.run(how, on_file, progress);
}

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
