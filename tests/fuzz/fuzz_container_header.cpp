// A container's header of any bytes: what is taken is a header byte by byte, and what opens was made under the key that
// comes out.
#include "container/format/header.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::uint64_t most_scrypt_bytes = std::uint64_t{1} << 20;  // a few milliseconds
constexpr char passphrase[] = "fuzz";

// 0, 1, 2 ...: what the corpus is sealed under.
Buffer counting_key(std::size_t size) {
  Buffer key(size);
  for (std::size_t i = 0; i < size; ++i) key[i] = static_cast<std::uint8_t>(i);
  return key;
}

void check_parsed(const ContainerHeader& header, Bytes input) {
  require(same(header.bytes, input.first(header.bytes.size())), "the header is the beginning of the input");
  require(!header.wrapped_keys.empty(), "a header names a recipient");
  require((header.version == 2) == (header.binding.flags != 0), "what is bound is of version 2");
  Buffer records;
  if (header.version == 2) {
    const Buffer data = header.binding.data();
    records.insert(records.end(),
                   {binding_kind, static_cast<std::uint8_t>(data.size() >> 8), static_cast<std::uint8_t>(data.size())});
    records.insert(records.end(), data.begin(), data.end());
  }
  for (const WrappedKey& wrapped : header.wrapped_keys) {
    const std::size_t size = wrapped.data.size();
    records.insert(records.end(), {wrapped.kind, static_cast<std::uint8_t>(size >> 8), static_cast<std::uint8_t>(size)});
    records.insert(records.end(), wrapped.data.begin(), wrapped.data.end());
  }
  const Bytes stored = Bytes(header.bytes).subspan(header_start_bytes);
  require(stored.size() == records.size() + header_mac_bytes && same(stored.first(records.size()), records),
          "the records are all that stands between the start and the MAC");
}

bool is_cheap(const ContainerHeader& header) {
  std::uint64_t total = 0;
  for (const WrappedKey& wrapped : header.wrapped_keys) {
    if (!wrapped.is(KeyKind::passphrase)) continue;
    const std::uint64_t cost = scrypt_bytes(scrypt_cost_of(wrapped));
    if (cost <= max_scrypt_bytes) total += cost;  // a dearer one is refused
  }
  return total <= most_scrypt_bytes;
}

void open(const ContainerHeader& header) {
  const Buffer key = counting_key(header.suite->key_bytes);
  std::vector<Identity> identities = {{.kind = KeyKind::key, .secret = key}};
  const Bytes text(reinterpret_cast<const std::uint8_t*>(passphrase), sizeof passphrase - 1);
  if (is_cheap(header)) identities.push_back({.kind = KeyKind::passphrase, .secret = text});
  OpenedHeader opened;
  Binding binding{.any_name = true};
  if (header.binding.needs_context()) binding.context = text;
  if (error_of([&] { opened = open_header(header, identities, {}, binding); })) return;
  require(opened.identity < identities.size() && opened.wrapped_key < header.wrapped_keys.size(), "who opened it is there");
  require(header.wrapped_keys[opened.wrapped_key].is(identities[opened.identity].kind), "by a record of his kind");
  const ContainerHeader again = make_header(header.fixed_part(), header.wrapped_keys, opened.data_key, header.binding);
  require(same(again.bytes, header.bytes), "a header that opens is the one that its key and records make");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx;
  using namespace phalanx::fuzz;
  const Bytes input(data, size);
  std::size_t whole_bytes = 0;
  const auto start_error = error_of([&] { whole_bytes = header_bytes(input); });
  ContainerHeader header;
  const auto error = error_of([&] { header = parse_header(input); });
  if (start_error) require(error == start_error, "what has no size has no header");
  if (error) return 0;
  require(is_container(input) && header.bytes.size() == whole_bytes, "a header has the size that its start says");
  require(whole_bytes <= max_header_bytes, "a header is bounded");
  check_parsed(header, input);
  open(header);
  return 0;
}
