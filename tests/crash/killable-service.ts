import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cp, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { builtGenerated } from '../support/edge-gateway.ts';
import { FUNCTIONS_BUNDLE, ROOT } from '../support/paths.ts';

/** A service that runs in a group of processes of its own. */
export interface KillableService {
  readonly origin: string;
  /** Ends all its processes at once, as a power cut would (SIGKILL). */
  readonly kill: () => Promise<void>;
}

/** Puts the built service into a folder, so that a later build changes nothing of it; intake is open, and no budget ends the run. */
export async function installService(folder: string): Promise<void> {
  const { deployment } = await builtGenerated();
  await cp(dirname(FUNCTIONS_BUNDLE), join(folder, 'functions'), { recursive: true });
  await writeFile(join(folder, 'decided.json'), JSON.stringify({ deployment: { ...deployment, intake: 'open', rateLimits: 'bench' } }));
}

/** Starts the service of a folder: with empty stores that are filled first, or with those that it has. */
export async function startKillable(folder: string, stores: 'fill' | 'open'): Promise<KillableService> {
  const child = spawn(process.execPath, [join(ROOT, 'tests/crash/service-process.ts'), folder, stores], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
    detached: true,
  });
  const ended = once(child, 'exit');
  const { pid } = child;
  if (pid === undefined) throw new Error('the service could not be started');
  const end = (): void => {
    try {
      process.kill(-pid, 'SIGKILL');
    } catch {
      // The group has ended already.
    }
  };
  process.once('exit', end);
  const lines = createInterface({ input: child.stdout });
  const first = once(lines, 'line') as Promise<[string]>;
  const outcome = await Promise.race([first, ended.then(() => undefined)]);
  if (outcome === undefined) throw new Error('the service ended before it answered');
  return {
    origin: outcome[0],
    kill: async () => {
      end();
      await ended;
      process.off('exit', end);
    },
  };
}
