// Runs a fuzz target where libFuzzer is not there: each file of its corpus, and then mutations of them, the same in every
// run.
//
//   fuzz_<what> NUM_MUTATIONS CORPUS...       each a folder or a file
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "tests/fuzz/driver/fuzzed_input.hpp"

namespace phalanx::fuzz {
namespace {

constexpr std::size_t most_input_bytes = 4096;
const Buffer* current = nullptr;

// Keeps the input that ended the program: by calls that a signal's handler may make.
void keep_input(int signal) {
  const int file = ::open("fuzz_crash_input", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  constexpr char text[] = "the input is in fuzz_crash_input\n";
  if (file >= 0 && current != nullptr && ::write(file, current->data(), current->size()) >= 0) {
    static_cast<void>(::write(STDERR_FILENO, text, sizeof text - 1) < 0);
  }
  ::raise(signal);  // the handler is gone: SA_RESETHAND
}

void keep_inputs_of_crashes() {
  struct sigaction action {};
  action.sa_handler = keep_input;
  action.sa_flags = SA_RESETHAND | SA_NODEFER;
  for (const int signal : {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL}) ::sigaction(signal, &action, nullptr);
}

void run(const Buffer& input) {
  current = &input;
  static_cast<void>(LLVMFuzzerTestOneInput(input.data(), input.size()));
}

std::vector<Buffer> read_corpus(char** begin, char** end) {
  std::vector<std::filesystem::path> files;
  for (char** argument = begin; argument != end; ++argument) {
    if (!std::filesystem::is_directory(*argument))
      files.emplace_back(*argument);
    else
      for (const auto& entry : std::filesystem::directory_iterator(*argument)) files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  std::vector<Buffer> corpus;
  for (const auto& path : files) {
    std::ifstream file(path, std::ios::binary);
    corpus.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return corpus;
}

class Mutator {
 public:
  explicit Mutator(const std::vector<Buffer>& corpus) : corpus_(corpus) {}

  Buffer next() {
    Buffer input = corpus_[below(corpus_.size())];
    for (std::size_t num_changes = 1 + below(4); num_changes > 0; --num_changes) change(input);
    if (input.size() > most_input_bytes) input.resize(most_input_bytes);
    return input;
  }

 private:
  std::size_t below(std::size_t bound) { return bound == 0 ? 0 : generator_() % bound; }

  void change(Buffer& input) {
    const std::size_t at = below(input.size() + 1);
    const auto place = input.begin() + static_cast<std::ptrdiff_t>(at);
    const std::size_t length = std::min(input.size() - at, std::size_t{1} << below(8));
    const auto end = place + static_cast<std::ptrdiff_t>(length);
    switch (below(7)) {
      case 0:
        if (length > 0) *place = static_cast<std::uint8_t>(*place ^ 1U << below(8));
        break;
      case 1:
        std::generate(place, end, [this] { return static_cast<std::uint8_t>(below(256)); });
        break;
      case 2:
        if (length > 0) *place = std::uint8_t{0xff};
        break;
      case 3:
        input.insert(place, 1 + below(8), static_cast<std::uint8_t>(below(256)));
        break;
      case 4:
        input.erase(place, end);
        break;
      case 5:
        splice(input, at);
        break;
      default:
        input.resize(at);
        break;
    }
  }

  // Puts a piece of another input, or of the same one, there.
  void splice(Buffer& input, std::size_t at) {
    const Buffer& other = corpus_[below(corpus_.size())];
    const std::size_t from = below(other.size() + 1);
    const std::size_t length = std::min(other.size() - from, std::size_t{1} << below(9));
    const auto begin = other.begin() + static_cast<std::ptrdiff_t>(from);
    input.insert(input.begin() + static_cast<std::ptrdiff_t>(at), begin, begin + static_cast<std::ptrdiff_t>(length));
  }

  const std::vector<Buffer>& corpus_;
  std::mt19937_64 generator_{1};
};

}  // namespace
}  // namespace phalanx::fuzz

int main(int argc, char** argv) {
  using namespace phalanx::fuzz;
  if (argc < 3) {
    std::cerr << "usage: " << argv[0] << " NUM_MUTATIONS CORPUS...\n";
    return 2;
  }
  keep_inputs_of_crashes();
  const std::vector<Buffer> corpus = read_corpus(argv + 2, argv + argc);
  if (corpus.empty()) {
    std::cerr << "no corpus there\n";
    return 2;
  }
  for (const Buffer& input : corpus) run(input);
  Mutator mutator(corpus);
  const unsigned long num_mutations = std::stoul(argv[1]);
  for (unsigned long i = 0; i < num_mutations; ++i) run(mutator.next());
  std::cout << corpus.size() << " inputs and " << num_mutations << " mutations\n";
  return 0;
}
