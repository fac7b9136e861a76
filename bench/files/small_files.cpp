// How fast this machine reads a tree of small files and writes them anew, durable: what any program that seals such a tree
// can reach at most.
//
//   small_files [--rounds N] [--batch N] [--only METHOD] FROM TO
//
// Each method copies all regular files of the folder FROM to folders of its own in TO, which must not be there. Nothing is
// removed before the end: ext4 looks twice at the numbers of files that were removed a moment ago, and is ten times slower.
// A file is written under another name and renamed, as files that must appear whole are. `fsync` makes each durable by
// itself: the file before its name, and the folder behind it. `syncfs` takes batches: all are written, one syncfs, all are
// renamed, one more. One line a method: its name, and the median of its rates in files a second, the least and the most.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

[[noreturn]] void fail(const std::string& what) {
  std::perror(what.c_str());
  std::exit(1);
}

struct Settings {
  unsigned rounds = 5;
  std::size_t num_together = 256;
  std::string only, from, to;
};

struct Copied {
  std::string from, to;
  int descriptor = -1;
};

std::string partial_name(const Copied& file) { return file.to + ".partial"; }

void write_one(Copied& file, std::vector<std::uint8_t>& buffer) {
  const int from = open(file.from.c_str(), O_RDONLY | O_CLOEXEC);
  file.descriptor = open(partial_name(file).c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (from < 0 || file.descriptor < 0) fail(file.to);
  for (ssize_t size = 0; (size = read(from, buffer.data(), buffer.size())) > 0;) {
    if (write(file.descriptor, buffer.data(), static_cast<std::size_t>(size)) != size) fail(file.to);
  }
  close(from);
}

void rename_one(const Copied& file) {
  if (std::rename(partial_name(file).c_str(), file.to.c_str()) != 0) fail(file.to);
}

void sync_folder_of(const Copied& file) {
  const int folder = open(fs::path(file.to).parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder < 0 || fsync(folder) != 0) fail(file.to);
  close(folder);
}

void sync_file_system(const Copied& file) {
  if (syncfs(file.descriptor) != 0) fail("syncfs");
}

void copy_alone(std::span<Copied> files) {
  std::vector<std::uint8_t> buffer(std::size_t{1} << 20);
  for (Copied& file : files) {
    write_one(file, buffer);
    if (fsync(file.descriptor) != 0) fail(file.to);
    rename_one(file);
    close(file.descriptor);
    sync_folder_of(file);
  }
}

void copy_together(std::span<Copied> files) {
  std::vector<std::uint8_t> buffer(std::size_t{1} << 20);
  for (Copied& file : files) write_one(file, buffer);
  sync_file_system(files.front());
  for (const Copied& file : files) rename_one(file);
  sync_file_system(files.front());
  sync_folder_of(files.back());
  for (const Copied& file : files) close(file.descriptor);
}

std::vector<Copied> list(const Settings& settings, const std::string& copy) {
  std::vector<Copied> files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(settings.from)) {
    if (!entry.is_regular_file()) continue;
    files.push_back({.from = entry.path(), .to = fs::path(settings.to) / copy / fs::relative(entry.path(), settings.from)});
  }
  if (files.empty()) {
    std::fprintf(stderr, "%s has no files\n", settings.from.c_str());
    std::exit(2);
  }
  return files;
}

void make_folders(const std::vector<Copied>& files) {
  for (const Copied& file : files) fs::create_directories(fs::path(file.to).parent_path());
  sync();
}

double files_a_second(const Settings& settings, const std::string& copy, bool is_together) {
  std::vector<Copied> files = list(settings, copy);
  make_folders(files);
  const auto start = std::chrono::steady_clock::now();
  const std::size_t step = is_together ? settings.num_together : files.size();
  for (std::size_t i = 0; i < files.size(); i += step) {
    const std::span<Copied> batch = std::span(files).subspan(i, std::min(step, files.size() - i));
    is_together ? copy_together(batch) : copy_alone(batch);
  }
  const std::chrono::duration<double> time = std::chrono::steady_clock::now() - start;
  return static_cast<double>(files.size()) / time.count();
}

void measure(const Settings& settings, const char* name, bool is_together) {
  if (!settings.only.empty() && settings.only != name) return;
  std::vector<double> rates;
  for (unsigned i = 0; i < settings.rounds; ++i)
    rates.push_back(files_a_second(settings, name + std::to_string(i), is_together));
  std::ranges::sort(rates);
  std::printf("%-8s %9.0f %9.0f %9.0f\n", name, rates[rates.size() / 2], rates.front(), rates.back());
}

Settings read_arguments(std::span<char*> words) {
  Settings settings;
  std::vector<std::string> names;
  for (std::size_t i = 1; i < words.size(); ++i) {
    const std::string word = words[i];
    const auto value = [&] { return std::string(i + 1 < words.size() ? words[++i] : ""); };
    if (word == "--rounds")
      settings.rounds = static_cast<unsigned>(std::stoul(value()));
    else if (word == "--batch")
      settings.num_together = std::stoul(value());
    else if (word == "--only")
      settings.only = value();
    else
      names.push_back(word);
  }
  if (names.size() != 2 || settings.rounds == 0 || settings.num_together == 0) {
    std::fprintf(stderr, "usage: small_files [--rounds N] [--batch N] [--only METHOD] FROM TO\n");
    std::exit(2);
  }
  settings.from = names[0];
  settings.to = names[1];
  return settings;
}

}  // namespace

int main(int num_words, char** words) {
  const Settings settings = read_arguments({words, static_cast<std::size_t>(num_words)});
  if (fs::exists(settings.to)) {
    std::fprintf(stderr, "%s is there\n", settings.to.c_str());
    return 2;
  }
  measure(settings, "fsync", false);
  measure(settings, "syncfs", true);
  fs::remove_all(settings.to);
  return 0;
}
