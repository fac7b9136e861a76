// A caller's function gives the bytes of a stream.
#pragma once

#include <functional>
#include <phalanx/error.hpp>
#include <string>
#include <utility>

#include "files/system/byte_stream.hpp"

namespace phalanx {

/// Holds the function to what it was asked for. `what` names the stream in messages: "foreign data".
class CalledSource : public ByteSource {
 public:
  CalledSource(std::function<std::size_t(MutableBytes out)> read_next, std::string what)
      : read_next_(std::move(read_next)), what_(std::move(what)) {}

  std::size_t read(MutableBytes out) override {
    const std::size_t size = read_next_(out);
    if (size > out.size()) {
      throw Error(ErrorCode::usage, "a read of " + what_ + " says that it gave more than was asked for");
    }
    return size;
  }

 private:
  std::function<std::size_t(MutableBytes out)> read_next_;
  std::string what_;
};

}  // namespace phalanx
