#include "program/cli/console/lost_attributes.hpp"

#include "program/cli/console/messages.hpp"

namespace phalanx {

void say_lost_attributes(const std::string& name, const std::vector<std::string>& lost, bool quiet) {
  if (lost.empty()) return;
  std::string names;
  for (const std::string& attribute : lost) names += (names.empty() ? "" : ", ") + attribute;
  print_note("warning: " + name + " could not keep these extended attributes: " + names, quiet);
}

void say_lost_attributes(const Output& output, bool quiet) {
  if (output.file() != nullptr) say_lost_attributes(output.name(), output.file()->lost_attributes(), quiet);
}

}  // namespace phalanx
