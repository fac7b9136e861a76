// What a run of the bench found: what the table, the JSON, the page and the pictures are made of.
#pragma once

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "program/cli/bench/sampling.hpp"

namespace phalanx::bench {

enum class Kind : unsigned char { engine, peer, memory };

/// One contender in one measurement.
struct Figure {
  std::string name;  ///< "cpu:avx512", "openssl", "memory, in place"
  Kind kind = Kind::engine;
  std::string ran{};  ///< the cipher and mode that ran; a peer may stand in with its ECB
  int num_threads = 1;
  std::size_t num_samples = 0;
  Quartiles seconds{};                            ///< of all messages once
  Quartiles cycles_per_byte{};                    ///< by the clock beside each sample
  double megabytes_per_second = 0;                ///< of the median
  std::string checked_with{};                     ///< whose output this one's was equal to; empty for memory
  std::optional<double> limit_cycles_per_byte{};  ///< of one core; where it is known
};

/// In place of a peer's name in Target::ratios: the fastest peer of the same run, whichever that is.
inline constexpr const char* fastest_of_run = "fastest";

/// What a row of the table of targets asks of an engine with one thread, beside others of the same run.
struct Target {
  std::string engine;                    ///< "auto": the first that took part
  std::map<std::string, double> ratios;  ///< by peer: at least so many times as fast
  std::map<std::string, double> goals;   ///< by one of goal_names: at least
};

/// share_of_64K: of the rate of one message of 64 KiB. share_of_ctr: of the rate of CTR for such a message. share_of_memory: of that of
/// memory alone. efficiency: of more threads. Kept results have others, of an earlier kind, which nobody judges any more.
inline constexpr std::string_view goal_names[] = {"share_of_64K", "share_of_ctr", "share_of_memory", "efficiency"};

/// The longest file of results that is read; ours have less than a megabyte.
inline constexpr std::size_t most_result_bytes = std::size_t{16} << 20;

/// Contenders side by side on the same messages.
struct Measurement {
  std::string cipher;  ///< "des-ede3"
  std::string mode;
  std::string direction;  ///< "encrypt", "decrypt"
  std::size_t message_bytes = 0;
  std::size_t num_messages = 1;
  std::string keys = "one";  ///< of each message: "one" for all, "own", "own, ready", "own, fresh"
  bool in_place = false;
  bool one_pass = false;  ///< our engines opened GCM while they computed the tag, as other libraries do
  std::vector<Figure> figures{};
  std::optional<Target> target{};

  [[nodiscard]] std::string full_name() const { return cipher + "-" + mode; }
  [[nodiscard]] double total_bytes() const { return static_cast<double>(message_bytes) * static_cast<double>(num_messages); }
};

struct PeerVersion {
  std::string name;
  std::string version;
};

struct Results {
  std::string cpu;      ///< model, family and model number; no host name
  int num_cores = 0;    ///< that the process may use
  std::string gpu;      ///< empty: none took part
  std::string version;  ///< of Phalanx
  std::string commit;   ///< empty: unknown
  std::string date;
  bool calibrated = false;  ///< with this machine's own crossovers, not the built-in ones
  std::string compiler;
  std::string flags;
  std::vector<PeerVersion> peers;
  std::vector<Measurement> measurements;
};

/// Times as fast as `other`: the ratio of the medians.
[[nodiscard]] double ratio(const Figure& figure, const Figure& other);

/// A target as plans and results have it. Throws nlohmann's exceptions.
[[nodiscard]] Target target_from(const nlohmann::ordered_json& json);

/// As JSON, indented, with a line end.
[[nodiscard]] std::string write_results(const Results& results);

/// Throws Error (usage) naming what is missing or of the wrong type; `name` is the file's.
[[nodiscard]] Results read_results(const std::string& text, const std::string& name);

}  // namespace phalanx::bench
