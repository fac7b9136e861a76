// This seals IN as OUT, by many threads. It can go on after a kill, and can read OUT back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "files/container/file/resumable_writer.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// Says how IN becomes OUT, and has the functions to call meanwhile. Functions may be empty.
struct FileSealing {
  bool verify = false;                               ///< read OUT back, and compare
  std::string without_verifying = "`verify` false";  ///< how the caller turns `verify` off, for messages
  /// This is called when the present content of OUT is known, and nothing is sealed yet.
  std::function<void(const ContainerFileWriter& writer)> on_begun{};
  /// This is called when IN has more bytes than an earlier run had settled.
  std::function<void(std::uint64_t num_bytes)> on_left_out{};
  std::function<void(const std::string& what)> on_input_change{};  ///< called with how IN changed, in a line, if it did
  /// This is called when all is sealed, and OUT has no name yet.
  std::function<void(const ContainerFileWriter& writer)> on_written{};
};

struct SealedInput {
  std::uint64_t plain_bytes = 0;
  std::uint64_t container_bytes = 0;  ///< 0 where OUT is no file
  std::uint64_t resumed_bytes = 0;    ///< bytes of plaintext
};

/// Opens the output, writes what is left of the watched input, and commits the output. All arguments stay the caller's.
/// Throws as ContainerFileWriter, its read_back, and InputWatch do.
SealedInput seal_input(const ContainerJob& job, const FileSealing& sealing, InputWatch& watch, Output& output,
                       Progress& progress);

}  // namespace phalanx
