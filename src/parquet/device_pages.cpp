#include "parquet/device_pages.hpp"

#include <utility>

#include "parquet/module_facts.hpp"

namespace phalanx {
namespace {

// The GPU gets these about a page besides its AAD and its header: numbers, and the nonce. All arrays are rounded up.
constexpr std::size_t told_bytes_a_page = 5 * sizeof(std::uint64_t) + sizeof(std::uint64_t) + module_nonce_bytes;
constexpr std::size_t rounding_bytes = 256;

}  // namespace

DeviceImage& DevicePages::image() {
  if (image_ == nullptr) image_ = std::make_unique<DeviceImage>(engine_, place_, stream_);
  return *image_;
}

void DevicePages::write(Bytes bytes) {
  flush_part();
  written_.insert(written_.end(), bytes.begin(), bytes.end());
  position_ += bytes.size();
}

void DevicePages::flush_written() {
  if (written_.empty()) return;
  image().write(position_ - written_.size(), written_);
  written_.clear();
}

void DevicePages::copy(const FilePart& from, std::uint64_t to) {
  flush_part();
  flush_written();
  image().copy(from.offset, from.num_bytes, to);
  position_ = to + from.num_bytes;
}

void DevicePages::take(const Chunk& chunk, std::vector<PageToTake> pages) {
  flush_written();
  if (chunk.open != key_) flush_part();
  key_ = chunk.open;
  for (const PageToTake& page : pages) {
    const std::size_t told = told_bytes_a_page + key_->aad_base().size() + page.header.size() + 16;
    if (!fits(page, told)) flush_part();
    told_bytes_ += told;
    add(page);
  }
}

bool DevicePages::fits(const PageToTake& page, std::size_t told_bytes) const {
  if (places_.empty()) return true;
  if (page.body.offset < part_.offset) return false;
  const std::uint64_t num_bytes = page.body.end() - part_.offset + told_bytes_ + told_bytes + rounding_bytes;
  return num_bytes <= image_->part_bytes() && part_.has_tags == key_->modules().is_authenticated(page.place.module);
}

void DevicePages::add(const PageToTake& page) {
  if (places_.empty()) {
    part_.offset = page.body.offset;
    part_.has_tags = key_->modules().is_authenticated(page.place.module);
    (void)image();
  }
  part_.num_bytes = static_cast<std::size_t>(page.body.end() - part_.offset);
  part_.in_offsets.push_back(page.body.offset - part_.offset + ctr_module_added_bytes);
  part_.lengths.push_back(page.plain_bytes);
  part_.out_offsets.push_back(page.to + page.header.size());
  const Bytes nonce = place_.memory.subspan(page.body.offset + module_length_bytes, module_nonce_bytes);
  part_.nonces.insert(part_.nonces.end(), nonce.begin(), nonce.end());
  append_aad(part_.associated_data, key_->aad_base(), page.place);
  part_.associated_starts.push_back(part_.associated_data.size());
  part_.plain.insert(part_.plain.end(), page.header.begin(), page.header.end());
  part_.plain_starts.push_back(part_.plain.size());
  part_.plain_offsets.push_back(page.to);
  places_.push_back(page.place);
  position_ = page.to + page.header.size() + page.plain_bytes;
}

void DevicePages::flush_part() {
  if (places_.empty()) return;
  DeviceImagePart part = std::exchange(part_, DeviceImagePart());
  part.fail = [key = key_, places = std::exchange(places_, {})](std::size_t message) { key->fail(places[message]); };
  told_bytes_ = 0;
  image().open(key_->on_device(engine_), std::move(part));
}

void DevicePages::finish() {
  flush_part();
  flush_written();
  if (image_ != nullptr) image_->finish();
}

void DevicePages::clear() noexcept {
  if (image_ != nullptr) image_->clear();
}

}  // namespace phalanx
