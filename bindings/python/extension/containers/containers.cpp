// Containers in memory and in files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <phalanx/error.hpp>
#include <phalanx/files/container.hpp>
#include <phalanx/files/container_file.hpp>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "arguments/binding_argument.hpp"
#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"
#include "arguments/sole_use.hpp"
#include "devices/cuda_after_fork.hpp"
#include "engine/chunked/suite.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

// What a file object says of its size, or of the bytes that it took. Throws Error (usage) where that is no number, or less
// than 0; True and False are none. `what` names it: "the file's write()".
std::uint64_t number_given_by(const std::string& what, nb::handle given) {
  std::uint64_t number = 0;
  if (PyBool_Check(given.ptr()) == 0 && nb::try_cast(given, number, false)) return number;
  throw Error(ErrorCode::usage, what + " gave " + nb::cast<std::string>(nb::repr(given)) +
                                    " where a number of bytes is due: it is no file of Python's");
}

// A binary file of Python's that can seek, which any thread may read at any place.
class FileObject {
 public:
  explicit FileObject(nb::object file) : file_(std::move(file)) {
    size_ = number_given_by("the file's seek()", file_.attr("seek")(0, 2));
  }

  [[nodiscard]] std::uint64_t size() const { return size_; }

  // Without Python's lock, which the file may give away between its two calls.
  void read(std::uint64_t offset, MutableBytes out) {
    const std::lock_guard<std::mutex> alone(mutex_);
    const nb::gil_scoped_acquire acquired;
    file_.attr("seek")(offset);
    while (!out.empty()) {
      const HeldBuffer read(file_.attr("read")(out.size()), "what the file's read() gave");
      if (read.size() == 0 || read.size() > out.size()) {
        throw Error(ErrorCode::runtime, "the file gave " + std::to_string(read.size()) + " bytes where it was asked for " +
                                            std::to_string(out.size()) + ": has it become shorter?");
      }
      std::ranges::copy(read.bytes(), out.begin());
      out = out.subspan(read.size());
    }
  }

 private:
  nb::object file_;
  std::uint64_t size_;
  std::mutex mutex_;
};

// An open container in a file, in memory that is held, or in a file object.
class Reader {
 public:
  Reader(const std::string& path, const SecretArguments& secrets, const EngineOptions& options, const Binding& binding) {
    const GivenSecrets given(secrets, key_bytes_of_file(path), SecretUse::opens);
    const nb::gil_scoped_release released;  // a passphrase takes most of a second
    reader_.emplace(path, given.identities(), options, CostLimits{}, binding);
  }
  Reader(nb::handle container, const SecretArguments& secrets, const EngineOptions& options, const Binding& binding)
      : memory_(container, "the container") {
    const GivenSecrets given(secrets, key_bytes_of(memory_.bytes()), SecretUse::opens);
    const nb::gil_scoped_release released;
    reader_.emplace(memory_.bytes(), given.identities(), options, CostLimits{}, binding);
  }
  Reader(std::shared_ptr<FileObject> file, const SecretArguments& secrets, const EngineOptions& options,
         const Binding& binding) {
    std::vector<std::uint8_t> beginning(std::min<std::uint64_t>(file->size(), beginning_bytes));
    {
      const nb::gil_scoped_release released;
      file->read(0, beginning);
    }
    const GivenSecrets given(secrets, key_bytes_of(beginning), SecretUse::opens);
    const nb::gil_scoped_release released;
    reader_.emplace([file](std::uint64_t offset, MutableBytes out) { file->read(offset, out); }, file->size(),
                    given.identities(), options, CostLimits{}, binding);
  }

  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() {
    if (uses_gpu_ && cuda_is_lost())
      (void)new std::optional<ContainerReader>(std::move(reader_));  // freeing would need CUDA
  }

  [[nodiscard]] const ContainerReader& container() const {
    if (!reader_) throw Error(ErrorCode::usage, "the container is closed");
    return *reader_;
  }

  // All from there on.
  [[nodiscard]] nb::bytes read_rest(std::uint64_t offset) const {
    const ContainerReader& reader = container();
    NewBytes out = new_bytes(static_cast<std::size_t>(reader.size() - std::min(offset, reader.size())));
    if (!out.memory.empty()) {
      const nb::gil_scoped_release released;
      reader.read(offset, out.memory);
    }
    return std::move(out.object);
  }

