#include "io/resume_record.hpp"

#include <openssl/crypto.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string_view>

#include "formats/key_derivation.hpp"
#include "io/file_descriptor.hpp"
#include "lanes/lane_word.hpp"

namespace phalanx {
namespace {

// Magic, number of the first chunk, number of tags, MAC; then the tags. Numbers are little-endian.
constexpr std::string_view magic = "phalanx resume 1";
constexpr std::size_t first_chunk_offset = 16;
constexpr std::size_t num_tags_offset = 24;
constexpr std::size_t mac_offset = 32;
constexpr std::size_t mac_bytes = 32;
constexpr std::size_t tags_offset = mac_offset + mac_bytes;
constexpr std::size_t key_bytes = 64;
constexpr std::size_t largest_group_pieces = chunks_in_flight;
static_assert(magic.size() == first_chunk_offset && tags_offset + max_recorded_tags_bytes == record_bytes);
static_assert((largest_group_pieces * chunks_of_piece + 1) * chunk_tag_bytes <= max_recorded_tags_bytes);

SecretBytes derive_record_key(Bytes input_key, const MessagePrefix& prefix) {
  constexpr std::string_view label = "phalanx resume record";
  std::vector<std::uint8_t> info(label.begin(), label.end());
  info.insert(info.end(), prefix.begin(), prefix.end());
  SecretBytes key(key_bytes);
  expand_hkdf_sha512(input_key, info, key);
  return key;
}

}  // namespace

RecordFile::RecordFile(int descriptor, std::string name, std::uint64_t body_position, Bytes input_key,
                       const MessagePrefix& prefix)
    : descriptor_(descriptor),
      name_(std::move(name)),
      body_position_(body_position),
      key_(derive_record_key(input_key, prefix)) {}

RecordFile::Mac RecordFile::mac_of(Bytes fields, Bytes tags) const {
  std::vector<std::uint8_t> message(fields.begin(), fields.end());
  message.insert(message.end(), tags.begin(), tags.end());
  std::array<std::uint8_t, 64> whole{};
  compute_hmac_sha512(key_, message, whole);
  Mac mac{};
  std::copy_n(whole.begin(), mac.size(), mac.begin());
  return mac;
}

std::optional<ResumeRecord> RecordFile::read(std::uint64_t position) const {
  std::vector<std::uint8_t> bytes(record_bytes);
  if (read_at(descriptor_, bytes, position, name_) < record_bytes) return std::nullopt;
  if (!std::equal(magic.begin(), magic.end(), bytes.begin())) return std::nullopt;
  const std::uint64_t first_chunk = load_u64(bytes.data() + first_chunk_offset);
  const std::uint64_t num_tags = load_u64(bytes.data() + num_tags_offset);
  if (num_tags == 0 || num_tags > max_recorded_tags_bytes / chunk_tag_bytes) return std::nullopt;
  const Bytes tags = Bytes(bytes).subspan(tags_offset, num_tags * chunk_tag_bytes);
  const Mac mac = mac_of(Bytes(bytes).first(mac_offset), tags);
  if (CRYPTO_memcmp(mac.data(), bytes.data() + mac_offset, mac_bytes) != 0) return std::nullopt;
  return ResumeRecord{first_chunk, {tags.begin(), tags.end()}};
}

// The newest durable record stands behind the end of a piece, or at the end of the file if its group is the message's last. Behind
// it there may be a newer one, torn or whole, whose group ends no more than largest_group_pieces later.
std::optional<ResumeRecord> RecordFile::newest() {
  struct stat status {};
  if (fstat(descriptor_, &status) != 0) throw_system_error("read", name_);
  const auto size = static_cast<std::uint64_t>(status.st_size);
  if (size < body_position_ + record_bytes) return std::nullopt;
  const std::uint64_t last_piece = (size - body_position_) / sealed_piece_bytes;
  std::vector<std::uint64_t> positions = {size - record_bytes};
  for (std::uint64_t back = 0; back <= largest_group_pieces + 1 && back <= last_piece; ++back) {
    positions.push_back(body_position_ + (last_piece - back) * sealed_piece_bytes);
  }
  std::optional<ResumeRecord> newest;
  for (const std::uint64_t position : positions) {
    std::optional<ResumeRecord> found = read(position);
    if (!found || (newest && newest->first_chunk >= found->first_chunk)) continue;
    newest = std::move(found);
    last_record_end_ = position + record_bytes;
  }
  return newest;
}

void RecordFile::write(const ResumeRecord& record, std::uint64_t group_end) {
  std::vector<std::uint8_t> bytes(record_bytes);
  std::copy(magic.begin(), magic.end(), bytes.begin());
  store_u64(bytes.data() + first_chunk_offset, record.first_chunk);
  store_u64(bytes.data() + num_tags_offset, record.tags.size() / chunk_tag_bytes);
  std::copy(record.tags.begin(), record.tags.end(), bytes.begin() + tags_offset);
  const Mac mac = mac_of(Bytes(bytes).first(mac_offset), record.tags);
  std::copy(mac.begin(), mac.end(), bytes.begin() + mac_offset);
  const std::uint64_t position = std::max(group_end, last_record_end_);
  write_at(descriptor_, bytes, position, name_);
  if (fdatasync(descriptor_) != 0) throw_system_error("write", name_);
  last_record_end_ = position + record_bytes;
}

}  // namespace phalanx
