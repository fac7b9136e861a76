// Records of unfinished containers, changed anywhere, or any bytes in their place: what is found for a piece is what was
// recorded for it, or nothing.
#include <algorithm>

#include "container/file/resume_record.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::uint64_t most_pieces = 6;
using Recorded = std::vector<std::optional<RecordFile::Record>>;

MessagePrefix prefix_of(FuzzedInput& input) {
  MessagePrefix prefix{};
  std::ranges::copy(input.take(4), prefix.begin());
  return prefix;
}

// One run that records some pieces, in any order, some of them twice.
Recorded record(const std::string& path, Bytes key, const MessagePrefix& prefix, Bytes beginning, FuzzedInput& input) {
  Recorded recorded(most_pieces);
  const AtomicFile partial(path, {.resume = true});
  RecordFile records(partial);
  records.begin({beginning.begin(), beginning.end()});
  records.use(key, prefix);
  for (std::size_t left = input.below(5); left > 0; --left) {
    const std::uint64_t piece = input.below(most_pieces);
    const std::size_t num_chunks = 1 + input.below(input.flag() ? 4 : chunks_of_piece + 1);
    const std::optional<std::uint64_t> message_bytes = input.flag() ? std::optional(input.below(1U << 20)) : std::nullopt;
    recorded[piece] = {piece, records.macs_of(piece * chunks_of_piece, input.fill(num_chunks * chunk_tag_bytes)),
                       message_bytes};
    records.write({*recorded[piece]});
  }
  return recorded;
}

void check(const RecordFile& records, const Recorded& recorded, bool untouched, std::uint64_t most_found) {
  require(records.num_pieces() <= most_found, "there are no more pieces than the file has places for");
  for (std::uint64_t piece = 0; piece < most_pieces + 2; ++piece) {
    const std::optional<RecordFile::Record> found = records.find_record(piece);
    const bool is_recorded = piece < most_pieces && recorded[piece];
    if (untouched) require(found.has_value() == is_recorded, "every record is found again");
    if (!found) continue;
    require(is_recorded && found->macs == recorded[piece]->macs && found->message_bytes == recorded[piece]->message_bytes,
            "what is found was recorded of this piece");
  }
  const std::optional<std::uint64_t> settled = records.message_bytes();
  const std::uint64_t num_found = records.num_pieces();
  require(!settled || (num_found != 0 && recorded[num_found - 1]->message_bytes == settled),
          "a length is that of the last piece that was recorded");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  static const ScratchFolder folder;
  const std::string path = (folder.path() / "out").string();
  const std::string record_path = path + record_suffix;
  FuzzedInput input(data, size);
  const bool other_key = input.below(8) == 7;
  const bool only_bytes = input.below(4) == 3;
  Buffer key = input.fill(32);
  const MessagePrefix prefix = prefix_of(input);
  const Buffer beginning = input.fill(message_prefix_bytes + input.below(300));
  Recorded recorded = record(path, key, prefix, beginning, input);
  const Buffer left = read_file(record_path);
  const Bytes rest = only_bytes ? input.take_rest() : Bytes();
  const Buffer now = only_bytes ? Buffer(rest.begin(), rest.end()) : changed(left, input);
  write_file(record_path, now);
  if (other_key) {
    key[0] ^= 1U;
    recorded.assign(most_pieces, std::nullopt);
  }
  AtomicFile partial(path, {.resume = true});
  const auto error = error_of([&] {
    RecordFile records(partial);
    require(records.beginning().has_value() || now != left, "what a message began with is found again");
    if (!records.beginning()) return records.begin(beginning);
    if (now == left) require(*records.beginning() == beginning, "as it was");
    records.use(key, prefix);
    check(records, recorded, now == left, now.size());
  });
  require(!error || (error == ErrorCode::format && now != left), "only what is not ours is refused");
  if (error) require(read_file(record_path) == now, "and left as it is");
  partial.discard();
  std::filesystem::remove(record_path);
  return 0;
}