  [[nodiscard]] std::size_t read_into(std::uint64_t offset, nb::handle dst) const {
    const HeldBuffer out(dst, "dst", true);
    const ContainerReader& reader = container();
    const std::uint64_t there = offset < reader.size() ? reader.size() - offset : 0;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(there, out.size()));
    if (size == 0) return 0;
    const nb::gil_scoped_release released;
    reader.read(offset, out.mutable_bytes().first(size));
    return size;
  }

  // The same into memory of a GPU, whose pointer phalanx.devices has found.
  [[nodiscard]] std::size_t read_to_device(std::uint64_t offset, std::uintptr_t dst, std::size_t num_bytes,
                                           std::uintptr_t stream) {
    note_cuda();
    uses_gpu_ = true;
    const ContainerReader& reader = container();
    const std::uint64_t there = offset < reader.size() ? reader.size() - offset : 0;
    const auto size = static_cast<std::size_t>(std::min<std::uint64_t>(there, num_bytes));
    const nb::gil_scoped_release released;
    reader.read_to_device(std::min(offset, reader.size()), reinterpret_cast<void*>(dst),
                          size,                              // NOLINT(performance-no-int-to-ptr)
                          reinterpret_cast<void*>(stream));  // NOLINT(performance-no-int-to-ptr)
    return size;
  }

 private:
  static constexpr std::size_t beginning_bytes = 10;  // which say the suite

  HeldBuffer memory_;
  std::optional<ContainerReader> reader_;
  std::atomic<bool> uses_gpu_ = false;
};

// A container that goes into a binary file of Python's, piece by piece. The file is the caller's to hold.
class ObjectTarget {
 public:
  ObjectTarget(nb::handle file, const std::string& suite, const std::vector<Recipient>& recipients,
               const EngineOptions& options, const Binding& binding)
      : file_(file), writer_([this](Bytes sealed) { append(sealed); }, suite, recipients, options, binding) {}
  void write(Bytes plain) { writer_.write(plain); }
  void finish() { writer_.finish(); }

 private:
  void append(Bytes sealed) const {
    const nb::gil_scoped_acquire acquired;
    while (!sealed.empty()) {
      const nb::object count = file_.attr("write")(nb::bytes(sealed.data(), sealed.size()));
      if (count.is_none()) {
        if (is_raw()) throw Error(ErrorCode::runtime, "the file is non-blocking, and took nothing of the container now");
        return;  // as of an object that writes all, or raises
      }
      const auto num_written = std::min<std::size_t>(number_given_by("the file's write()", count), sealed.size());
      if (num_written == 0) throw Error(ErrorCode::runtime, "the file's write() took nothing of the container");
      sealed = sealed.subspan(num_written);
    }
  }

  // io.RawIOBase.write: None where it would block.
  [[nodiscard]] bool is_raw() const { return nb::isinstance(file_, nb::module_::import_("io").attr("RawIOBase")); }

  nb::handle file_;
  ContainerWriter writer_;
};

// A container on its way into a file, which appears under its name when it is finished, or into an object.
class Writer {
 public:
  Writer(nb::handle target, bool replace, const std::string& suite, const SecretArguments& secrets, const ScryptCost& cost,
         const EngineOptions& options, const Binding& binding) {
    const GivenSecrets given(secrets, find_suite(suite).key_bytes, SecretUse::seals);
    if (nb::hasattr(target, "write")) {
      object_ = nb::borrow(target);
      const nb::gil_scoped_release released;
      target_.emplace<ToObject>(std::make_unique<ObjectTarget>(object_, suite, given.recipients(cost), options, binding));
      return;
    }
    const std::string path = path_of(target);
    refuse_secret_files(secrets, path);
    const nb::gil_scoped_release released;
    target_.emplace<ToFile>(
        std::make_unique<NewContainerFile>(path, suite, given.recipients(cost), replace, options, binding));
  }

  ~Writer() {
    if (is_of_another_process()) leave();
  }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  void write(nb::handle data) {
    const HeldBuffer in(data, "data");
    check_open();
    const SoleUse use(in_use_, container_in_use);
    run_work(in.size(), [&] { std::visit([&](const auto& target) { target->write(in.bytes()); }, target_); });
  }

  void finish() {
    check_open();
    const SoleUse use(in_use_, container_in_use);
    {
      const nb::gil_scoped_release released;
      std::visit([](const auto& target) { target->finish(); }, target_);
    }
    target_ = ToFile();
  }

