// This header reads messages of chunked encryption (chunked.hpp) in files. phalanx.hpp has the conventions.
#pragma once

#include <phalanx/version.h>

#include <phalanx/chunked.hpp>
#include <string>

#pragma GCC visibility push(default)
namespace phalanx {
inline namespace PHALANX_VERSION_NAMESPACE {

/// Opens the message in a file, which the reader keeps open. Throws as ChunkedAead::open does, and Error (runtime) where the
/// file cannot be read, or is not a regular one. Any number of threads may use the reader at once.
[[nodiscard]] ChunkedReader open_chunked_file(const ChunkedAead& aead, const std::string& path);

/// Opens the message in a file that is open already, and throws as it does for a path. The message begins with the file's
/// first byte. The reader keeps a descriptor of its own; the file's position stays where it is.
[[nodiscard]] ChunkedReader open_chunked_file(const ChunkedAead& aead, int descriptor);

}  // namespace PHALANX_VERSION_NAMESPACE
}  // namespace phalanx
#pragma GCC visibility pop
