// Containers in memory and in files.
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <unistd.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <phalanx/container.hpp>

#include "arguments/buffer.hpp"
#include "arguments/errors.hpp"
#include "arguments/secret.hpp"
#include "arguments/secret_arguments.hpp"
#include "arguments/sole_use.hpp"
#include "container/format/suite.hpp"
#include "devices/cuda_after_fork.hpp"
#include "files/output/output.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

// An open container in a file or in memory that is held.
class Reader {
 public:
  Reader(const std::string& path, const SecretArguments& secrets, const Options& options) {
    const GivenSecrets given(secrets, key_bytes_of_file(path), SecretUse::opens);
    const nb::gil_scoped_release released;  // a passphrase takes most of a second
    reader_.emplace(path, given.identities(), options);
  }
  Reader(nb::handle container, const SecretArguments& secrets, const Options& options)
      : memory_(container, "the container") {
    const GivenSecrets given(secrets, key_bytes_of(memory_.bytes()), SecretUse::opens);
    const nb::gil_scoped_release released;
    reader_.emplace(memory_.bytes(), given.identities(), options);
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

 private:
  HeldBuffer memory_;
  std::optional<ContainerReader> reader_;
};

// A container on its way into a file, which appears under its name when it is finished.
class Writer {
 public:
  Writer(const std::string& path, bool replace, const std::string& suite, const SecretArguments& secrets,
         const ScryptCost& cost, const Options& options) {
    const GivenSecrets given(secrets, find_suite(suite).key_bytes, SecretUse::seals);
    add_secret_files(secrets, needed_);
    output_ = std::make_unique<Output>(
        path, OutputOptions{.force = replace, .needed = &needed_, .names = {.force = "the mode \"wb\""}});
    const nb::gil_scoped_release released;
    output_->open();
    writer_ = std::make_unique<ContainerWriter>([this](Bytes bytes) { output_->write(bytes); }, suite,
                                                given.recipients(cost), options);
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
    run_work(in.size(), [&] { writer_->write(in.bytes()); });
  }

  void finish() {
    check_open();
    const SoleUse use(in_use_, container_in_use);
    const nb::gil_scoped_release released;
    writer_->finish();
    output_->commit();
    writer_.reset();
    output_.reset();
  }

  // What was written is removed.
  void discard() {
    if (is_of_another_process()) return leave();
    if (in_use_ || !writer_) return;
    writer_.reset();
    output_.reset();
  }

 private:
  static constexpr const char* container_in_use = "another thread is writing this container: let one do it";

  // A process that was forked has a copy of this, but the file is its parent's to finish or to remove.
  [[nodiscard]] bool is_of_another_process() const { return getpid() != process_; }
  void leave() {
    (void)output_.release();
    (void)writer_.release();
  }

  void check_open() const {
    if (is_of_another_process()) {
      throw BindingError(BindingErrorKind::fork,
                         "the container is being written by the process that opened it: this one was forked from it");
    }
    if (!writer_) throw Error(ErrorCode::usage, "the container is closed");
  }

  pid_t process_ = getpid();
  bool in_use_ = false;
  ProtectedFiles needed_;
  std::unique_ptr<Output> output_;
  std::unique_ptr<ContainerWriter> writer_;
};

nb::bytes seal(nb::handle data, nb::object key, nb::object passphrase, nb::object key_file, nb::object passphrase_file,
               const std::string& suite, int scrypt_log_n, const std::string& engine, int threads) {
  const HeldBuffer in(data, "data");
  const GivenSecrets given({key, passphrase, key_file, passphrase_file}, find_suite(suite).key_bytes, SecretUse::seals);
  const auto recipients = given.recipients(cost_of(scrypt_log_n));
  const Options options = make_options(engine, threads);
  NewBytes out = new_bytes(container_bytes(suite, recipients, in.size()));
  {
    const nb::gil_scoped_release released;
    seal_container(suite, recipients, in.bytes(), out.memory, options);
  }
  return std::move(out.object);
}

nb::bytes unseal(nb::handle container, nb::object key, nb::object passphrase, nb::object key_file,
                 nb::object passphrase_file, const std::string& engine, int threads) {
  const Reader reader(container, {key, passphrase, key_file, passphrase_file}, make_options(engine, threads));
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
refused (as key these bytes are taken; what opens containers warns). Each may be a list, and everyone of them opens it. suite is "aes-256", "aes-128", "serpent-256"
or "twofish-256". A passphrase costs scrypt with N = 2^scrypt_log_n, r = 8, p = 1: at 17, 128 MiB and most of a second.

>>> import phalanx
>>> container = phalanx.seal(b"in lockstep", key=bytes(32))
>>> phalanx.unseal(container, key=bytes(32))
b'in lockstep'

Other threads run meanwhile. Raises UsageError, PolicyError for a cost out of bounds, MachineError.)";

constexpr const char* unseal_doc = R"(Opens a container in memory, and returns what it holds, all of which is authentic.

The keys are those of seal, one of which has to fit. Raises WrongKeyError, AuthenticationError, TruncatedError, FormatError for what
is no container, UsageError, PolicyError where a passphrase would cost more than 1 GiB of scrypt.)";

void bind_reader(nb::module_& module) {
  nb::class_<Reader> reader(module, "ContainerReader",
                            "An open container: what phalanx.open reads from. Any thread may use it.");
  def_opening(
      reader, "__init__",
      [](Reader* self, nb::handle path, nb::object key, nb::object passphrase, nb::object key_file,
         nb::object passphrase_file, const std::string& engine, int threads) {
        new (self) Reader(path_of(path), {key, passphrase, key_file, passphrase_file}, make_options(engine, threads));
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
      .def("read_rest", &Reader::read_rest, nb::arg("offset"),
           "Returns all plaintext from offset on. Raises what read_into raises.");
  refuse_pickling(reader);
}

void bind_writer(nb::module_& module) {
  nb::class_<Writer> writer(module, "ContainerWriter", "A container that is being written: what phalanx.open writes to.");
  def_sealing(
      writer, "__init__",
      [](Writer* self, nb::handle path, bool replace, nb::object key, nb::object passphrase, nb::object key_file,
         nb::object passphrase_file, const std::string& suite, int scrypt_log_n, const std::string& engine, int threads) {
        new (self) Writer(path_of(path), replace, suite, {key, passphrase, key_file, passphrase_file}, cost_of(scrypt_log_n),
                          make_options(engine, threads));
      },
      nb::arg("path"), nb::arg("replace") = false);
  writer.def("write", &Writer::write, nb::arg("data").none(), "Seals the next bytes.")
      .def("finish", &Writer::finish, "Seals the rest; the file is on the disk and has its name when this returns.")
      .def("discard", &Writer::discard, "Removes what was written. Does nothing after finish.");
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
