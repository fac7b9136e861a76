// What calls of DeviceCipher take with data that is in device memory, by its public interface: short calls beside an empty
// kernel, or, as the C++ side of bench/python/device_speed.py, which does the same by Python, the speed of calls of one size.
//
//   gpu_call_benchmark [--json FILE]
//   gpu_call_benchmark NAME BYTES NUM_CALLS NUM_RUNS
//
// The first: of the stream's time, 1,000 calls between two events, the best and the worst of ten such runs; of the host's clock,
// until a call returns, and until the cudaStreamSynchronize behind it does, 2,500 calls each, in turns of 250 with the others
// and the empty kernel: medians, and the fastest. Microseconds a call.
// The second prints the bytes per second of each run, one a line: NUM_CALLS encryptions from one buffer to another, timed by
// events.
// Zeros under the key 00 01 02 ... and an iv of zeros, from one buffer to another. Exits 1 if a byte differs from the CPU's.
#include <cuda_runtime_api.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <phalanx/cipher.hpp>
#include <string>
#include <vector>

#include "gpu_empty_kernel.hpp"
#include "gpu_figures.hpp"
#include "gpu_memory.hpp"

namespace phalanx {
namespace {

class Events {
 public:
  Events() {
    check(cudaEventCreate(&first_), "making an event");
    check(cudaEventCreate(&last_), "making an event");
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  ~Events() {
    check(cudaEventDestroy(first_), "an event");
    check(cudaEventDestroy(last_), "an event");
  }

  // Between the two, of the stream's time.
  double seconds_of(cudaStream_t stream, int num_calls, const std::function<void()>& call) {
    check(cudaEventRecord(first_, stream), "recording");
    for (int i = 0; i < num_calls; ++i) call();
    check(cudaEventRecord(last_, stream), "recording");
    check(cudaEventSynchronize(last_), "waiting");
    float milliseconds = 0;
    check(cudaEventElapsedTime(&milliseconds, first_, last_), "timing");
    return milliseconds / 1e3;
  }

 private:
  cudaEvent_t first_ = nullptr;
  cudaEvent_t last_ = nullptr;
};

// Encryption of one size on a stream of its own.
class DeviceCall {
 public:
  DeviceCall(std::string name, std::size_t num_bytes)
      : name_(std::move(name)),
        key_(counted_key(name_)),
        iv_(cipher_facts(name_).iv_bytes),
        in_(num_bytes),
        out_(num_bytes) {
    check(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), "making a stream");
    check(cudaMemset(in_.data, 0, num_bytes), "clearing");
    out_.poison();
    check(cudaDeviceSynchronize(), "clearing");
    run();
    wait();
  }
  DeviceCall(const DeviceCall&) = delete;
  DeviceCall& operator=(const DeviceCall&) = delete;
  ~DeviceCall() { check(cudaStreamDestroy(stream_), "a stream"); }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::size_t num_bytes() const { return in_.num_bytes; }
  [[nodiscard]] cudaStream_t stream() const { return stream_; }
  void run() const { cipher_.encrypt(iv_, 0, in_.data, out_.data, in_.num_bytes, stream_); }
  void wait() const { check(cudaStreamSynchronize(stream_), "encrypting"); }
  [[nodiscard]] bool is_right() const {
    ByteVector got(in_.num_bytes), expected(in_.num_bytes);
    out_.get(got);
    Cipher(name_, key_, {}, policy).encrypt(iv_, expected, expected);
    return got == expected;
  }

 private:
  static constexpr CipherPolicy policy{.allow_legacy = true};

  static ByteVector counted_key(const std::string& name) {
    ByteVector key(cipher_facts(name).key_bytes);
    std::iota(key.begin(), key.end(), std::uint8_t{0});
    return key;
  }

  std::string name_;
  ByteVector key_, iv_;
  DeviceMemory in_, out_;
  DeviceCipher cipher_{name_, key_, {}, policy};
  cudaStream_t stream_ = nullptr;
};

// By the host's clock.
struct HostTimes {
  std::vector<double> until_it_returns{}, with_the_wait{};

  void take(int num_calls, const std::function<void()>& call, const std::function<void()>& wait) {
    using Clock = std::chrono::steady_clock;
    const auto microseconds = [](Clock::duration time) { return std::chrono::duration<double, std::micro>(time).count(); };
    for (int i = 0; i < num_calls; ++i) {
      const auto start = Clock::now();
      call();
      const auto returned = Clock::now();
      wait();
      with_the_wait.push_back(microseconds(Clock::now() - start));
      until_it_returns.push_back(microseconds(returned - start));
    }
  }
};

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

struct ShortCall {
  std::string what;
  std::size_t num_bytes;
  cudaStream_t stream;
  std::function<void()> call, wait;
  HostTimes host_times{};
  std::vector<double> stream_microseconds{};

