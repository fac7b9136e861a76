// The index that a call of the C interface goes by, as the C++ interface has it.
#pragma once

#include <phalanx/files/tree_index.h>

#include <optional>
#include <phalanx/files/tree_index.hpp>

#include "engine/library/c_arguments.hpp"

namespace phalanx {

/// Throws Error (usage) for what is no key.
TreeIndexOptions index_in_c(const phalanx_tree_index_options& index);

/// The same of an index that a call may have, and where the generation goes that it appends.
class IndexInC {
 public:
  /// Either may be null. What the caller's struct may have is known before anything is done.
  IndexInC(const phalanx_tree_index_options* index, phalanx_index_generation* generation);

  [[nodiscard]] const TreeIndexOptions* options() const { return options_ ? &*options_ : nullptr; }
  void give(const IndexGeneration& generation) const;

 private:
  std::optional<TreeIndexOptions> options_;
  phalanx_index_generation* place_;
};

}  // namespace phalanx
