// This declares the names of CLI11 for our headers. Reading the library takes a compiler seconds, and only what defines
// options needs it.
#pragma once

namespace CLI {
class App;
class Option;
class Validator;
}  // namespace CLI
