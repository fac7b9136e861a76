#include "program/cluster/worker_share.hpp"

#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "engine/library/names/cipher_name.hpp"
#include "engine/modes/named_cipher.hpp"
#include "engine/text/utf8.hpp"
#include "files/container/file/checkpointed_sink.hpp"
#include "files/container/file/recorded_sink.hpp"
#include "files/container/file/stages.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/foreign/message_plan.hpp"
#include "files/migration/plaintext_kind_stage.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "files/system/file_descriptor.hpp"
#include "program/cluster/job_description.hpp"
#include "program/cluster/shared_file.hpp"

namespace phalanx {
namespace {

// The largest that piece_bytes_for and files/container/file/stages.hpp give.
constexpr std::uint64_t most_piece_bytes = std::uint64_t{16} << 20;

// More than any command has.
constexpr std::uint64_t most_stages = 8;

// A file that another process of a group makes.
class JoinedFile : public WrittenFile {
 public:
  explicit JoinedFile(JobDecoder& job) : file_(open_shared(job, O_RDWR | O_NOFOLLOW, path_)) {
    share_written(file_.get(), path_);
    struct stat status {};
    if (fstat(file_.get(), &status) != 0) throw_system_error("open", path_);
    mapping_ = OutputMapping::make(file_.get(), static_cast<std::uint64_t>(status.st_size));
  }
  [[nodiscard]] int descriptor() const override { return file_.get(); }
  [[nodiscard]] const std::string& partial_path() const override { return path_; }
  void write_at(Bytes in, std::uint64_t position) override {
    write_by(mapping_.get(), file_.get(), in, position, path_);
    take_sample(in, position);
  }

  [[nodiscard]] const WrittenSample& sample() const { return sample_; }

  void sync() override {
    if (!sync_whole(file_.get())) throw_system_error("write", path_);
  }

  void take_mark(JobDecoder& job) {
    mark_ = read_mark(job);
    check_mark(mark_, file_.get(), path_);
  }

  // The first that is worth something stays.
  void take_sample(Bytes in, std::uint64_t position) {
    if (in.empty() || has_sample_) return;
    WrittenSample sample = sample_of(in, position);
    const std::lock_guard lock(sample_mutex_);
    if (has_sample_) return;
    has_sample_ = std::ranges::any_of(sample.bytes, [](std::uint8_t byte) { return byte != 0; });
    sample_ = std::move(sample);
  }

  // Checks that this process has written to that file all the time, and brings its writes to the disk.
  void finish() {
    check_mark(mark_, file_.get(), path_);
    sync();
  }

 private:
  std::string path_;
  FileDescriptor file_;
  FileMark mark_;
  std::mutex sample_mutex_;
  std::atomic<bool> has_sample_{false};
  WrittenSample sample_;
  std::unique_ptr<OutputMapping> mapping_;
};

CryptJob read_crypt_job(JobDecoder& job) {
  CryptJob result;
  result.direction = job.choice(Direction::decrypt);
  result.mode = job.choice(Mode::xts);
  result.padding = job.choice(Padding::zero);
  result.sectors.sector_bytes = static_cast<std::size_t>(job.number_up_to(most_sector_bytes));
  result.sectors.first_tweak = job.number();
  result.sectors.tweak_step = job.number();
  const Bytes iv = job.bytes();
  if (iv.size() > result.iv.bytes.size() || result.sectors.sector_bytes % largest_block_bytes != 0) JobDecoder::refuse();
  result.iv.size = iv.size();
  std::ranges::copy(iv, result.iv.bytes.begin());
  return result;
}

// All of a described run, as it is made here.
class Share {
 public:
  Share(Bytes description, const WorkerOptions& options, Progress& progress)
      : job_(description), options_(options), progress_(progress) {
    check_program();
    make_reader();
    for (std::uint64_t left = job_.number_up_to(most_stages); left > 0; --left) make_stage();
    make_sink();
    check_input_proof(job_, in_.get(), in_path_);
    if (file_) file_->take_mark(job_);
    job_.finish();
  }

  SomePieces run(WorkQueue& queue, PieceTimes& times) {
    const std::vector<PipelineStage*> stages = all_stages();
    const PieceThreads threads{.num_threads = options_.num_threads, .on_gpu = on_gpu_};
    SomePieces done = run_some_pieces(*reader_, stages, *sink_, progress_, threads, queue, &times);
    if (file_ && !done.failure) file_->finish();
    return done;
  }

