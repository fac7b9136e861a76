// The index of a folder of containers, as Python gives it: None, or a TreeIndex.
#pragma once

#include <nanobind/nanobind.h>

#include <phalanx/files/tree_index.hpp>

#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {

namespace nb = nanobind;

/// phalanx.TreeIndex: where an index is, and the memory of its key. Immutable.
class HeldIndex {
 public:
  /// Takes one of the three keys. Throws Error (usage) for none, for several, and for one of another size.
  HeldIndex(nb::handle path, nb::handle key, nb::handle signing_key, nb::handle public_key, bool digest,
            std::uint64_t at_least, bool forget);

  [[nodiscard]] const TreeIndexOptions& options() const { return options_; }

 private:
  void take_key(nb::handle key, IndexKeyKind kind);

  SecretBytes key_;
  TreeIndexOptions options_;
};

/// Null for None; else it refers to the argument's memory.
[[nodiscard]] const TreeIndexOptions* index_of(nb::handle argument);

}  // namespace phalanx
