/** Work that falls due by itself. It bears to be done twice, late, or by two at the same time. */
export interface UpkeepTask {
  readonly name: string;
  /**
   * Does what is due, up to a bound; the rest waits for the next run.
   *
   * @returns How many things were done.
   */
  readonly run: (nowMs: number) => Promise<number>;
}

/** What a run did, by task: how many things, or why the task failed. */
export type UpkeepReport = Readonly<Record<string, { readonly done: number } | { readonly failed: string }>>;

/** Does all that is due, one task after another; one that fails keeps no other from being done. */
export async function runMaintenance(tasks: readonly UpkeepTask[], nowMs: number): Promise<UpkeepReport> {
  const report: Record<string, { done: number } | { failed: string }> = {};
  for (const { name, run } of tasks) {
    try {
      report[name] = { done: await run(nowMs) };
    } catch (error) {
      report[name] = { failed: error instanceof Error ? error.message : String(error) };
    }
  }
  return report;
}
