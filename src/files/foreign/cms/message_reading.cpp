#include "files/foreign/cms/message_reading.hpp"

#include <limits>

#include "files/system/file_descriptor.hpp"

namespace phalanx {
namespace {

constexpr std::uint8_t content_tag = ber::context(0, false);

}  // namespace

std::size_t InputPart::read(MutableBytes out) {
  const std::size_t got = read_at(input_.descriptor(), out, position_, input_.name());
  position_ += got;
  return got;
}

MessageReading::MessageReading(const Input& input, std::uint64_t position)
    : part_(std::in_place, input, position),
      source_(*part_, input.name(), &*part_),
      stream_(source_, input.name(), source_.can_skip() ? &source_ : nullptr),
      front_(read_cms_front(stream_)),
      content_(stream_, content_tag) {}

std::uint64_t MessageReading::content_end() const {
  const std::uint64_t end = stream_.end(), most = std::numeric_limits<std::uint64_t>::max();
  return end > most - source_.offset() ? most : end + source_.offset();
}

MessageReading::MessageReading(ByteSource& source, const std::string& name)
    : source_(source, name), stream_(source_, name), front_(read_cms_front(stream_)), content_(stream_, content_tag) {}

}  // namespace phalanx
