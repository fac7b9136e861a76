#include "arguments/errors.hpp"

#include <array>
#include <cstring>
#include <typeinfo>

namespace phalanx {
namespace {

struct ErrorClass {
  const char* name;
  const char* bases[2];  // of this module, or of Python
  const char* doc;
};

// A base stands before its subclasses.
constexpr ErrorClass error_classes[] = {
    {"Error",
     {"Exception", nullptr},
     "What everything here raises. Its text is one line and never holds a key. `name` is the file or setting that it is\n"
     "about, and `offset` where in the input, in bytes from its beginning; None where that is not known."},
    {"MachineError",
     {"Error", "OSError"},
     "Input or output failed, or memory, or a GPU. errno, strerror and filename are set where a system call failed."},
    {"UsageError", {"Error", "ValueError"}, "An argument does not fit: the caller is to mend it."},
    {"FormatError",
     {"Error", "ValueError"},
     "Input is not of the stated format: foreign, damaged, or of a later version. No UsageError."},
    {"SizeError", {"UsageError", nullptr}, "A buffer is too small, or two that belong together differ."},
    {"OverlapError",
     {"UsageError", nullptr},
     "Source and target overlap in part: give the same memory, or disjoint memory."},
    {"BufferTypeError", {"Error", "TypeError"}, "What was given for data, a key or an iv holds no bytes."},
    {"ReadOnlyError", {"Error", "BufferError"}, "A target cannot be written."},
    {"StrideError", {"Error", "BufferError"}, "A buffer does not lie in one piece."},
    {"AuthenticationError",
     {"Error", nullptr},
     "A tag does not verify. After open_many, `failed` has the numbers of the messages that failed."},
    {"WrongKeyError",
     {"Error", "ValueError"},
     "A wrong key or passphrase, or padding that does not check. After decrypt_many, `failed` has the numbers of the "
     "messages\n"
     "whose padding does not, and of those that are cut short."},
    {"TruncatedError",
     {"Error", "ValueError"},
     "The input ends too early. After decrypt_many, `failed` has the numbers of the messages that are no whole blocks."},
    {"PolicyError", {"Error", nullptr}, "Refused: it costs more than is allowed, or would encrypt what nothing should."},
    {"ForkError",
     {"Error", "RuntimeError"},
     "CUDA was used, or a message by parts or a container was begun, before this process was forked: its parent goes on "
     "with it."},
    {"PicklingError", {"Error", "TypeError"}, "Objects that hold keys are not pickled or copied."},
};

// Never released: translators may run until the interpreter is gone.
std::array<PyObject*, std::size(error_classes)> made{};

PyObject* class_named(const char* name) {
  for (std::size_t i = 0; i < std::size(error_classes); ++i) {
    if (std::string(error_classes[i].name) == name) return made[i];
  }
  return nullptr;
}

nb::object base_named(const char* name) {
  if (PyObject* ours = class_named(name)) return nb::borrow(ours);
  return nb::module_::import_("builtins").attr(name);
}

PyObject* make_class(const ErrorClass& described) {
  nb::list bases;
  for (const char* base : described.bases) {
    if (base != nullptr) bases.append(base_named(base));
  }
  const std::string full_name = std::string("phalanx.") + described.name;
  PyObject* made_class = PyErr_NewExceptionWithDoc(full_name.c_str(), described.doc, nb::tuple(bases).ptr(), nullptr);
  if (made_class == nullptr) throw nb::python_error();
  return made_class;
}

const char* class_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::usage:
      return "UsageError";
    case ErrorCode::format:
      return "FormatError";
    case ErrorCode::authentication:
      return "AuthenticationError";
    case ErrorCode::wrong_key:
      return "WrongKeyError";
    case ErrorCode::truncated:
      return "TruncatedError";
    case ErrorCode::policy:
      return "PolicyError";
    case ErrorCode::runtime:
      break;
  }
  return "MachineError";
}

const char* class_of(BindingErrorKind kind) {
  switch (kind) {
    case BindingErrorKind::buffer_type:
      return "BufferTypeError";
    case BindingErrorKind::read_only:
      return "ReadOnlyError";
    case BindingErrorKind::stride:
      return "StrideError";
    case BindingErrorKind::size:
      return "SizeError";
    case BindingErrorKind::overlap:
      return "OverlapError";
    case BindingErrorKind::fork:
      return "ForkError";
    case BindingErrorKind::pickling:
      break;
  }
  return "PicklingError";
}

// A setting that is called something else in Python, as it is called there.
std::string in_words_of_python(std::string sentence) {
  constexpr std::string_view ours = "`find_digest`";
  const std::size_t at = sentence.find(ours);
  return at == std::string::npos ? sentence : sentence.replace(at, ours.size(), "digest=\"auto\"");
}

// Sets what Python raises. Facts that cannot be set are left out: the sentence is what counts.
void raise(const Error& error) {
  PyObject* const error_class = class_named(class_of(error.code()));
  nb::object raised = nb::steal(PyObject_CallFunction(error_class, "s", in_words_of_python(error.what()).c_str()));
  if (!raised.is_valid()) return;  // and what kept it from being made is raised
  const auto set = [&](const char* fact, PyObject* value) {
    const nb::object owned = nb::steal(value);
    if (!owned.is_valid() || PyObject_SetAttrString(raised.ptr(), fact, owned.ptr()) != 0) PyErr_Clear();
  };
  if (!error.name().empty()) set("name", PyUnicode_DecodeFSDefault(error.name().c_str()));
  if (error.offset() != Error::no_offset) set("offset", PyLong_FromUnsignedLongLong(error.offset()));
  if (error.code() == ErrorCode::runtime && error.system_error() != 0) {
    set("errno", PyLong_FromLong(error.system_error()));
    set("strerror", PyUnicode_DecodeLocale(std::strerror(error.system_error()), "surrogateescape"));
    if (!error.name().empty()) set("filename", PyUnicode_DecodeFSDefault(error.name().c_str()));
  }
  PyErr_SetObject(error_class, raised.ptr());
}

void translate(const std::exception_ptr& thrown, void* /*payload*/) {
  try {
    std::rethrow_exception(thrown);
  } catch (const Error& error) {
    raise(error);
  } catch (const BindingError& error) {
    PyErr_SetString(class_named(class_of(error.kind())), error.what());
  } catch (const std::bad_cast&) {  // of a list or a dict, or what a function of the caller's gave: nanobind says no more
    PyErr_SetString(class_named("UsageError"),
                    "something in an argument, or what a function of yours gave, has another type than it should");
  }
}

}  // namespace

void bind_errors(nb::module_& module) {
  for (std::size_t i = 0; i < std::size(error_classes); ++i) {
    made[i] = make_class(error_classes[i]);
    module.attr(error_classes[i].name) = nb::borrow(made[i]);
  }
  for (const char* name : {"AuthenticationError", "TruncatedError", "WrongKeyError"})
    module.attr(name).attr("failed") = nb::make_tuple();
  for (const char* fact : {"name", "offset"}) module.attr("Error").attr(fact) = nb::none();
  // OSError's would say "[Errno 28] ..." in place of the sentence.
  module.attr("MachineError").attr("__str__") = nb::module_::import_("builtins").attr("BaseException").attr("__str__");
  nb::register_exception_translator(translate);
}

void raise_with_numbers(const char* class_name, const std::string& message, nb::tuple failed) {
  const nb::object error = nb::borrow(class_named(class_name))(message.c_str());
  error.attr("failed") = failed;
  PyErr_SetObject(class_named(class_name), error.ptr());
  throw nb::python_error();
}

}  // namespace phalanx
