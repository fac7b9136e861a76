// What rank 0 tells of each kind of part, byte for byte, and what it hears of a share: ranks of two builds understand each
// other.
#include "program/cluster/job_description.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <phalanx/catalog.hpp>
#include <string>
#include <vector>

#include "engine/library/names/cipher_name.hpp"
#include "files/container/file/stages.hpp"
#include "files/foreign/message_cipher.hpp"
#include "files/migration/plaintext_kind_stage.hpp"
#include "files/pipeline/piece_sinks.hpp"
#include "files/pipeline/plaintext_mac.hpp"
#include "program/cluster/shared_file.hpp"
#include "tests/foreign/foreign_file.hpp"

namespace phalanx::test {
namespace {

constexpr std::uint64_t in_bytes = 100'000;

class JobDescription : public testing::Test {
 protected:
  const TemporaryFolder folder;
  const std::string in_path = folder.write("in", varied(in_bytes, 1));
  const FileDescriptor in = open_file(in_path, O_RDONLY);
  FilePieces reader{{in.get(), in_path, 5, in_bytes - 5}, 65536, 16};
  NullPieces nowhere;

  static void put_path(JobEncoder& job, const std::string& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0);
    job.put(path);
    job.put(static_cast<std::uint64_t>(status.st_ino));
    job.put(static_cast<std::uint64_t>(status.st_size));
  }
  [[nodiscard]] JobEncoder expected_beginning(std::uint64_t num_stages) const {
    JobEncoder job;
    job.put("phalanx-mpi " + std::string(version()) + ", jobs of form 3");
    job.put(std::uint64_t{1});
    put_path(job, in_path);
    for (const std::uint64_t number : {std::uint64_t{5}, in_bytes - 5, std::uint64_t{65536}, std::uint64_t{16}, num_stages})
      job.put(number);
    return job;
  }
  // And at the end what proves that another rank has the same files.
  void expect_described(const std::vector<PipelineStage*>& stages, PieceSink& sink, const JobEncoder& expected) {
    JobEncoder job;
    ASSERT_TRUE(describe_run(job, {reader, stages, sink}, "asked"));
    const std::size_t size = expected.bytes().size();
    ASSERT_GT(job.bytes().size(), size);
    EXPECT_TRUE(std::ranges::equal(job.bytes().first(size), expected.bytes()));
    JobDecoder proofs(job.bytes().subspan(size));
    check_input_proof(proofs, in.get(), in_path);
    if (const auto* const file = dynamic_cast<const FileSink*>(&sink))
      check_mark(read_mark(proofs), file->file().descriptor(), "out");
    proofs.finish();
  }
};

TEST_F(JobDescription, OfACipherHasTheKeyThatItsEngineHolds) {
  const struct {
    std::string name;
    bool by_sectors;
    std::uint64_t mode;
  } cases[] = {{"aes-256-ctr", false, 2}, {"des-ede-ecb", false, 0}, {"serpent-256-xts", true, 5}};
  for (const auto& [name, by_sectors, mode] : cases) {
    const Buffer key = varied(cipher_facts(name).key_bytes, 2);
    const RawCipher cipher(parse_cipher_name(name), key, by_sectors, one_thread);
    CryptJob crypt;
    crypt.direction = Direction::decrypt;
    crypt.mode = parse_cipher_name(name).mode;
    crypt.padding = Padding::zero;
    if (mode == 2) crypt.iv.size = 16;
    if (by_sectors) crypt.sectors = {.sector_bytes = 512, .first_tweak = 7, .tweak_step = 8};
    MessageCipher stage(cipher, crypt);
    JobEncoder expected = expected_beginning(1);
    expected.put(std::uint64_t{2});
    expected.put("asked");
    expected.put(name);
    expected.put(Bytes(key));
    for (const std::uint64_t number :
         {std::uint64_t{by_sectors ? 1U : 0U}, std::uint64_t{1}, mode, static_cast<std::uint64_t>(Padding::zero),
          std::uint64_t{by_sectors ? 512U : 0U}, crypt.sectors.first_tweak, crypt.sectors.tweak_step})
      expected.put(number);
    expected.put(Bytes(Buffer(mode == 2 ? 16 : 0)));
    expected.put(std::uint64_t{7});
    expect_described({&stage}, nowhere, expected);
  }
}

TEST_F(JobDescription, OfChunksHasTheMessagesKeys) {
  const Buffer keys = varied(76, 3), salt = varied(chunk_salt_bytes, 4), mac_bytes = varied(64, 5);
  const ChunkedCipher cipher = ChunkedCipher::of_message_keys(find_suite("aes-256"), keys, salt, one_thread);
  SealStage seal(cipher);
  OpenStage open(cipher, 9, true);
  const PlaintextMacKey mac_key{mac_bytes};
  PlaintextMacStage mac(mac_key);
  PlaintextKindStage kind;
  JobEncoder expected = expected_beginning(4);
  for (const std::uint64_t part : {3U, 4U}) {
    expected.put(part);
    expected.put("asked");
    expected.put("aes-256");
    expected.put(Bytes(keys));
    expected.put(Bytes(salt));
    const bool seals = part == 3;
    for (const std::uint64_t number : {seals ? 1U : 0U, seals ? 0U : 9U, seals ? 0U : 1U}) expected.put(number);
  }
  expected.put(std::uint64_t{5});
  expected.put(Bytes(mac_bytes));
  expected.put(std::uint64_t{6});
  expected.put(std::uint64_t{7});
  expect_described({&seal, &open, &mac, &kind}, nowhere, expected);
}

TEST_F(JobDescription, OfAFileHasItsPlace) {
  AtomicFile file(folder.path_of("out"), {});
  file.reserve(3000);
  FileSink sink(file, 64);
  JobEncoder expected = expected_beginning(0);
  expected.put(std::uint64_t{8});
  put_path(expected, file.partial_path());
  expected.put(std::uint64_t{64});
  expect_described({}, sink, expected);
}

class OtherStage : public PipelineStage {
 public:
  void process(Piece& /*piece*/) override {}
};

TEST_F(JobDescription, IsNoneOfWhatHasAnOrderOrIsUnknown) {
  JobEncoder job;
  OtherStage other;
  PipelineStage* stages[] = {&other};
  EXPECT_FALSE(describe_run(job, {reader, stages, nowhere}, "cpu"));
  const RawCipher cipher(parse_cipher_name("aes-256-cbc"), Buffer(32, 1), false, one_thread);
  MessageCipher chained(cipher, {.direction = Direction::encrypt, .mode = Mode::cbc, .iv = {.size = 16}, .sectors = {}});
  stages[0] = &chained;
  EXPECT_FALSE(describe_run(job, {reader, stages, nowhere}, "cpu"));
  FilePieces renamed({in.get(), folder.path_of("elsewhere"), 0, 10}, 65536, 16);
  EXPECT_FALSE(describe_run(job, {renamed, {}, nowhere}, "cpu"));
}

TEST_F(JobDescription, OfAShareIsHeardByTheSameParts) {
  const PlaintextMacKey key;
  PlaintextMacStage whole(key), own(key), of_rank(key);
  PlaintextKindStage own_kind, kind_of_rank;
  AtomicFile file(folder.path_of("out"), {});
  FileSink own_sink(file, 0), sink_of_rank(file, 0);
  Buffer text(plain_piece_bytes + 100, 'a');
  for (const std::uint64_t number : {0U, 1U}) {
    Piece piece;
    piece.number = number;
    piece.offset = number * plain_piece_bytes;
    piece.size = number == 0 ? plain_piece_bytes : 100;
    piece.buffer = MutableBytes(text).subspan(piece.offset);
    piece.last = number == 1;
    whole.process(piece);
    (number == 0 ? of_rank : own).process(piece);
    (number == 0 ? kind_of_rank : own_kind).process(piece);
    (number == 0 ? own_sink : sink_of_rank).write(piece);
  }
  JobEncoder written;
  PipelineStage* const stages_of_rank[] = {&of_rank, &kind_of_rank};
  put_result(written, stages_of_rank, sink_of_rank);
  JobDecoder result(written.bytes());
  PipelineStage* const own_stages[] = {&own, &own_kind};
  merge_result(result, own_stages, own_sink);
  result.finish();
  EXPECT_EQ(own.mac().finish(), whole.mac().finish());
  EXPECT_EQ(own_kind.kind(), "text");
  EXPECT_TRUE(own_kind.is_text());
  EXPECT_EQ(own_sink.end(), text.size());
}

}  // namespace
}  // namespace phalanx::test
