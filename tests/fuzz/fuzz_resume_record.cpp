// Records of unfinished containers, changed anywhere, or any bytes in their place: what is found for a piece is what was
// recorded for it, or nothing.
#include <algorithm>

#include "files/container/file/resume_record.hpp"
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

// The run that comes after.
struct NextRun {
  Bytes key;
  MessagePrefix prefix;
  const Buffer& beginning;
  const Recorded& recorded;
};

void read_again(const std::string& path, const NextRun& run, const Buffer& left, const Buffer& now, bool removes) {
  const std::string record_path = path + record_suffix;
  AtomicFile partial(path, {.resume = true});
  const auto error = error_of([&] {
    RecordFile records(partial);
    require(records.beginning().has_value() || now != left, "what a message began with is found again");
    if (!records.beginning()) return records.begin(run.beginning);
    if (now == left) require(*records.beginning() == run.beginning, "as it was");
    records.use(run.key, run.prefix);
    check(records, run.recorded, now == left, now.size());
    if (!removes) return;
    records.remove();
    require(!std::filesystem::exists(record_path), "a record that is removed is gone");
  });
  require(!error || (error == ErrorCode::format && now != left), "only what is not ours is refused");
  if (error) require(read_file(record_path) == now, "and left as it is");
  partial.discard();
  std::filesystem::remove(record_path);
}

bool begins_with(Bytes bytes, const RecordKind& kind) {
  const Bytes magic = bytes_of(kind.magic);
  return bytes.size() >= magic.size() && same(bytes.first(magic.size()), magic);
}

// Files that a run left are removed only if the record is one, and of this partial file.
void check_leftovers(const std::string& path, Bytes record, Bytes begun) {
  const std::string partial_path = path + partial_suffix;
  const std::string record_path = path + record_suffix;
  write_file(record_path, record);
  write_file(partial_path, begun);
  bool is_removed = false;
  const auto error = error_of([&] { is_removed = remove_unfinished_container(path); });
  const bool is_sealed = begins_with(record, sealed_records);
  require(!error || (error == ErrorCode::format && !is_sealed), "what is no record is not taken for one");
  require(!is_removed || is_sealed, "what is removed was ours");
  for (const std::string& file : {partial_path, record_path}) {
    require(std::filesystem::exists(file) != is_removed, "both go, or none");
    std::filesystem::remove(file);
  }
  write_file(record_path, record);
  write_file(path, begun);
  remove_stale_record(path);
  const bool is_ours = is_sealed || begins_with(record, written_records);
  require(std::filesystem::exists(record_path) != is_ours, "beside a file that is whole only a record goes");
  std::filesystem::remove(path);
  std::filesystem::remove(record_path);
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
  read_again(path, {key, prefix, beginning, recorded}, left, now, input.flag());
  check_leftovers(path, now, input.flag() ? Bytes(beginning) : input.take_rest());
  return 0;
}
