// IN sealed as OUT: written by many threads, perhaps going on after a kill, and perhaps read back.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "files/container/file/resumable_writer.hpp"
#include "files/system/input_watch.hpp"
#include "files/system/output/output.hpp"
#include "files/system/progress.hpp"

namespace phalanx {

/// How IN becomes OUT, and who hears of it. Functions may be empty.
struct FileSealing {
  bool verify = false;                               ///< read OUT back, and compare
  std::string without_verifying = "`verify` false";  ///< what whoever asked would do not to have that, for messages
  std::function<void(const ContainerFileWriter& writer)> on_begun{};  ///< what is there already is known, nothing is sealed
  std::function<void(std::uint64_t num_bytes)> on_left_out{};         ///< IN has more than an earlier run had settled
  std::function<void(const std::string& what)> on_input_change{};     ///< what became of IN, in a line, if anything did
  std::function<void(const ContainerFileWriter& writer)> on_written{};  ///< all is sealed, and has no name yet
};

struct SealedInput {
  std::uint64_t plain_bytes = 0;
  std::uint64_t container_bytes = 0;  ///< 0 where OUT is no file
  std::uint64_t resumed_bytes = 0;    ///< of plaintext
};

/// Opens the output, writes what the watched input has left, and commits it. All stay the caller's. Throws as
/// ContainerFileWriter, its read_back, and InputWatch do.
SealedInput seal_input(const ContainerJob& job, const FileSealing& sealing, InputWatch& watch, Output& output,
                       Progress& progress);

}  // namespace phalanx
