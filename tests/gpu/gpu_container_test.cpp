// Containers whose plaintext lies in a GPU's memory, against the CPU's readers and writers.
#include <phalanx/files/container.h>

#include <algorithm>
#include <phalanx/files/container.hpp>

#include "device_fixture.hpp"
#include "temporary_folder.hpp"

namespace phalanx {
namespace {

constexpr std::size_t chunk = 16384, sealed_chunk = chunk + 16;
constexpr std::size_t slice = 1020 * chunk;  // some more than one staging buffer takes

class GpuContainers : public DeviceTest {
 protected:
  ByteVector key = random_bytes(32);
  const Recipient recipient{.kind = KeyKind::key, .secret = key, .cost = {}};
  const Identity identity{.kind = KeyKind::key, .secret = key};

  ByteVector sealed_of(const ByteVector& plain, const char* suite = "aes-256") {
    ByteVector container(container_bytes(suite, {&recipient, 1}, plain.size()));
    seal_container(suite, {&recipient, 1}, plain, container, {"cpu", 0});
    return container;
  }
  ContainerReader reader_of(const ByteVector& container) { return {Bytes(container), {&identity, 1}}; }
  // By a function, which counts what it gave.
  ContainerReader function_reader_of(const ByteVector& container, std::size_t& num_read) {
    const auto read_at = [&container, &num_read](std::uint64_t offset, MutableBytes out) {
      std::copy_n(container.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
      num_read += out.size();
    };
    return {read_at, container.size(), {&identity, 1}};
  }

  static void expect_range(const ContainerReader& reader, const ByteVector& plain, std::uint64_t offset, std::size_t size) {
    DeviceBytes out(size + 2);
    out.poison();
    const ByteVector before = out.get();
    reader.read_to_device(offset, static_cast<std::uint8_t*>(out.data()) + 1, size);
    ByteVector expected = before;
    std::copy_n(plain.begin() + static_cast<std::ptrdiff_t>(offset), size, expected.begin() + 1);
    EXPECT_TRUE(out.get() == expected) << offset << ", " << size << " of " << plain.size();
  }
};

TEST_F(GpuContainers, RangesEqualThePlaintext) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, chunk - 1, chunk, chunk + 1, 5 * chunk, slice - 1, slice,
                                 2 * slice + 3 * chunk + 77}) {
    const ByteVector plain = random_bytes(size), container = sealed_of(plain);
    const ContainerReader reader = reader_of(container);
    expect_range(reader, plain, 0, size);
    expect_range(reader, plain, size, 0);
    for (int round = 0; round < 4; ++round) {
      const std::size_t offset = random() % (size + 1);
      expect_range(reader, plain, offset, random() % (size - offset + 1));
    }
    DeviceBytes out(16);
    EXPECT_THROW(reader.read_to_device(size, out.data(), 1), Error);
  }
}

TEST_F(GpuContainers, EverySuiteAndEveryEngine) {
  const ByteVector plain = random_bytes(3 * chunk + 5);
  for (const char* suite : {"aes-256", "serpent-256", "twofish-256"}) {
    const ByteVector container = sealed_of(plain, suite);
    for (const char* engine : {"", "auto", "cpu", "cuda", "cuda:0"}) {
      const ContainerReader reader(Bytes(container), {&identity, 1}, {engine, 2});
      expect_range(reader, plain, 3, plain.size() - 3);
    }
  }
}

TEST_F(GpuContainers, FunctionsFilesAndPageLockedMemory) {
  const ByteVector plain = random_bytes(slice + 40 * chunk + 9), container = sealed_of(plain);
  std::size_t num_read = 0;
  const ContainerReader by_function = function_reader_of(container, num_read);
  num_read = 0;
  expect_range(by_function, plain, 10 * chunk + 1, chunk);
  EXPECT_EQ(num_read, 2 * sealed_chunk);
  expect_range(by_function, plain, 0, plain.size());
  const test::TemporaryFolder folder;
  expect_range(ContainerReader(folder.write("container", container), {&identity, 1}), plain, 100, plain.size() - 100);
  void* memory = nullptr;
  check_device(cudaHostAlloc(&memory, container.size(), cudaHostAllocDefault));
  std::copy(container.begin(), container.end(), static_cast<std::uint8_t*>(memory));
  expect_range(ContainerReader(Bytes(static_cast<std::uint8_t*>(memory), container.size()), {&identity, 1}), plain, 7,
               plain.size() - 7);
  check_device(cudaFreeHost(memory));
}

