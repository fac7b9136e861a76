#include "arguments/secret_arguments.hpp"

#include <algorithm>
#include <functional>

#include "arguments/public_key_calls.hpp"
#include "arguments/secret.hpp"
#include "engine/chunked/suite.hpp"
#include "files/age/age_stanza.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/input.hpp"
#include "program/cli/secrets/secret_source.hpp"

namespace phalanx {
namespace {

// One, or a sequence of them.
void for_each(const nb::object& argument, const std::function<void(nb::handle)>& take) {
  if (argument.is_none()) return;
  if (!is_sequence(argument)) return take(argument);
  for (const nb::handle one : argument) take(one);
}

SecretSources warning_sources() {
  SecretSources sources;
  sources.how_to_take_raw = "as `key` these bytes are taken as they are";
  sources.warn = [](const std::string& warning) {
    if (PyErr_WarnEx(PyExc_UserWarning, warning.c_str(), 1) != 0) throw nb::python_error();
  };
  return sources;
}

SecretBytes read_secret_file(SecretKind kind, nb::handle path, std::size_t key_bytes, SecretUse use) {
  nb::module_::import_("os").attr("stat")(path);  // raises Python's own FileNotFoundError
  return read_secret(warning_sources(), {kind, path_of(path)}, key_bytes, use);
}

SecretBytes read_public_key_file(SecretKind kind, nb::handle path) {
  nb::module_::import_("os").attr("stat")(path);
  return read_text_file(warning_sources(), {kind, path_of(path)});
}

std::string text_of(nb::handle text) {
  const SecretBytes held = passphrase_of(text);
  return std::string(characters_of(held));
}

void refuse_plugin(const std::string& plugin) {
  if (plugin.empty()) return;
  throw Error(ErrorCode::usage, "this public key is one of age-plugin-" + plugin +
                                    ", and the package starts no plugin: the program does, by -r, -R and -i");
}

}  // namespace

SecretBytes whole_key_file(nb::handle path) {
  nb::module_::import_("os").attr("stat")(path);  // raises Python's own FileNotFoundError
  return read_whole_key(warning_sources(), {SecretKind::key_file, path_of(path)});
}

bool is_sequence(nb::handle argument) {
  return PySequence_Check(argument.ptr()) != 0 && PyUnicode_Check(argument.ptr()) == 0 &&
         PyObject_CheckBuffer(argument.ptr()) == 0;
}

bool SecretArguments::are_given() const {
  const nb::object* const all[] = {&key, &passphrase, &key_file, &passphrase_file, &public_key, &public_key_file};
  return std::ranges::any_of(all, [](const nb::object* one) { return one->is_valid() && !one->is_none(); });
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
  add_public_keys(arguments, use);
  if (given_.empty()) {
    throw Error(ErrorCode::usage,
                std::string("no key is given: give key, passphrase, key_file, passphrase_file, ") +
                    (use == SecretUse::seals ? "recipient or recipient_file" : "identity or identity_file"));
  }
}

void GivenSecrets::add_public_keys(const SecretArguments& arguments, SecretUse use) {
  if (use == SecretUse::seals) {
    for_each(arguments.public_key, [&](nb::handle recipient) { add_recipient(recipient); });
    for_each(arguments.public_key_file, [&](nb::handle path) {
      const SecretBytes content = read_public_key_file(SecretKind::recipients_file, path);
      add_recipients(read_recipients_file(characters_of(content), path_of(path)));
    });
    return;
  }
  for_each(arguments.public_key, [&](nb::handle identity) { add_identity(identity); });
  for_each(arguments.public_key_file, [&](nb::handle path) {
    const SecretBytes content = read_public_key_file(SecretKind::identity_file, path);
    add_identities(read_identity_file(characters_of(content), path_of(path)));
  });
}

void GivenSecrets::add_recipient(nb::handle recipient) {
  if (PyCallable_Check(recipient.ptr()) == 0) return add_recipients({read_age_recipient(text_of(recipient))});
  given_.push_back({KeyKind::public_key, {}});
  given_.back().wrap = wrap_in_python(nb::borrow(recipient));
}

void GivenSecrets::add_identity(nb::handle identity) {
  if (PyCallable_Check(identity.ptr()) == 0) {
    const SecretBytes text = passphrase_of(identity);
    std::vector<AgeIdentity> identities;
    identities.push_back(read_age_identity(characters_of(text)));
    return add_identities(identities);
  }
  given_.push_back({KeyKind::public_key, {}});
  given_.back().unwrap = unwrap_in_python(nb::borrow(identity));
}

bool GivenSecrets::has_calls() const {
  return std::ranges::any_of(given_, [](const Given& given) { return given.wrap != nullptr; });
}

void GivenSecrets::add_recipients(const std::vector<AgeRecipient>& recipients) {
  for (const AgeRecipient& recipient : recipients) {
    refuse_plugin(recipient.plugin);
    given_.push_back({KeyKind::public_key, SecretBytes(bytes_of(recipient.text))});
  }
}

void GivenSecrets::add_identities(const std::vector<AgeIdentity>& identities) {
  for (const AgeIdentity& identity : identities) {
    refuse_plugin(identity.plugin);
    given_.push_back({KeyKind::public_key, SecretBytes(Bytes(identity.text))});
  }
}

std::vector<Identity> GivenSecrets::identities() const {
  std::vector<Identity> identities;
  for (const Given& given : given_) identities.push_back({given.kind, given.secret, given.unwrap});
  return identities;
}

std::vector<Recipient> GivenSecrets::recipients(const ScryptCost& cost) const {
  std::vector<Recipient> recipients;
  for (const Given& given : given_) recipients.push_back({given.kind, given.secret, cost, given.wrap});
  return recipients;
}

void add_secret_files(const SecretArguments& arguments, ProtectedFiles& needed) {
  for_each(arguments.key_file, [&](nb::handle path) { needed.add_path(path_of(path), "the key file " + path_of(path)); });
  for_each(arguments.passphrase_file,
           [&](nb::handle path) { needed.add_path(path_of(path), "the passphrase file " + path_of(path)); });
  for_each(arguments.public_key_file,
           [&](nb::handle path) { needed.add_path(path_of(path), "the file of public keys " + path_of(path)); });
}

void refuse_secret_files(const SecretArguments& secrets, const std::string& path) {
  ProtectedFiles needed;
  add_secret_files(secrets, needed);
  struct stat status {};
  if (stat(path.c_str(), &status) == 0) needed.refuse(status, path);
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
