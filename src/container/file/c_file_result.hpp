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

/// What the caller's struct may have is known before anything is done.
class FileResult {
 public:
  explicit FileResult(phalanx_file_result* place) : place_(place) {
    if (place_ != nullptr) filled = taken_struct(*place_);
  }
  void put_lost(const std::vector<std::string>& lost_attributes) {
    std::string names;
    for (const std::string& name : lost_attributes) names += (names.empty() ? "" : ", ") + name;
    put_text(names, filled.lost_attributes);
  }
  void give() const {
    if (place_ != nullptr) phalanx::give_struct(filled, *place_);
  }

  phalanx_file_result filled = PHALANX_FILE_RESULT_INIT;

 private:
  phalanx_file_result* place_;
};

}  // namespace phalanx