// The first of the chunks that are not authentic has its name in the message, and nothing of what was asked for is given.
TEST_F(GpuContainers, ChangedChunksAreNamedAndGiveZeros) {
  const ByteVector plain = random_bytes(2 * slice + 5), container = sealed_of(plain);
  const std::size_t chunks_offset = container.size() - (plain.size() + (plain.size() / chunk + 1) * 16);
  for (const std::size_t changed : {std::size_t{0}, std::size_t{1019}, std::size_t{1020}, std::size_t{2000}}) {
    ByteVector damaged = container;
    damaged[chunks_offset + changed * sealed_chunk + 100] ^= 1;
    const ContainerReader reader = reader_of(damaged);
    DeviceBytes out(plain.size());
    out.poison();
    try {
      reader.read_to_device(0, out.data(), plain.size());
      ADD_FAILURE() << changed;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::authentication);
      EXPECT_NE(std::string(error.what()).find("chunk " + std::to_string(changed) + " is"), std::string::npos)
          << error.what();
    }
    EXPECT_TRUE(out.get() == ByteVector(plain.size()));
    if (changed != 0) expect_range(reader, plain, 0, changed * chunk);
  }
}

TEST_F(GpuContainers, AFunctionThatFailsGivesZeros) {
  const ByteVector plain = random_bytes(2 * slice), container = sealed_of(plain);
  bool fails = false;
  const auto read_at = [&](std::uint64_t offset, MutableBytes out) {
    if (fails && offset > slice) throw Error(ErrorCode::runtime, "no more");
    std::copy_n(container.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  };
  const ContainerReader reader(read_at, container.size(), {&identity, 1});
  fails = true;
  DeviceBytes out(plain.size());
  out.poison();
  EXPECT_THROW(reader.read_to_device(0, out.data(), plain.size()), Error);
  EXPECT_TRUE(out.get() == ByteVector(plain.size()));
  fails = false;
  expect_range(reader, plain, 0, plain.size());
}

// A function that reads, or takes what is sealed, may use the same GPU: the staging buffers are its caller's meanwhile.
TEST_F(GpuContainers, FunctionsMayUseTheSameGpu) {
  const ByteVector plain = random_bytes(slice + chunk), container = sealed_of(plain);
  const Cipher cipher("aes-256-ctr", key, {"cuda", 0});
  const ByteVector iv(16);
  const auto use_gpu = [&] {
    ByteVector text = random_bytes(3 * chunk);
    const ByteVector before = text;
    cipher.encrypt(iv, text, text);
    cipher.decrypt(iv, text, text);
    EXPECT_TRUE(text == before);
    expect_range(reader_of(container), plain, 5, slice);
  };
  bool uses_gpu = false;
  const auto read_at = [&](std::uint64_t offset, MutableBytes out) {
    if (uses_gpu) use_gpu();
    std::copy_n(container.begin() + static_cast<std::ptrdiff_t>(offset), out.size(), out.begin());
  };
  const ContainerReader reader(read_at, container.size(), {&identity, 1});
  uses_gpu = true;
  expect_range(reader, plain, 0, plain.size());
  const DeviceBytes on_gpu(plain);
  ByteVector written;
  const auto append = [&](Bytes bytes) {
    use_gpu();
    written.insert(written.end(), bytes.begin(), bytes.end());
  };
  ContainerWriter writer(append, "aes-256", {&recipient, 1});
  writer.write_from_device(on_gpu.data(), plain.size());
  writer.finish();
  ByteVector opened(plain.size());
  reader_of(written).read(0, opened);
  EXPECT_TRUE(opened == plain);
}

TEST_F(GpuContainers, TheHostsMemoryIsRefused) {
  const ByteVector plain = random_bytes(100), container = sealed_of(plain);
  ByteVector out(100);
  EXPECT_THROW(reader_of(container).read_to_device(0, out.data(), 100), Error);
  ContainerWriter writer([](Bytes) {}, "aes-256", {&recipient, 1});
  EXPECT_THROW(writer.write_from_device(plain.data(), 100), Error);
}

TEST_F(GpuContainers, WorkOnTheStreamComesFirst) {
  cudaStream_t stream = nullptr;
  check_device(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  const ByteVector plain = random_bytes(slice), container = sealed_of(plain);
  DeviceBytes out(slice);
  for (int i = 0; i < 20; ++i) check_device(cudaMemsetAsync(out.data(), i, slice, stream));
  reader_of(container).read_to_device(0, out.data(), slice, stream);
  EXPECT_TRUE(out.get() == plain);
  check_device(cudaStreamDestroy(stream));
}

// What a writer makes of pieces of a GPU's memory, and of the host's before them, the CPU opens.
TEST_F(GpuContainers, WritersSealAGpusMemory) {
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, chunk, chunk + 1, 2 * slice + chunk + 33, 2 * slice}) {
    const ByteVector plain = random_bytes(size);
    const DeviceBytes on_gpu(plain);
    const auto* const at = static_cast<const std::uint8_t*>(on_gpu.data());
    for (const std::size_t first : {std::size_t{0}, chunk, 300 * chunk}) {
      ByteVector container;
      const auto append = [&](Bytes bytes) { container.insert(container.end(), bytes.begin(), bytes.end()); };
      ContainerWriter writer(append, "aes-256", {&recipient, 1});
      const std::size_t by_host = std::min(first, size / chunk * chunk);
      writer.write(Bytes(plain).first(by_host));
      writer.write_from_device(at + by_host, (size - by_host) / 2 / chunk * chunk);
      writer.write_from_device(at + by_host + (size - by_host) / 2 / chunk * chunk,
                               size - by_host - (size - by_host) / 2 / chunk * chunk);
      if (size % chunk != 0) {
        EXPECT_THROW(writer.write(Bytes(plain).first(1)), Error);
        continue;
      }
      writer.finish();
      ASSERT_EQ(container.size(), container_bytes("aes-256", {&recipient, 1}, size));
      ByteVector opened(size);
      reader_of(container).read(0, opened);
      EXPECT_TRUE(opened == plain) << size;
    }
    ByteVector container;
    const auto append = [&](Bytes bytes) { container.insert(container.end(), bytes.begin(), bytes.end()); };
    ContainerWriter writer(append, "twofish-256", {&recipient, 1});
    writer.write_from_device(at, size);
    writer.finish();
    ByteVector opened(size);
    reader_of(container).read(0, opened);
    EXPECT_TRUE(opened == plain) << size;
  }
  ContainerWriter writer([](Bytes) {}, "aes-256", {&recipient, 1});
  writer.write(key);
  const DeviceBytes on_gpu(key);
  EXPECT_THROW(writer.write_from_device(on_gpu.data(), 32), Error);
}

