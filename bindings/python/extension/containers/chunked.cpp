// The class ChunkedAead of Python, its messages that come by parts, and ranges of messages.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <phalanx/files/chunked_file.hpp>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"
#include "arguments/sole_use.hpp"
#include "devices/cuda_after_fork.hpp"
#include "engine/chunked/chunk_stream.hpp"
#include "engine/chunked/chunked_key.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

const ChunkedAead& usable(const ChunkedAead& aead) {
  note_engine(aead.engine());
  return aead;
}

nb::bytes seal(const ChunkedAead& aead, nb::handle data) {
  const HeldBuffer in(data, "data");
  NewBytes out = new_bytes(ChunkedAead::sealed_bytes(in.size()));
  run_work(in.size(), [&] { usable(aead).seal(in.bytes(), out.memory); });
  return std::move(out.object);
}

nb::bytes open(const ChunkedAead& aead, nb::handle sealed) {
  const HeldBuffer in(sealed, "sealed");
  NewBytes out = new_bytes(ChunkedAead::plain_bytes(in.size()));
  run_work(in.size(), [&] { usable(aead).open(in.bytes(), out.memory); });
  return std::move(out.object);
}

// The first `size` bytes of a target, apart from the source.
MutableBytes target_of(const HeldBuffer& src, const HeldBuffer& dst, std::size_t size) {
  check_room(size, dst.bytes());
  const MutableBytes target = dst.mutable_bytes().first(size);
  check_disjoint(src.bytes(), target, "src and dst");
  return target;
}

std::size_t seal_into(const ChunkedAead& aead, nb::handle src, nb::handle dst) {
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const MutableBytes target = target_of(in, out, ChunkedAead::sealed_bytes(in.size()));
  run_work(in.size(), [&] { usable(aead).seal(in.bytes(), target); });
  return target.size();
}

std::size_t open_into(const ChunkedAead& aead, nb::handle src, nb::handle dst) {
  const HeldBuffer in(src, "src");
  const HeldBuffer out(dst, "dst", true);
  const MutableBytes target = target_of(in, out, ChunkedAead::plain_bytes(in.size()));
  run_work(in.size(), [&] { usable(aead).open(in.bytes(), target); });
  return target.size();
}

// Raises what Python raises for a file that is not there, and for a folder.
void check_source(nb::handle path, const std::string& name) {
  struct stat status {};
  errno = stat(name.c_str(), &status) != 0 ? errno : S_ISDIR(status.st_mode) ? EISDIR : 0;
  if (errno == 0) return;
  PyErr_SetFromErrnoWithFilenameObject(PyExc_OSError, path.ptr());
  throw nb::python_error();
}

// What a message is read from: memory, a path, or an open file.
class Source {
 public:
  explicit Source(nb::handle sealed) {
    if (PyUnicode_Check(sealed.ptr()) != 0 || nb::hasattr(sealed, "__fspath__")) {
      path_ = path_of(sealed);
      check_source(sealed, *path_);
    } else if (PyLong_Check(sealed.ptr()) != 0 || nb::hasattr(sealed, "fileno")) {
      descriptor_ = PyObject_AsFileDescriptor(sealed.ptr());
      if (descriptor_ < 0) throw nb::python_error();
    } else {
      memory_ = HeldBuffer(sealed, "sealed");
    }
  }

  [[nodiscard]] ChunkedReader reader(const ChunkedAead& aead) const {
    if (path_) return open_chunked_file(aead, *path_);
    return descriptor_ >= 0 ? open_chunked_file(aead, descriptor_) : ChunkedReader(aead, memory_.bytes());
  }

 private:
  HeldBuffer memory_;
  std::optional<std::string> path_;
  int descriptor_ = -1;
};

nb::bytes open_range(const ChunkedAead& aead, nb::handle sealed, std::uint64_t offset, std::optional<std::uint64_t> length) {
  const Source source(sealed);
  std::optional<ChunkedReader> reader;
  {
    const nb::gil_scoped_release released;
    reader.emplace(source.reader(usable(aead)));
  }
  if (offset > reader->size()) {
    throw Error(ErrorCode::usage, "the plaintext has " + std::to_string(reader->size()) +
                                      " bytes, and the range begins at " + std::to_string(offset));
  }
  NewBytes out = new_bytes(std::min(length.value_or(reader->size()), reader->size() - offset));
  const nb::gil_scoped_release released;
  reader->read(offset, out.memory);
  return std::move(out.object);
}

// What update, update_into and finalize of Python do over a stream: one at a time, and nothing after finalize or a failure.
template <class Stream>
class MessageByParts {
 public:
  explicit MessageByParts(Stream stream) : stream_(std::move(stream)) {}

  nb::bytes update(nb::handle data) {
    const HeldBuffer in(data, "data");
    const SoleUse use(in_use_, message_in_use);
    life_.require();
    NewBytes out = new_bytes(stream_.update_bytes(in.size()));
    run_work(in.size(), [&] { life_.survive([&] { stream_.update(in.bytes(), out.memory); }); });
    return std::move(out.object);
  }

