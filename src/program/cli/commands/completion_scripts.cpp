#include "program/cli/commands/completion_scripts.hpp"

#include <fmt/format.h>

#include <string_view>

namespace phalanx {
namespace {

std::string joined(const std::vector<std::string>& words, std::string_view between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : std::string(between)) + word;
  return text;
}

// Returns a text in quotes for all three shells. A ' in it is ended, escaped and begun again.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char character : text) result += character == '\'' ? std::string("'\\''") : std::string(1, character);
  return result + "'";
}

std::string parent_of(const std::string& path) {
  const std::size_t space = path.rfind(' ');
  return space == std::string::npos ? "" : path.substr(0, space);
}

// Returns what the command so far and the next word make together, such as " encrypt" and "raw encrypt".
std::vector<std::string> steps(const std::vector<CompletedCommand>& commands) {
  std::vector<std::string> patterns;
  for (const CompletedCommand& command : commands) {
    if (!command.path.empty()) patterns.push_back(quoted(parent_of(command.path) + ' ' + command.name));
  }
  return patterns;
}

// Returns the lines of a case over the command and the word before, for bash and zsh. They are "'COMMAND:--option' | ..."
// with what to complete.
template <class Action>
std::string cases_of_values(const std::vector<CompletedCommand>& commands, const Action& action) {
  std::string text;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) {
      if (!option.takes_value) continue;
      std::vector<std::string> patterns;
      for (const std::string& name : option.names) patterns.push_back(quoted(command.path + ':' + name));
      text += fmt::format("    {}) {} ;;\n", joined(patterns, " | "), action(option.value));
    }
  }
  return text;
}

std::string bash_reply(const CompletedValue& value) {
  if (!value.words.empty()) return "_phalanx_reply " + quoted(joined(value.words, " "));
  return value.is_file ? ":" : "compopt +o default";
}

std::string zsh_reply(const CompletedValue& value) {
  if (!value.words.empty()) return "compadd -- " + joined(value.words, " ");
  return value.is_file ? "_files" : "_message 'a value'";
}

// Returns what _describe takes: NAME:DESCRIPTION.
std::string zsh_item(const std::string& name, const std::string& description) {
  std::string escaped;
  for (const char character : name) escaped += character == ':' ? std::string("\\:") : std::string(1, character);
  return quoted(escaped + ':' + description);
}

std::string fish_value(const CompletedValue& value) {
  if (!value.words.empty()) return " -x -a " + quoted(joined(value.words, " "));
  return value.is_file ? " -r -F" : " -x";
}

std::string fish_option(const CompletedCommand& command, const CompletedOption& option) {
  std::string line = "complete -c phalanx -n " + quoted("__phalanx_at " + quoted(command.path));
  for (const std::string& name : option.names)
    line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  if (option.takes_value) line += fish_value(option.value);
  return line + " -d " + quoted(option.description) + '\n';
}

}  // namespace

