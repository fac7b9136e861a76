// What the options of both kinds of calls over trees have in C.
#pragma once

#include <phalanx/migration.h>

#include <cstddef>
#include <string>
#include <vector>

#include "library/c_arguments.hpp"

namespace phalanx {

/// Their first versions ended here.
template <>
inline constexpr std::size_t first_struct_bytes<phalanx_tree_migration_options> = offsetof(phalanx_tree_migration_options,
                                                                                           strip_suffixes);
template <>
inline constexpr std::size_t first_struct_bytes<phalanx_tree_finding_options> = offsetof(phalanx_tree_finding_options,
                                                                                         strip_suffixes);

inline std::vector<std::string> suffixes_of(const char* const* suffixes, std::size_t num_suffixes) {
  std::vector<std::string> result;
  for (const char* suffix : elements_at(suffixes, num_suffixes, "the list of suffixes"))
    result.emplace_back(&not_null(suffix, "a suffix"));
  return result;
}

}  // namespace phalanx
