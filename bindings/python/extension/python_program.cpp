// The program, for `python -m phalanx`, and what only the compatible packages need of it.
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "cli/program.hpp"
#include "cli/weak_keys.hpp"
#include "python_cipher.hpp"
#include "python_secret.hpp"

namespace phalanx {
namespace {

/// Does not come back to Python before the program is done: its signals are its own.
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
      "key_weakness",
      [](const std::string& name, nb::handle key) {
        return key_weakness(parse_cipher_name(name), HeldSecret(key, "the key").bytes());
      },
      nb::arg("name"), nb::arg("key"), "What is wrong with a key: a weak DES key, or 3DES that is DES; empty if nothing is.");
}

}  // namespace phalanx
