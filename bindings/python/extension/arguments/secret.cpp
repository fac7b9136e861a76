#include "arguments/secret.hpp"

#include <nanobind/stl/string.h>

#include <iterator>
#include <string>

#include "arguments/errors.hpp"
#include "arguments/secret_arguments.hpp"

namespace phalanx {

HeldSecret::HeldSecret(nb::handle object, const char* what) {
  if (!nb::try_cast(object, secret_)) secret_ = nullptr;
  if (secret_ == nullptr) buffer_ = HeldBuffer(object, what);
}

KeyRows::KeyRows(nb::handle object, const HeldRows& messages, std::size_t key_bytes)
    : table_(is_sequence(object) ? nb::handle(Py_None) : object, "keys", messages.size(), RowKind::of_one_size) {
  table_.check_sizes("keys", key_bytes, messages);
  if (!is_sequence(object)) return;
  held_ = nb::steal(PySequence_Tuple(object.ptr()));
  if (!held_.is_valid()) throw nb::python_error();
  check_num_rows(nb::len(held_), "keys", messages.size());
  for (const nb::handle key : held_) {
    const std::size_t row = keys_.size();
    if (messages.is_missing(row)) {
      keys_.emplace_back();
      continue;
    }
    const std::string which = "keys[" + std::to_string(row) + "]";
    keys_.emplace_back(key, which.c_str());
    const std::size_t size = keys_.back().bytes().size();
    if (size != key_bytes) {  // and none at all would be the object's own key
      throw BindingError(BindingErrorKind::size, which + " has " + std::to_string(size) + " bytes, and " +
                                                     std::to_string(key_bytes) + " are wanted");
    }
  }
}

namespace {

// A Secret for what was given: a key, a passphrase or an identity as a str, a list of them, or None.
nb::object hide(nb::handle given, bool may_be_text) {
  if (given.is_none() || nb::isinstance<PythonSecret>(given)) return nb::borrow(given);
  if (is_sequence(given)) {
    nb::list hidden;
    for (const nb::handle one : given) hidden.append(hide(one, may_be_text));
    return hidden;
  }
  if (may_be_text && PyCallable_Check(given.ptr()) != 0) return nb::borrow(given);  // an identity's function
  if (may_be_text) return nb::cast(PythonSecret{passphrase_of(given)});
  return nb::cast(PythonSecret{SecretBytes(HeldBuffer(given, "the key").bytes())});
}

// Takes keys, passphrases and identities out of keyword arguments first, so that no traceback shows them, and puts them back
// hidden.
void hide_in(nb::dict settings) {
  constexpr const char* names[] = {"key", "passphrase", "identity"};
  nb::object given[std::size(names)];
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (!settings.contains(names[i])) continue;
    given[i] = nb::borrow(settings[names[i]]);
    settings[names[i]] = nb::none();
  }
  for (std::size_t i = 0; i < std::size(names); ++i) {
    if (given[i].is_valid()) settings[names[i]] = hide(given[i], i > 0);
  }
}

}  // namespace

void refuse_pickling(nb::object class_object) {
  class_object.attr("__reduce_ex__") = nb::cpp_function(
      [](nb::handle self, nb::handle /*protocol*/) -> nb::object {
        throw BindingError(BindingErrorKind::pickling,
                           "a " + nb::cast<std::string>(nb::str(self.type().attr("__name__"))) +
                               " is neither pickled nor copied: it may hold a key. Make one where it is used");
      },
      nb::is_method());
}

void bind_secret(nb::module_& module) {
  nb::class_<PythonSecret> secret(
      module, "Secret",
      "A key or a passphrase in memory that is locked where limits allow and wiped in the end.\n\n"
      "Everything that takes a key takes this too. It shows nothing of what it holds.\n\n"
      ">>> import phalanx\n"
      ">>> key = phalanx.Secret(bytes(24))\n"
      ">>> key\n"
      "Secret(24 bytes)\n"
      ">>> phalanx.Cipher(\"des-ede3-cbc\", key).key_bytes\n"
      "24\n");
  secret
      .def(
          "__init__",
          [](PythonSecret* self, nb::handle data) {
            new (self) PythonSecret{SecretBytes(HeldSecret(data, "the secret").bytes())};
          },
          nb::arg("data").none())
      .def("__len__", [](const PythonSecret& self) { return self.bytes.size(); })
      .def("__repr__", [](const PythonSecret& self) { return "Secret(" + std::to_string(self.bytes.size()) + " bytes)"; });
  refuse_pickling(secret);
  module.def("hide_in", hide_in, nb::arg("settings"),
             "Replaces key, passphrase and identity of keyword arguments by a Secret; they are None where they do not fit.");
}

}  // namespace phalanx
