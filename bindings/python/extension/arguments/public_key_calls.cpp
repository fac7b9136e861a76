#include "arguments/public_key_calls.hpp"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "arguments/secret.hpp"

namespace phalanx {
namespace {

// What the function raised, which calls of one container raise again; of many, a line of it is told.
class RaisedInCall : public nb::python_error {
 public:
  explicit RaisedInCall(const nb::python_error& error)
      : nb::python_error(error),
        line_("the function of a public key raised " +
              nb::cast<std::string>(nb::str("{}: {}").format(error.type().attr("__name__"), error.value()))) {}
  [[nodiscard]] const char* what() const noexcept override { return line_.c_str(); }

 private:
  std::string line_;
};

template <class Argument>
nb::object call(const nb::object& function, const Argument& argument) {
  try {
    return function(argument);
  } catch (const nb::python_error& error) {
    throw RaisedInCall(error);
  }
}

// Copies of a function of the library's may be made and go where no thread has the interpreter's lock.
std::shared_ptr<const nb::object> shared_without_lock(nb::object function) {
  return {new nb::object(std::move(function)), [](const nb::object* held) {
            const nb::gil_scoped_acquire acquired;
            delete held;
          }};
}

}  // namespace

WrapFileKey wrap_in_python(nb::object wrap) {
  return [wrap = shared_without_lock(std::move(wrap))](MutableBytes file_key) {
    const nb::gil_scoped_acquire acquired;
    const nb::object result = call(*wrap, nb::bytes(file_key.data(), file_key.size()));
    std::pair<std::vector<std::string>, std::vector<std::string>> wrapped;
    if (!nb::try_cast(result, wrapped)) {
      throw Error(ErrorCode::runtime, "a recipient's function returns a list of stanzas, and one of labels: both of str");
    }
    return WrappedFileKey{std::move(wrapped.first), std::move(wrapped.second)};
  };
}

UnwrapFileKey unwrap_in_python(nb::object unwrap) {
  return [unwrap = shared_without_lock(std::move(unwrap))](std::span<const std::string> stanzas, MutableBytes file_key) {
    const nb::gil_scoped_acquire acquired;
    nb::list texts;
    for (const std::string& text : stanzas) texts.append(nb::str(text.data(), text.size()));
    const nb::object result = call(*unwrap, texts);
    if (result.is_none()) return false;
    const HeldSecret found(result, "the file key");
    if (found.bytes().size() != file_key.size()) {
      throw Error(ErrorCode::runtime, "an identity's function returns the 16 bytes of the file key, or None");
    }
    std::ranges::copy(found.bytes(), file_key.begin());
    return true;
  };
}

}  // namespace phalanx
