// The program, for `python -m phalanx`, and what phalanx.compat asks of a key.
#include "program/cli/program.hpp"

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "arguments/secret.hpp"
#include "messages/cipher.hpp"

namespace phalanx {
namespace {

// Double and triple DES under K, K cancel out: SP 800-67 section 3.2. In time that does not depend on the key.
bool is_single_des(Bytes key) {
  constexpr std::size_t des_key_bytes = 8;
  bool found = false;
  for (std::size_t first = 0; first + 2 * des_key_bytes <= key.size(); first += des_key_bytes) {
    unsigned difference = 0;
    for (std::size_t i = first; i < first + des_key_bytes; ++i) difference |= (key[i] ^ key[i + des_key_bytes]) & 0xfeU;
    found |= difference == 0;
  }
  return found;
}

// Does not come back to Python before the program is done: its signals are its own.
int run(const std::vector<nb::bytes>& arguments) {
  std::vector<std::string> words;
  for (const nb::bytes& argument : arguments) words.emplace_back(argument.c_str(), argument.size());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const nb::gil_scoped_release released;
  prepare_process();
  return run_program(static_cast<int>(words.size()), argv.data());
}

}  // namespace

void bind_program(nb::module_& module) {
  module.def("run_program", run, nb::arg("arguments"), "The program, as `phalanx` is. Returns the exit code.");
  module.def(
      "is_single_des", [](nb::handle key) { return is_single_des(HeldSecret(key, "the key").bytes()); },
      nb::arg("key").none(), "Whether two neighbouring DES keys of a 3DES key are the same but for parity.");
}

}  // namespace phalanx
