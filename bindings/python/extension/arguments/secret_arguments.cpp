#include "arguments/secret_arguments.hpp"

#include <functional>

#include "arguments/secret.hpp"
#include "cli/secrets/secret_source.hpp"
#include "container/format/suite.hpp"
#include "files/file_descriptor.hpp"
#include "files/input.hpp"

namespace phalanx {
namespace {

// One, or a sequence of them.
void for_each(const nb::object& argument, const std::function<void(nb::handle)>& take) {
  if (argument.is_none()) return;
  if (!is_sequence(argument)) return take(argument);
  for (const nb::handle one : argument) take(one);
}

SecretBytes read_secret_file(SecretKind kind, nb::handle path, std::size_t key_bytes, SecretUse use) {
  nb::module_::import_("os").attr("stat")(path);  // raises Python's own FileNotFoundError
  const SecretSource source{kind, path_of(path)};
  SecretSources sources;
  sources.how_to_take_raw = "as `key` these bytes are taken as they are";
  sources.warn = [](const std::string& warning) {
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) != 0) throw nb::python_error();
  };
  return read_secret(sources, source, key_bytes, use);
}

}  // namespace

bool is_sequence(nb::handle argument) {
  return PySequence_Check(argument.ptr()) != 0 && PyUnicode_Check(argument.ptr()) == 0 &&
         PyObject_CheckBuffer(argument.ptr()) == 0;
}

GivenSecrets::GivenSecrets(const SecretArguments& arguments, std::size_t key_bytes, SecretUse use) {
  for_each(arguments.key, [&](nb::handle key) {
    given_.push_back({KeyKind::key, SecretBytes(HeldSecret(key, "the key").bytes())});
  });
  for_each(arguments.passphrase, [&](nb::handle passphrase) {
    given_.push_back({KeyKind::passphrase, passphrase_of(passphrase)});
  });
  for_each(arguments.key_file, [&](nb::handle path) {
    given_.push_back({KeyKind::key, read_secret_file(SecretKind::key_file, path, key_bytes, use)});
  });
  for_each(arguments.passphrase_file, [&](nb::handle path) {
    given_.push_back({KeyKind::passphrase, read_secret_file(SecretKind::passphrase_file, path, key_bytes, use)});
  });
  if (given_.empty()) {
    throw Error(ErrorCode::usage, "no key is given: give key, passphrase, key_file or passphrase_file");
  }
}

std::vector<Identity> GivenSecrets::identities() const {
  std::vector<Identity> identities;
  for (const Given& given : given_) identities.push_back({given.kind, given.secret});
  return identities;
}

std::vector<Recipient> GivenSecrets::recipients(const ScryptCost& cost) const {
  std::vector<Recipient> recipients;
  for (const Given& given : given_) recipients.push_back({given.kind, given.secret, cost});
  return recipients;
}

void add_secret_files(const SecretArguments& arguments, ProtectedFiles& needed) {
  for_each(arguments.key_file, [&](nb::handle path) { needed.add_path(path_of(path), "the key file " + path_of(path)); });
  for_each(arguments.passphrase_file,
           [&](nb::handle path) { needed.add_path(path_of(path), "the passphrase file " + path_of(path)); });
}

ScryptCost cost_of(int log_n) {
  if (log_n < 1 || log_n > 40) {
    throw Error(ErrorCode::policy,
                "scrypt with N = 2^" + std::to_string(log_n) + " is out of bounds: 17 is usual, 20 the most");
  }
  return {.log2_n = static_cast<std::uint8_t>(log_n)};
}

std::size_t key_bytes_of(Bytes beginning) {
  for (const Suite& suite : all_suites()) {
    if (beginning.size() >= 10 && beginning[9] == suite.id) return suite.key_bytes;
  }
  return all_suites().front().key_bytes;
}

std::size_t key_bytes_of_file(const std::string& path) {
  const Input file = open_regular_file(path);
  std::uint8_t beginning[10];
  return key_bytes_of({beginning, read_at(file.descriptor(), beginning, 0, path)});
}

std::string path_of(nb::handle path) {
  PyObject* encoded = nullptr;
  if (PyUnicode_FSConverter(path.ptr(), &encoded) == 0) throw nb::python_error();
  const nb::bytes held = nb::steal<nb::bytes>(encoded);
  if (held.size() == 0) throw Error(ErrorCode::usage, "the path is empty: name a file");
  const std::string name(held.c_str(), held.size());
  return name == "-" ? "./-" : name;
}

SecretBytes passphrase_of(nb::handle passphrase) {
  if (PyUnicode_Check(passphrase.ptr()) == 0) return SecretBytes(HeldSecret(passphrase, "the passphrase").bytes());
  Py_ssize_t size = 0;
  const char* text = PyUnicode_AsUTF8AndSize(passphrase.ptr(), &size);
  if (text == nullptr) throw nb::python_error();
  return SecretBytes(Bytes(reinterpret_cast<const std::uint8_t*>(text), static_cast<std::size_t>(size)));
}

}  // namespace phalanx