  // What was written is removed, but from an object.
  void discard() {
    if (is_of_another_process()) return leave();
    if (!in_use_) target_ = ToFile();
  }

 private:
  using ToFile = std::unique_ptr<NewContainerFile>;
  using ToObject = std::unique_ptr<ObjectTarget>;
  static constexpr const char* container_in_use = "another thread is writing this container: let one do it";

  // A process that was forked has a copy of this, but the file is its parent's to finish or to remove.
  [[nodiscard]] bool is_of_another_process() const { return !process_.is_of_this_process(); }
  void leave() {
    std::visit([](auto& target) { (void)target.release(); }, target_);
  }

  void check_open() const {
    if (is_of_another_process()) {
      throw BindingError(BindingErrorKind::fork,
                         "the container is being written by the process that opened it: this one was forked from it");
    }
    if (std::visit([](const auto& target) { return target == nullptr; }, target_)) {
      throw Error(ErrorCode::usage, "the container is closed");
    }
  }

  ProcessMark process_;
  bool in_use_ = false;
  nb::object object_;  // outlives what writes to it
  std::variant<ToFile, ToObject> target_;
};

// What a function wraps has a size that nobody knows before.
nb::bytes seal_of_unknown_size(const std::string& suite, const std::vector<Recipient>& recipients, Bytes in,
                               const EngineOptions& options, const Binding& binding) {
  std::vector<std::uint8_t> sealed;
  {
    const nb::gil_scoped_release released;
    const auto append = [&](Bytes bytes) { sealed.insert(sealed.end(), bytes.begin(), bytes.end()); };
    ContainerWriter writer(append, suite, recipients, options, binding);
    writer.write(in);
    writer.finish();
  }
  return nb::bytes(sealed.data(), sealed.size());
}

nb::bytes seal(nb::handle data, nb::object key, nb::object passphrase, nb::object key_file, nb::object passphrase_file,
               nb::object recipient, nb::object recipient_file, const std::string& suite, int scrypt_log_n,
               const std::string& engine, int threads, nb::object binding) {
  const HeldBuffer in(data, "data");
  const GivenSecrets given({key, passphrase, key_file, passphrase_file, recipient, recipient_file},
                           find_suite(suite).key_bytes, SecretUse::seals);
  const auto recipients = given.recipients(cost_of(scrypt_log_n));
  const EngineOptions options = make_options(engine, threads);
  const Binding bound = binding_of(binding);
  if (given.has_calls()) return seal_of_unknown_size(suite, recipients, in.bytes(), options, bound);
  NewBytes out = new_bytes(container_bytes(suite, recipients, in.size(), bound));
  {
    const nb::gil_scoped_release released;
    seal_container(suite, recipients, in.bytes(), out.memory, options, bound);
  }
  return std::move(out.object);
}

nb::bytes unseal(nb::handle container, nb::object key, nb::object passphrase, nb::object key_file,
                 nb::object passphrase_file, nb::object identity, nb::object identity_file, const std::string& engine,
                 int threads, nb::object binding) {
  const Reader reader(container, {key, passphrase, key_file, passphrase_file, identity, identity_file},
                      make_options(engine, threads), binding_of(binding));
  NewBytes out = new_bytes(reader.container().size());
  {
    const nb::gil_scoped_release released;
    reader.container().read(0, out.memory);
  }
  return std::move(out.object);
}

constexpr const char* seal_doc =
    R"(Seals data as a container, and returns it: authenticated, for each key and passphrase that is given.

key is 32 bytes (16 for the suite "aes-128"), passphrase a str or bytes; key_file and passphrase_file are paths, whose files
hold what the program's have; a key file of as many hex digits as the key has bytes, without a line end, is hardly meant, and
refused (as key these bytes are taken; what opens containers warns). recipient is a public key of age for X25519, "age1...",
and recipient_file a file with one a line: whoever has its identity opens it, and who has made it need not. A function is a
recipient of another kind: it takes age's file key of 16 bytes, and returns the stanzas that wrap it and their labels, two lists
of str. Each may be a list, and everyone of them opens it. suite is "aes-256", "aes-128", "serpent-256" or "twofish-256". A passphrase costs scrypt with N = 2^scrypt_log_n, r = 8, p = 1: at 17, 128 MiB and most of a second. binding is a Binding.

