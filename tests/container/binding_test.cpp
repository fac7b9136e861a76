// Containers of version 2: bound to a context, a name, or both. What is another, missing or given too much, and every change
// of a header, is found.
#include <phalanx/files/container.h>

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/inspect.hpp>
#include <phalanx/files/verification.hpp>

#include "container_fixture.hpp"
#include "files/container/format/header.hpp"
#include "fixed_random_bytes.hpp"
#include "tests/temporary_folder.hpp"

namespace phalanx::test {
namespace {

const ByteVector key(32, 1);
const ByteVector context = bytes_of("context"), other_context = bytes_of("contexu");
const ByteVector plain = bytes_of("plaintext");

Binding to_context() { return {.context = context}; }
Binding to_name() { return {.name = "a/b"}; }
Binding to_both() { return {.context = context, .name = "a/b"}; }

ByteVector seal_bound(const Binding& binding) {
  set_random_seed("bound");
  return seal("aes-256", {by_key(key)}, plain, {}, binding);
}

int open_code(Bytes sealed, const Binding& binding, std::string_view words = "") {
  return code_of([&] { open(sealed, {by_key(key)}, {}, binding); }, words);
}

// The header of these records under the data key of `sealed`, before its body.
ByteVector with_header(const ByteVector& sealed, const FixedPart& fixed_part, const BindingRecord& binding,
                       const std::vector<WrappedKey>& wrapped_keys, Bytes data_key) {
  ByteVector bytes = make_header(fixed_part, wrapped_keys, data_key, binding).bytes;
  bytes.insert(bytes.end(), sealed.begin() + static_cast<long>(header_bytes(sealed)), sealed.end());
  return bytes;
}

TEST(Bindings, OpenByTheSameAlone) {
  for (const Binding& binding : {to_context(), to_name(), to_both()}) {
    SCOPED_TRACE(binding.name + std::to_string(binding.context.size()));
    const ByteVector sealed = seal_bound(binding);
    EXPECT_EQ(sealed[8], 2);
    EXPECT_EQ(open(sealed, {by_key(key)}, {}, binding), plain);
    Binding any = binding;
    any.name = "";
    any.any_name = true;
    EXPECT_EQ(open(sealed, {by_key(key)}, {}, any), plain);
    if (!binding.context.empty()) {
      EXPECT_EQ(open_code(sealed, {.context = other_context, .name = binding.name}, "wrong context, or changed"), 4);
      EXPECT_EQ(open_code(sealed, {.name = binding.name}, "`binding.context`"), 2);
    }
    if (!binding.name.empty()) {
      EXPECT_EQ(open_code(sealed, {.context = binding.context, .name = "a/c"}, "'a/b', and is called 'a/c'"), 3);
      EXPECT_EQ(open_code(sealed, {.context = binding.context}, "`binding.name`"), 2);
    } else {
      EXPECT_EQ(open_code(sealed, {.context = context, .name = "any"}), 0) << "there is none to be compared";
      EXPECT_EQ(open_code(sealed, {.context = context, .needs_name = true}, "bound to no name"), 2);
    }
  }
  EXPECT_EQ(open_code(seal_bound(to_name()), to_both(), "bound to no context"), 2);
  const ByteVector unbound = seal_bound({});
  EXPECT_EQ(unbound[8], 1);
  EXPECT_EQ(open_code(unbound, to_context(), "bound to no context"), 2);
  EXPECT_EQ(open_code(unbound, to_name()), 0);
}

// The secret is not tried: a passphrase would be asked for in vain.
TEST(Bindings, AreLookedAtBeforeAnySecret) {
  const ByteVector wrong(32, 2);
  const auto code = [&](const Binding& sealed, const Binding& given) {
    return code_of([&] { open(seal_bound(sealed), {by_key(wrong)}, {}, given); });
  };
  EXPECT_EQ(code(to_context(), {}), 2);
  EXPECT_EQ(code({}, to_context()), 2);
  EXPECT_EQ(code(to_name(), {}), 2);
  EXPECT_EQ(code(to_name(), {.name = "another"}), 4) << "the name shows to who has the key";
  EXPECT_EQ(code(to_context(), {.context = other_context}), 4);
}

TEST(Bindings, EveryChangedBitOfTheHeaderIsFound) {
  const ByteVector sealed = seal_bound(to_both());
  const std::size_t header = header_bytes(sealed);
  ASSERT_EQ(header, 12U + 3 + 1 + 72 + 3 + 3 + 104 + 64);
  for (std::size_t bit = 0; bit < 8 * header; ++bit) {
    ByteVector changed = sealed;
    changed[bit / 8] ^= static_cast<std::uint8_t>(1U << bit % 8);
    ASSERT_NE(open_code(changed, to_both()), 0) << "bit " << bit;
    ASSERT_NE(open_code(changed, {.context = context, .any_name = true}), 0) << "bit " << bit;
    ASSERT_NE(open_code(changed, {.any_name = true}), 0) << "bit " << bit;
  }
  for (std::size_t size = 0; size < header + message_prefix_bytes + 16; ++size) {
    EXPECT_EQ(open_code(Bytes(sealed).first(size), to_both()), 5) << "cut to " << size;
  }
}

TEST(Bindings, NoVersionIsTakenForTheOther) {
  ByteVector older = seal_bound(to_both());
  older[8] = 1;
  EXPECT_EQ(open_code(older, {}), 4) << "its record is of a kind that is not known, and no key fits";
  EXPECT_EQ(open_code(older, to_both()), 2);
  ByteVector newer = seal_bound({});
  newer[8] = 2;
  EXPECT_EQ(open_code(newer, {}, "what it is bound to"), 7);
}

// By one who has no data key, and by one who has, a recipient, but keeps the body.
TEST(Bindings, TheRecordIsFirstAndAlone) {
  const ByteVector sealed = seal_bound(to_both());
  const ContainerHeader header = parse_header(sealed);
  const auto record_bytes = 3 + header.binding.data().size();
  const auto first = sealed.begin() + 12, second = first + static_cast<long>(record_bytes);
  const auto mac = sealed.begin() + static_cast<long>(header.bytes.size()) - 64;
  const auto rebuilt = [&](const std::vector<ByteVector>& records) {
    ByteVector bytes(sealed.begin(), sealed.begin() + 10), all;
    for (const ByteVector& record : records) all.insert(all.end(), record.begin(), record.end());
    bytes.insert(bytes.end(), {static_cast<std::uint8_t>(all.size() >> 8), static_cast<std::uint8_t>(all.size())});
    bytes.insert(bytes.end(), all.begin(), all.end());
    bytes.insert(bytes.end(), mac, sealed.end());
    return bytes;
  };
  const ByteVector binding(first, second), wrapped(second, mac);
  EXPECT_EQ(open_code(rebuilt({binding, wrapped}), to_both()), 0);
  EXPECT_EQ(open_code(rebuilt({wrapped}), {}, "what it is bound to"), 7) << "removed";
  EXPECT_EQ(open_code(rebuilt({binding, binding, wrapped}), to_both(), "twice"), 7);
  EXPECT_EQ(open_code(rebuilt({binding, wrapped, binding}), to_both(), "twice"), 7);
  EXPECT_EQ(open_code(rebuilt({wrapped, binding}), to_both(), "what it is bound to"), 7) << "moved";
  EXPECT_EQ(open_code(rebuilt({binding}), to_both(), "no recipient"), 7);
}

TEST(Bindings, AnotherRecordOfARecipientOpensNoBody) {
  const ByteVector sealed = seal_bound(to_both());
  const ContainerHeader header = parse_header(sealed);
  const Recipient holder = by_key(key);
  const OpenedHeader opened = open_header(header, identities_of({holder}), {}, to_both());
  BindingRecord context_alone = header.binding;
  context_alone.flags = context_flag;
  context_alone.sealed_name.clear();
  const FixedPart bound = header.fixed_part();
  const ByteVector unnamed = with_header(sealed, bound, context_alone, header.wrapped_keys, opened.data_key);
  EXPECT_EQ(open_code(unnamed, to_context(), "wrong context, or changed"), 4);
  const BindingRecord renamed = make_binding_record(bound, {.context = context, .name = "a/c"}, opened.data_key);
  const ByteVector another = with_header(sealed, bound, renamed, header.wrapped_keys, opened.data_key);
  EXPECT_EQ(open_code(another, to_both()), 3);
  EXPECT_EQ(open_code(another, {.context = context, .name = "a/c"}), 0) << "who has the data key may rename";
  const ByteVector same = with_header(sealed, bound, header.binding, header.wrapped_keys, opened.data_key);
  EXPECT_EQ(open_code(same, to_both()), 0);
}

TEST(Bindings, HostileRecordsAreMalformed) {
  const auto parsed = [](const ByteVector& data) {
    return code_of([&] { static_cast<void>(parse_binding_record(data)); }, "malformed");
  };
  const auto of = [](std::uint8_t flags, std::size_t more) {
    ByteVector data(1 + more);
    data[0] = flags;
    return data;
  };
  EXPECT_EQ(parsed({}), 7);
  for (int flags = 0; flags < 256; ++flags) {
    const auto byte = static_cast<std::uint8_t>(flags);
    EXPECT_EQ(parsed(of(byte, 0)), flags == 1 ? 0 : 7);
    EXPECT_EQ(parsed(of(byte, 73)), flags == 2 || flags == 3 ? 0 : 7);
  }
  EXPECT_EQ(parsed(of(2, 72)), 7) << "an empty name";
  EXPECT_EQ(parsed(of(2, 72 + 16383)), 0);
  EXPECT_EQ(parsed(of(2, 72 + 16384)), 7);
}

TEST(Bindings, NamesHaveAnyBytesAndABound) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) bytes += static_cast<char>(i);
  for (const std::string& name : {std::string("\n"), bytes, std::string(16383, 'n')}) {
    EXPECT_EQ(open_code(seal_bound({.name = name}), {.name = name}), 0);
    EXPECT_EQ(open_code(seal_bound({.name = name}), {.name = name + "x"}), 3);
  }
  EXPECT_EQ(code_of([] { seal_bound({.name = std::string(16384, 'n')}); }, "16383"), 2);
  // Whoever reads the message sees no control character.
  EXPECT_EQ(open_code(seal_bound({.name = "a\x1b[31m\nb"}), {.name = "c\rd"}, "'a?[31m?b', and is called 'c?d'"), 3);
}

