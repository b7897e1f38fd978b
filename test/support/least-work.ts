/** This thread's own work on something, in milliseconds: the least of some times, as a busy machine and collected garbage only add to it. */
export function leastWork(act: () => unknown, times = 7): number {
  return Math.min(...Array.from({ length: times }, () => workOn(act)));
}

function workOn(act: () => unknown): number {
  const began = ownMs();
  act();
  return ownMs() - began;
}

/** Linux says a thread's own as it is now only where the whole process's was asked for just before. */
function ownMs(): number {
  process.cpuUsage();
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}