>>> import phalanx
>>> container = phalanx.seal(b"in lockstep", key=bytes(32))
>>> phalanx.unseal(container, key=bytes(32))
b'in lockstep'

Other threads run meanwhile. Raises UsageError, PolicyError for a cost out of bounds, MachineError.)";

constexpr const char* unseal_doc = R"(Opens a container in memory, and returns what it holds, all of which is authentic.

The keys are those of seal, one of which has to fit; identity is the secret of a public key, "AGE-SECRET-KEY-1...", and
identity_file a file with one a line; a function takes a list of stanzas, and returns the file key, or None. binding is what it was bound to. A container for public keys tells of nobody who has made
it: everyone can. Raises WrongKeyError, AuthenticationError, TruncatedError, FormatError for what
is no container, UsageError, PolicyError where a passphrase would cost more than 1 GiB of scrypt.)";

void bind_reader(nb::module_& module) {
  nb::class_<Reader> reader(module, "ContainerReader",
                            "An open container, in the file of a path or in a binary file that can seek: what phalanx.open "
                            "reads from. Any\nthread "
                            "may use it.");
  def_opening(
      reader, "__init__",
      [](Reader* self, nb::handle path, nb::object key, nb::object passphrase, nb::object key_file,
         nb::object passphrase_file, nb::object identity, nb::object identity_file, const std::string& engine, int threads,
         nb::object binding) {
        const SecretArguments secrets{key, passphrase, key_file, passphrase_file, identity, identity_file};
        const EngineOptions options = make_options(engine, threads);
        if (nb::hasattr(path, "read")) {
          new (self) Reader(std::make_shared<FileObject>(nb::borrow(path)), secrets, options, binding_of(binding));
        } else {
          new (self) Reader(path_of(path), secrets, options, binding_of(binding));
        }
      },
      nb::arg("path"));
  reader
      .def_prop_ro(
          "size", [](const Reader& self) { return self.container().size(); }, "How many bytes of plaintext it holds.")
      .def_prop_ro(
          "suite", [](const Reader& self) { return self.container().suite(); }, "\"aes-256\" and the like.")
      .def("read_into", &Reader::read_into, nb::arg("offset"), nb::arg("dst").none(),
           "Reads plaintext from offset on into writable memory, and returns how many bytes: fewer only at the end.\n\n"
           "Raises AuthenticationError, which names the first chunk that is not authentic; dst then holds zeros.")
      .def("read_to_device", &Reader::read_to_device, nb::arg("offset"), nb::arg("dst"), nb::arg("num_bytes"),
           nb::arg("stream"), "The same into memory of a GPU, by its pointer, behind what is on the stream; waits.")
      .def("read_rest", &Reader::read_rest, nb::arg("offset"),
           "Returns all plaintext from offset on. Raises what read_into raises.");
  refuse_pickling(reader);
}

void bind_writer(nb::module_& module) {
  nb::class_<Writer> writer(
      module, "ContainerWriter",
      "A container that is being written, to a path or into a binary file: what phalanx.open writes to.");
  def_sealing(
      writer, "__init__",
      [](Writer* self, nb::handle path, bool replace, nb::object key, nb::object passphrase, nb::object key_file,
         nb::object passphrase_file, nb::object recipient, nb::object recipient_file, const std::string& suite,
         int scrypt_log_n, const std::string& engine, int threads, nb::object binding) {
        new (self) Writer(path, replace, suite, {key, passphrase, key_file, passphrase_file, recipient, recipient_file},
                          cost_of(scrypt_log_n), make_options(engine, threads), binding_of(binding));
      },
      nb::arg("path"), nb::arg("replace") = false);
  writer.def("write", &Writer::write, nb::arg("data").none(), "Seals the next bytes.")
      .def("finish", &Writer::finish, "Seals the rest; the file is on the disk and has its name when this returns.")
      .def("discard", &Writer::discard,
           "Removes what was written, but from a file that was given. Does nothing after finish.");
  refuse_pickling(writer);
}

}  // namespace

void bind_containers(nb::module_& module) {
  def_sealing(module, "seal", seal, seal_doc, nb::arg("data").none(), nb::kw_only());
  def_opening(module, "unseal", unseal, unseal_doc, nb::arg("container").none(), nb::kw_only());
  bind_reader(module);
  bind_writer(module);
}

}  // namespace phalanx
