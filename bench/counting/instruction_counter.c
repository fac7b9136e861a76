/* Counts the instructions that a program executes under qemu-user, and writes their number to the standard error when it ends:
 *
 *   qemu-aarch64 -plugin instruction_counter.so PROGRAM...
 *
 * Debian has no header of QEMU's plugins, so what is used of them is declared here (QEMU 7.2, version 1 of the interface). A block that is
 * translated adds the number of its instructions each time that it runs. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

struct qemu_plugin_tb;
typedef uint64_t qemu_plugin_id_t;

void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id, void (*translated)(qemu_plugin_id_t, struct qemu_plugin_tb*));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* tb);
void qemu_plugin_register_vcpu_tb_exec_inline(struct qemu_plugin_tb* tb, int operation, void* number, uint64_t addend);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t id, void (*ends)(qemu_plugin_id_t, void*), void* data);

int qemu_plugin_version = 1;

static uint64_t num_instructions;

static void count_block(qemu_plugin_id_t id, struct qemu_plugin_tb* tb) {
  enum { add_u64 = 0 };
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_inline(tb, add_u64, &num_instructions, qemu_plugin_tb_n_insns(tb));
}

static void write_number(qemu_plugin_id_t id, void* data) {
  (void)id;
  (void)data;
  fprintf(stderr, "instructions: %" PRIu64 "\n", num_instructions);
}

int qemu_plugin_install(qemu_plugin_id_t id, const void* machine, int num_arguments, char** arguments) {
  (void)machine;
  (void)num_arguments;
  (void)arguments;
  qemu_plugin_register_vcpu_tb_trans_cb(id, count_block);
  qemu_plugin_register_atexit_cb(id, write_number, NULL);
  return 0;
}
