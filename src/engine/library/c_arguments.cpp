#include "engine/library/c_arguments.hpp"

namespace phalanx {

void fail_null(const char* what) { throw Error(ErrorCode::usage, std::string(what) + " is null"); }

void fail_elements(const void* first, std::size_t count, const char* what) {
  if (first != nullptr || count > most_memory_bytes)
    throw Error(ErrorCode::usage, std::string(what) + " cannot have the size " + std::to_string(count));
  throw Error(ErrorCode::usage, std::string(what) + " is null, and its size is " + std::to_string(count));
}

}  // namespace phalanx
