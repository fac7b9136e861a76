// Records of public keys: what is in one, who opens it, and whom it stands beside.
#include <gtest/gtest.h>
#include <phalanx/files/container.h>

#include <algorithm>
#include <phalanx/files/container.hpp>
#include <phalanx/files/recipients.hpp>

#include "engine/text/characters.hpp"
#include "files/age/native_keys.hpp"
#include "files/container/format/header.hpp"
#include "files/container/format/public_key_record.hpp"
#include "files/libcrypto/hkdf.hpp"
#include "tests/container/container_fixture.hpp"

namespace phalanx::test {
namespace {

struct Pair {
  SecretBytes identity;
  std::string recipient;
};

Pair pair_of(std::uint8_t seed) {
  SecretBytes secret(x25519_bytes);
  secret.data()[1] = seed;
  return {native_identity_text(secret), native_recipient_text(x25519_public_key(secret))};
}

Recipient public_recipient(const Pair& pair) {
  return {KeyKind::public_key, phalanx::bytes_of(std::string_view(pair.recipient)), {}};
}
Identity identity_of_pair(const Pair& pair) { return {KeyKind::public_key, pair.identity}; }

ByteVector sealed_for(std::string_view suite, const std::vector<Recipient>& recipients, Bytes plain) {
  ByteVector sealed;
  ContainerWriter writer([&](Bytes bytes) { sealed.insert(sealed.end(), bytes.begin(), bytes.end()); }, suite, recipients);
  writer.write(plain);
  writer.finish();
  return sealed;
}

int code_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return static_cast<int>(error.code());
  }
  return 0;
}

ByteVector opened(Bytes sealed, const Identity& identity) {
  const ContainerReader reader(sealed, {&identity, 1});
  ByteVector plain(reader.size());
  reader.read(0, plain);
  return plain;
}

const ByteVector some_plaintext(40000, 0x5a);

TEST(PublicKeys, TheirIdentityOpensEverySuite) {
  const Pair one = pair_of(1), two = pair_of(2), other = pair_of(3);
  for (const char* suite : {"aes-256", "aes-128", "serpent-256", "twofish-256"}) {
    const std::vector<Recipient> recipients{public_recipient(one), public_recipient(two)};
    const ByteVector sealed = sealed_for(suite, recipients, some_plaintext);
    EXPECT_EQ(sealed.size(), container_bytes(suite, recipients, some_plaintext.size()));
    EXPECT_EQ(opened(sealed, identity_of_pair(one)), some_plaintext);
    EXPECT_EQ(opened(sealed, identity_of_pair(two)), some_plaintext);
    EXPECT_EQ(code_of([&] { opened(sealed, identity_of_pair(other)); }), 4);
    const auto listed = list_recipients(sealed);
    ASSERT_EQ(listed.size(), 2U);
    EXPECT_TRUE(listed[1].is(KeyKind::public_key));
    EXPECT_EQ(listed[1].stanza_types, std::vector<std::string>{"X25519"});
    EXPECT_EQ(recipients_opened_by(sealed, std::vector{identity_of_pair(two)}), std::vector<std::size_t>{2});
  }
}

// Each byte of the record but the stanza's own is under the MAC, or makes the message another.
TEST(PublicKeys, AChangedRecordOpensForNobody) {
  const Pair one = pair_of(1);
  const ByteVector sealed = sealed_for("aes-256", {public_recipient(one)}, some_plaintext);
  const std::size_t record_bytes = native_record_bytes(find_suite("aes-256"));
  for (std::size_t i = 0; i < record_bytes; ++i) {
    ByteVector changed = sealed;
    changed[header_start_bytes + 3 + i] ^= 1;
    EXPECT_NE(code_of([&] { opened(changed, identity_of_pair(one)); }), 0) << i;
  }
}

// From docs/format.md: what the input key is derived from, computed here once more.
TEST(PublicKeys, TheInputKeyIsBoundToLabelsStanzasAndFixedPart) {
  const WrapFileKey wrap = [](MutableBytes file_key) {
    std::ranges::fill(file_key, std::uint8_t{0x11});
    return WrappedFileKey{{"-> test\n\n"}, {"zwei", "eins"}};
  };
  const FixedPart fixed = unbound(find_suite("aes-128"));
  const ByteVector data_key(16, 0x22);
  const ByteVector data = make_public_key_record(fixed, {KeyKind::public_key, {}, {}, wrap}, data_key);
  const auto record = read_public_key_record(*fixed.suite, data);
  ASSERT_TRUE(record.has_value());
  EXPECT_EQ(characters_of(record->labels_and_stanzas),
            "\x02\x04"
            "eins\x04zwei\x01-> test\n\n");
  ByteVector info = labelled_fixed_part(fixed, "age"), digest = from_hex(sha512_hex(record->labels_and_stanzas)), key(16);
  info.insert(info.end(), digest.begin(), digest.end());
  derive_hkdf_sha512(ByteVector(16, 0x11), record->salt, info, key);
  const ByteVector context = labelled_fixed_part(fixed, "age");
  EXPECT_EQ(open_message(*fixed.suite, key, context, record->message), data_key);
}

