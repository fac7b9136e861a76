#include "files/container/file/recorded_sink.hpp"

#include <algorithm>
#include <utility>

#include "files/container/file/stages.hpp"

namespace phalanx {

std::vector<std::uint8_t> tags_of(Bytes sealed) {
  std::vector<std::uint8_t> tags;
  for (; !sealed.empty(); sealed = sealed.subspan(std::min(sealed.size(), sealed_chunk_bytes))) {
    const Bytes tag = sealed.first(std::min(sealed.size(), sealed_chunk_bytes)).last(chunk_tag_bytes);
    tags.insert(tags.end(), tag.begin(), tag.end());
  }
  return tags;
}

void DurableRecords::add(RecordFile::Record record) {
  std::unique_lock lock(mutex_);
  group_.push_back(std::move(record));
  const std::uint64_t number = ++num_given_;
  for (;;) {
    if (failure_) std::rethrow_exception(failure_);
    if (num_durable_ >= number) return;
    if (is_writing_) {
      changed_.wait(lock);
    } else {
      write_group(lock);
    }
  }
}

void DurableRecords::write_group(std::unique_lock<std::mutex>& lock) {
  const std::vector<RecordFile::Record> group = std::exchange(group_, {});
  const std::uint64_t last = num_given_;
  is_writing_ = true;
  lock.unlock();
  std::exception_ptr failure;
  try {
    records_.write(group);
  } catch (...) {
    failure = std::current_exception();
  }
  lock.lock();
  is_writing_ = false;
  num_durable_ = last;
  if (failure) failure_ = failure;  // the failure lasts: a waiting thread may look only after a later group
  changed_.notify_all();
}

RecordedSink::RecordedSink(Target target, RecordFile& records, Take take, bool in_order)
    : target_(std::move(target)),
      records_(records),
      take_(take),
      num_found_(records.num_pieces()),
      in_order_(in_order),
      durable_(records),
      checkpoints_(target_.file, [&records](const std::vector<std::uint64_t>& pieces) { records.mark(pieces); }) {}

void RecordedSink::Target::throw_differs() const {
  throw Error(ErrorCode::usage,
              file.partial_path() +
                  " was begun with another content of IN: give that IN, or begin afresh, under new keys, with " +
                  force_name);
}

std::optional<TagMacs> RecordedSink::find(std::uint64_t piece) const {
  return piece < num_found_ ? records_.find(piece) : std::nullopt;
}

bool RecordedSink::wants(std::uint64_t number) {
  if (take_ == Take::all) return true;
  if (take_ == Take::missing) return find(number) && !records_.is_on_disk(number);
  return find(number).has_value() == (take_ == Take::compare_recorded);
}

void RecordedSink::write(const Piece& piece) {
  const Bytes sealed = piece.content();
  const std::uint64_t position = target_.body_position + piece.offset;
  TagMacs macs = records_.macs_of(piece.number * chunks_of_piece, tags_of(sealed));
  if (const std::optional<TagMacs> found = find(piece.number)) {
    if (*found != macs) target_.throw_differs();
    if (take_ != Take::compare_recorded && !records_.is_on_disk(piece.number)) put(piece, position);
  } else {
    const bool is_last = piece.last;
    const auto message_bytes = is_last ? std::optional(plain_bytes_of_chunks(piece.offset + sealed.size())) : std::nullopt;
    durable_.add({piece.number, std::move(macs), message_bytes});
    put(piece, position);
  }
  extend(position + sealed.size(), piece.number + 1);
}

void RecordedSink::put(const Piece& piece, std::uint64_t position) {
  target_.file.write_at(piece.content(), position);
  checkpoints_.add(piece.number);
}

void RecordedSink::extend(std::uint64_t end, std::uint64_t num_pieces) {
  const std::lock_guard lock(mutex_);
  end_ = std::max(end_, end);
  num_pieces_ = std::max(num_pieces_, num_pieces);
}

}  // namespace phalanx
