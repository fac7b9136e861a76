#include "reproductions/swierczewski2013_3des_ecb_cuda/second_card.hpp"

#include <memory>
#include <thread>

#include "reproductions/swierczewski2013_3des_ecb_cuda/gpu_paper_file.hpp"

namespace papers::swierczewski2013 {
namespace {

constexpr int num_runs = 5;

// A part of the file for each GPU. All parts are of one size and begin with the same bytes.
class Cards {
 public:
  explicit Cards(int num_cards) {
    for (int card = 0; card < num_cards; ++card) {
      use(card);
      parts_.push_back(std::make_unique<PaperFile>(file_blocks / num_cards));
      ours_.push_back(std::make_unique<phalanx::DeviceCipher>("des-ede3-ecb", file_key(),
                                                              phalanx::EngineOptions{"cuda:" + std::to_string(card)}));
    }
  }

  // A host thread a GPU does `work(card)` and waits for the GPU; by the host's clock.
  template <class Work>
  double seconds_of_all(const Work& work) {
    return seconds_of([&] {
      std::vector<std::jthread> threads;
      for (int card = 0; card < count(); ++card) {
        threads.emplace_back([&, card] {
          use(card);
          work(card);
          require_success(cudaGetLastError(), "a launch");
          require_success(cudaDeviceSynchronize(), "a kernel");
        });
      }
    });
  }

  void launch_theirs(int card) { part(card).launch(part(card).size(), blocks_per_launch, threads_per_cuda_block); }
  void launch_ours(int card) {
    LongInteger* const data = part(card).data().get();
    ours_[card]->encrypt({}, 0, data, data, 8 * part(card).size());
  }

  // Sends the file anew, does it once, and compares all of it.
  template <class Work>
  void require_right(const std::string& who, const Work& work) {
    seconds_of_all([&](int card) { part(card).send(); });
    seconds_of_all(work);
    for (int card = 0; card < count(); ++card) {
      use(card);
      part(card).require_encrypted(who + " on GPU " + std::to_string(card), part(card).size());
    }
  }

  [[nodiscard]] int count() const { return static_cast<int>(parts_.size()); }

 private:
  static void use(int card) { require_success(cudaSetDevice(card), "a GPU"); }
  PaperFile& part(int card) { return *parts_[card]; }

  std::vector<std::unique_ptr<PaperFile>> parts_;
  std::vector<std::unique_ptr<phalanx::DeviceCipher>> ours_;
};

void print_cards(int num_cards, const char* method, const char* quantity, double seconds) {
  print_figure({"cards", std::to_string(num_cards), "GPU", method, quantity, "s", seconds, num_cards});
}

void measure_kernels(int num_cards) {
  Cards cards(num_cards);
  const auto theirs = [&](int card) { cards.launch_theirs(card); };
  cards.require_right("the paper's kernels", theirs);
  std::vector<double> seconds;
  for (int run = 0; run < num_runs; ++run) seconds.push_back(cards.seconds_of_all(theirs));
  print_cards(num_cards, "method", "time of 512 MiB", median(seconds));

  constexpr int num_repetitions = 20;  // a host thread takes as long to start as one of our kernels to run
  cards.require_right("ours", [&](int card) { cards.launch_ours(card); });
  seconds.clear();
  for (int run = 0; run < num_runs; ++run) {
    seconds.push_back(cards.seconds_of_all([&](int card) {
      for (int i = 0; i < num_repetitions; ++i) cards.launch_ours(card);
    }) / num_repetitions);
  }
  print_cards(num_cards, "ours", "time of 512 MiB", median(seconds));
}

// One call of the library: `cuda:0` is the first GPU, `cuda` all that there are.
void measure_end_to_end(int num_cards, const char* engine, Bytes plain, Bytes expected) {
  const phalanx::Cipher ours("des-ede3-ecb", file_key(), {.engine = engine}, {.allow_legacy = true});
  ByteVector out(plain.size());
  const double seconds = median_seconds(num_runs, [&] { ours.encrypt({}, plain, out); });
  require_equal(engine, out, expected);
  print_cards(num_cards, "ours", "end to end", seconds);
}

}  // namespace

void measure_cards() {
  int num_cards = 0;
  require_success(cudaGetDeviceCount(&num_cards), "the number of GPUs");
  if (num_cards < 2) return print_skipped("a second card", "one GPU here");
  for (const int count : {1, 2}) measure_kernels(count);
  const ByteVector plain = test_data(file_bytes);
  const ByteVector expected = reference_ecb("des-ede3", Direction::encrypt, file_key(), plain);
  measure_end_to_end(1, "cuda:0", plain, expected);
  if (num_cards == 2) measure_end_to_end(2, "cuda", plain, expected);
}

}  // namespace papers::swierczewski2013
