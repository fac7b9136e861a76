// Structs that cross the C interface, where the caller's headers are older or newer than the library's: what only ours have is
// as in the _INIT, and what only theirs have is 0.
#include <gtest/gtest.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "engine/library/c_arguments.hpp"
#include "tests/library/tested_engines.hpp"

namespace phalanx::test {

// It has grown since its first version.
struct GrownStruct {
  std::size_t struct_bytes;
  std::uint64_t first;
  std::uint64_t later;
};
constexpr std::size_t older_bytes = offsetof(GrownStruct, later);

}  // namespace phalanx::test

template <>
inline constexpr std::size_t phalanx::first_struct_bytes<phalanx::test::GrownStruct> = phalanx::test::older_bytes;

namespace phalanx::test {
namespace {

constexpr GrownStruct grown_init = {sizeof(GrownStruct), 1, 7};

// As a caller's headers of a later version have it.
struct NewerStruct {
  GrownStruct ours;
  std::uint64_t newest;
};

// What a program has that was compiled with the first version.
struct OlderStruct {
  std::size_t struct_bytes = older_bytes;
  std::uint64_t first = 5;
};
template <class Other>
auto* as_grown(Other* other) {
  return reinterpret_cast<std::conditional_t<std::is_const_v<Other>, const GrownStruct, GrownStruct>*>(other);
}

template <class Call>
void expect_usage(const Call& call) {
  try {
    call();
    ADD_FAILURE() << "it was taken";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage) << error.what();
  }
}

TEST(CStructs, NullMeansTheDefaults) {
  const GrownStruct taken = taken_struct<GrownStruct>(nullptr, grown_init);
  EXPECT_EQ(taken.first, 1U);
  EXPECT_EQ(taken.later, 7U);
}

TEST(CStructs, WhatAnOlderCallerDoesNotHaveIsAsInTheInit) {
  const OlderStruct older;
  const GrownStruct taken = taken_struct(as_grown(&older), grown_init);
  EXPECT_EQ(taken.first, 5U);
  EXPECT_EQ(taken.later, 7U);
  const std::array<OlderStruct, 3> several{};
  const StructsAt all(as_grown(several.data()), several.size(), grown_init, "the list");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].first, 5U);
  EXPECT_EQ(all[2].later, 7U);
}

TEST(CStructs, WhatOnlyANewerCallerHasIsZero) {
  NewerStruct newer = {{sizeof(NewerStruct), 2, 3}, 0};
  EXPECT_EQ(taken_struct(&newer.ours, grown_init).later, 3U);
  newer.newest = 1;
  expect_usage([&] { static_cast<void>(taken_struct(&newer.ours, grown_init)); });
  for (const std::size_t size : {std::size_t{0}, older_bytes - 1, std::size_t{4097}, SIZE_MAX}) {
    newer.ours.struct_bytes = size;
    expect_usage([&] { static_cast<void>(taken_struct(&newer.ours, grown_init)); });
  }
}

TEST(CStructs, ResultsFillWhatTheCallerHas) {
  struct {
    OlderStruct older;
    std::uint64_t behind = 99;
  } place;
  StructPlace result(as_grown(&place.older), grown_init);
  result.filled.first = 8;
  result.filled.later = 9;
  result.give();
  EXPECT_EQ(place.older.first, 8U);
  EXPECT_EQ(place.older.struct_bytes, older_bytes);
  EXPECT_EQ(place.behind, 99U);
  StructPlace nowhere(static_cast<GrownStruct*>(nullptr), grown_init);
  nowhere.give();
}

TEST(CStructs, ResultsInAnArrayAreAsFarApartAsTheCallers) {
  std::array<OlderStruct, 2> places;
  const StructsAt all(as_grown(places.data()), places.size(), grown_init, "the list");
  all.give(0, {sizeof(GrownStruct), 11, 12});
  all.put(1, &GrownStruct::first, 13);
  EXPECT_EQ(places[0].first, 11U);
  EXPECT_EQ(places[0].struct_bytes, older_bytes);
  EXPECT_EQ(places[1].first, 13U);
  EXPECT_EQ(places[1].struct_bytes, older_bytes);
}

}  // namespace
}  // namespace phalanx::test
