// What the tests of formats share: text as bytes, and how a call fails.
#pragma once

#include <cstdint>
#include <phalanx/phalanx.hpp>
#include <string_view>
#include <vector>

namespace phalanx {

inline std::vector<std::uint8_t> to_bytes(std::string_view text) { return {text.begin(), text.end()}; }

/// The code of the Error that the function throws; 0 if it throws none.
template <class Function>
ErrorCode code_of(Function function) {
  try {
    function();
  } catch (const Error& error) {
    return error.code();
  }
  return ErrorCode{0};
}

}  // namespace phalanx
