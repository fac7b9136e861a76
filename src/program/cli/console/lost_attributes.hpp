// This says which extended attributes a file could not keep of the file that it replaces.
#pragma once

#include <string>
#include <vector>

#include "files/system/output/output.hpp"

namespace phalanx {

/// Names the extended attributes that the file `name` has lost, if there are any, unless `quiet`.
void say_lost_attributes(const std::string& name, const std::vector<std::string>& lost, bool quiet);

/// Names those of an OUT that is committed.
void say_lost_attributes(const Output& output, bool quiet);

}  // namespace phalanx
