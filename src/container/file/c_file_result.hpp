// The C interface's options and results of files.
#pragma once

#include <phalanx/container_file.h>

#include <cstddef>
#include <string>
#include <vector>

#include "library/c_arguments.hpp"

namespace phalanx {

/// Its first version ended here.
template <>
inline constexpr std::size_t first_struct_bytes<phalanx_file_options> = offsetof(phalanx_file_options, keep);

inline phalanx_file_options options_of(const phalanx_file_options* given) {
  return given == nullptr ? phalanx_file_options PHALANX_FILE_OPTIONS_INIT : taken_struct(*given);
}

class FileResult : public ResultPlace<phalanx_file_result> {
 public:
  using ResultPlace::ResultPlace;

  void put_lost(const std::vector<std::string>& lost_attributes) {
    std::string names;
    for (const std::string& name : lost_attributes) names += (names.empty() ? "" : ", ") + name;
    put_text(names, filled.lost_attributes);
  }
};

}  // namespace phalanx
