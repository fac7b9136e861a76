// Functions of a caller in C, as the C++ interface has them.
#pragma once

#include <phalanx/phalanx.h>

#include <phalanx/error.hpp>
#include <phalanx/streams.hpp>
#include <string>

namespace phalanx {

/// `what` is what it takes: "the container".
inline Append append_in_c(phalanx_append append, void* user_data, const std::string& what) {
  if (append == nullptr) throw Error(ErrorCode::usage, "append is null: give a function that takes " + what);
  return [=](Bytes bytes) {
    if (append(user_data, bytes.data(), bytes.size()) != 0) throw Error(ErrorCode::runtime, "writing " + what + " failed");
  };
}

inline ReadAt read_at_in_c(phalanx_read_at read_at, void* user_data, const std::string& what) {
  if (read_at == nullptr) throw Error(ErrorCode::usage, "read_at is null: give a function that reads " + what);
  return [=](std::uint64_t offset, MutableBytes out) {
    if (read_at(user_data, offset, out.data(), out.size()) == 0) return;
    throw Error(ErrorCode::runtime, "reading " + what + " failed at byte " + std::to_string(offset));
  };
}

}  // namespace phalanx