TEST_F(GpuContainers, InC) {
  const ByteVector plain = random_bytes(3 * chunk + 1), container = sealed_of(plain);
  const phalanx_identity in_c{sizeof(phalanx_identity), PHALANX_KEY, key.data(), key.size()};
  phalanx_container_reader* reader = nullptr;
  ASSERT_EQ(
      phalanx_container_reader_of_memory(&reader, container.data(), container.size(), &in_c, 1, nullptr, nullptr, nullptr),
      PHALANX_OK);
  DeviceBytes out(plain.size());
  ASSERT_EQ(phalanx_container_reader_read_to_device(reader, 0, out.data(), plain.size(), nullptr), PHALANX_OK);
  EXPECT_TRUE(out.get() == plain);
  EXPECT_EQ(phalanx_container_reader_read_to_device(reader, 1, out.data(), plain.size(), nullptr), PHALANX_USAGE);
  phalanx_container_reader_free(reader);
  const phalanx_recipient for_c{sizeof(phalanx_recipient), PHALANX_KEY, key.data(), key.size(), 0, 0, 0};
  ByteVector written;
  const auto append = [](void* user_data, const std::uint8_t* bytes, std::size_t size) {
    static_cast<ByteVector*>(user_data)->insert(static_cast<ByteVector*>(user_data)->end(), bytes, bytes + size);
    return 0;
  };
  phalanx_container_writer* writer = nullptr;
  ASSERT_EQ(phalanx_container_writer_new(&writer, append, &written, "aes-256", &for_c, 1, nullptr, nullptr), PHALANX_OK);
  ASSERT_EQ(phalanx_container_writer_write_from_device(writer, out.data(), plain.size(), nullptr), PHALANX_OK);
  ASSERT_EQ(phalanx_container_writer_finish(writer), PHALANX_OK);
  phalanx_container_writer_free(writer);
  ByteVector opened(plain.size());
  reader_of(written).read(0, opened);
  EXPECT_TRUE(opened == plain);
}

}  // namespace
}  // namespace phalanx