// Every length but the right one, wrong numbers, labels out of order, stanzas that are none: nobody's, and no error.
TEST(PublicKeys, AMalformedRecordIsNobodys) {
  const Suite& suite = find_suite("aes-128");
  const std::string salt(16, 's'), message(72 + 16, 'm'), stanza = "-> a b\nYWI\n";
  const auto reads = [&](const std::string& middle) {
    return read_public_key_record(suite, bytes_of(salt + middle + message)).has_value();
  };
  const std::string none(1, '\0'), one = "\x01";
  EXPECT_TRUE(reads(none + one + stanza));
  EXPECT_TRUE(
      reads("\x02\x01"
            "a\x02"
            "ab\x02" +
            stanza + stanza));
  for (const std::string& middle :
       {std::string(), none, none + none, none + one, none + one + stanza + "x", none + "\x02" + stanza,
        none + one + "-> a\n\n\n", none + one + "-> \n\n", none + one + "a\n\n", one + none + one + stanza,
        std::string("\x02\x01"
                    "b\x01"
                    "a\x01") +
            stanza,
        std::string("\x02\x01"
                    "a\x01"
                    "a\x01") +
            stanza,
        std::string("\x01\x01 \x01") + stanza, none + "\x41" + stanza,
        none + one + "-> " + std::string(8192, 'a') + "\n\n"}) {
    EXPECT_FALSE(reads(middle)) << middle;
  }
  EXPECT_FALSE(read_public_key_record(suite, bytes_of(salt)).has_value());
  const Pair pair = pair_of(1);
  EXPECT_FALSE(open_public_key_record(unbound(suite), bytes_of(salt), identity_of_pair(pair)).has_value());
}

TEST(PublicKeys, CallsOfTheCallersWrapAndUnwrap) {
  const WrapFileKey wrap = [](MutableBytes file_key) {
    return WrappedFileKey{{"-> other\n\n", std::string(characters_of(age_stanza_text({"clear"}, file_key)))}};
  };
  std::size_t num_calls = 0;
  const UnwrapFileKey unwrap = [&](std::span<const std::string> stanzas, MutableBytes file_key) {
    ++num_calls;
    if (stanzas.size() != 2) return false;
    std::string_view text = stanzas[1];
    std::ranges::copy(read_age_stanza(text).body, file_key.begin());
    return true;
  };
  const std::vector<Recipient> recipients{{KeyKind::public_key, {}, {}, wrap}};
  const ByteVector sealed = sealed_for("aes-256", recipients, some_plaintext);
  EXPECT_EQ(opened(sealed, {KeyKind::public_key, {}, unwrap}), some_plaintext);
  EXPECT_EQ(num_calls, 1U);
  EXPECT_EQ(code_of([&] { static_cast<void>(container_bytes("aes-256", recipients, 1)); }), 2);
  const UnwrapFileKey lies = [](std::span<const std::string>, MutableBytes) { return true; };
  EXPECT_EQ(code_of([&] { opened(sealed, {KeyKind::public_key, {}, lies}); }), 3);
  const UnwrapFileKey fails = [](std::span<const std::string>, MutableBytes) -> bool {
    throw Error(ErrorCode::runtime, "no card");
  };
  EXPECT_EQ(code_of([&] { opened(sealed, {KeyKind::public_key, {}, fails}); }), 1);
  const std::vector<Identity> both{{KeyKind::public_key, {}, fails}, {KeyKind::public_key, {}, unwrap}};
  EXPECT_EQ(ContainerReader(sealed, both).size(), some_plaintext.size()) << "another identity still opens";
}

