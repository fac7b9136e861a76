#include "files/container/format/binding.hpp"

#include <algorithm>

#include "engine/chunked/chunked_encryption.hpp"
#include "engine/library/argument_checks.hpp"
#include "engine/text/characters.hpp"
#include "engine/text/utf8.hpp"

namespace phalanx {
namespace {

constexpr std::size_t flags_bytes = 1;
constexpr std::size_t sealed_name_overhead = message_prefix_bytes + chunk_tag_bytes;

std::string quoted(const std::string& name) { return '\'' + plain_line(name) + '\''; }

[[noreturn]] void fail_malformed(const std::string& what) {
  throw Error(ErrorCode::format, "the header is malformed: " + what);
}

}  // namespace

std::uint8_t binding_flags_of(const Binding& binding) {
  return static_cast<std::uint8_t>((binding.context.empty() ? 0 : context_flag) | (binding.name.empty() ? 0 : name_flag));
}

FixedPart fixed_part_of(const Suite& suite, const Binding& binding) {
  return {binding_flags_of(binding) == 0 ? unbound_version : bound_version, &suite};
}

std::vector<std::uint8_t> BindingRecord::data() const {
  std::vector<std::uint8_t> bytes;
  bytes.reserve(flags_bytes + sealed_name.size());
  bytes.push_back(flags);
  bytes.insert(bytes.end(), sealed_name.begin(), sealed_name.end());
  return bytes;
}

std::size_t binding_data_bytes(const Binding& binding) {
  if (binding.name.empty()) return flags_bytes;
  if (binding.name.size() > max_bound_name_bytes) {
    fail_usage("a container is bound to a name of up to " + std::to_string(max_bound_name_bytes) + " bytes, and this has " +
               std::to_string(binding.name.size()) + ": give a shorter one");
  }
  return flags_bytes + sealed_name_overhead + binding.name.size();
}

BindingRecord parse_binding_record(Bytes data) {
  if (data.empty() || data[0] == 0 || data[0] > (context_flag | name_flag)) {
    fail_malformed("what it is bound to is not of a kind that is known");
  }
  BindingRecord record{data[0], {data.begin() + flags_bytes, data.end()}};
  const std::size_t size = record.sealed_name.size();
  const bool fits =
      record.has_name() ? size > sealed_name_overhead && size <= sealed_name_overhead + max_bound_name_bytes : size == 0;
  if (!fits) fail_malformed("what it is bound to has " + std::to_string(data.size()) + " bytes");
  return record;
}

BindingRecord make_binding_record(const FixedPart& fixed_part, const Binding& binding, Bytes data_key) {
  BindingRecord record{binding_flags_of(binding), {}};
  static_cast<void>(binding_data_bytes(binding));
  if (!record.has_name()) return record;
  const std::vector<std::uint8_t> context = labelled_fixed_part(fixed_part, "name");
  const ChunkedCipher cipher(*fixed_part.suite, data_key, random_chunk_salt(), context, {"cpu", 1});
  record.sealed_name.assign(cipher.prefix().begin(), cipher.prefix().end());
  record.sealed_name.resize(sealed_name_overhead + binding.name.size());
  cipher.seal(0, bytes_of(binding.name), MutableBytes(record.sealed_name).subspan(message_prefix_bytes));
  return record;
}

std::string open_bound_name(const FixedPart& fixed_part, const BindingRecord& record, Bytes data_key) {
  const Bytes sealed = record.sealed_name;
  MessagePrefix prefix;
  std::copy_n(sealed.begin(), prefix.size(), prefix.begin());
  std::string name(sealed.size() - sealed_name_overhead, '\0');
  try {
    const ChunkedCipher cipher(*fixed_part.suite, data_key, prefix, labelled_fixed_part(fixed_part, "name"),
                               EngineOptions{"cpu", 1});
    cipher.open(0, sealed.subspan(prefix.size()), MutableBytes(reinterpret_cast<std::uint8_t*>(name.data()), name.size()));
  } catch (const Error& error) {
    if (error.code() != ErrorCode::wrong_key && error.code() != ErrorCode::authentication) throw;
    throw Error(ErrorCode::authentication, "the header is not authentic: the name in it was changed");
  }
  return name;
}

void require_fitting(const BindingRecord& record, const Binding& binding, const BindingNames& names) {
  if (record.needs_context() && binding.context.empty()) {
    fail_usage(std::string("the container is bound to a context, and none is given: give ") + names.context);
  }
  if (!record.needs_context() && !binding.context.empty()) {
    fail_usage(std::string("the container is bound to no context, and one is given: leave ") + names.context + " out");
  }
  if (record.has_name() && binding.name.empty() && !binding.any_name) {
    fail_usage(std::string("the container is bound to a name, and it has none here to be compared: give ") + names.name +
               " or " + names.any_name);
  }
  if (!record.has_name() && binding.needs_name) {
    fail_usage("the container is bound to no name, and should be: whether it stands for another cannot be told");
  }
}

void require_same_name(const FixedPart& fixed_part, const BindingRecord& record, Bytes data_key, const Binding& binding,
                       const BindingNames& names) {
  if (!record.has_name()) return;
  const std::string bound = open_bound_name(fixed_part, record, data_key);
  if (binding.any_name || bound == binding.name) return;
  const std::string folder =
      bound.ends_with('/' + binding.name) ? bound.substr(0, bound.size() - binding.name.size() - 1) : "";
  const std::string differ =
      "the container is bound to the name " + quoted(bound) + ", and is called " + quoted(binding.name) + " here: ";
  const std::string hint = folder.empty() ? std::string("it was moved, or stands for another; if that is right, give ") +
                                                names.any_name + ", or " + names.below + " for a part of a tree"
                                          : "of a part of a tree, say which it is, with " + std::string(names.below) + ' ' +
                                                quoted(folder) + "; else it was moved, or stands for another";
  throw Error(ErrorCode::authentication, differ + hint);
}

std::vector<std::uint8_t> body_context(const FixedPart& fixed_part, const BindingRecord& record, Bytes context) {
  std::vector<std::uint8_t> bytes = labelled_fixed_part(fixed_part, "body");
  if (record.flags == 0) return bytes;
  bytes.push_back(record.flags);
  bytes.insert(bytes.end(), context.begin(), context.end());
  return bytes;
}

std::string name_of_container(std::string_view path) {
  const std::string_view suffix = container_suffix;
  const bool has_suffix =
      path.ends_with(suffix) && path.size() > suffix.size() && path[path.size() - suffix.size() - 1] != '/';
  return std::string(has_suffix ? path.substr(0, path.size() - suffix.size()) : path);
}

Binding placed_at(const Binding& binding, const std::string& own_name) {
  Binding placed = binding;
  if (!binding.name.empty() || own_name.empty()) return placed;
  while (placed.below.ends_with('/')) placed.below.pop_back();
  placed.name = placed.below.empty() ? own_name : placed.below + '/' + own_name;
  return placed;
}

}  // namespace phalanx
