#include "arguments/secret.hpp"

#include <nanobind/stl/string.h>

#include <string>

#include "arguments/errors.hpp"
#include "arguments/secret_arguments.hpp"

namespace phalanx {

HeldSecret::HeldSecret(nb::handle object, const char* what) {
  if (!nb::try_cast(object, secret_)) secret_ = nullptr;
  if (secret_ == nullptr) buffer_ = HeldBuffer(object, what);
}

KeyRows::KeyRows(nb::handle object, std::size_t num_messages)
    : table_(is_sequence(object) ? nb::handle(Py_None) : object, "keys", num_messages) {
  if (!is_sequence(object)) return;
  held_ = nb::steal(PySequence_Tuple(object.ptr()));
  if (!held_.is_valid()) throw nb::python_error();
  check_num_rows(nb::len(held_), "keys", num_messages);
  for (const nb::handle key : held_) keys_.emplace_back(key, "keys");
}

namespace {

// A Secret for what was given: a key, a passphrase as a str, a list of them, or None.
nb::object hide(nb::handle given, bool is_passphrase) {
  if (given.is_none() || nb::isinstance<Secret>(given)) return nb::borrow(given);
  if (is_sequence(given)) {
    nb::list hidden;
    for (const nb::handle one : given) hidden.append(hide(one, is_passphrase));
    return hidden;
  }
  if (is_passphrase) return nb::cast(Secret{passphrase_of(given)});
  return nb::cast(Secret{SecretBytes(HeldBuffer(given, "the key").bytes())});
}

// Takes keys and passphrases out of keyword arguments first, so that no traceback shows them, and puts them back hidden.
void hide_in(nb::dict settings) {
  nb::object key = nb::none(), passphrase = nb::none();
  if (settings.contains("key")) key = nb::borrow(settings["key"]);
  if (settings.contains("passphrase")) passphrase = nb::borrow(settings["passphrase"]);
  settings["key"] = nb::none();
  settings["passphrase"] = nb::none();
  settings["key"] = hide(key, false);
  settings["passphrase"] = hide(passphrase, true);
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
  nb::class_<Secret> secret(module, "Secret",
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
          [](Secret* self, nb::handle data) { new (self) Secret{SecretBytes(HeldSecret(data, "the secret").bytes())}; },
          nb::arg("data").none())
      .def("__len__", [](const Secret& self) { return self.bytes.size(); })
      .def("__repr__", [](const Secret& self) { return "Secret(" + std::to_string(self.bytes.size()) + " bytes)"; });
  refuse_pickling(secret);
  module.def("hide_in", hide_in, nb::arg("settings"),
             "Replaces key and passphrase of keyword arguments by a Secret; they are None where they do not fit.");
}

}  // namespace phalanx