// Written by tests/container/write_corpus.py from docs/format.md alone.
TEST(PublicKeys, TheCorpusOpens) {
  const std::vector<Record> records = records_of("containers", "public_keys.txt");
  EXPECT_EQ(records.size(), 8U);
  for (const Record& record : records) {
    const std::string text = record.text("identity");
    const Identity identity{KeyKind::public_key, phalanx::bytes_of(std::string_view(text))};
    const ByteVector sealed = sealed_of(record), context = record.bytes("context");
    EngineOptions options;
    const ContainerReader reader(sealed, {&identity, 1}, options, {}, {.context = context});
    ByteVector plain(reader.size());
    reader.read(0, plain);
    expect_plaintext(record, plain);
  }
}

int wrap_in_clear(void* user_data, std::uint8_t* file_key, phalanx_wrapped_file_key* wrapped) {
  if (user_data == nullptr) return 1;
  const SecretBytes text = age_stanza_text({"clear"}, Bytes(file_key, age_file_key_bytes));
  if (phalanx_wrapped_file_key_add_label(wrapped, "ours") != PHALANX_OK) return 1;
  return phalanx_wrapped_file_key_add_stanza(wrapped, std::string(characters_of(text)).c_str());
}

int unwrap_in_clear(void* user_data, const char* const* stanzas, std::size_t num_stanzas, std::uint8_t* file_key) {
  if (user_data == nullptr) return 1;
  EXPECT_EQ(num_stanzas, 1U);
  std::string_view text = stanzas[0];
  std::ranges::copy(read_age_stanza(text).body, file_key);
  return 0;
}

TEST(PublicKeys, InC) {
  int known = 0;
  const phalanx_public_key_calls calls{sizeof calls, &known, wrap_in_clear, unwrap_in_clear, 0};
  const phalanx_public_key_calls others{sizeof others, nullptr, wrap_in_clear, unwrap_in_clear, 0};
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(&calls);
  const phalanx_recipient recipient{sizeof(phalanx_recipient), PHALANX_PUBLIC_KEY_CALLS, bytes, sizeof calls, 0, 0, 0};
  ByteVector sealed;
  const auto append = [](void* out, const std::uint8_t* some, std::size_t size) {
    static_cast<ByteVector*>(out)->insert(static_cast<ByteVector*>(out)->end(), some, some + size);
    return 0;
  };
  phalanx_container_writer* writer = nullptr;
  ASSERT_EQ(phalanx_container_writer_new(&writer, append, &sealed, "aes-256", &recipient, 1, nullptr, nullptr), PHALANX_OK);
  ASSERT_EQ(phalanx_container_writer_write(writer, some_plaintext.data(), some_plaintext.size()), PHALANX_OK);
  ASSERT_EQ(phalanx_container_writer_finish(writer), PHALANX_OK);
  phalanx_container_writer_free(writer);
  const auto outcome_of = [&](const phalanx_identity& identity) {
    phalanx_container_reader* reader = nullptr;
    const int outcome =
        phalanx_container_reader_of_memory(&reader, sealed.data(), sealed.size(), &identity, 1, nullptr, nullptr, nullptr);
    phalanx_container_reader_free(reader);
    return outcome;
  };
  EXPECT_EQ(outcome_of({sizeof(phalanx_identity), PHALANX_PUBLIC_KEY_CALLS, bytes, sizeof calls}), PHALANX_OK);
  EXPECT_EQ(outcome_of({sizeof(phalanx_identity), PHALANX_PUBLIC_KEY_CALLS, reinterpret_cast<const std::uint8_t*>(&others),
                        sizeof others}),
            PHALANX_WRONG_KEY);
  EXPECT_EQ(outcome_of({sizeof(phalanx_identity), PHALANX_PUBLIC_KEY_CALLS, bytes, 8}), PHALANX_USAGE);
}

