/**
 * CPU time since some moment, user and system, in milliseconds: of this thread, so that compiling and collecting garbage on
 * other threads is left out; of the whole process before Node 23.9.
 */
export function cpuMs(): number {
  // Linux accounts for a running thread at clock ticks, of 4 ms, unless something asks about its process: hence the first call.
  const ofProcess = process.cpuUsage();
  const { user, system } = process.threadCpuUsage?.() ?? ofProcess;
  return (user + system) / 1_000;
}
