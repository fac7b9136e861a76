// What a container is bound to beside its keys, docs/format.md section 3: the record of kind 4 in a header of version 2. It
// says whether the body's keys take a context, and holds the container's name, sealed under the data key.
#pragma once

#include <cstdint>
#include <phalanx/files/container.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "files/container/format/fixed_part.hpp"

namespace phalanx {

inline constexpr const char* container_suffix = ".phalanx";

inline constexpr std::uint8_t binding_kind = 4;  ///< of the record
inline constexpr std::uint8_t context_flag = 1;
inline constexpr std::uint8_t name_flag = 2;
inline constexpr std::size_t max_bound_name_bytes = 16383;  ///< one chunk

/// What is given: which of the flags it asks for.
[[nodiscard]] std::uint8_t binding_flags_of(const Binding& binding);

/// Version 2 where it is bound to something.
[[nodiscard]] FixedPart fixed_part_of(const Suite& suite, const Binding& binding);

/// The record of kind 4, or its absence.
struct BindingRecord {
  std::uint8_t flags = 0;                   ///< 0: there is none, in version 1
  std::vector<std::uint8_t> sealed_name{};  ///< a message; empty without name_flag

  [[nodiscard]] bool needs_context() const { return (flags & context_flag) != 0; }
  [[nodiscard]] bool has_name() const { return (flags & name_flag) != 0; }
  /// What follows the record's kind and length.
  [[nodiscard]] std::vector<std::uint8_t> data() const;
};

/// The size of that data for such a binding, which binds to something. Throws Error (usage) for a name that is too long.
[[nodiscard]] std::size_t binding_data_bytes(const Binding& binding);

/// Throws Error (format) where no record of kind 4 has such data.
[[nodiscard]] BindingRecord parse_binding_record(Bytes data);

/// Seals the name, with a new salt, where there is one. Throws as binding_data_bytes does.
[[nodiscard]] BindingRecord make_binding_record(const FixedPart& fixed_part, const Binding& binding, Bytes data_key);

/// The name of a record that has one. Throws Error (authentication).
[[nodiscard]] std::string open_bound_name(const FixedPart& fixed_part, const BindingRecord& record, Bytes data_key);

/// What whoever asked calls these settings, for messages.
struct BindingNames {
  const char* context = "`binding.context`";
  const char* name = "`binding.name`";
  const char* any_name = "`binding.any_name`";
  const char* below = "`binding.below`";
};

/// Before any secret is tried: throws Error (usage) where a context or a name is given or missing that the record, not
/// authentic yet, does not have or asks for.
void require_fitting(const BindingRecord& record, const Binding& binding, const BindingNames& names = {});

/// Once the header's MAC is verified: throws Error (authentication) for another name than the binding's, unless any will do.
void require_same_name(const FixedPart& fixed_part, const BindingRecord& record, Bytes data_key, const Binding& binding,
                       const BindingNames& names = {});

/// The context of the body's chunks.
[[nodiscard]] std::vector<std::uint8_t> body_context(const FixedPart& fixed_part, const BindingRecord& record,
                                                     Bytes context);

/// The name of the container at `path`, which may be a path below a folder: without the suffix.
[[nodiscard]] std::string name_of_container(std::string_view path);

/// The binding of what is called `own_name`, below the named folder or by itself: with that name, unless one is given.
[[nodiscard]] Binding placed_at(const Binding& binding, const std::string& own_name);

}  // namespace phalanx