TEST(PublicKeys, TooMuchIsRefused) {
  const auto code_for = [&](const WrappedFileKey& wrapped) {
    const WrapFileKey wrap = [&](MutableBytes) { return wrapped; };
    return code_of([&] { sealed_for("aes-256", {{KeyKind::public_key, {}, {}, wrap}}, {}); });
  };
  const std::string stanza = "-> a\n\n";
  EXPECT_EQ(code_for({std::vector<std::string>(64, stanza)}), 0);
  EXPECT_EQ(code_for({std::vector<std::string>(65, stanza)}), 2);
  EXPECT_EQ(code_for({}), 2);
  EXPECT_EQ(code_for({{"-> " + std::string(8187, 'a') + "\n\n"}}), 0);
  EXPECT_EQ(code_for({{"-> " + std::string(8188, 'a') + "\n\n"}}), 2);
  EXPECT_EQ(code_for({std::vector<std::string>(9, "-> " + std::string(8000, 'a') + "\n\n")}), 2)
      << "more than a header holds";
  EXPECT_EQ(code_for({{stanza + stanza}}), 2);
  EXPECT_EQ(code_for({{"no stanza"}}), 2);
  const std::string body = std::string(43, 'A'), share = std::string(43, '/').replace(42, 1, "8");
  EXPECT_EQ(code_for({{"-> X25519 " + share + "\n" + body + "\n"}}), 0);
  EXPECT_EQ(code_for({{"-> X25519 " + body + "\n" + body + "\n"}}), 2) << "a share of low order";
  EXPECT_EQ(code_for({{"-> X25519 " + share + " x\n" + body + "\n"}}), 2);
  EXPECT_EQ(code_for({{"-> X25519 " + share + "\n" + body + "AA\n"}}), 2) << "a body of another size";
  EXPECT_EQ(code_for({{"-> X25519 QQ\n" + body + "\n"}}), 2);
  EXPECT_EQ(code_for({{stanza}, {"a", "a"}}), 2);
  EXPECT_EQ(code_for({{stanza}, {"a b"}}), 2);
  EXPECT_EQ(code_for({{stanza}, {std::string(256, 'a')}}), 2);
}

// What another program wrote, or an earlier version: the record of one recipient is malformed, and authentic.
TEST(PublicKeys, AnothersMalformedStanzaShutsNobodyOut) {
  const WrapFileKey wrap = [](MutableBytes) {
    return WrappedFileKey{{"-> X2551- " + std::string(43, 'A') + "\n" + std::string(43, 'A') + "\n"}, {}};
  };
  const Pair one = pair_of(1), two = pair_of(2);
  const ByteVector sealed =
      sealed_for("aes-256", {{KeyKind::public_key, {}, {}, wrap}, public_recipient(one)}, some_plaintext);
  ContainerHeader header = parse_header(sealed);
  const OpenedHeader by_one = open_header(header, std::vector{identity_of_pair(one)});
  std::vector<std::uint8_t>& record = header.wrapped_keys.front().data;
  const std::string_view type = "X2551-";
  const auto place = std::search(record.begin(), record.end(), type.begin(), type.end());
  ASSERT_NE(place, record.end());
  place[5] = '9';
  ByteVector changed = make_header(header.fixed_part(), header.wrapped_keys, by_one.data_key, header.binding).bytes;
  changed.insert(changed.end(), sealed.begin() + static_cast<std::ptrdiff_t>(header.bytes.size()), sealed.end());
  EXPECT_EQ(opened(changed, identity_of_pair(one)), some_plaintext);
  EXPECT_EQ(code_of([&] { opened(changed, identity_of_pair(two)); }), static_cast<int>(ErrorCode::format));
}

// extension-labels of c2sp.org/age-plugin; what stands beside a key file is what the format says.
TEST(PublicKeys, LabelsSayWhoStandsTogether) {
  const Pair native = pair_of(1);
  const ByteVector key(32, 1);
  const auto code_for = [&](const std::vector<std::vector<std::string>>& labels, bool with_native, bool with_key,
                            bool mixed) {
    std::vector<WrapFileKey> wraps;
    for (const auto& of_one : labels) {
      wraps.emplace_back([of_one](MutableBytes) { return WrappedFileKey{{"-> a\n\n"}, of_one}; });
    }
    std::vector<Recipient> recipients;
    for (const WrapFileKey& wrap : wraps) recipients.push_back({KeyKind::public_key, {}, {}, wrap, mixed});
    if (with_native) recipients.push_back(public_recipient(native));
    if (with_key) recipients.push_back({KeyKind::key, key, {}});
    return code_of([&] { sealed_for("aes-256", recipients, {}); });
  };
  EXPECT_EQ(code_for({{}}, true, true, false), 0);
  EXPECT_EQ(code_for({{"postquantum"}}, false, true, false), 0);
  EXPECT_EQ(code_for({{"postquantum"}}, true, false, false), 6);
  EXPECT_EQ(code_for({{"a", "b"}, {"b", "a"}}, false, false, false), 0);
  EXPECT_EQ(code_for({{"a", "b"}, {"b"}}, false, false, false), 6);
  EXPECT_EQ(code_for({{"a"}}, false, true, false), 6);
  EXPECT_EQ(code_for({{"a"}}, true, true, true), 0);
}

}  // namespace
}  // namespace phalanx::test
