// A secret that several hold: what they are given is copied, once, and stays until the last of them is gone.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <phalanx/files/container.hpp>
#include <phalanx/secret.hpp>
#include <utility>
#include <vector>

namespace phalanx::test {
namespace {

TEST(SharedSecrets, OutliveWhatTheyWereMadeOf) {
  std::optional<std::vector<std::uint8_t>> given(std::in_place, 32, std::uint8_t{7});
  const SharedSecret secret = *given;
  std::ranges::fill(*given, std::uint8_t{0});
  given.reset();
  EXPECT_TRUE(std::ranges::equal(secret.bytes(), std::vector<std::uint8_t>(32, 7)));
}

TEST(SharedSecrets, CopiesShareOneMemory) {
  std::optional<SharedSecret> first(random_secret(16));
  const std::uint8_t* const memory = first->bytes().data();
  const SharedSecret second = *first;
  first.reset();
  EXPECT_EQ(second.bytes().data(), memory);
  EXPECT_EQ(second.size(), 16U);
}

TEST(SharedSecrets, MayBeEmpty) {
  EXPECT_TRUE(SharedSecret().empty());
  EXPECT_TRUE(SharedSecret(Bytes()).bytes().empty());
}

// A recipient may be made of what goes before it is used.
TEST(SharedSecrets, OfARecipientAndAnIdentityAreTheirOwn) {
  const auto recipient = [] {
    const std::array<std::uint8_t, 32> key{1, 2, 3};
    return Recipient{.secret = key};
  }();
  const auto identity = [] {
    const std::array<std::uint8_t, 32> key{1, 2, 3};
    return Identity{.secret = key};
  }();
  const std::vector<std::uint8_t> plain(100, 5);
  std::vector<std::uint8_t> sealed(container_bytes("aes-256", {&recipient, 1}, plain.size()));
  seal_container("aes-256", {&recipient, 1}, plain, sealed);
  EXPECT_EQ(ContainerReader(Bytes(sealed), {&identity, 1}).size(), plain.size());
}

}  // namespace
}  // namespace phalanx::test
