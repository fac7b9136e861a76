#include "bench/measuring/results.hpp"

#include <fmt/format.h>

#include <limits>
#include <nlohmann/json.hpp>
#include <phalanx/phalanx.hpp>

namespace phalanx::bench {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kind_names[] = {"engine", "peer", "memory"};
constexpr const char* format_name = "phalanx-bench";
constexpr int format_version = 1;

// A whole number that fits, 0 or more, whoever wrote it. The library's own conversion takes 1e300 for an int, which is undefined.
// Throws as at() does for a value of another type.
template <class Number>
Number whole_number_from(const Json& json) {
  const bool fits = json.is_number_unsigned() &&
                    json.get<std::uint64_t>() <= static_cast<std::uint64_t>(std::numeric_limits<Number>::max());
  if (!fits) throw Json::type_error::create(302, "a whole number is expected", &json);
  return json.get<Number>();
}

Json quartiles_to_json(const Quartiles& q) { return {{"low", q.low}, {"median", q.median}, {"high", q.high}}; }

Quartiles quartiles_from(const Json& json) {
  return {.low = json.at("low"), .median = json.at("median"), .high = json.at("high")};
}

template <class Value>
Json optional_to_json(const std::optional<Value>& value) {
  return value ? Json(*value) : Json(nullptr);
}

std::optional<double> optional_from(const Json& json, const char* name) {
  const Json& value = json.at(name);
  return value.is_null() ? std::nullopt : std::optional(value.get<double>());
}

Json figure_to_json(const Figure& figure, const Measurement& in) {
  Json json;
  json["name"] = figure.name;
  json["kind"] = kind_names[static_cast<unsigned>(figure.kind)];
  json["ran"] = figure.ran;
  json["threads"] = figure.num_threads;
  json["samples"] = figure.num_samples;
  json["seconds"] = quartiles_to_json(figure.seconds);
  json["cycles_per_byte"] = quartiles_to_json(figure.cycles_per_byte);
  json["megabytes_per_second"] = figure.megabytes_per_second;
  json["checked_with"] = figure.checked_with;
  json["limit_cycles_per_byte"] = optional_to_json(figure.limit_cycles_per_byte);
  json["times_as_fast_as"] = Json::object();
  if (figure.kind != Kind::engine) return json;
  for (const Figure& other : in.figures) {
    if (other.kind != Kind::engine) json["times_as_fast_as"][other.name] = ratio(figure, other);
  }
  return json;
}

Figure figure_from(const Json& json) {
  Figure figure;
  figure.name = json.at("name");
  const std::string kind = json.at("kind");
  figure.kind = kind == "peer" ? Kind::peer : kind == "memory" ? Kind::memory : Kind::engine;
  figure.ran = json.at("ran");
  figure.num_threads = whole_number_from<decltype(figure.num_threads)>(json.at("threads"));
  figure.num_samples = whole_number_from<decltype(figure.num_samples)>(json.at("samples"));
  figure.seconds = quartiles_from(json.at("seconds"));
  figure.cycles_per_byte = quartiles_from(json.at("cycles_per_byte"));
  figure.megabytes_per_second = json.at("megabytes_per_second");
  figure.checked_with = json.at("checked_with");
  figure.limit_cycles_per_byte = optional_from(json, "limit_cycles_per_byte");
  return figure;
}

Json target_to_json(const std::optional<Target>& target) {
  if (!target) return nullptr;
  return {{"engine", target->engine}, {"times_as_fast_as", target->ratios}, {"goals", target->goals}};
}

Json measurement_to_json(const Measurement& measurement) {
  Json json;
  json["cipher"] = measurement.cipher;
  json["mode"] = measurement.mode;
  json["direction"] = measurement.direction;
  json["message_bytes"] = measurement.message_bytes;
  json["messages"] = measurement.num_messages;
  json["keys"] = measurement.keys;
  json["in_place"] = measurement.in_place;
  if (measurement.one_pass) json["one_pass"] = true;
  json["target"] = target_to_json(measurement.target);
  json["figures"] = Json::array();
  for (const Figure& figure : measurement.figures) json["figures"].push_back(figure_to_json(figure, measurement));
  return json;
}

Measurement measurement_from(const Json& json) {
  Measurement measurement;
  measurement.cipher = json.at("cipher");
  measurement.mode = json.at("mode");
  measurement.direction = json.at("direction");
  measurement.message_bytes = whole_number_from<decltype(measurement.message_bytes)>(json.at("message_bytes"));
  measurement.num_messages = whole_number_from<decltype(measurement.num_messages)>(json.at("messages"));
  measurement.keys = json.at("keys");
  measurement.in_place = json.at("in_place");
  measurement.one_pass = json.value("one_pass", false);  // earlier results have none
  if (!json.at("target").is_null()) measurement.target = target_from(json.at("target"));
  for (const Json& figure : json.at("figures")) measurement.figures.push_back(figure_from(figure));
  return measurement;
}

Results results_from(const Json& json) {
  if (json.at("format") != format_name || json.at("format_version") != format_version) {
    throw Error(ErrorCode::usage, "it is no result of this version of phalanx-bench");
  }
  Results results;
  results.cpu = json.at("cpu");
  results.num_cores = whole_number_from<decltype(results.num_cores)>(json.at("cores"));
  results.gpu = json.at("gpu");
  results.version = json.at("phalanx");
  results.commit = json.at("commit");
  results.calibrated = json.at("calibrated");
  results.date = json.at("date");
  results.compiler = json.at("compiler");
  results.flags = json.at("flags");
  for (const Json& peer : json.at("peers")) results.peers.push_back({peer.at("name"), peer.at("version")});
  for (const Json& measurement : json.at("measurements")) results.measurements.push_back(measurement_from(measurement));
  return results;
}

}  // namespace

Target target_from(const Json& json) {
  using Numbers = std::map<std::string, double>;
  return {.engine = json.at("engine"),
          .ratios = json.value("times_as_fast_as", Numbers()),
          .goals = json.value("goals", Numbers())};
}

double ratio(const Figure& figure, const Figure& other) { return other.seconds.median / figure.seconds.median; }

std::string write_results(const Results& results) {
  Json json;
  json["format"] = format_name;
  json["format_version"] = format_version;
  json["cpu"] = results.cpu;
  json["cores"] = results.num_cores;
  json["gpu"] = results.gpu;
  json["phalanx"] = results.version;
  json["commit"] = results.commit;
  json["calibrated"] = results.calibrated;
  json["date"] = results.date;
  json["compiler"] = results.compiler;
  json["flags"] = results.flags;
  json["peers"] = Json::array();
  for (const PeerVersion& peer : results.peers) json["peers"].push_back({{"name", peer.name}, {"version", peer.version}});
  json["measurements"] = Json::array();
  for (const Measurement& measurement : results.measurements) {
    json["measurements"].push_back(measurement_to_json(measurement));
  }
  return json.dump(1) + "\n";
}

Results read_results(const std::string& text, const std::string& name) {
  try {
    return results_from(Json::parse(text));
  } catch (const Json::exception&) {
    throw Error(ErrorCode::usage, name + " is no result of phalanx-bench: give a file that --json wrote");
  } catch (const Error& error) {
    throw Error(ErrorCode::usage, name + ": " + error.what());
  }
}

}  // namespace phalanx::bench
