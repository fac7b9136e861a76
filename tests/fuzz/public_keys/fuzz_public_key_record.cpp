// Records of public keys of any bytes: nothing is read beyond one, and what is read is all of it. And what any call of a
// caller's gives to be put into one: it is refused, or is read again.
#include <algorithm>
#include <set>

#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/native_keys.hpp"
#include "files/container/format/header.hpp"
#include "files/container/format/public_key_record.hpp"
#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

void check_record(Bytes data) {
  const FixedPart fixed = unbound(find_suite("aes-128"));
  const auto record = read_public_key_record(*fixed.suite, data);
  const std::string identity(characters_of(native_identity_text(SecretBytes(x25519_bytes))));
  std::optional<SecretBytes> opened;
  const auto error = error_of([&] {
    opened = open_public_key_record(fixed, data, {KeyKind::public_key, bytes_of(identity)});
  });
  if (!record) return require(!error && !opened, "a malformed record is nobody's");
  std::size_t size = record->salt.size() + 2 + record->message.size();
  for (const std::string& label : record->labels) size += 1 + label.size();
  for (const std::string& stanza : record->stanzas) size += stanza.size();
  require(size == data.size(), "its parts are all of it");
  require(!record->stanzas.empty() && record->stanzas.size() <= most_stanzas, "it has stanzas");
  require(!stanza_types_of(*record).empty(), "they have types");
}

// What a caller's call gives: stanzas and labels of the input, usual ones where it has none.
WrappedFileKey take_wrapped(FuzzedInput& input, Bytes file_key) {
  constexpr const char* labels[] = {"postquantum", "a", "b", "", "two words"};
  const X25519PublicKey recipient = x25519_public_key(SecretBytes(x25519_bytes));
  WrappedFileKey wrapped;
  for (std::size_t left = input.below(4); left > 0; --left) wrapped.labels.emplace_back(input.one_of(labels));
  if (input.below(16) == 15) wrapped.labels.emplace_back(most_label_bytes + 1, 'l');
  std::size_t num_stanzas = 1 + input.below(3);
  if (input.below(16) == 15) num_stanzas = input.flag() ? 0 : most_stanzas + 1;
  for (; num_stanzas > 0; --num_stanzas) wrapped.stanzas.push_back(wrap_file_key(recipient, file_key));
  const std::size_t odd = input.below(16);
  if (odd == 13 && !wrapped.stanzas.empty()) wrapped.stanzas.back() += "-> more\n\n";
  if (odd == 14 && !wrapped.stanzas.empty()) wrapped.stanzas.back().insert(0, most_stanza_bytes, 'x');
  if (odd == 15 && !wrapped.stanzas.empty()) wrapped.stanzas.back() = input.text(60);
  return wrapped;
}

// One that is made is read again, with the labels that were given, and opens by its stanzas and by a call.
void check_made(FuzzedInput& input) {
  const FixedPart fixed = unbound(find_suite("aes-128"));
  const Buffer data_key = input.fill(fixed.suite->key_bytes);
  std::set<std::string> labels;
  Buffer wrapped_key;
  const WrapFileKey wrap = [&](MutableBytes file_key) {
    WrappedFileKey wrapped = take_wrapped(input, file_key);
    labels = {wrapped.labels.begin(), wrapped.labels.end()};
    wrapped_key.assign(file_key.begin(), file_key.end());
    return wrapped;
  };
  const UnwrapFileKey unwrap = [&](std::span<const std::string>, MutableBytes file_key) {
    std::ranges::copy(wrapped_key, file_key.begin());
    return true;
  };
  const std::string text = native_recipient_text(x25519_public_key(SecretBytes(x25519_bytes)));
  const Recipient by_call{.kind = KeyKind::public_key, .secret = {}, .cost = {}, .wrap = wrap};
  const Recipient native{.kind = KeyKind::public_key, .secret = bytes_of(text), .cost = {}};
  const bool is_native = input.below(4) == 0;
  Buffer data;
  const auto error = error_of([&] { data = make_public_key_record(fixed, is_native ? native : by_call, data_key); });
  if (error) return require(!is_native && error == ErrorCode::usage, "what a call gives and is none is refused so");
  const auto record = read_public_key_record(*fixed.suite, data);
  require(record.has_value(), "what was made is read again");
  require(std::ranges::equal(record->labels, labels), "with its labels");
  const std::string identity(characters_of(native_identity_text(SecretBytes(x25519_bytes))));
  const auto opened = open_public_key_record(fixed, data, {KeyKind::public_key, bytes_of(identity)});
  require(opened && same(*opened, data_key), "and opens by its stanzas");
  if (is_native) return require(data.size() == native_record_bytes(*fixed.suite), "one that we know has one size");
  const auto by_its_call = open_public_key_record(fixed, data, {KeyKind::public_key, {}, unwrap});
  require(by_its_call && same(*by_its_call, data_key), "and by a call");
  const auto unsized = error_of([&] { static_cast<void>(new_header_bytes(*fixed.suite, {&by_call, 1})); });
  require(unsized == ErrorCode::usage, "whose size nobody knows beforehand");
}

// Of any labels: together stand those that are alike, and beside others those alone that allow it.
void check_labels(FuzzedInput& input) {
  const LabelSet sets[] = {std::nullopt, {{}}, {{"postquantum"}}, {{"a"}}, {{"a", "b"}}};
  std::vector<LabelSet> recipients(input.below(4));
  std::set<LabelSet> public_keys;
  bool any_other = false;
  for (LabelSet& labels : recipients) {
    labels = input.one_of(sets);
    if (labels) public_keys.insert(labels);
    any_other = any_other || !labels;
  }
  const bool stands_alone = public_keys.contains(sets[3]) || public_keys.contains(sets[4]);
  const bool fits = public_keys.size() <= 1 && !(any_other && stands_alone);
  const auto error = error_of([&] { check_label_sets(recipients); });
  require(error == (fits ? std::nullopt : std::optional(ErrorCode::policy)), "labels say who stands beside whom");
}

}  // namespace
}  // namespace phalanx::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace phalanx::fuzz;
  check_record({data, size});
  FuzzedInput input(data, size);
  check_labels(input);
  check_made(input);
  return 0;
}
