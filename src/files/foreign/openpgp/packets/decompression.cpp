#include "files/foreign/openpgp/packets/decompression.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <phalanx/error.hpp>
#include <string>

#include "engine/host/libcrypto.hpp"
#include "engine/host/wiped_memory.hpp"
#include "engine/secrets/secret_bytes.hpp"

namespace phalanx {
namespace {

constexpr std::size_t part_bytes = std::size_t{256} << 10;  // that are decompressed before they are given on

[[noreturn]] void refuse_damage() { throw Error(ErrorCode::format, "its compressed data are damaged"); }

// The libraries' memory holds plaintext, and is wiped before it is given back. Its size stands in front.
void* take_memory(void* /*unused*/, std::size_t num_bytes) {
  constexpr std::size_t front_bytes = alignof(std::max_align_t);
  if (num_bytes > std::numeric_limits<std::uint32_t>::max()) return nullptr;
  auto* const memory = static_cast<std::uint8_t*>(std::calloc(1, front_bytes + num_bytes));
  if (memory == nullptr) return nullptr;
  std::memcpy(memory, &num_bytes, sizeof num_bytes);
  return memory + front_bytes;
}

void give_back_memory(void* /*unused*/, void* given) {
  if (given == nullptr) return;
  auto* const memory = static_cast<std::uint8_t*>(given) - alignof(std::max_align_t);
  std::size_t num_bytes = 0;
  std::memcpy(&num_bytes, memory, sizeof num_bytes);
  wipe_memory(memory, alignof(std::max_align_t) + num_bytes);
  std::free(memory);
}

// Each library counts elements and their size in its own type.
void* take_for_zlib(void* unused, unsigned count, unsigned size) { return take_memory(unused, std::size_t{count} * size); }
void* take_for_bzip2(void* unused, int count, int size) {
  return take_memory(unused, static_cast<std::size_t>(count) * static_cast<std::size_t>(size));
}

struct LibraryClose {
  void operator()(void* library) const { dlclose(library); }
};

// A library that is looked for now, and kept until nobody needs it.
class LoadedLibrary {
 public:
  LoadedLibrary(const char* file, const char* package)
      : library_(loads_libraries ? dlopen(file, RTLD_NOW | RTLD_LOCAL) : nullptr) {
    if (library_ != nullptr) return;
    const std::string advice = loads_libraries
                                   ? ": it is not there; install it (Debian's package " + std::string(package) + ")"
                                   : ", which this program, linked statically, does not load: take the program of "
                                     "a package";
    throw Error(ErrorCode::runtime, "its content is compressed, which needs " + std::string(file) + advice);
  }

  template <class Function>
  [[nodiscard]] Function function(const char* name) const {
    void* const found = dlsym(library_.get(), name);
    if (found == nullptr) throw Error(ErrorCode::runtime, "a library for compressed data lacks " + std::string(name));
    return reinterpret_cast<Function>(found);
  }

 private:
  std::unique_ptr<void, LibraryClose> library_;
};

// zlib.h has this structure, and these functions, results and flushes.
struct ZlibStream {
  const std::uint8_t* next_in;
  unsigned avail_in;
  unsigned long total_in;
  std::uint8_t* next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char* message;
  void* state;
  void* (*take)(void*, unsigned, unsigned);
  void (*give_back)(void*, void*);
  void* unused;
  int data_type;
  unsigned long adler, reserved;
};
using ZlibBegin = int (*)(ZlibStream*, int window_bits, const char* version, int stream_bytes);
using ZlibStep = int (*)(ZlibStream*, int flush);
using ZlibEnd = int (*)(ZlibStream*);
constexpr int zlib_ok = 0, zlib_stream_end = 1, zlib_needs_room = -5, zlib_no_flush = 0, zlib_no_memory = -4;
constexpr int raw_window_bits = -15, zlib_window_bits = 15;

// bzlib.h has this one, and these functions and results.
struct Bzip2Stream {
  const std::uint8_t* next_in;
  unsigned avail_in;
  unsigned total_in_low, total_in_high;
  std::uint8_t* next_out;
  unsigned avail_out;
  unsigned total_out_low, total_out_high;
  void* state;
  void* (*take)(void*, int, int);
  void (*give_back)(void*, void*);
  void* unused;
};
using Bzip2Begin = int (*)(Bzip2Stream*, int verbosity, int is_small);
using Bzip2Step = int (*)(Bzip2Stream*);
constexpr int bzip2_ok = 0, bzip2_stream_end = 4, bzip2_no_memory = -3;

// A step of a library: its state says what is left to read, and what room is left.
enum class StepResult : unsigned char { goes_on, has_ended };

// This is what both libraries have in common.
template <class Stream>
class StreamDecompression : public Decompression {
 public:
  void write(Bytes in, ByteSink& sink) final {
    constexpr std::size_t most_at_once = std::numeric_limits<unsigned>::max() / 2;
    while (!in.empty() && !is_whole_) {
      const Bytes part = in.first(std::min(in.size(), most_at_once));
      in = in.subspan(part.size());
      decompress(part, sink);
    }
  }
  [[nodiscard]] bool is_whole() const final { return is_whole_; }

