// The command lines of the searches: options with a value each.
#pragma once

#include <iostream>
#include <map>
#include <stdexcept>
#include <string>

namespace circuits {

class Options {
 public:
  Options(int count, char** words) {
    for (int i = 1; i < count; i += 2) {
      if (std::string(words[i]).substr(0, 2) != "--" || i + 1 == count) {
        throw std::invalid_argument("'" + std::string(words[i]) + "' is no option with a value");
      }
      value_[words[i]] = words[i + 1];
    }
  }
  std::string text(const std::string& name) const {
    const auto found = value_.find(name);
    if (found == value_.end()) throw std::invalid_argument(name + " is needed");
    return found->second;
  }
  int number(const std::string& name) const { return std::stoi(text(name)); }
  int number(const std::string& name, int otherwise) const { return value_.count(name) != 0 ? number(name) : otherwise; }
  double real(const std::string& name, double otherwise) const {
    return value_.count(name) != 0 ? std::stod(text(name)) : otherwise;
  }

 private:
  std::map<std::string, std::string> value_;
};

/// Runs a program; returns its exit code: 2 for a wrong command line, 1 for any other failure.
template <class Run>
int run_with_options(int count, char** words, const char* usage, Run run) {
  try {
    run(Options(count, words));
    return 0;
  } catch (const std::invalid_argument& error) {
    std::cerr << words[0] << ": " << error.what() << '\n' << usage << '\n';
    return 2;
  } catch (const std::exception& error) {
    std::cerr << words[0] << ": " << error.what() << '\n';
    return 1;
  }
}

}  // namespace circuits
