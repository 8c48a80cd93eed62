import { execFile, spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { docPath, pageMarkdownPath } from '../../../src/schemas/paths.ts';
import { useSharedGateway } from '../../support/edge-gateway.ts';
import { findTool } from '../../support/optional-tools.ts';
import { ROOT, TEST_BASE_URL } from '../../support/paths.ts';

const service = useSharedGateway({ files: 'built' });
let folder: string;
let guide: string;
let verifying: string;
let host: string;

const blocksOf = (language: string, text = guide): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([\\s\\S]*?)^\`\`\`$`, 'gm'))].map(([, code = '']) => code);
const firstOf = (language: string, text = guide): string => blocksOf(language, text)[0] ?? '';
const atService = (text: string): string => text.replaceAll(new URL(TEST_BASE_URL).host, host);

async function run(program: string, args: readonly string[], variables: Record<string, string> = {}): Promise<string> {
  const PATH = `${dirname(process.execPath)}:${process.env['PATH']}`;
  const env = { ...process.env, PATH, NO_PROXY: '*', no_proxy: '*', ...variables };
  return (await promisify(execFile)(program, args, { cwd: folder, env, timeout: 60_000 })).stdout;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'quickstart-'));
  ({ host } = new URL(service.origin()));
  const read = async (id: Parameters<typeof docPath>[0]): Promise<string> =>
    atService(await (await service.fetch(pageMarkdownPath(docPath(id)))).text());
  guide = await read('quickstart');
  verifying = await read('verifying');
});
afterAll(() => rm(folder, { recursive: true, force: true }));

describe('programs of the guide for beginners', () => {
  test('JavaScript with the client of the site prints quotes and verifies them', async () => {
    const [download = ''] = /curl -sO [^`]*client\.js/.exec(guide) ?? [];
    await run('bash', ['-c', download]);
    const code = firstOf('js');
    expect(code.split('\n').filter((line) => line !== '')).toHaveLength(5);
    await writeFile(join(folder, 'ask.mjs'), code);
    expect(await run(process.execPath, ['ask.mjs'])).toMatch(/^.+: [\s\S]+\nverified\n$/);
  });

  test('shell commands search, register, query and read, one after the other', async () => {
    const [search = '', register = '', query = '', read = '', ...others] = blocksOf('sh');
    expect(others).toEqual([]);
    const shell = (code: string, variables?: Record<string, string>): Promise<string> =>
      run('bash', ['-c', `set -euo pipefail\n${code}`], variables);
    const found = JSON.parse(await shell(search)) as {
      readonly results: readonly { readonly capsule_id: string; content_sha256: string }[];
    };
    expect(found.results.length).toBeGreaterThan(0);
    const { api_key: API_KEY } = JSON.parse(await shell(register)) as { readonly api_key: string };
    const answer = JSON.parse(await shell(query, { API_KEY })) as typeof found;
    const [first] = answer.results;
    expect(answer.results).toHaveLength(3);
    expect(await shell(read)).toBe(`${first?.content_sha256}  -\n`);
  });

  test('the settings of an MCP client name a server that searches', async () => {
    const { mcpServers } = JSON.parse(firstOf('json')) as { readonly mcpServers: Readonly<Record<string, { type: string; url: string }>> };
    const [server] = Object.values(mcpServers);
    expect([Object.keys(mcpServers).length, server?.type]).toEqual([1, 'http']);
    const ask = async (method: string, params: object): Promise<unknown> => {
      const response = await fetch(server?.url ?? '', {
        method: 'POST',
        headers: { 'Content-Type': 'application/json', Accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
      });
      return response.json();
    };
    const clientInfo = { name: 'test', version: '1.0.0' };
    expect(await ask('initialize', { protocolVersion: '2025-06-18', capabilities: {}, clientInfo })).toMatchObject({
      result: { protocolVersion: '2025-06-18', capabilities: { tools: {} } },
    });
    expect(await ask('tools/list', {})).toMatchObject({
      result: { tools: expect.arrayContaining([expect.objectContaining({ name: 'search' })]) },
    });
  });

  test.each([findTool('python3')].flatMap((python) => python ?? []))('Python prints quotes: %s', async (python) => {
    const code = firstOf('python');
    expect(code.trim().split('\n')).toHaveLength(5);
    await writeFile(join(folder, 'ask.py'), code);
    expect(await run(python, ['ask.py'])).toMatch(/^.+: .+/);
  });
});

describe('examples of the README', () => {
  const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');

  test('search, register and query in this order, by copying the shell commands', async () => {
    expect(readme.trimEnd().split('\n').length).toBeLessThanOrEqual(120);
    const requests = blocksOf('sh', readme).filter((code) => code.includes('curl'));
    expect(requests).toHaveLength(2);
    for (const code of requests) {
      const printed = JSON.parse(await run('bash', ['-c', `set -euo pipefail\n${atService(code)}`])) as object;
      expect(printed).toMatchObject({ results: [{ capsule_id: expect.any(String), quote: { text: expect.any(String) } }] });
    }
  });

  test('the program prints the quote and checks it with the client that the site serves', async () => {
    await run('bash', ['-c', atService(/curl -sO [^`]*client\.js/.exec(readme)?.[0] ?? 'false')]);
    await writeFile(join(folder, 'readme.mjs'), atService(firstOf('js', readme)));
    expect(await run(process.execPath, ['readme.mjs'])).toMatch(/^[a-z0-9-]+ [\s\S]+\n0\n$/);
  });
});

describe('programs of the guide to verification', () => {
  test('the command that the site serves verifies the site, with nothing else installed', async () => {
    const [download = '', check = ''] = (blocksOf('sh', verifying)[0] ?? '').split('\n');
    expect([download, check]).toEqual([
      expect.stringMatching(/^curl -sO \S+\/akg-verify\.mjs$/),
      expect.stringMatching(/^node akg-verify\.mjs \S+$/),
    ]);
    const file = check.split(' ').at(-1);
    const lineage = `${file}/capsules/${/\/capsules\/([\w-]+)\/lineage\.json/.exec(verifying)?.[1]}/lineage.json`;
    await run('bash', ['-c', download]);
    for (const node of [process.execPath, ...node20()])
      expect([node, await run(node, ['akg-verify.mjs', lineage])]).toEqual([node, expect.stringMatching(/^all checks pass; unsigned$/m)]);
  });

  test.each([findTool('python3')].flatMap((python) => python ?? []))('Python computes the vectors: %s', async (python) => {
    const code = blocksOf('python', verifying).find((block) => block.includes('vectors.json')) ?? '';
    await writeFile(join(folder, 'vectors.py'), code);
    expect(
      (await run(python, ['vectors.py']))
        .trim()
        .split('\n')
        .map((line) => line.split(' ')[0]),
    ).toEqual(Array.from({ length: 5 }, () => 'True'));
  });
});

/** A Node 20, the oldest that the command runs on, where one is installed beside ours; empty after one line that says so. */
function node20(): string[] {
  const nodes = new Set((process.env['PATH'] ?? '').split(':').map((folder) => join(folder, 'node')));
  const found = [...nodes].find((node) => spawnSync(node, ['--version'], { encoding: 'utf8' }).stdout?.startsWith('v20.'));
  if (found !== undefined) return [found];
  console.log('skipped: the command that verifies on Node 20, which is not installed');
  return [];
}
