#include "files/age/key_files.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <phalanx/error.hpp>

#include "engine/text/characters.hpp"
#include "files/age/age_stanza.hpp"
#include "files/age/bech32.hpp"
#include "files/age/native_keys.hpp"

namespace phalanx::test {
namespace {

const std::string native = "age1zvkyg2lqzraa2lnjvqej32nkuu0ues2s82hzrye869xeexvn73equnujwj";
const std::string identity = "AGE-SECRET-KEY-1GFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPYYSJZGFPQ4EGAEX";

std::string of_plugin(const char* prefix) {
  return std::string(characters_of(encode_bech32(prefix, bytes_of("some data"))));
}

std::string refusal(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.what();
  }
  return "";
}

std::string refusal_of_recipient(const std::string& text) {
  return refusal([&] { static_cast<void>(read_age_recipient(text)); });
}
std::string refusal_of_identity(const std::string& text) {
  return refusal([&] { static_cast<void>(read_identity_file(text, "F")); });
}

TEST(KeyFiles, Recipients) {
  const std::string yubikey = of_plugin("age1yubikey");
  const auto recipients = read_recipients_file("# two\n\n" + native + "\r\n" + yubikey, "F");
  ASSERT_EQ(recipients.size(), 2U);
  EXPECT_EQ(recipients[0].text, native);
  EXPECT_EQ(recipients[0].plugin, "");
  EXPECT_EQ(recipients[1].text, yubikey);
  EXPECT_EQ(recipients[1].plugin, "yubikey");
  EXPECT_EQ(read_age_recipient(of_plugin("age1pq")).plugin, "pq");
}

TEST(KeyFiles, Identities) {
  const std::string plugin = of_plugin("AGE-PLUGIN-A.B+C-D_E-");
  const auto identities = read_identity_file("# created: today\n# public key: x\n" + identity + "\n" + plugin + "\n", "F");
  ASSERT_EQ(identities.size(), 2U);
  EXPECT_EQ(characters_of(identities[0].text), identity);
  EXPECT_EQ(identities[0].plugin, "");
  EXPECT_EQ(identities[1].plugin, "a.b+c-d_e");
}

// Each by its name, and none repeats a secret.
TEST(KeyFiles, MessagesAreWithoutIdentities) {
  const std::string data(58, 'Q');
  EXPECT_EQ(without_identities("cannot open AGE-SECRET-KEY-1" + data + "/x: no"), "cannot open AGE-SECRET-KEY-.../x: no");
  EXPECT_EQ(without_identities("AGE-SECRET-KEY-PQ-1" + data), "AGE-SECRET-KEY-...");
  EXPECT_EQ(without_identities("AGE-PLUGIN-TEST-1" + data + " AGE-SECRET-KEY-1" + data),
            "AGE-PLUGIN-... AGE-SECRET-KEY-...");
  const std::string ours = "AGE-SECRET-KEY-1 or AGE-PLUGIN- begins one; AGE-PLUGIN-NAME-1 is how";
  EXPECT_EQ(without_identities(ours), ours);
}

TEST(KeyFiles, WhatIsRefused) {
  EXPECT_NE(refusal_of_recipient("ssh-ed25519 AAAA x").find("SSH"), std::string::npos);
  EXPECT_NE(refusal_of_recipient(identity).find("identity, a secret"), std::string::npos);
  EXPECT_EQ(refusal_of_recipient(identity).find("GFPYY"), std::string::npos);
  EXPECT_NE(refusal_of_recipient("bob").find("age1"), std::string::npos);
  EXPECT_NE(refusal_of_recipient(of_plugin("age1a/b")).find("plugin"), std::string::npos);
  EXPECT_NE(refusal_of_recipient(native.substr(0, 61) + "x").find("checksum"), std::string::npos);
  EXPECT_NE(refusal_of_recipient(of_plugin("age")).find("X25519"), std::string::npos);
  EXPECT_NE(refusal_of_identity("-----BEGIN OPENSSH PRIVATE KEY-----\n").find("SSH"), std::string::npos);
  EXPECT_NE(refusal_of_identity("age-encryption.org/v1\n-> scrypt").find("decrypt it with age"), std::string::npos);
  EXPECT_NE(refusal_of_identity("-----BEGIN AGE ENCRYPTED FILE-----\n").find("decrypt it with age"), std::string::npos);
  EXPECT_NE(refusal_of_identity("AGE-SECRET-KEY-PQ-1XX").find("age-plugin-pq"), std::string::npos);
  EXPECT_NE(refusal_of_identity(native).find("recipient"), std::string::npos);
  EXPECT_NE(refusal_of_identity("# nothing\n").find("no identity"), std::string::npos);
  EXPECT_NE(refusal_of_identity("#\n" + identity + "Q").find("F, line 2"), std::string::npos);
  EXPECT_EQ(refusal_of_identity("#\n" + identity + "Q").find("GFPYY"), std::string::npos);
  EXPECT_NE(refusal_of_identity(of_plugin("AGE-PLUGIN-")).find("plugin"), std::string::npos);
}

}  // namespace
}  // namespace phalanx::test