  [[nodiscard]] SecretBytes encode_result(std::uint64_t num_bytes) const {
    JobEncoder result;
    result.put(num_bytes);
    put_result(result, all_stages(), *sink_);
    const WrittenSample none{};
    put_sample(result, file_ ? file_->sample() : none);
    return SecretBytes(result.bytes());
  }

 private:
  [[nodiscard]] std::vector<PipelineStage*> all_stages() const {
    std::vector<PipelineStage*> stages;
    for (const auto& stage : stages_) stages.push_back(stage.get());
    return stages;
  }
  void check_program();
  JobPart part() { return job_.choice(JobPart::written_file_records); }
  void make_reader();
  void make_stage();
  void make_cipher();
  void make_chunks(JobPart kind);
  void make_sink();
  void make_records(JobPart kind);
  void open_records(const RecordKind& kind);
  [[nodiscard]] EngineOptions options();

  JobDecoder job_;
  WorkerOptions options_;
  Progress& progress_;
  bool on_gpu_ = false;
  std::size_t piece_bytes_ = 0;
  std::optional<JobPart> chunks_;  // what is done to chunks: seal or open
  FileDescriptor in_;
  std::string in_path_;
  std::optional<JoinedFile> file_;
  std::optional<RecordFile> records_;
  std::vector<std::unique_ptr<PlaintextMacKey>> mac_keys_;
  std::vector<std::unique_ptr<RawCipher>> raw_ciphers_;
  std::vector<std::unique_ptr<ChunkedCipher>> chunked_ciphers_;
  std::unique_ptr<PieceReader> reader_;
  std::vector<std::unique_ptr<PipelineStage>> stages_;
  std::unique_ptr<PieceSink> sink_;
};

void Share::check_program() {
  const std::string there = job_.text(), here = program_of_job();
  if (there == here) return;
  throw Error(ErrorCode::runtime, "this rank is another program than rank 0's (" + here + ", and there " +
                                      plain_line(there) + "): start one program on all machines");
}

// A piece is whole blocks; and block_bytes is the size of Piece::preceding, which has room for one of 16.
void Share::make_reader() {
  if (part() != JobPart::file_pieces) JobDecoder::refuse();
  FilePieces::Part part;
  in_ = open_shared(job_, O_RDONLY, part.name);
  in_path_ = part.name;
  part.file = in_.get();
  part.position = job_.number_up_to(most_job_bytes);
  part.num_bytes = job_.number_up_to(most_job_bytes);
  piece_bytes_ = static_cast<std::size_t>(job_.number_up_to(most_piece_bytes));
  const auto block_bytes = static_cast<std::size_t>(job_.number_up_to(largest_block_bytes));
  if (piece_bytes_ == 0 || piece_bytes_ % largest_block_bytes != 0 || block_bytes % smallest_block_bytes != 0) {
    JobDecoder::refuse();
  }
  reader_ = std::make_unique<FilePieces>(std::move(part), piece_bytes_, block_bytes);
}

// The process that asked names the engine. But each process has its own GPU and its own number of threads.
EngineOptions Share::options() {
  EngineOptions options{.engine = job_.text(), .num_threads = options_.num_threads};
  if (options.engine == "cuda" && !options_.engine.empty()) options.engine = options_.engine;
  return options;
}

void Share::make_stage() {
  switch (const JobPart kind = part()) {
    case JobPart::piece_cipher:
      make_cipher();
      break;
    case JobPart::seal:
    case JobPart::open:
      make_chunks(kind);
      break;
    case JobPart::plaintext_mac:
      mac_keys_.push_back(std::make_unique<PlaintextMacKey>(job_.bytes_of(PlaintextMacKey::all_key_bytes)));
      stages_.push_back(std::make_unique<PlaintextMacStage>(*mac_keys_.back()));
      break;
    case JobPart::plaintext_kind:
      stages_.push_back(std::make_unique<PlaintextKindStage>());
      break;
    default:
      JobDecoder::refuse();
  }
  // Pieces of a share are not all of the pieces: what waits for the one before would wait for ever.
  if (stages_.back()->in_order()) JobDecoder::refuse();
}

// It pads within the piece as it was read, so nothing is before it; and what it is described as is what the cipher is.
void Share::make_cipher() {
  if (!stages_.empty()) JobDecoder::refuse();
  RunOptions own = options();
  own.policy.allow_legacy = true;  // who described it has asked whether that may be
  const NamedCipher named = parse_cipher_name(job_.text());
  const Bytes key = job_.bytes();
  const bool by_sectors = job_.flag();
  raw_ciphers_.push_back(std::make_unique<RawCipher>(named, key, by_sectors, own));
  const RawCipher& cipher = *raw_ciphers_.back();
  on_gpu_ = on_gpu_ || piece_threads(own, cipher.engine()).on_gpu;
  const CryptJob job = read_crypt_job(job_);
  const std::size_t sector = job.sectors.sector_bytes;
  if (job.mode != named.mode || cipher.is_by_sectors() != (sector != 0) || (sector != 0 && piece_bytes_ % sector != 0)) {
    JobDecoder::refuse();
  }
  stages_.push_back(std::make_unique<MessageCipher>(cipher, job));
}

// Once at most: what it makes of a piece goes to the piece's other buffer, which has the room for that.
void Share::make_chunks(JobPart kind) {
  const bool seals = kind == JobPart::seal;
  if (chunks_ || piece_bytes_ != (seals ? plain_piece_bytes : sealed_piece_bytes)) JobDecoder::refuse();
  chunks_ = kind;
  const EngineOptions own = options();
  const Suite& suite = find_suite(job_.text());
  const Bytes keys = job_.bytes();
  const Bytes salt = job_.bytes();
  chunked_ciphers_.push_back(std::make_unique<ChunkedCipher>(ChunkedCipher::of_message_keys(suite, keys, salt, own)));
  const ChunkedCipher& cipher = *chunked_ciphers_.back();
  on_gpu_ = on_gpu_ || piece_threads(own, cipher.engine()).on_gpu;
  if (job_.flag() != seals) JobDecoder::refuse();
  const std::uint64_t first_chunk = job_.number_up_to(max_chunks);
  const bool to_the_end = job_.flag();
  if (seals) {
    stages_.push_back(std::make_unique<SealStage>(cipher));
  } else {
    stages_.push_back(std::make_unique<OpenStage>(cipher, first_chunk, to_the_end));
  }
}

void Share::make_sink() {
  const JobPart kind = part();
  if (kind == JobPart::nowhere) {
    sink_ = std::make_unique<NullPieces>();
    return;
  }
  if (kind != JobPart::file && kind != JobPart::sealed_file_records && kind != JobPart::written_file_records)
    JobDecoder::refuse();
  file_.emplace(job_);
  if (kind == JobPart::file) {
    sink_ = std::make_unique<FileSink>(*file_, job_.number_up_to(most_job_bytes));
  } else {
    make_records(kind);
  }
}

void Share::open_records(const RecordKind& kind) {
  std::string path;
  FileDescriptor file = open_shared(job_, O_RDWR | O_NOFOLLOW, path);
  check_same_file_system(file.get(), file_->descriptor(), path);
  records_.emplace(std::move(file), path, job_.bytes_of(RecordFile::all_keys_bytes), kind);
}

// Records are of the chunks of a piece.
void Share::make_records(JobPart kind) {
  if (chunks_ != (kind == JobPart::sealed_file_records ? JobPart::seal : JobPart::open)) JobDecoder::refuse();
  if (kind == JobPart::sealed_file_records) {
    const std::uint64_t body_position = job_.number_up_to(most_job_bytes);
    const std::string force_name = job_.text();
    const auto take = job_.choice(RecordedSink::Take::unrecorded);
    open_records(sealed_records);
    sink_ = std::make_unique<RecordedSink>(RecordedSink::Target{*file_, body_position, force_name}, *records_, take, false);
  } else {
    const std::uint64_t sealed_bytes = job_.number_up_to(most_job_bytes);
    mac_keys_.push_back(std::make_unique<PlaintextMacKey>(job_.bytes_of(PlaintextMacKey::all_key_bytes)));
    open_records(written_records);
    sink_ = std::make_unique<CheckpointedSink>(*file_, *records_, *mac_keys_.back(), sealed_bytes, progress_);
  }
}

}  // namespace

JobShare run_worker_share(Bytes description, const WorkerOptions& options, WorkQueue& queue, Progress& progress,
                          PieceTimes& times) {
  JobShare result;
  const auto fail = [&](std::uint64_t piece, ErrorCode code, const char* message) {
    result.failed_piece = piece;
    result.code = code;
    result.message = message;
  };
  std::uint64_t piece = 0;  // what fails before the first piece fails before all others
  try {
    Share share(description, options, progress);
    const SomePieces done = share.run(queue, times);
    piece = done.failed_piece;
    if (done.failure) std::rethrow_exception(done.failure);
    result.report = share.encode_result(done.num_bytes);
  } catch (const Error& error) {
    fail(piece, error.code(), error.what());
  } catch (const std::exception& error) {
    fail(piece, ErrorCode::runtime, error.what());
  }
  return result;
}

}  // namespace phalanx
