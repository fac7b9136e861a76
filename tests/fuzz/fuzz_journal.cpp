// Journals of `--in-place` as a run left them, changed anywhere, or any bytes in their place: what is found is a record that
// was written, nothing is found only where none was, and a file that is not a journal of this run is left as it is.
#include <algorithm>

#include "files/in_place/journal.hpp"
#include "tests/fuzz/driver/scratch_folder.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::size_t slot_bytes = 96;

struct Written {
  JournalRecord record;
  Buffer content;
};

PieceDigest take_digest(FuzzedInput& input) {
  PieceDigest digest{};
  std::ranges::copy(input.take(digest.size()), digest.begin());
  return digest;
}

std::vector<Written> take_records(const Journal& journal, FuzzedInput& input) {
  std::vector<Written> records(input.below(5));
  std::uint64_t piece = input.below(300);
  for (Written& written : records) {
    written.content = input.fill(input.below(slot_bytes + 1));
    JournalRecord& record = written.record;
    record.piece = piece++;
    record.size = written.content.size();
    record.preceding.size = input.below(17);
    std::ranges::copy(input.fill(record.preceding.size), record.preceding.bytes.begin());
    record.content = journal.digest_of(record.piece, written.content);
    for (PieceDigest* digest : {&record.first, &record.last_done, &record.next, &record.last}) *digest = take_digest(input);
  }
  return records;
}

bool same_record(const JournalRecord& found, Bytes content, const Written& written) {
  const JournalRecord& record = written.record;
  return found.piece == record.piece && found.size == record.size && found.preceding.size == record.preceding.size &&
         found.preceding.bytes == record.preceding.bytes && found.content == record.content && found.first == record.first &&
         found.last_done == record.last_done && found.next == record.next && found.last == record.last &&
         same(content.first(found.size), written.content);
}

// The pieces of the file before the run, whose first one is overwritten with the first record.
void read_pieces(JournalIdentity& identity, std::uint8_t first) {
  identity.num_pieces = 3;
  identity.read_piece = [first](std::uint64_t piece) {
    SecretBytes content(16);
    content.begin()[0] = piece == 0 ? first : static_cast<std::uint8_t>(piece);
    return content;
  };
}

// The run that comes after: of the same command, or of another.
enum class Again : unsigned char { same, other_key, other_parameters, other_file };

// Then the run begins a journal of its own: only a mark on the file could tell it otherwise.
bool has_no_beginning(const Buffer& before) {
  const auto begins_with = [&](std::string_view magic) {
    return before.size() >= magic.size() && std::equal(magic.begin(), magic.end(), before.begin());
  };
  return !begins_with(journal_magic) && !begins_with(earlier_journal_magic);
}

void open_again(const std::string& path, JournalIdentity identity, Again again, const std::vector<Written>& records,
                bool untouched, bool all_made_up = false) {
  Buffer other_key(identity.key.begin(), identity.key.end());
  other_key.front() ^= 1;
  if (again == Again::other_key) identity.key = other_key;
  if (again == Again::other_parameters) identity.parameters += "x";
  if (again == Again::other_file) ++identity.file.inode;
  if (!records.empty()) read_pieces(identity, 9);
  const Buffer before = read_file(path);
  Buffer content(slot_bytes);
  std::optional<JournalRecord> found;
  const auto error = error_of([&] {
    const Journal journal(path, identity, slot_bytes);
    found = journal.newest(content);
  });
  if (error) {
    require(read_file(path) == before, "what is refused is left as it is");
    const bool damaged = error == ErrorCode::runtime && !untouched;
    const bool of_another = error == ErrorCode::usage || error == ErrorCode::format;
    require(of_another || error == ErrorCode::wrong_key || damaged, "by the error that says so");
  } else if (!found && !has_no_beginning(before)) {
    require(records.empty(), "a journal that was used is not taken for an unused one");
  }
  if (untouched) {
    const auto expected = again == Again::same         ? std::nullopt
                          : again == Again::other_key  ? std::optional(ErrorCode::wrong_key)
                          : again == Again::other_file ? std::optional(ErrorCode::format)
                                                       : std::optional(ErrorCode::usage);
    require(error == expected, "a journal is of its key, its command and its file");
    require(found.has_value() == (!error && !records.empty()), "and has what was written");
    if (found) require(same_record(*found, content, records.back()), "which is the newest record");
  }
  if (!found || all_made_up) return;
  require(again == Again::same, "another run finds nothing");
  require(std::ranges::any_of(records, [&](const Written& written) { return same_record(*found, content, written); }),
          "what is found was written");
}

// What a journal says while nobody else may use it.
void check_open(const Journal& journal, const JournalIdentity& identity) {
  require(error_of([&] { const Journal other(journal.path(), identity, slot_bytes); }) == ErrorCode::usage,
          "one run has it");
  const std::uint64_t last = identity.num_pieces - 1;
  require(journal.untouched_last() == journal.digest_of(last, identity.read_piece(last)), "it knows the last piece");
  static const bool are_parts_told = [&] {  // once, since it takes longer
    Buffer piece(default_piece_bytes + 1);
    const PieceDigest before = journal.digest_of(0, piece);
    piece.back() ^= 1;
    return before != journal.digest_of(0, piece);
  }();
  require(are_parts_told, "a digest is of all parts of a long piece");
}

void remove_journal(const std::string& path, const JournalIdentity& identity) {
  Journal journal(path, identity, slot_bytes);
  require(!journal.is_new(), "it is the one that was there");
  journal.remove();
  require(!std::filesystem::exists(path), "a journal that is removed is gone");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  static const ScratchFolder folder;
  const std::string path = (folder.path() / "file.phalanx-journal").string();
  std::filesystem::remove(path);
  FuzzedInput input(data, size);
  const auto again = static_cast<Again>(input.below(4));
  const Buffer key = input.fill(24);
  JournalIdentity identity{.parameters = input.text(input.below(16)), .key = key};
  identity.file.device = 5;
  identity.file.inode = input.below(1000);
  identity.file_bytes = input.below(100000);
  read_pieces(identity, 0);
  std::vector<Written> records;
  if (input.below(4) == 3) {
    write_file(path, input.take_rest());
    open_again(path, identity, again, records, false, true);
    return 0;
  }
  {
    Journal journal(path, identity, slot_bytes);
    check_open(journal, identity);
    records = take_records(journal, input);
    for (const Written& written : records) journal.write(written.record, written.content);
  }
  const Buffer left = read_file(path);
  const Buffer now = changed(left, input);
  write_file(path, now);
  open_again(path, identity, again, records, now == left);
  if (now == left) remove_journal(path, identity);
  return 0;
}