  void report(bool is_right, GpuFigures& figures) const {
    const auto [best, worst] = std::minmax_element(stream_microseconds.begin(), stream_microseconds.end());
    const double fastest = *std::min_element(host_times.with_the_wait.begin(), host_times.with_the_wait.end());
    std::printf(
        "%-16s %7zu bytes: %5.2f us of the stream (worst %5.2f), returns after %5.2f, with the wait %5.2f (fastest %5.2f)  "
        "%s\n",
        what.c_str(), num_bytes, *best, *worst, median(host_times.until_it_returns), median(host_times.with_the_wait),
        fastest, is_right ? "right" : "WRONG");
    figures.add({{"what", what},
                 {"bytes", num_bytes},
                 {"stream_microseconds", *best},
                 {"worst_stream_microseconds", *worst},
                 {"returns_after_microseconds", median(host_times.until_it_returns)},
                 {"with_the_wait_microseconds", median(host_times.with_the_wait)},
                 {"fastest_with_the_wait_microseconds", fastest},
                 {"right", is_right}});
  }
};

int measure_short_calls(GpuFigures& figures) {
  constexpr int num_runs = 10, calls_a_turn = 250, calls_a_run = 1000;
  const DeviceCall calls[] = {{"aes-256-ctr", 1 << 10},     {"aes-256-ctr", 1 << 16}, {"aes-256-ctr", 1 << 20},
                              {"aes-256-ctr", 4 << 20},     {"aes-128-ctr", 1 << 20}, {"serpent-256-ctr", 1 << 20},
                              {"twofish-256-ctr", 1 << 20}, {"des-ede3-ctr", 1 << 20}};
  const cudaStream_t stream = calls[0].stream();
  std::vector<ShortCall> measured{{.what = "an empty kernel",
                                   .num_bytes = 0,
                                   .stream = stream,
                                   .call = [stream] { check(start_empty_kernel(stream), "an empty kernel"); },
                                   .wait = [&calls] { calls[0].wait(); }}};
  for (const DeviceCall& call : calls) {
    measured.push_back({.what = call.name(),
                        .num_bytes = call.num_bytes(),
                        .stream = call.stream(),
                        .call = [&call] { call.run(); },
                        .wait = [&call] { call.wait(); }});
  }
  Events events;
  for (int run = 0; run <= num_runs; ++run) {  // the first one warms up
    for (ShortCall& one : measured) {
      one.call();  // the key of the one before may be another
      one.wait();
      HostTimes times;
      times.take(calls_a_turn, one.call, one.wait);
      const double seconds = events.seconds_of(one.stream, calls_a_run, one.call);
      if (run == 0) continue;
      const auto append = [](std::vector<double>& to, const std::vector<double>& more) {
        to.insert(to.end(), more.begin(), more.end());
      };
      append(one.host_times.until_it_returns, times.until_it_returns);
      append(one.host_times.with_the_wait, times.with_the_wait);
      one.stream_microseconds.push_back(seconds / calls_a_run * 1e6);
    }
  }
  bool right = true;
  for (std::size_t i = 0; i < measured.size(); ++i) {
    const bool is_right = i == 0 || calls[i - 1].is_right();
    measured[i].report(is_right, figures);
    right &= is_right;
  }
  figures.write();
  return right ? 0 : 1;
}

int measure_speed(const std::string& name, std::size_t num_bytes, int num_calls, int num_runs) {
  const DeviceCall call(name, num_bytes);
  Events events;
  for (int i = 0; i < num_runs; ++i) {
    const double seconds = events.seconds_of(call.stream(), num_calls, [&call] { call.run(); });
    std::printf("%.0f\n", static_cast<double>(num_bytes) * num_calls / seconds);
  }
  return call.is_right() ? 0 : 1;
}

int run(int num_arguments, char** arguments) {
  GpuFigures figures("short calls");
  figures.take_option(num_arguments, arguments);
  if (num_arguments == 1) return measure_short_calls(figures);
  if (num_arguments == 5)
    return measure_speed(arguments[1], std::strtoull(arguments[2], nullptr, 10), std::atoi(arguments[3]),
                         std::atoi(arguments[4]));
  std::fprintf(stderr, "usage: gpu_call_benchmark [--json FILE] | NAME BYTES NUM_CALLS NUM_RUNS\n");
  return 2;
}

}  // namespace
}  // namespace phalanx

int main(int num_arguments, char** arguments) {
  try {
    return phalanx::run(num_arguments, arguments);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "gpu_call_benchmark: %s\n", error.what());
    return 1;
  }
}
