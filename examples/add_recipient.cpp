// Lets another key open a container, and takes the first one's right away. The data stay as they were sealed.
#include <cstdio>
#include <phalanx/files/container_file.hpp>
#include <phalanx/files/recipients.hpp>
#include <vector>

namespace {

using Buffer = std::vector<std::uint8_t>;

int run(const char* path) {
  const Buffer key(32, 1), new_key(32, 2), letter(100'000, 'a');  // only in an example: keys are random bytes
  const phalanx::Recipient first{phalanx::KeyKind::key, key};
  phalanx::NewContainerFile file(path, "aes-256", {&first, 1}, true);
  file.write(letter);
  file.finish();

  const phalanx::Identity identity{phalanx::KeyKind::key, key};
  const phalanx::RecipientChanges changes{.added = {{phalanx::KeyKind::key, new_key}}, .removed = {1}};
  const phalanx::ChangedRecipients changed = phalanx::change_recipients(path, {&identity, 1}, changes);
  std::printf("%zu recipient, %llu other names open by the old key\n", changed.num_recipients,
              static_cast<unsigned long long>(changed.num_other_names));

  const phalanx::Identity new_identity{phalanx::KeyKind::key, new_key};
  return phalanx::ContainerReader(std::string(path), {&new_identity, 1}).size() == letter.size() ? 0 : 1;
}

}  // namespace

int main() {
  try {
    const int code = run("add_recipient.phalanx");
    std::remove("add_recipient.phalanx");
    return code;
  } catch (const std::exception& error) {
    return std::fprintf(stderr, "%s\n", error.what()), 1;
  }
}