 protected:
  [[nodiscard]] Stream& stream() { return stream_; }

 private:
  virtual StepResult step() = 0;

  void decompress(Bytes in, ByteSink& sink) {
    stream_.next_in = in.data();
    stream_.avail_in = static_cast<unsigned>(in.size());
    for (bool may_have_more = true; may_have_more && !is_whole_;) {
      stream_.next_out = out_.data();
      stream_.avail_out = static_cast<unsigned>(out_.size());
      is_whole_ = step() == StepResult::has_ended;
      sink.write(Bytes(out_).first(out_.size() - stream_.avail_out));
      may_have_more = stream_.avail_in != 0 || stream_.avail_out == 0;
    }
  }

  Stream stream_{};
  SecretBytes out_{part_bytes};
  bool is_whole_ = false;
};

class ZlibDecompression : public StreamDecompression<ZlibStream> {
 public:
  explicit ZlibDecompression(int window_bits)
      : library_("libz.so.1", "zlib1g"),
        step_(library_.function<ZlibStep>("inflate")),
        end_(library_.function<ZlibEnd>("inflateEnd")) {
    stream().take = take_for_zlib;
    stream().give_back = give_back_memory;
    const auto begin = library_.function<ZlibBegin>("inflateInit2_");
    if (begin(&stream(), window_bits, "1", sizeof(ZlibStream)) != zlib_ok)
      throw Error(ErrorCode::runtime, "zlib did not begin to decompress: is there memory left?");
  }
  ~ZlibDecompression() override { end_(&stream()); }
  ZlibDecompression(const ZlibDecompression&) = delete;
  ZlibDecompression& operator=(const ZlibDecompression&) = delete;

 private:
  StepResult step() override {
    const int result = step_(&stream(), zlib_no_flush);
    if (result == zlib_stream_end) return StepResult::has_ended;
    if (result == zlib_no_memory) throw Error(ErrorCode::runtime, "there is no memory to decompress its content");
    if (result != zlib_ok && result != zlib_needs_room) refuse_damage();
    return StepResult::goes_on;
  }

  LoadedLibrary library_;
  ZlibStep step_;
  ZlibEnd end_;
};

class Bzip2Decompression : public StreamDecompression<Bzip2Stream> {
 public:
  Bzip2Decompression()
      : library_("libbz2.so.1.0", "libbz2-1.0"),
        step_(library_.function<Bzip2Step>("BZ2_bzDecompress")),
        end_(library_.function<Bzip2Step>("BZ2_bzDecompressEnd")) {
    stream().take = take_for_bzip2;
    stream().give_back = give_back_memory;
    if (library_.function<Bzip2Begin>("BZ2_bzDecompressInit")(&stream(), 0, 0) != bzip2_ok)
      throw Error(ErrorCode::runtime, "libbz2 did not begin to decompress: is there memory left?");
  }
  ~Bzip2Decompression() override { end_(&stream()); }
  Bzip2Decompression(const Bzip2Decompression&) = delete;
  Bzip2Decompression& operator=(const Bzip2Decompression&) = delete;

 private:
  StepResult step() override {
    const int result = step_(&stream());
    if (result == bzip2_stream_end) return StepResult::has_ended;
    if (result == bzip2_no_memory) throw Error(ErrorCode::runtime, "there is no memory to decompress its content");
    if (result != bzip2_ok) refuse_damage();
    return StepResult::goes_on;
  }

  LoadedLibrary library_;
  Bzip2Step step_, end_;
};

class NoCompression : public Decompression {
 public:
  void write(Bytes in, ByteSink& sink) override { sink.write(in); }
  [[nodiscard]] bool is_whole() const override { return true; }
};

}  // namespace

std::unique_ptr<Decompression> make_decompression(unsigned number) {
  switch (number) {
    case 0:
      return std::make_unique<NoCompression>();
    case 1:
      return std::make_unique<ZlibDecompression>(raw_window_bits);
    case 2:
      return std::make_unique<ZlibDecompression>(zlib_window_bits);
    case 3:
      return std::make_unique<Bzip2Decompression>();
    default:
      throw Error(ErrorCode::format, "its content is compressed in way " + std::to_string(number) + ", which is not read");
  }
}

}  // namespace phalanx
