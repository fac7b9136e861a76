// Encrypted messages of CMS of any bytes: whatever they are, reading ends with a content or with one line, the same from a file and
// from a stream; what a key of ours opens is what was sealed; and elements that were read are read again.
#include <sys/mman.h>

#include <algorithm>
#include <optional>
#include <phalanx/files/cms.hpp>
#include <phalanx/files/inspect.hpp>

#include "files/foreign/asn1/ber_stream.hpp"
#include "files/foreign/asn1/der_fields.hpp"
#include "files/foreign/asn1/der_text.hpp"
#include "files/foreign/asn1/octet_string_source.hpp"
#include "files/foreign/cms/cms_message.hpp"
#include "files/system/file_descriptor.hpp"
#include "tests/fuzz/driver/memory_streams.hpp"

namespace phalanx::fuzz {
namespace {

// write_fuzz_corpus.py has the same secrets.
Buffer wrapping_key() {
  Buffer key(32);
  for (std::size_t i = 0; i < key.size(); ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

CmsKeys keys_of(std::size_t choice) {
  CmsKeys keys;
  if (choice == 0) {
    const std::string passphrase = "fuzz";
    keys.passphrase.emplace(bytes_of(passphrase));
  } else {
    const Buffer key = wrapping_key();
    keys.wrapping_keys.emplace_back(Bytes(key).first(choice == 1 ? 32 : choice == 2 ? 24 : 16));
  }
  return keys;
}

Input file_of(Bytes bytes) {
  FileDescriptor memory(::memfd_create("message", MFD_CLOEXEC));
  write_all(memory.get(), bytes, "message");
  Input input(std::move(memory), "message");
  input.seek(0);
  return input;
}

Buffer decrypt(CmsMessage& message, const CmsKeys& keys) {
  Progress nobody;
  message.open(keys, RunOptions{{.engine = "cpu:scalar", .num_threads = 1}}, nobody, 64);
  const std::unique_ptr<PieceReader> reader = message.reader();
  Buffer all;
  SecretBytes memory(reader->buffer_bytes());
  Piece piece;
  for (piece.buffer = memory; reader->read(piece); ++piece.number) {
    message.decryption().process(piece);
    const Bytes content = piece.content();
    all.insert(all.end(), content.begin(), content.end());
  }
  reader->finish();
  return all;
}

void check_message(Bytes bytes, std::size_t choice) {
  Buffer of_file, of_stream;
  const auto file_error = error_of([&] {
    Input input = file_of(bytes);
    CmsMessage message(input);
    of_file = decrypt(message, keys_of(choice));
  });
  const auto stream_error = error_of([&] {
    MemorySource source(bytes);
    CmsMessage message(source, "message");
    of_stream = decrypt(message, keys_of(choice));
  });
  // A file says earlier that it is cut, before a key is tried.
  require(file_error.has_value() == stream_error.has_value(), "a file and a stream are opened alike");
  require(of_file == of_stream || file_error, "and give the same");
  require(of_file.size() <= bytes.size(), "a content is not longer than its message");
}

void check_description(Bytes bytes) {
  if (bytes.empty()) return;
  InspectedFile file;
  if (error_of([&] { file = inspect(bytes, bytes.size()); })) return;
  require(file.cms.problem.find('\n') == std::string::npos, "a problem is one line");
  require(file.cms.type.empty() || file.kind == "cms", "what is described is a message");
  require(file.cms.problem.empty() || file.cms.recipients.empty(), "nothing is known of what has a problem");
}

// What an element becomes is an element that stays as it is.
void check_element(Bytes bytes) {
  MemorySource source(bytes);
  BerStream stream(source, "element");
  Buffer element;
  if (error_of([&] { element = stream.take_element(); })) return;
  require(stream.position() <= bytes.size() && element.size() <= 3 * bytes.size(), "nothing is read that is not there");
  MemorySource again(element);
  BerStream second(again, "element");
  require(second.take_element() == element && second.position() == element.size(), "the shortest form stays as it is");
  DerFields fields(element);
  require(same(fields.take_whole(), element) && fields.is_at_end(), "and its fields are read in memory");
  if ((element.front() & ber::constructed_bit) == 0) return;
  DerFields outer(element);
  const Bytes content = outer.take(element.front());
  const Buffer ordered = in_order_of_der(content);
  require(ordered.size() == content.size() && in_order_of_der(ordered) == ordered, "an order is an order");
}

Buffer drain(Bytes bytes, std::size_t each) {
  MemorySource source(bytes);
  BerStream stream(source, "string");
  OctetStringSource string(stream, ber::octet_string);
  Buffer all, part(each);
  for (std::size_t got = each; got == each;) {
    got = string.read(part);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return all;
}

void check_string(Bytes bytes, std::size_t each) {
  Buffer whole, parts;
  const auto error = error_of([&] { whole = drain(bytes, bytes.size() + 1); });
  const auto error_in_parts = error_of([&] { parts = drain(bytes, each + 1); });
  require(error == error_in_parts && (error || whole == parts), "how a string is read does not change it");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const std::size_t choice = input.below(6);
  const phalanx::Bytes bytes = input.take_rest();
  if (choice < 4) {
    check_message(bytes, choice);
    check_description(bytes);
  } else if (choice == 4) {
    check_element(bytes);
  } else {
    check_string(bytes, size % 7);
  }
  return 0;
}