  std::size_t update_into(nb::handle src, nb::handle dst) {
    const HeldBuffer in(src, "src");
    const HeldBuffer out(dst, "dst", true);
    const SoleUse use(in_use_, message_in_use);
    life_.require();
    const MutableBytes target = target_of(in, out, stream_.update_bytes(in.size()));
    run_work(in.size(), [&] { life_.survive([&] { stream_.update(in.bytes(), target); }); });
    return target.size();
  }

  nb::bytes finalize() {
    const SoleUse use(in_use_, message_in_use);
    life_.require();
    life_.end();
    NewBytes out = new_bytes(stream_.finish_bytes());
    run_work(out.memory.size(), [&] { stream_.finish(out.memory); });
    return std::move(out.object);
  }

 private:
  bool in_use_ = false;
  MessageLife life_;
  Stream stream_;
};

// A sealer whose first bytes are the message's prefix.
class WholeSealer {
 public:
  explicit WholeSealer(ChunkedCipher cipher) : sealer_(std::move(cipher)) {}

  [[nodiscard]] std::size_t update_bytes(std::size_t size) const { return to_come() + sealer_.update_bytes(size); }
  void update(Bytes plain, MutableBytes sealed) { sealer_.update(plain, behind_prefix(sealed)); }
  [[nodiscard]] std::size_t finish_bytes() const { return to_come() + sealer_.finish_bytes(); }
  void finish(MutableBytes sealed) { sealer_.finish(behind_prefix(sealed)); }

 private:
  [[nodiscard]] std::size_t to_come() const { return has_prefix_ ? 0 : message_prefix_bytes; }
  MutableBytes behind_prefix(MutableBytes sealed) {
    const std::size_t size = to_come();
    if (size != 0) std::ranges::copy(sealer_.prefix(), sealed.begin());
    has_prefix_ = true;
    return sealed.subspan(size);
  }

  bool has_prefix_ = false;
  ChunkSealer sealer_;
};

using PythonSealer = MessageByParts<WholeSealer>;
using PythonOpener = MessageByParts<ChunkOpener>;

constexpr const char* class_doc =
    R"(C2SP chunked encryption (c2sp.org/chunked-encryption) under one key and context: messages of any length, by parts if need be.

name is "cobblestone-128", whose key has 16 bytes, or "cobblestone-256", "serpent-256" or "twofish-256", whose keys have 32.
The key is uniformly random. The context, any bytes, says what the messages are for: it is in no message, and a message opens
under the same one alone. Each message has a random salt of its own, and 16 KiB of plaintext in each chunk. engine and threads
are as for Cipher.

>>> import phalanx
>>> chunked = phalanx.ChunkedAead("cobblestone-256", bytes(32), b"backup of 2026")
>>> sealed = chunked.seal(b"in lockstep")
>>> len(sealed), chunked.open(sealed)
(83, b'in lockstep')

One key is good for about 2**32 messages of 32 GiB. Any thread may use it. Raises UsageError.)";

constexpr const char* seal_doc =
    R"(Returns the message that holds data: sealed_bytes(len(data)) bytes, other ones in each call.

From 2 KiB on other threads run meanwhile, here and in all other functions. Raises UsageError.)";

constexpr const char* open_doc = R"(Returns what a message holds, all of which is authentic.

Raises WrongKeyError where key, context or name is another, or the message's first 56 bytes were changed;
AuthenticationError, which names the first chunk that is not authentic; TruncatedError for a length that no message has.)";

constexpr const char* seal_into_doc =
    R"(As seal, into writable memory that is disjoint from src; returns how many bytes were written, sealed_bytes(len(src)).

Raises SizeError, OverlapError, ReadOnlyError.)";

constexpr const char* open_into_doc =
    R"(As open, into writable memory that is disjoint from src; returns how many bytes were written, plain_bytes(len(src)).

Raises what open raises, where dst then holds zeros, and SizeError, OverlapError, ReadOnlyError.)";

constexpr const char* open_range_doc =
    R"(Returns length bytes of plaintext from offset on, fewer where it ends, or all the rest.

sealed is a message in any buffer, the path of a file (a str, or what has __fspath__), or an open file or its descriptor, whose
position stays and whose first byte is the message's. It reads and authenticates the chunks that hold the range, and the
last one, and so the message's length.

>>> import phalanx
>>> chunked = phalanx.ChunkedAead("cobblestone-128", bytes(16))
>>> chunked.open_range(chunked.seal(b"abcdefghijklmnopqrstuvwxyz" * 10000), 200000, 8)
b'ijklmnop'

Raises what open raises, UsageError where offset is beyond the end, OSError.)";

constexpr const char* sealer_doc = R"(An object that seals one message by parts.

>>> import phalanx
>>> chunked = phalanx.ChunkedAead("cobblestone-128", bytes(16))
>>> sealer, opener = chunked.sealer(), chunked.opener()
>>> sealed = sealer.update(b"in ") + sealer.update(b"lockstep") + sealer.finalize()
>>> opener.update(sealed) + opener.finalize()
b'in lockstep'
)";

constexpr const char* opener_doc =
    R"(An object that opens one message by parts, and gives plaintext of verified chunks alone. See sealer.

