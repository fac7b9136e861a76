// A container's header of any bytes: what is taken is a header byte by byte, and what opens was made under the key that
// comes out.
#include <algorithm>

#include "engine/text/characters.hpp"
#include "files/age/native_keys.hpp"
#include "files/container/format/header.hpp"
#include "files/container/format/public_key_record.hpp"
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

// Whatever is given, what the record asks for decides, before any secret is tried.
void check_fitting(const BindingRecord& record) {
  for (unsigned given = 0; given < 16; ++given) {
    Binding binding{.any_name = (given & 4) != 0, .needs_name = (given & 8) != 0};
    if ((given & 1) != 0) binding.context = bytes_of(passphrase);
    if ((given & 2) != 0) binding.name = "name";
    const bool fits = record.needs_context() == !binding.context.empty() &&
                      (record.has_name() ? !binding.name.empty() || binding.any_name : !binding.needs_name);
    const auto error = error_of([&] { require_fitting(record, binding); });
    require(error == (fits ? std::nullopt : std::optional(ErrorCode::usage)), "what does not fit is the caller's to mend");
  }
}

// The name in a header that opened, against others.
void check_name(const ContainerHeader& header, Bytes data_key) {
  const std::string name = open_bound_name(header.fixed_part(), header.binding, data_key);
  const auto error_of_name = [&](const std::string& called) {
    return error_of([&] { require_same_name(header.fixed_part(), header.binding, data_key, {.name = called}); });
  };
  const std::size_t slash = name.rfind('/');
  const std::string folder = slash == std::string::npos ? "" : name.substr(0, slash);
  const std::string last = name.substr(slash + 1);
  require(!error_of_name(name) && error_of_name(name + "x") == ErrorCode::authentication, "a container has one name");
  require(folder.empty() || error_of_name(last) == ErrorCode::authentication, "which is all of its path");
  if (name_of_container(name + container_suffix) == name && !folder.ends_with('/')) {
    require(placed_at({.below = folder.empty() ? "" : folder + '/'}, last).name == name, "as it has it where it lies");
  }
  const BindingRecord made = make_binding_record(header.fixed_part(), {.context = data_key, .name = name}, data_key);
  BindingRecord read = parse_binding_record(made.data());
  require(read.needs_context() && open_bound_name(header.fixed_part(), read, data_key) == name,
          "a name is read as it was made");
  read.sealed_name.back() ^= 1;
  const auto error_of_changed = error_of([&] { static_cast<void>(open_bound_name(header.fixed_part(), read, data_key)); });
  require(error_of_changed == ErrorCode::authentication, "a name that was changed is told");
  const Binding too_long{.name = std::string(max_bound_name_bytes + 1, 'n')};
  require(error_of([&] { static_cast<void>(binding_data_bytes(too_long)); }) == ErrorCode::usage, "and has room");
}

std::optional<ErrorCode> error_of_opening(const ContainerHeader& header, std::span<const Identity> identities,
                                          const CostLimits& limits, const Binding& binding) {
  return error_of([&] { static_cast<void>(open_header(header, identities, limits, binding)); });
}

// Who has no key, or may not pay for it.
void check_refusals(const ContainerHeader& header, const Binding& binding) {
  const UnwrapFileKey none = [](std::span<const std::string>, MutableBytes) { return false; };
  const UnwrapFileKey fails = [](std::span<const std::string>, MutableBytes) -> bool {
    throw Error(ErrorCode::runtime, "no");
  };
  const Identity identities[] = {{KeyKind::public_key, {}, none}, {KeyKind::public_key, {}, fails}};
  const bool has_record = std::ranges::any_of(header.wrapped_keys, [&](const WrappedKey& wrapped) {
    return wrapped.is(KeyKind::public_key) && read_public_key_record(*header.suite, wrapped.data);
  });
  const auto error = error_of_opening(header, identities, {}, binding);
  require(error == (has_record ? ErrorCode::runtime : ErrorCode::wrong_key), "a call that fails is heard of");
  const Identity by_passphrase[] = {{KeyKind::passphrase, bytes_of(passphrase)}};
  const bool has_passphrase =
      std::ranges::any_of(header.wrapped_keys, [](const WrappedKey& wrapped) { return wrapped.is(KeyKind::passphrase); });
  const auto unpaid = error_of_opening(header, by_passphrase, {.all_passphrases = 1}, binding);
  require(unpaid == (has_passphrase ? ErrorCode::policy : ErrorCode::wrong_key), "what costs too much is not tried");
}

void open(const ContainerHeader& header) {
  const Buffer key = counting_key(header.suite->key_bytes);
  const std::string text(characters_of(native_identity_text(counting_key(x25519_bytes))));
  std::vector<Identity> identities = {{.kind = KeyKind::key, .secret = key},
                                      {.kind = KeyKind::public_key, .secret = bytes_of(text)}};
  if (is_cheap(header)) identities.push_back({.kind = KeyKind::passphrase, .secret = bytes_of(passphrase)});
  OpenedHeader opened;
  Binding binding{.any_name = true};
  if (header.binding.needs_context()) binding.context = bytes_of(passphrase);
  check_fitting(header.binding);
  check_refusals(header, binding);
  if (error_of([&] { opened = open_header(header, identities, {}, binding); })) return;
  require(opened.identity < identities.size() && opened.wrapped_key < header.wrapped_keys.size(), "who opened it is there");
  require(header.wrapped_keys[opened.wrapped_key].is(identities[opened.identity].kind), "by a record of his kind");
  const ContainerHeader again = make_header(header.fixed_part(), header.wrapped_keys, opened.data_key, header.binding);
  require(same(again.bytes, header.bytes), "a header that opens is the one that its key and records make");
  if (header.binding.has_name()) check_name(header, opened.data_key);
  const WrappedKey& first = header.wrapped_keys.front();
  const std::vector<WrappedKey> many(0xffff / (3 + first.data.size()) + 1, first);
  const auto error = error_of([&] { static_cast<void>(make_header(header.fixed_part(), many, opened.data_key, {})); });
  require(error == ErrorCode::usage, "a header has no room for so many");
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
