// age's published vectors (C2SP CCTV), of which those are ours that need X25519, stanzas, headers and their HMAC.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <map>
#include <sstream>

#include "age_file_reader.hpp"
#include "engine/text/characters.hpp"
#include "files/age/native_keys.hpp"
#include "files/libcrypto/sha256.hpp"
#include "tests/vector_file.hpp"

namespace phalanx::test {
namespace {

struct Vector {
  std::multimap<std::string, std::string> fields;
  std::string file;

  [[nodiscard]] std::string field(const std::string& name) const {
    const auto found = fields.find(name);
    return found == fields.end() ? "" : found->second;
  }
};

Vector load_vector(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  Vector vector;
  for (std::string line; std::getline(in, line) && !line.empty();) {
    const std::size_t colon = line.find(": ");
    vector.fields.emplace(line.substr(0, colon), line.substr(colon + 2));
  }
  vector.file.assign(std::istreambuf_iterator<char>(in), {});
  return vector;
}

// "" where it is ours.
std::string why_not_ours(const std::string& name, const Vector& vector) {
  if (name.starts_with("hybrid")) return "the hybrid of ML-KEM and X25519, which a plugin has";
  if (name.starts_with("scrypt") || vector.fields.contains("passphrase")) return "scrypt, for which our own records are";
  if (vector.fields.contains("armored")) return "armor, which we neither read nor write";
  if (vector.fields.contains("compressed")) return "a long payload, compressed in its vector; payloads are not ours";
  return "";
}

std::vector<SecretBytes> identities_of(const Vector& vector) {
  std::vector<SecretBytes> identities;
  const auto [first, last] = vector.fields.equal_range("identity");
  for (auto identity = first; identity != last; ++identity) identities.push_back(read_native_identity(identity->second));
  return identities;
}

void expect_as_published(const std::string& name, const Vector& vector) {
  const ReadAgeFile read = read_text_file(vector.file, identities_of(vector));
  EXPECT_EQ(read.outcome, vector.field("expect")) << name;
  if (read.outcome != "success" && read.outcome != "payload failure") return;
  EXPECT_EQ(to_hex(read.file_key), vector.field("file key")) << name;
  if (vector.field("payload").empty()) return;
  Sha256 digest;
  digest.update(read.plain);
  EXPECT_EQ(digest.finish(), vector.field("payload")) << name;
}

TEST(AgeVectors, OfX25519StanzasHeadersAndHmac) {
  std::map<std::string, std::vector<std::string>> not_ours;
  std::size_t num_ours = 0;
  for (const auto& entry : std::filesystem::directory_iterator(vectors_folder() / "age")) {
    const std::string name = entry.path().stem().string();
    const Vector vector = load_vector(entry.path());
    const std::string why = why_not_ours(name, vector);
    if (!why.empty()) {
      not_ours[why].push_back(name);
      continue;
    }
    ++num_ours;
    expect_as_published(name, vector);
  }
  EXPECT_EQ(num_ours, 48U);
  for (const auto& [why, names] : not_ours) {
    std::cout << names.size() << " not ours: " << why << ":";
    for (const std::string& name : names) std::cout << ' ' << name;
    std::cout << '\n';
  }
}

TEST(AgeVectors, KeysOfTheSpecification) {
  const SecretBytes identity =
      read_native_identity("AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
  EXPECT_EQ(native_recipient_text(x25519_public_key(identity)),
            "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj");
  EXPECT_EQ(characters_of(native_identity_text(identity)),
            "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX");
}

TEST(NativeKeys, OnlyTheRightIdentityUnwraps) {
  SecretBytes file_key(age_file_key_bytes), identity(x25519_bytes), other(x25519_bytes);
  file_key.data()[3] = 7;
  identity.data()[1] = 1;
  other.data()[1] = 2;
  const std::string text = wrap_file_key(x25519_public_key(identity), file_key);
  EXPECT_EQ(text.size(), native_stanza_bytes);
  std::string_view rest = text;
  const AgeStanza stanza = read_age_stanza(rest);
  EXPECT_EQ(rest, "");
  const auto unwrapped = unwrap_file_key(identity, stanza);
  ASSERT_TRUE(unwrapped.has_value());
  EXPECT_TRUE(std::ranges::equal(Bytes(*unwrapped), Bytes(file_key)));
  EXPECT_FALSE(unwrap_file_key(other, stanza).has_value());
  EXPECT_NE(wrap_file_key(x25519_public_key(identity), file_key), text) << "each has an ephemeral secret of its own";
}

// The points of order 1, 2, 4 and 8 (RFC 7748, section 6.1: the results are zeros), in their smallest encodings.
TEST(NativeKeys, PointsOfLowOrderAreNoRecipients) {
  for (const char* point : {"0000000000000000000000000000000000000000000000000000000000000000",
                            "0100000000000000000000000000000000000000000000000000000000000000",
                            "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
                            "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
                            "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157"}) {
    X25519PublicKey key;
    std::ranges::copy(from_hex(point), key.begin());
    EXPECT_THROW(static_cast<void>(read_native_recipient(native_recipient_text(key))), Error) << point;
    EXPECT_THROW(static_cast<void>(wrap_file_key(key, SecretBytes(age_file_key_bytes))), Error) << point;
  }
}

}  // namespace
}  // namespace phalanx::test