Only once finalize has returned it is known that there was all of the message.)";

constexpr const char* by_parts_doc = "Not for several threads at once; another thread's call meanwhile raises UsageError.";

constexpr const char* sealer_update_doc =
    R"(Takes the next bytes of plaintext, and returns what is sealed: 56 bytes at first, and each chunk of 16 KiB once it is full.

Less than 16 KiB is kept. All threads of the library work on the chunks of one call.)";

constexpr const char* opener_update_doc =
    R"(Takes the next bytes of the message, and returns the plaintext of each chunk that is there to its end.

Less than a chunk is kept. Raises WrongKeyError and AuthenticationError as ChunkedAead.open does; afterwards the object takes
nothing more.)";

constexpr const char* update_into_doc =
    R"(As update, into writable memory that is disjoint from src; returns how many bytes were written.

Raises SizeError, OverlapError, ReadOnlyError, after which the message can go on.)";

constexpr const char* opener_finalize_doc =
    R"(Ends the message, and returns the plaintext of its last chunk.

Raises TruncatedError where that is missing or shorter than its tag, AuthenticationError also where the message was cut inside a
chunk. Afterwards the object takes nothing more.)";

template <class Message>
void bind_by_parts(nb::module_& module, const char* name, const std::string& what, const char* update_doc,
                   const char* finalize_doc) {
  nb::class_<Message> message(module, name, (what + "\n\n" + by_parts_doc).c_str());
  message.def("update", &Message::update, nb::arg("data").none(), update_doc)
      .def("update_into", &Message::update_into, nb::arg("src").none(), nb::arg("dst").none(), update_into_doc)
      .def("finalize", &Message::finalize, finalize_doc);
  refuse_pickling(message);
}

void bind_facts_of(nb::class_<ChunkedAead>& chunked) {
  chunked
      .def_prop_ro(
          "name", [](const ChunkedAead& self) { return self.name(); }, "The canonical name: \"cobblestone-128\".")
      .def_prop_ro(
          "engine", [](const ChunkedAead& self) { return self.engine(); }, "What runs it: \"cpu:avx2\".")
      .def_prop_ro(
          "key_bytes", [](const ChunkedAead& self) { return ChunkedKey::of(self)->suite.key_bytes; },
          "The key's size in bytes.")
      .def_static("sealed_bytes", &ChunkedAead::sealed_bytes, nb::arg("plain_bytes"),
                  "The size of the message that so many bytes of plaintext give: 56 more, and 16 for each chunk begun.")
      .def_static("plain_bytes", &ChunkedAead::plain_bytes, nb::arg("sealed_bytes"),
                  "The size of the plaintext of a message of that size.\n\n"
                  "Raises TruncatedError for a size that no message has.")
      .def("__repr__",
           [](const ChunkedAead& self) { return "ChunkedAead('" + self.name() + "', engine='" + self.engine() + "')"; });
}

}  // namespace

void bind_chunked(nb::module_& module) {
  nb::class_<ChunkedAead> chunked(module, "ChunkedAead", class_doc);
  def_explained(
      chunked, "__init__",
      [](ChunkedAead* self, const std::string& name, nb::handle key, nb::handle context, const std::string& engine,
         int threads) {
        new (self) ChunkedAead(name, HeldSecret(key, "the key").bytes(), HeldBuffer(context, "context").bytes(),
                               make_options(engine, threads));
      },
      nb::arg("name"), nb::arg("key").none(), nb::arg("context").none() = nb::bytes("", 0), nb::arg("engine") = "auto",
      nb::arg("threads") = 0);
  chunked.def("seal", seal, nb::arg("data").none(), seal_doc)
      .def("open", open, nb::arg("sealed").none(), open_doc)
      .def("seal_into", seal_into, nb::arg("src").none(), nb::arg("dst").none(), seal_into_doc)
      .def("open_into", open_into, nb::arg("src").none(), nb::arg("dst").none(), open_into_doc)
      .def("open_range", open_range, nb::arg("sealed").none(), nb::arg("offset"), nb::arg("length") = nb::none(),
           open_range_doc);
  bind_facts_of(chunked);
  bind_by_parts<PythonSealer>(module, "ChunkedSealer", "A message that is sealed by parts: what ChunkedAead.sealer gives.",
                              sealer_update_doc,
                              "Ends the message, and returns its last bytes. Afterwards the object takes nothing more.");
  bind_by_parts<PythonOpener>(module, "ChunkedOpener", "A message that is opened by parts: what ChunkedAead.opener gives.",
                              opener_update_doc, opener_finalize_doc);
  chunked
      .def(
          "sealer",
          [](const ChunkedAead& self) { return new PythonSealer(WholeSealer(ChunkedKey::of(usable(self))->new_message())); },
          nb::rv_policy::take_ownership, sealer_doc)
      .def(
          "opener", [](const ChunkedAead& self) { return new PythonOpener(ChunkOpener(ChunkedKey::of(usable(self)))); },
          nb::rv_policy::take_ownership, opener_doc);
  refuse_pickling(chunked);
}

}  // namespace phalanx
