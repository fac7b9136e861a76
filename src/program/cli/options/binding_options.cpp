#include "program/cli/options/binding_options.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <CLI/CLI.hpp>

#include "engine/text/characters.hpp"
#include "engine/text/hex.hpp"
#include "files/system/file_descriptor.hpp"
#include "files/system/paths.hpp"

namespace phalanx {
namespace {

constexpr const char* group = "What containers are bound to";

[[noreturn]] void fail_usage(const std::string& message) { throw Error(ErrorCode::usage, message); }

void add_name_options(CLI::App& command, BindingOptions& options, const char* name_help) {
  command.add_option("--name", options.name, name_help)->type_name("TEXT")->group(group);
  command
      .add_option("--below", options.below,
                  "a path that goes before each name: where the named folder or file lies in the whole tree")
      ->type_name("PATH")
      ->group(group);
}

std::vector<std::uint8_t> read_context(const BindingOptions& options) {
  if (options.context_text) {
    const Bytes text = bytes_of(*options.context_text);
    return {text.begin(), text.end()};
  }
  const std::string digits = options.context_hex.value_or("");
  std::vector<std::uint8_t> context(digits.size() / 2);
  decode_hex(digits, "--context", context);
  return context;
}

}  // namespace

void add_context_options(CLI::App& command, BindingOptions& options) {
  CLI::Option* const hex =
      command.add_option("--context", options.context_hex, "a context in hex; the container opens with the same one only");
  hex->type_name("HEX")->group(group);
  command.add_option("--context-text", options.context_text, "the same as text, whose bytes are taken as they are")
      ->type_name("TEXT")
      ->excludes(hex)
      ->group(group);
}

void add_sealing_bindings(CLI::App& command, BindingOptions& options) {
  add_context_options(command, options);
  command
      .add_flag("--bind-name", options.bind_name, "bind each container to its name: another one in its place does not open")
      ->group(group);
  add_name_options(command, options, "with --bind-name: bind to this name, and not to its own");
}

void add_opening_bindings(CLI::App& command, BindingOptions& options) {
  add_context_options(command, options);
  add_name_options(command, options, "the name that it must be bound to, and not the one it has");
  CLI::Option* const any =
      command.add_flag("--any-name", options.any_name, "open it whatever name it is bound to")->group(group);
  command.add_flag("--require-name", options.require_name, "open nothing that is bound to no name")
      ->excludes(any)
      ->group(group);
  command.get_option("--name")->excludes(any);
}

GivenBinding::GivenBinding(const BindingOptions& options, bool bare) : context_(read_context(options)) {
  if (!bare && options.gives_context() && context_.empty())
    fail_usage("an empty context binds nothing: give one of a byte at least");
  if (options.name && options.name->empty()) fail_usage("--name is empty: give a name");
  binding_.context = context_;
  binding_.name = options.name.value_or("");
  binding_.below = options.below;
  binding_.any_name = options.any_name;
  binding_.needs_name = options.require_name || options.name.has_value();
}

void refuse_name_of_tree(const BindingOptions& options) {
  if (options.name) fail_usage("--name is for one container: of several, each has its own name");
}

void check_sealing_bindings(const BindingOptions& options) {
  if (options.bind_name) return;
  if (options.name) fail_usage("--name goes with --bind-name: give both");
  if (!options.below.empty()) fail_usage("--below goes with --bind-name: give both");
}

void refuse_names_of_bare(const BindingOptions& options) {
  const auto refuse = [](bool is_given, const char* name) {
    if (is_given) fail_usage(fmt::format("{} is for containers: a bare message has no header, only a context", name));
  };
  refuse(options.bind_name, "--bind-name");
  refuse(options.name.has_value(), "--name");
  refuse(!options.below.empty(), "--below");
  refuse(options.any_name, "--any-name");
  refuse(options.require_name, "--require-name");
}

std::string own_name_of(const std::string& path) {
  struct stat status {};
  if (path.empty() || path == "-" || inherited_descriptor(path)) return "";
  if (::stat(path.c_str(), &status) == 0 && !S_ISREG(status.st_mode)) return "";
  return last_name_of(path);
}

}  // namespace phalanx