std::string bash_script(const std::vector<CompletedCommand>& commands) {
  std::string options, arguments;
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> names;
    for (const CompletedOption& option : command.options)
      names.insert(names.end(), option.names.begin(), option.names.end());
    options += fmt::format("    {}) _phalanx_reply {} ;;\n", quoted(command.path), quoted(joined(names, " ")));
    arguments += fmt::format("    {}) {} ;;\n", quoted(command.path), bash_reply(command.argument));
  }
  // The shell itself takes words apart at : and =, which stand in names of engines and in --option=VALUE.
  return fmt::format(R"(# bash completion of phalanx, made by `phalanx completions bash`
_phalanx_reply() {{
  local prefix="${{word%"${{word##*:}}"}}"
  mapfile -t COMPREPLY < <(compgen -W "$1" -- "$word")
  if [[ $COMP_WORDBREAKS == *:* ]]; then COMPREPLY=("${{COMPREPLY[@]#"$prefix"}}"); fi
}}
_phalanx() {{
  local line="${{COMP_LINE:0:COMP_POINT}}" command= word before i
  local -a words
  read -ra words <<<"$line"
  if [[ $line == *[[:space:]] ]]; then words+=(""); fi
  COMPREPLY=()
  for ((i = 1; i < ${{#words[@]}} - 1; ++i)); do
    case "$command ${{words[i]}}" in
      {0}) command="${{command:+$command }}${{words[i]}}" ;;
    esac
  done
  word="${{words[-1]}}" before="${{words[-2]}}"
  if [[ $word == --*=* ]]; then before="${{word%%=*}}" word="${{word#*=}}"; fi
  case "$command:$before" in
{1}    *) _phalanx_other ;;
  esac
}}
_phalanx_other() {{
  if [[ $word == -* ]]; then
    case "$command" in
{2}    esac
    return
  fi
  case "$command" in
{3}  esac
}}
complete -o default -F _phalanx phalanx
)",
                     joined(steps(commands), " | "), cases_of_values(commands, bash_reply), options, arguments);
}

std::string zsh_script(const std::vector<CompletedCommand>& commands) {
  std::string options, arguments;
  for (const CompletedCommand& command : commands) {
    std::vector<std::string> items;
    for (const CompletedOption& option : command.options) {
      for (const std::string& name : option.names) items.push_back(zsh_item(name, option.description));
    }
    options += fmt::format("      {}) items=({}) ;;\n", quoted(command.path), joined(items, " "));
    std::vector<std::string> below;
    for (const CompletedCommand& other : commands) {
      const bool is_below = !other.path.empty() && parent_of(other.path) == command.path;
      if (is_below) below.push_back(zsh_item(other.name, other.description));
    }
    const std::string reply =
        below.empty() ? zsh_reply(command.argument) : "items=(" + joined(below, " ") + "); _describe command items";
    arguments += fmt::format("    {}) {} ;;\n", quoted(command.path), reply);
  }
  return fmt::format(R"(#compdef phalanx
# zsh completion of phalanx, made by `phalanx completions zsh`
_phalanx() {{
  local command= before i
  local -a items
  for ((i = 2; i < CURRENT; ++i)); do
    case "$command ${{words[i]}}" in
      {0}) command="${{command:+$command }}${{words[i]}}" ;;
    esac
  done
  before="${{words[CURRENT-1]}}"
  if [[ $PREFIX == --*=* ]]; then
    before="${{PREFIX%%=*}}"
    compset -P '*='
  fi
  case "$command:$before" in
{1}    *) _phalanx_other ;;
  esac
}}
_phalanx_other() {{
  if [[ $PREFIX == -* ]]; then
    case "$command" in
{2}    esac
    _describe -o option items
    return
  fi
  case "$command" in
{3}  esac
}}
if [[ $funcstack[1] == _phalanx ]]; then _phalanx "$@"; else compdef _phalanx phalanx; fi
)",
                     joined(steps(commands), " | "), cases_of_values(commands, zsh_reply), options, arguments);
}

std::string fish_script(const std::vector<CompletedCommand>& commands) {
  std::string lines;
  for (const CompletedCommand& command : commands) {
    for (const CompletedOption& option : command.options) lines += fish_option(command, option);
    const std::string at = "complete -c phalanx -n " + quoted("__phalanx_at " + quoted(command.path));
    if (!command.argument.is_file) lines += at + " -f\n";
    bool has_commands = false;
    for (const CompletedCommand& other : commands) {
      if (other.path.empty() || parent_of(other.path) != command.path) continue;
      lines += at + " -a " + other.name + " -d " + quoted(other.description) + '\n';
      has_commands = true;
    }
    if (!has_commands && !command.argument.words.empty())
      lines += at + " -a " + quoted(joined(command.argument.words, " ")) + '\n';
  }
  return fmt::format(R"(# fish completion of phalanx, made by `phalanx completions fish`
function __phalanx_at
  set -l command ''
  for word in (commandline -opc)[2..-1]
    switch "$command $word"
      case {0}
        set command (string trim -- "$command $word")
    end
  end
  test "$command" = "$argv[1]"
end
{1})",
                     joined(steps(commands), " "), lines);
}

}  // namespace phalanx
