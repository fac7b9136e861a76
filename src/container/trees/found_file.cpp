#include "container/trees/found_file.hpp"

#include <fcntl.h>

#include "container/file/stream_reader.hpp"
#include "files/named_place.hpp"

namespace phalanx {

std::optional<SeenContainer> look_at_container(int descriptor, const std::string& name) {
  try {
    std::vector<std::uint8_t> bytes(header_start_bytes);
    bytes.resize(read_at(descriptor, bytes, 0, name));
    bytes.resize(header_bytes(bytes));
    bytes.resize(read_at(descriptor, bytes, 0, name));
    const ContainerHeader header = parse_header(bytes);
    const std::uint64_t before_chunks = header.bytes.size() + message_prefix_bytes;
    const auto num_bytes = static_cast<std::uint64_t>(stamp_of(descriptor, name).size);
    if (num_bytes < before_chunks) return std::nullopt;
    return SeenContainer{.plain_bytes = plain_bytes_of_chunks(num_bytes - before_chunks),
                         .binding_flags = header.binding.flags};
  } catch (const Error& error) {
    if (error.code() == ErrorCode::runtime) throw;
    return std::nullopt;
  }
}

std::optional<FoundFile> find_file(const ResultPlace& place) {
  const std::optional<struct stat> seen = place.look();
  if (!seen) return std::nullopt;
  require_regular(*seen, place.path);
  const FileDescriptor file = place.open(O_RDONLY);
  FoundFile found;
  if (fstat(file.get(), &found.status) != 0) throw_system_error("look at", place.path);
  require_regular(found.status, place.path);
  found.container = look_at_container(file.get(), place.path);
  return found;
}

}  // namespace phalanx
