import { type BuildTask, buildEngine } from './build-engine.ts';

// The entry point of a child process, which builds one index and returns it to its parent.
process.once('message', async (task: BuildTask) => {
  process.send?.(await buildEngine(task));
  process.disconnect();
});
