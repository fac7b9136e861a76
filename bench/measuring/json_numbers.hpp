// Whole numbers in JSON that anybody may have written.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>

namespace phalanx {

/// A whole number that fits, 0 or more. The library's own conversion takes 1e300 for an int, which is undefined. Throws as
/// at() does for a value of another type.
template <class Number, class Json>
[[nodiscard]] Number whole_number_from(const Json& json) {
  const bool fits = json.is_number_unsigned() &&
                    json.template get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  if (!fits) throw Json::type_error::create(302, "a whole number is expected", &json);
  return json.template get<Number>();
}

/// That of a field; `otherwise` where the field is missing.
template <class Number, class Json>
[[nodiscard]] Number whole_number_at(const Json& json, const char* field, Number otherwise) {
  return json.contains(field) ? whole_number_from<Number>(json.at(field)) : otherwise;
}

}  // namespace phalanx