TEST(Bindings, NamesOfPaths) {
  EXPECT_EQ(name_of_container("a.phalanx"), "a");
  EXPECT_EQ(name_of_container("a/b.phalanx.phalanx"), "a/b.phalanx");
  EXPECT_EQ(name_of_container("a/.phalanx"), "a/.phalanx");
  EXPECT_EQ(name_of_container(".phalanx"), ".phalanx");
  EXPECT_EQ(name_of_container("a.b"), "a.b");
  EXPECT_EQ(placed_at({.below = "x/y//"}, "a").name, "x/y/a");
  EXPECT_EQ(placed_at({.name = "z", .below = "x"}, "a").name, "z");
  EXPECT_EQ(placed_at({.below = "x"}, "").name, "");
}

TEST(Bindings, OfFiles) {
  const TemporaryFolder folder;
  const std::string in = folder.path_of("in"), here = folder.path_of("in.phalanx"), there = folder.path_of("out.phalanx");
  folder.write("in", plain);
  const std::vector<Recipient> recipients = {by_key(key)};
  const std::vector<Identity> identities = identities_of(recipients);
  static_cast<void>(
      seal_file(in, here, "aes-256", recipients, {.verify = true, .binding = {.context = context, .name = "in"}}));
  const auto unseal = [&](const std::string& path, const Binding& binding, std::string_view words = "") {
    return code_of(
        [&] {
          static_cast<void>(unseal_file(path, folder.path_of("plain"), identities, {.replace = true, .binding = binding}));
        },
        words);
  };
  EXPECT_EQ(unseal(here, to_context()), 0);
  EXPECT_EQ(unseal(here, {}), 2);
  EXPECT_EQ(unseal(here, {.context = other_context}, "wrong context, or changed"), 4);
  std::filesystem::rename(here, there);
  EXPECT_EQ(unseal(there, to_context(), "'in', and is called 'out'"), 3);
  EXPECT_EQ(unseal(there, {.context = context, .any_name = true}), 0);
  EXPECT_EQ(unseal(there, {.context = context, .name = "in"}), 0);
  EXPECT_EQ(
      code_of([&] { static_cast<void>(verify_container(there, identities, {.binding = to_context()})); }, "is called 'out'"),
      3);
  EXPECT_EQ(code_of([&] { ContainerReader(there, identities, {}, {}, to_context()); }, "is called 'out'"), 3);
  const InspectedFile seen = inspect_file(there);
  EXPECT_EQ(seen.container.version, 2);
  EXPECT_TRUE(seen.container.needs_context && seen.container.has_name);
  EXPECT_EQ(seen.container.recipients.size(), 1U);
}

