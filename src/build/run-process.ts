import { spawn } from 'node:child_process';

/** Settings under which wrangler and Astro stay quiet, keep their files in the project and send nothing anywhere. */
export const QUIET_ENVIRONMENT: Readonly<Record<string, string>> = {
  ASTRO_TELEMETRY_DISABLED: '1',
  CLOUDFLARE_CF_FETCH_ENABLED: 'false',
  WRANGLER_HIDE_BANNER: 'true',
  WRANGLER_REGISTRY_PATH: '.wrangler/registry',
  WRANGLER_SEND_ERROR_REPORTS: 'false',
  WRANGLER_SEND_METRICS: 'false',
  WRANGLER_WRITE_LOGS: 'false',
};

/** Variables that hold a secret of the build alone. */
const BUILD_SECRETS: readonly string[] = ['LINEAGE_KEY'];

/** Environment of a program that is started here: that of this process without the secrets of the build, and `more`. */
export function childEnvironment(more: Readonly<Record<string, string>> = {}): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !BUILD_SECRETS.includes(name));
  return { ...Object.fromEntries(own), ...QUIET_ENVIRONMENT, ...more };
}

/** What a finished process left. */
export interface ProcessOutcome {
  readonly exitCode: number;
  readonly output: string;
}

/** Runs a Node program to its end with this Node, in a {@link childEnvironment}; output of both streams is collected. */
export function runNode(
  args: readonly string[],
  options: { readonly cwd: string; readonly env?: Readonly<Record<string, string>> },
): Promise<ProcessOutcome> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      cwd: options.cwd,
      env: childEnvironment(options.env),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => resolve({ exitCode: code ?? 1, output: Buffer.concat(chunks).toString('utf8') }));
  });
}
