// Messages of chunked encryption that were changed anywhere and come in any pieces: what an opener lets out is the beginning of what
// was sealed, whole chunks of it, and it ends well only if nothing was changed. The same of whole messages and readers.
#include <algorithm>
#include <phalanx/chunked.hpp>

#include "engine/chunked/chunked_encryption.hpp"
#include "fixed_random_bytes.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr const char* names[] = {"cobblestone-128", "cobblestone-256", "serpent-256", "twofish-256"};
const EngineOptions one_thread{"cpu", 1};

struct Sealed {
  ChunkedAead aead;
  Buffer plain;
  Buffer message;
};

// Sizes at the ends of chunks, or any.
std::size_t take_plain_bytes(FuzzedInput& input) {
  if (input.flag()) return (input.below(3) + 1) * plain_chunk_bytes - 1 + input.below(3);
  return input.below(3 * plain_chunk_bytes + 2);
}

Sealed seal(FuzzedInput& input) {
  const char* name = input.one_of(names);
  const Buffer key(name == names[0] ? 16 : 32, 7);
  Sealed sealed{ChunkedAead(name, key, input.take(input.below(4)), one_thread), Buffer(take_plain_bytes(input)), {}};
  for (std::size_t i = 0; i < sealed.plain.size(); ++i) sealed.plain[i] = static_cast<std::uint8_t>(i ^ i >> 8);
  sealed.message.resize(ChunkedAead::sealed_bytes(sealed.plain.size()));
  test::set_random_seed("fuzz");
  sealed.aead.seal(sealed.plain, sealed.message);
  return sealed;
}

// What lies between these places of the message, which is cut where it ends.
Buffer part_of(const Buffer& message, std::size_t begin, std::size_t size) {
  begin = std::min(begin, message.size());
  size = std::min(size, message.size() - begin);
  const auto first = message.begin() + static_cast<std::ptrdiff_t>(begin);
  return {first, first + static_cast<std::ptrdiff_t>(size)};
}

void change(Buffer& message, FuzzedInput& input) {
  const std::size_t chunk = message_prefix_bytes + input.below(4) * sealed_chunk_bytes;
  switch (input.below(6)) {
    case 0:
      if (!message.empty()) message[input.below(message.size())] ^= static_cast<std::uint8_t>(1U << input.below(8));
      break;
    case 1:  // in the prefix, where one byte of the input is enough to say where
      if (!message.empty())
        message[std::min(input.below(64), message.size() - 1)] = static_cast<std::uint8_t>(input.below(256));
      break;
    case 2:
      message.resize(input.below(message.size() + 1));
      break;
    case 3: {
      const Bytes more = input.take(input.below(64));
      message.insert(message.end(), more.begin(), more.end());
      break;
    }
    case 4: {  // a chunk twice, here or at another place
      const Buffer copy = part_of(message, chunk, sealed_chunk_bytes);
      const std::size_t place = std::min(message.size(), message_prefix_bytes + input.below(4) * sealed_chunk_bytes);
      message.insert(message.begin() + static_cast<std::ptrdiff_t>(place), copy.begin(), copy.end());
      break;
    }
    default: {  // a chunk less
      const std::size_t size = part_of(message, chunk, sealed_chunk_bytes).size();
      const auto first = message.begin() + static_cast<std::ptrdiff_t>(std::min(chunk, message.size()));
      message.erase(first, first + static_cast<std::ptrdiff_t>(size));
      break;
    }
  }
}

void open_in_pieces(const Sealed& sealed, Bytes message, FuzzedInput& input) {
  const bool is_unchanged = same(message, sealed.message);
  Buffer opened;
  ChunkedOpener opener(sealed.aead, [&](Bytes bytes) {
    opened.insert(opened.end(), bytes.begin(), bytes.end());
    require(opened.size() <= sealed.plain.size(), "an opener lets out no more than was sealed");
    require(same(opened, Bytes(sealed.plain).first(opened.size())), "an opener lets out what was sealed");
  });
  const auto error = error_of([&] {
    for (Bytes rest = message; !rest.empty();) {
      const std::size_t size = std::min(rest.size(), input.is_empty() ? rest.size() : 1 + input.below(40'000));
      opener.write(rest.first(size));
      require(opened.size() % plain_chunk_bytes == 0, "full chunks come before the end");
      rest = rest.subspan(size);
    }
    opener.finish();
  });
  require(error.has_value() != is_unchanged, "an opener ends well only if nothing was changed");
  require(error.has_value() || opened.size() == sealed.plain.size(), "it then gave all that was sealed");
  require(error_of([&] { opener.finish(); }) == ErrorCode::usage, "an opener ends once");
}

void open_otherwise(const Sealed& sealed, Bytes message, FuzzedInput& input) {
  const bool is_unchanged = same(message, sealed.message);
  Buffer out;
  const auto whole = error_of([&] {
    out.assign(static_cast<std::size_t>(ChunkedAead::plain_bytes(message.size())), 0xee);
    sealed.aead.open(message, out);
  });
  require(whole.has_value() != is_unchanged, "a message opens only if nothing was changed");
  const auto is_zero = [](std::uint8_t byte) { return byte == 0; };
  require(whole ? std::ranges::all_of(out, is_zero) : same(out, sealed.plain), "what fails gives zeros");
  error_of([&] {
    const ChunkedReader reader(sealed.aead, message);
    require(reader.size() == sealed.plain.size(), "the length is authentic once it is open");
    const std::size_t offset = input.below(sealed.plain.size() + 1);
    Buffer part(input.below(sealed.plain.size() - offset + 1), 0xee);
    const bool failed = error_of([&] { reader.read(offset, part); }).has_value();
    require(failed ? std::ranges::all_of(part, is_zero) : same(part, Bytes(sealed.plain).subspan(offset, part.size())),
            "a part is what was sealed, or zeros");
  });
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const Sealed sealed = seal(input);
  Buffer changed = sealed.message;
  for (std::size_t num_changes = input.below(4); num_changes > 0; --num_changes) change(changed, input);
  if (input.below(4) == 3) open_otherwise(sealed, changed, input);
  open_in_pieces(sealed, changed, input);
  return 0;
}
