#!/bin/sh
# Kernel files are compiled for instructions that the machine may lack, so nothing but their tables may leave them: no weak
# symbol, which the linker could choose for code that runs everywhere, and no call into code it does not know.
# usage: kernel_symbols_test.sh ARCHIVE
set -eu
symbols=$(nm -A "$1" 2>/dev/null | grep -E ':(des|aes|serpent|twofish|ghash)_[a-z0-9_]+\.cpp\.o:' | sed 's/.*:\(.*\.o\):/\1 /')
files=$(printf '%s\n' "$symbols" | cut -d' ' -f1 | sort -u | wc -l)
[ "$files" -eq 17 ] || { echo "$files kernel files in $1, not 17"; exit 1; }

weak=$(printf '%s\n' "$symbols" | grep -E ' [wWvVuu] ' || true)
[ -z "$weak" ] || { echo "weak symbols:"; echo "$weak"; exit 1; }

exported=$(printf '%s\n' "$symbols" | grep -E ' [A-TX-Z] ' | grep -vE ' U | [A-Z] _ZN7phalanx[0-9]+[a-z_0-9]+_kernel_[a-z0-9_]+E$' || true)
[ -z "$exported" ] || { echo "exported, and not a kernel's table:"; echo "$exported"; exit 1; }

called=$(printf '%s\n' "$symbols" | grep -E ' U ' | grep -vE ' U (mem(cpy|set|move|cmp)|__stack_chk_fail|_GLOBAL_OFFSET_TABLE_)$' || true)
[ -z "$called" ] || { echo "calls out of a kernel file:"; echo "$called"; exit 1; }
