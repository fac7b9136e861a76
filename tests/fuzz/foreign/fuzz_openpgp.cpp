// Encrypted messages of OpenPGP of any bytes: whatever they are, reading ends with a content or with one line, the same from a file and
// from a stream; and packets of any bytes give the same in parts of any size.
#include <sys/mman.h>

#include <algorithm>
#include <optional>
#include <phalanx/files/inspect.hpp>
#include <phalanx/files/openpgp.hpp>

#include "files/foreign/openpgp/openpgp_content.hpp"
#include "files/system/file_descriptor.hpp"
#include "tests/fuzz/driver/memory_streams.hpp"

namespace phalanx::fuzz {
namespace {

// write_fuzz_corpus.py has the same secrets.
OpenPgpKeys keys_of(std::size_t choice) {
  const std::string passphrase = "fuzz", session_key = "9:" + std::string(64, '7'), short_key = "7:" + std::string(32, '7');
  OpenPgpKeys keys;
  if (choice == 0) keys.passphrase.emplace(bytes_of(passphrase));
  if (choice != 0) keys.session_key = parse_session_key(bytes_of(choice == 1 ? session_key : short_key));
  keys.allows_unauthenticated = choice == 3;
  return keys;
}

Input file_of(Bytes bytes) {
  FileDescriptor memory(::memfd_create("message", MFD_CLOEXEC));
  write_all(memory.get(), bytes, "message");
  Input input(std::move(memory), "message");
  input.seek(0);
  return input;
}

constexpr std::size_t most_bytes = std::size_t{8} << 20;  // of a content that is read here: it may be compressed

Buffer decrypt(OpenPgpMessage& message, const OpenPgpKeys& keys, std::size_t each) {
  Progress nobody;
  message.open(keys, RunOptions{{.engine = "cpu:scalar", .num_threads = 1}});
  message.verify(nobody);
  OpenPgpContent content(message);
  Buffer all, part(each);
  for (std::size_t got = each; got == each && all.size() < most_bytes;) {
    got = content.read(part);
    all.insert(all.end(), part.begin(), part.begin() + static_cast<std::ptrdiff_t>(got));
  }
  return all;
}

// Argon2 and long iterations take longer than a target may. A message that asks for them is left out.
bool is_cheap(Bytes bytes) {
  constexpr std::uint64_t most_hashed_bytes = 70'000'000, most_memory_log2 = 12;
  MemorySource source(bytes);
  bool is_cheap = true;
  static_cast<void>(error_of([&] {
    const OpenPgpMessage message(source, "message");
    std::uint64_t hashed_bytes = 0;
    for (const PassphraseRecipient& recipient : message.front().passphrases) {
      hashed_bytes += recipient.string_to_key.num_hashed_bytes;
      is_cheap =
          is_cheap && recipient.string_to_key.memory_log2 <= most_memory_log2 && recipient.string_to_key.num_passes < 4;
    }
    is_cheap = is_cheap && hashed_bytes <= most_hashed_bytes;
  }));
  return is_cheap;
}

void check_message(Bytes bytes, std::size_t choice, std::size_t each) {
  if (choice == 0 && !is_cheap(bytes)) return;
  Buffer of_file, of_stream;
  const auto file_error = error_of([&] {
    Input input = file_of(bytes);
    OpenPgpMessage message(input);
    of_file = decrypt(message, keys_of(choice), each);
  });
  const auto stream_error = error_of([&] {
    MemorySource source(bytes);
    OpenPgpMessage message(source, "message");
    of_stream = decrypt(message, keys_of(choice), 4096);
  });
  // A file says earlier that it is cut, before a key is tried.
  require(file_error.has_value() == stream_error.has_value(), "a file and a stream are opened alike");
  require(file_error || of_file == of_stream || of_file.size() >= most_bytes, "and give the same");
}

void check_description(Bytes bytes) {
  if (bytes.empty()) return;
  InspectedFile file;
  if (error_of([&] { file = inspect(bytes, bytes.size()); })) return;
  require(file.openpgp.problem.find('\n') == std::string::npos, "a problem is one line");
  require(file.openpgp.protection.empty() || file.kind == "openpgp", "what is described is a message");
}

// What packets give, up to so many bytes.
class Collected : public ByteSink {
 public:
  void write(Bytes in) override {
    const std::size_t taken = std::min(in.size(), most_bytes - bytes.size());
    bytes.insert(bytes.end(), in.begin(), in.begin() + static_cast<std::ptrdiff_t>(taken));
  }
  Buffer bytes{};
};

void check_packets(Bytes bytes, std::size_t each) {
  Collected whole, parts;
  const auto error = error_of([&] {
    ContentPackets packets(whole);
    packets.write(bytes);
    packets.finish();
  });
  const auto error_in_parts = error_of([&] {
    ContentPackets packets(parts);
    for (Bytes left = bytes; !left.empty(); left = left.subspan(std::min(each, left.size())))
      packets.write(left.first(std::min(each, left.size())));
    packets.finish();
  });
  require(error == error_in_parts && (error || whole.bytes == parts.bytes), "how packets are given does not change them");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  FuzzedInput input(data, size);
  const std::size_t choice = input.below(5);
  const std::size_t each = 1 + input.below(256);
  const phalanx::Bytes bytes = input.take_rest();
  if (choice < 4) {
    check_message(bytes, choice, each);
    check_description(bytes);
  } else {
    check_packets(bytes, each);
  }
  return 0;
}
