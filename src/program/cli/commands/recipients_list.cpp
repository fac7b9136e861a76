#include "program/cli/commands/recipients_list.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <phalanx/files/recipients.hpp>
#include <string>
#include <vector>

#include "engine/chunked/chunked_encryption.hpp"
#include "files/container/format/header.hpp"
#include "files/system/input.hpp"
#include "program/cli/console/help_marks.hpp"
#include "program/cli/console/messages.hpp"
#include "program/cli/options/container_options.hpp"
#include "program/cli/options/described_recipients.hpp"
#include "program/cli/options/general_options.hpp"
#include "program/cli/secrets/secret_files.hpp"

namespace phalanx {
namespace {

std::vector<ListedRecipient> recipients_in(const std::string& file, Bytes beginning) {
  try {
    return list_recipients(beginning);
  } catch (const Error& error) {
    throw Error(error, about_file(file, error.what()));
  }
}

void run_list(const std::string& file, bool json, const SecretSources& secrets) {
  Input input(file);
  std::vector<std::uint8_t> beginning(max_header_bytes);
  beginning.resize(input.read(beginning));
  std::string text;
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<DescribedRecipient> recipients = describe_recipients(recipients_in(file, beginning));
  describe_who_opens(recipients, beginning, secrets);
  for (const DescribedRecipient& recipient : recipients) {
    text += recipient.text + "\n";
    list.push_back(recipient.json);
  }
  if (json) text = list.dump(2) + "\n";
  print_result(text);
}

struct ListOptions {
  std::string file;
  bool json = false;
  SecretSources secrets;
  MessageOptions messages;
};

}  // namespace

void add_recipients_list(CLI::App& parent, CommandRun& run) {
  CLI::App* command = parent.add_subcommand("list", "Show who can open a container, and which of them a secret is");
  set_examples(*command,
               "phalanx recipients list notes.phalanx\n"
               "phalanx recipients list --key-file key notes.phalanx    # which number is yours\n"
               "phalanx recipients list --json notes.phalanx");
  const auto options = std::make_shared<ListOptions>();
  command->add_option("FILE", options->file, "the container; - for standard input")->type_name("")->required();
  mark_common(command->add_flag("--json", options->json, "print it as JSON"));
  options->secrets.is_asked_for = false;
  add_secret_options(*command, options->secrets, options->messages);
  add_identity_option(*command, options->secrets);
  command->callback([options, &run] {
    run = [options](RunExecutor*) {
      check_standard_input(options->secrets, options->file);
      run_list(options->file, options->json, options->secrets);
      return 0;
    };
  });
}

}  // namespace phalanx
