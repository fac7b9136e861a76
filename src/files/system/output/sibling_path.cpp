#include "files/system/output/sibling_path.hpp"

#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdint>

#include "engine/text/characters.hpp"
#include "files/libcrypto/sha256.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

constexpr std::size_t digest_digits = 16;

// Returns at most num_bytes, and no part of a character of UTF-8.
std::string beginning_of(const std::string& name, std::size_t num_bytes) {
  const auto continues = [&](std::size_t i) { return (static_cast<unsigned char>(name[i]) & 0xc0U) == 0x80; };
  while (num_bytes > 0 && continues(num_bytes)) --num_bytes;
  return name.substr(0, num_bytes);
}

}  // namespace

std::size_t longest_name_at(const std::string& path) {
  const std::string folder = folder_of(path);
  const long found = ::pathconf(folder.empty() ? "." : folder.c_str(), _PC_NAME_MAX);
  return found > 0 ? static_cast<std::size_t>(found) : NAME_MAX;
}

std::string sibling_path(const std::string& path, std::string_view suffix) {
  const std::string folder = folder_of(path), name = path.substr(folder.size());
  if (name.size() + suffix.size() <= short_name_bytes) return path + std::string(suffix);
  const std::size_t longest = longest_name_at(path);
  if (name.size() + suffix.size() <= longest) return path + std::string(suffix);
  Sha256 digest;
  digest.update(bytes_of(name));
  const std::string end = '~' + digest.finish().substr(0, digest_digits) + std::string(suffix);
  const std::size_t kept = longest - std::min(longest, end.size());
  return folder + beginning_of(name, std::min(kept, name.size() - 1)) + end;
}

}  // namespace phalanx
