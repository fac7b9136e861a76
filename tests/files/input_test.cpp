// IN: where its end is, is asked once, and whoever asks hears of the same one.
#include "files/system/input.hpp"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <unistd.h>

#include <string>

#include "files/system/input_watch.hpp"

namespace phalanx::test {
namespace {

class InputEnd : public testing::Test {
 protected:
  void append(std::size_t num_bytes) const {
    const std::string text(num_bytes, 'a');
    ASSERT_EQ(pwrite(file, text.data(), text.size(), lseek(file, 0, SEEK_END)), static_cast<ssize_t>(num_bytes));
    ASSERT_EQ(lseek(file, 0, SEEK_SET), 0);
  }
  [[nodiscard]] Input opened() const { return {duplicate(file, "file"), "file"}; }

  const FileDescriptor owner{memfd_create("input", MFD_CLOEXEC)};
  const int file = owner.get();
};

TEST_F(InputEnd, IsThatOfTheMomentWhenItWasOpened) {
  append(100);
  Input input = opened();
  EXPECT_EQ(input.remaining_bytes(), 100U);
  append(50);
  EXPECT_EQ(input.remaining_bytes(), 100U);
  input.seek(30);
  EXPECT_EQ(input.remaining_bytes(), 70U);
  input.seek(120);
  EXPECT_EQ(input.remaining_bytes(), 0U);
  input.seek(0);
  input.look_again();
  EXPECT_EQ(input.remaining_bytes(), 150U);
}

TEST_F(InputEnd, AWatchAndItsInputSayTheSame) {
  append(100);
  Input input = opened();
  append(11);
  InputWatch watch(input);
  EXPECT_EQ(input.remaining_bytes(), 111U);
  append(7);
  input.seek(1);
  watch.begin();
  EXPECT_EQ(watch.num_bytes(), 110U);
  EXPECT_EQ(input.remaining_bytes(), 110U);
  EXPECT_TRUE(watch.has_grown());  // what came since is the watch's to find
  EXPECT_EQ(watch.num_bytes(), 117U);
}

TEST_F(InputEnd, OfAnEmptyFileIsItsBeginning) {
  const Input input = opened();
  EXPECT_EQ(input.remaining_bytes(), 0U);
}

TEST(Input, APipeHasNone) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  const FileDescriptor writing(ends[1]);
  const Input input{FileDescriptor(ends[0]), "pipe"};
  EXPECT_EQ(input.remaining_bytes(), std::nullopt);
}

}  // namespace
}  // namespace phalanx::test
