// What a program of this folder measured, as JSON: the GPU, and a figure for each job. Made into a result of results/bench/
// by bench/keep_result.py.
#pragma once

#include <cuda_runtime_api.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace phalanx {

class GpuFigures {
 public:
  /// What is timed: "kernel", data in the GPU's memory, or "end to end", memory of the host to memory of the host.
  explicit GpuFigures(std::string scope) : scope_(std::move(scope)) {}

  /// Takes `--json FILE` from the front of a program's arguments.
  void take_option(int& num_arguments, char**& arguments) {
    if (num_arguments < 3 || std::strcmp(arguments[1], "--json") != 0) return;
    path_ = arguments[2];
    arguments[2] = arguments[0];
    num_arguments -= 2;
    arguments += 2;
  }

  void add(nlohmann::ordered_json figure) { figures_.push_back(std::move(figure)); }
  void set(const std::string& name, nlohmann::ordered_json value) { more_[name] = std::move(value); }

  /// Writes the file, if one was asked for.
  void write() const {
    if (path_.empty()) return;
    cudaDeviceProp properties;
    if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess) std::exit(1);
    nlohmann::ordered_json json;
    json["scope"] = scope_;
    json["gpu"] = properties.name;
    json["compute_capability"] = std::to_string(properties.major) + "." + std::to_string(properties.minor);
    json["multiprocessors"] = properties.multiProcessorCount;
    json.update(more_);
    json["figures"] = figures_;
    std::ofstream file(path_);
    file << json.dump(1) << "\n";
    if (file.flush()) return;
    std::fprintf(stderr, "cannot write %s\n", path_.c_str());
    std::exit(1);
  }

 private:
  std::string scope_;
  std::string path_;
  nlohmann::ordered_json more_ = nlohmann::ordered_json::object();
  nlohmann::ordered_json figures_ = nlohmann::ordered_json::array();
};

}  // namespace phalanx