TEST(Bindings, InC) {
  const phalanx_recipient recipient = {sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  const phalanx_identity identity = {sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  phalanx_binding binding = PHALANX_BINDING_INIT;
  binding.context = context.data();
  binding.context_bytes = context.size();
  binding.name = "a/b";
  std::uint64_t size = 0;
  ASSERT_EQ(phalanx_container_bytes("aes-256", &recipient, 1, plain.size(), &binding, &size), PHALANX_OK);
  ByteVector sealed(size);
  ASSERT_EQ(
      phalanx_container_seal("aes-256", &recipient, 1, plain.data(), plain.size(), sealed.data(), size, &binding, nullptr),
      PHALANX_OK);
  EXPECT_EQ(open_code(sealed, to_both()), 0);
  const auto opened = [&] {
    phalanx_container_reader* reader = nullptr;
    const int code =
        phalanx_container_reader_of_memory(&reader, sealed.data(), size, &identity, 1, nullptr, &binding, nullptr);
    phalanx_container_reader_free(reader);
    return code;
  };
  EXPECT_EQ(opened(), PHALANX_OK);
  binding.name = "a/c";
  EXPECT_EQ(opened(), PHALANX_AUTHENTICATION);
  binding.any_name = 1;
  EXPECT_EQ(opened(), PHALANX_OK);
  binding.context = other_context.data();
  EXPECT_EQ(opened(), PHALANX_WRONG_KEY);
  binding.struct_bytes = 0;
  EXPECT_EQ(opened(), PHALANX_USAGE);
}

}  // namespace
}  // namespace phalanx::test
