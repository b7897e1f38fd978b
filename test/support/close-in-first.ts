/** The pipe by whose end the gate knows that a run has ended: the launcher gives it to the box's first process as this. */
const PIPE = 4;

/** The number of `close`, where it and its argument go, and the length of the instruction that calls the kernel. */
const CALLS: Partial<Record<NodeJS.Architecture, string>> = {
  x64: `-ex 'set $orig_rax=-1' -ex 'set $rax=3' -ex 'set $rdi=${PIPE}' -ex 'set $pc=$pc-2'`,
  arm64: `-ex 'set $x8=57' -ex 'set $x0=${PIPE}' -ex 'set $pc=$pc-4'`,
};

/**
 * A line for a box, where no filter keeps it from that: its first process closes its pipe by the instruction that it waits in. No name is
 * looked up in its program, which the box doesn't show. What gdb says is in `closed`.
 */
export const CLOSES = `gdb -q -nx -batch -p 1 ${CALLS[process.arch] ?? ""} -ex stepi </dev/null >closed 2>&1`;
