/**
 * CPU time, user and system, in milliseconds: of this thread, without compilation and garbage collection on other threads; before Node 23.9 of
 * the whole process.
 */
export function cpuMs(): number {
  // Linux updates the time of a running thread only at clock ticks of 4 ms, unless its process is queried: hence this call.
  const ofProcess = process.cpuUsage();
  const { user, system } = process.threadCpuUsage?.() ?? ofProcess;
  return (user + system) / 1_000;
}
