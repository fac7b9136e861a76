#include "container/file/recorded_sink.hpp"

#include <algorithm>
#include <utility>

#include "container/file/stages.hpp"

namespace phalanx {
namespace {

std::vector<std::uint8_t> tags_of(Bytes sealed) {
  std::vector<std::uint8_t> tags;
  for (; !sealed.empty(); sealed = sealed.subspan(std::min(sealed.size(), sealed_chunk_bytes))) {
    const Bytes tag = sealed.first(std::min(sealed.size(), sealed_chunk_bytes)).last(chunk_tag_bytes);
    tags.insert(tags.end(), tag.begin(), tag.end());
  }
  return tags;
}

}  // namespace

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
  if (failure) failure_ = failure;  // for ever: whoever waits may look only after a later group
  changed_.notify_all();
}

RecordedSink::RecordedSink(Target target, RecordFile& records, Take take, bool in_order)
    : target_(std::move(target)),
      records_(records),
      take_(take),
      num_found_(records.num_pieces()),
      in_order_(in_order),
      durable_(records) {}

void RecordedSink::throw_differs() const {
  throw Error(ErrorCode::usage,
              target_.file.partial_path() +
                  " was begun with another content of IN: give that IN, or begin afresh, under new keys, with " +
                  target_.force_name);
}

std::optional<TagMacs> RecordedSink::find(std::uint64_t piece) const {
  return piece < num_found_ ? records_.find(piece) : std::nullopt;
}

bool RecordedSink::wants(std::uint64_t number) {
  if (take_ == Take::all) return true;
  return find(number).has_value() != (take_ == Take::unrecorded);
}

void RecordedSink::write(const Piece& piece) {
  const Bytes sealed = piece.content();
  const std::uint64_t position = target_.body_position + piece.offset;
  TagMacs macs = records_.macs_of(piece.number * chunks_of_piece, tags_of(sealed));
  if (const std::optional<TagMacs> found = find(piece.number)) {
    if (*found != macs) throw_differs();
    if (!is_there(sealed, position)) {  // lost in a crash, or never written
      any_lost_ = true;
      if (take_ != Take::compare_recorded) target_.file.write_at(sealed, position);
    }
  } else {
    const bool is_last = piece.last;
    const auto message_bytes = is_last ? std::optional(plain_bytes_of_chunks(piece.offset + sealed.size())) : std::nullopt;
    durable_.add({piece.number, std::move(macs), message_bytes});
    target_.file.write_at(sealed, position);
  }
  extend(position + sealed.size(), piece.number + 1);
}

bool RecordedSink::is_there(Bytes sealed, std::uint64_t position) const {
  std::vector<std::uint8_t> there(sealed.size());
  there.resize(read_at(target_.file.descriptor(), there, position, target_.file.partial_path()));
  return std::equal(sealed.begin(), sealed.end(), there.begin(), there.end());
}

void RecordedSink::extend(std::uint64_t end, std::uint64_t num_pieces) {
  const std::lock_guard lock(mutex_);
  end_ = std::max(end_, end);
  num_pieces_ = std::max(num_pieces_, num_pieces);
}

void RecordedSink::merge(std::uint64_t end, std::uint64_t num_pieces, bool any_lost) {
  extend(end, num_pieces);
  if (any_lost) any_lost_ = true;
}

}  // namespace phalanx
