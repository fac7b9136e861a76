// These options say what a container is bound to beside its keys: --context and --context-text, --bind-name and its like.
#pragma once

#include <cstdint>
#include <optional>
#include <phalanx/files/container.hpp>
#include <string>
#include <vector>

#include "files/container/format/binding.hpp"
#include "program/cli/console/command_line_library.hpp"

namespace phalanx {

struct BindingOptions {
  std::optional<std::string> context_hex, context_text;
  bool bind_name = false;
  std::optional<std::string> name;
  std::string below;
  bool any_name = false;
  bool require_name = false;

  [[nodiscard]] bool gives_context() const { return context_hex || context_text; }
};

/// These are the options' names, for messages.
inline constexpr BindingNames binding_option_names{
    .context = "--context or --context-text", .name = "--name", .any_name = "--any-name", .below = "--below"};

/// Adds --context and --context-text.
void add_context_options(CLI::App& command, BindingOptions& options);
/// Adds --context, --context-text, --bind-name, --name and --below, for what seals.
void add_sealing_bindings(CLI::App& command, BindingOptions& options);
/// Adds --context, --context-text, --name, --below, --any-name and --require-name, for what opens.
void add_opening_bindings(CLI::App& command, BindingOptions& options);

/// Holds a binding and the memory that it refers to.
class GivenBinding {
 public:
  /// Throws Error (usage) for a context that is no hex digits, and for an empty context or name. A bare message has nothing
  /// but a context, which may be empty.
  explicit GivenBinding(const BindingOptions& options, bool bare = false);
  GivenBinding(const GivenBinding&) = delete;
  GivenBinding& operator=(const GivenBinding&) = delete;

  /// Returns the binding as given, with --name where there is one.
  [[nodiscard]] const Binding& binding() const { return binding_; }

 private:
  std::vector<std::uint8_t> context_;
  Binding binding_;
};

/// Throws Error (usage) where a name is given to a run over many.
void refuse_name_of_tree(const BindingOptions& options);

/// Throws Error (usage) for --name or --below without --bind-name, for what seals.
void check_sealing_bindings(const BindingOptions& options);

/// Throws Error (usage) for what has no place in a bare message: all but a context.
void refuse_names_of_bare(const BindingOptions& options);

/// Returns a file's own name, the last one of its path. Returns "" for a stream, a descriptor, or what is no regular file.
[[nodiscard]] std::string own_name_of(const std::string& path);

}  // namespace phalanx
