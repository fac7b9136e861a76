// What containers are bound to beside their keys.
#include "arguments/binding_argument.hpp"
#include "arguments/explained.hpp"
#include "arguments/secret_arguments.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

std::string name_of(nb::handle name) { return name.is_none() ? "" : path_of(name); }

// As os.fsdecode does: names are any bytes.
nb::object decoded(const std::string& text) {
  if (text.empty()) return nb::none();
  return nb::steal<nb::str>(PyUnicode_DecodeFSDefaultAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
}

constexpr const char* binding_doc = R"(What a container is bound to beside its keys, so that none can stand for another.

context, a str or bytes, is needed again to open it. name is sealed within, and compared with the container's: that of its file
without ".phalanx", in a folder that is given its path there. Where there is no file, or another name is meant, name says it. below
is where that folder lies in the whole tree. To open, any_name compares nothing, and needs_name refuses what is bound to no name.

>>> import phalanx
>>> container = phalanx.seal(b"in lockstep", key=bytes(32), binding=phalanx.Binding(context="diary", name="2026/may"))
>>> phalanx.unseal(container, key=bytes(32), binding=phalanx.Binding(context="diary", name="2026/june"))
Traceback (most recent call last):
phalanx.AuthenticationError: the container is bound to the name '2026/may', and is called '2026/june' here: it was moved, or stands for another; if that is right, give `binding.any_name`, or `binding.below` for a part of a tree

Raises UsageError where a context or a name is empty.)";

}  // namespace

HeldBinding::HeldBinding(nb::handle context, nb::handle name, nb::handle below, bool any_name, bool needs_name)
    : context_(context.is_none() ? SecretBytes() : passphrase_of(context)) {
  if (!context.is_none() && context_.size() == 0) {
    throw Error(ErrorCode::usage, "an empty context binds nothing: give one of a byte at least");
  }
  binding_.context = context_;
  binding_.name = name_of(name);
  binding_.below = name_of(below);
  binding_.any_name = any_name;
  binding_.needs_name = needs_name;
}

Binding binding_of(nb::handle argument) {
  if (argument.is_none()) return {};
  if (!nb::isinstance<HeldBinding>(argument)) {
    throw Error(ErrorCode::usage, "binding is a phalanx.Binding, or None");
  }
  return nb::cast<const HeldBinding&>(argument).binding();
}

void bind_binding(nb::module_& module) {
  nb::class_<HeldBinding> binding(module, "Binding", binding_doc);
  def_explained(
      binding, "__init__",
      [](HeldBinding* self, nb::object context, nb::object name, nb::object below, bool any_name, bool needs_name) {
        new (self) HeldBinding(context, name, below, any_name, needs_name);
      },
      nb::kw_only(), nb::arg("context") = nb::none(), nb::arg("name") = nb::none(), nb::arg("below") = nb::none(),
      nb::arg("any_name") = false, nb::arg("needs_name") = false);
  binding
      .def_prop_ro(
          "context",
          [](const HeldBinding& self) {
            const Bytes context = self.binding().context;
            return nb::bytes(reinterpret_cast<const char*>(context.data()), context.size());
          },
          "Empty where there is none.")
      .def_prop_ro(
          "name", [](const HeldBinding& self) { return decoded(self.binding().name); }, "None where there is none.")
      .def("__repr__", [](nb::handle self) {
        return nb::str("Binding(context={!r}, name={!r})").format(self.attr("context"), self.attr("name"));
      });
}

}  // namespace phalanx
