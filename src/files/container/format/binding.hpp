// A binding binds a container to more than its keys, by the record of kind 4 in a header of version 2 (docs/format.md,
// section 3). The record says whether the body's keys take a context, and holds the container's name, sealed under the data
// key.
#pragma once

#include <cstdint>
#include <phalanx/files/container.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "files/container/format/fixed_part.hpp"

namespace phalanx {

inline constexpr const char* container_suffix = ".phalanx";

inline constexpr std::uint8_t binding_kind = 4;  ///< kind of the record
inline constexpr std::uint8_t context_flag = 1;
inline constexpr std::uint8_t name_flag = 2;
inline constexpr std::size_t max_bound_name_bytes = 16383;  ///< one chunk

/// Returns the flags of a record for this binding.
[[nodiscard]] std::uint8_t binding_flags_of(const Binding& binding);

/// Returns version 2 where the container is bound to something.
[[nodiscard]] FixedPart fixed_part_of(const Suite& suite, const Binding& binding);

/// This is the record of kind 4, or its absence.
struct BindingRecord {
  std::uint8_t flags = 0;                   ///< 0: there is none, in version 1
  std::vector<std::uint8_t> sealed_name{};  ///< a sealed message; empty without name_flag

  [[nodiscard]] bool needs_context() const { return (flags & context_flag) != 0; }
  [[nodiscard]] bool has_name() const { return (flags & name_flag) != 0; }
  /// Returns the bytes behind the record's kind and length.
  [[nodiscard]] std::vector<std::uint8_t> data() const;
};

/// Returns the size of that data for a binding that binds to something. Throws Error (usage) for a name that is too long.
[[nodiscard]] std::size_t binding_data_bytes(const Binding& binding);

/// Throws Error (format) where no record of kind 4 has such data.
[[nodiscard]] BindingRecord parse_binding_record(Bytes data);

/// Seals the name, with a new salt, where there is one. Throws as binding_data_bytes does.
[[nodiscard]] BindingRecord make_binding_record(const FixedPart& fixed_part, const Binding& binding, Bytes data_key);

/// Opens the name of a record that has one. Throws Error (authentication).
[[nodiscard]] std::string open_bound_name(const FixedPart& fixed_part, const BindingRecord& record, Bytes data_key);

/// Names these settings as the caller does, for messages.
struct BindingNames {
  const char* context = "`binding.context`";
  const char* name = "`binding.name`";
  const char* any_name = "`binding.any_name`";
  const char* below = "`binding.below`";
};

/// Checks the binding before any secret is tried, against the record, which is not authentic yet. Throws Error (usage) where
/// a context or a name is given that the record does not have, or is missing.
void require_fitting(const BindingRecord& record, const Binding& binding, const BindingNames& names = {});

/// Compares the name once the header's MAC is verified. Throws Error (authentication) for another name than the binding's,
/// unless it takes any.
void require_same_name(const FixedPart& fixed_part, const BindingRecord& record, Bytes data_key, const Binding& binding,
                       const BindingNames& names = {});

/// Returns the context of the body's chunks.
[[nodiscard]] std::vector<std::uint8_t> body_context(const FixedPart& fixed_part, const BindingRecord& record,
                                                     Bytes context);

/// Returns the name of the container at `path`, which may be a path below a folder, without the suffix.
[[nodiscard]] std::string name_of_container(std::string_view path);

/// Returns the binding of a container that is called `own_name`, below the named folder or by itself. It has that name,
/// unless another one is given.
[[nodiscard]] Binding placed_at(const Binding& binding, const std::string& own_name);

}  // namespace phalanx
