// This header converts the index options of the C interface to those of C++.
#pragma once

#include <phalanx/files/tree_index.h>

#include <optional>
#include <phalanx/files/tree_index.hpp>

#include "engine/library/c_arguments.hpp"

namespace phalanx {

/// Throws Error (usage) for a malformed key.
TreeIndexOptions index_in_c(const phalanx_tree_index_options& index);

/// Converts the index that a call may have, and remembers where to put the generation that the call appends.
class IndexInC {
 public:
  /// Either may be null. The caller's struct is checked before anything is done.
  IndexInC(const phalanx_tree_index_options* index, phalanx_index_generation* generation);

  [[nodiscard]] const TreeIndexOptions* options() const { return options_ ? &*options_ : nullptr; }
  void give(const IndexGeneration& generation) const;

 private:
  std::optional<TreeIndexOptions> options_;
  phalanx_index_generation* place_;
};

}  // namespace phalanx
