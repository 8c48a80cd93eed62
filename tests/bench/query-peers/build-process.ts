import { buildEngine } from './build-engine.ts';
import type { BuildTask } from './built-index.ts';

// Runs by itself: builds what the process that started it asks for, and tells it what came of it.
process.once('message', async (task: BuildTask) => {
  process.send?.(await buildEngine(task));
  process.disconnect();
});
