import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { basePathOf } from '../../src/schemas/paths.ts';
import { serveLikeHost } from './built-files.ts';
import { crawlSite } from './crawl-site.ts';
import { filesBelow } from './files-below.ts';
import { freePort } from './project-copy.ts';
import { type StaticServer, serveFolder, servePlainly } from './static-server.ts';

/** Hosts of files: programs, which may be missing on this machine, and doubles of services. */
export const STATIC_HOSTS = ['nginx', 'caddy', 'python3', 'pages', 'github', 's3'] as const;
export type StaticHost = (typeof STATIC_HOSTS)[number];

export interface BuiltFiles {
  readonly site: string;
  readonly servers: string;
  readonly form: 'file' | 'directory';
  readonly baseUrl: string;
}

/** Whether a host can serve a site: Pages has whole hosts and takes files, python3 and S3 know folders only. */
export function canServe(host: StaticHost, { form, baseUrl }: Pick<BuiltFiles, 'form' | 'baseUrl'>): boolean {
  if (host === 'pages') return form === 'file' && basePathOf(baseUrl) === '';
  return form === 'directory' || (host !== 'python3' && host !== 's3');
}

/** Whether headers and redirects of ours hold there. Others send what they like, and former addresses are pages there. */
function isConfigured(host: StaticHost): boolean {
  return ['nginx', 'caddy', 'pages'].includes(host);
}

export function isInstalled(host: StaticHost): boolean {
  return ['pages', 'github', 's3'].includes(host) || spawnSync('sh', ['-c', `command -v ${host}`]).status === 0;
}

/** Serves a built site as a host does, with the configuration that the build wrote for it and nothing else. */
export async function serveOnHost(host: StaticHost, { site, servers, baseUrl }: BuiltFiles): Promise<StaticServer> {
  const basePath = basePathOf(baseUrl);
  if (host === 'pages') return serveLikeHost(site);
  if (host === 'github') return serveFolder(site, basePath);
  if (host === 's3') return servePlainly(site, basePath, undefined, '404.html');
  const folder = await mkdtemp(join(tmpdir(), `akg-${host}-`));
  const file = (name: string): string => join(folder, name);
  const [root, port] = [file('www'), await freePort()];
  await mkdir(dirname(root + basePath), { recursive: true });
  await symlink(site, root + basePath);
  const paths = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((name) => `${name}_temp_path ${file(name)};`).join(' ');
  await writeFile(
    file('main.conf'),
    `daemon off; pid ${file('pid')}; events {} http { include /etc/nginx/mime.types; access_log off; ${paths} server { listen 127.0.0.1:${port}; root ${root}; include ${servers}/nginx.conf; } }\n`,
  );
  await writeFile(
    file('main.caddy'),
    `{\n\tadmin off\n}\nhttp://127.0.0.1:${port} {\n\troot * ${root}\n\timport ${servers}/Caddyfile\n}\n`,
  );
  const args = {
    // As root, nginx would serve as a user who cannot read the folder.
    nginx: ['-p', folder, '-c', file('main.conf'), '-e', file('error.log'), ...(process.getuid?.() === 0 ? ['-g', 'user root;'] : [])],
    caddy: ['run', '--adapter', 'caddyfile', '--config', file('main.caddy')],
    python3: ['-m', 'http.server', `${port}`, '--bind', '127.0.0.1', '--directory', root],
  }[host];
  const child = spawn(host, args, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: folder } });
  const said = text(child.stderr);
  const exited = new Promise((resolve) => child.once('exit', resolve));
  const origin = `http://127.0.0.1:${port}`;
  while (!(await isAnswering(origin))) if (child.exitCode !== null) throw new Error(`${host} ended with ${child.exitCode}: ${await said}`);
  return {
    origin,
    stop: async () => {
      child.kill();
      await exited;
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function isAnswering(origin: string): Promise<boolean> {
  return fetch(origin).then(
    () => true,
    () => new Promise((resolve) => setTimeout(() => resolve(false), 20)),
  );
}

/** What a host makes of a site; each list has an address and what is wrong with it. */
export interface HostFindings {
  readonly addresses: number;
  readonly broken: readonly string[];
  /** Files whose media type, character set, lifetime or policy is not what `_headers` says. */
  readonly wrongHeaders: readonly string[];
  readonly redirects: number;
  readonly wrongRedirects: readonly string[];
  /** Addresses without a file. */
  readonly wrongMissing: readonly string[];
}

export async function examineHost(host: StaticHost, { site, baseUrl }: BuiltFiles, origin: string): Promise<HostFindings> {
  const basePath = basePathOf(baseUrl);
  const read = (name: string): Promise<string> => readFile(join(site, name), 'utf8');
  const { addresses, broken } = await crawlSite(site, baseUrl, origin);
  const rules = headerRules(await read('_headers'));
  const wrongHeaders: string[] = [];
  for (const file of await filesBelow(site)) {
    const path = `${basePath}/${file}`;
    if (/\/(?:_headers|_redirects|\.nojekyll|404\.html)$/.test(path)) continue;
    const address = path.replace(/(?:\/index)?\.html$/, (end) => (end === '.html' ? '' : '/'));
    if (!isConfigured(host)) continue;
    const { headers } = await drained(fetch(origin + address));
    for (const [name, value] of expectedHeaders(address, path, rules))
      if (!isAlike(headers.get(name), value)) wrongHeaders.push(`${address} ${name}: ${headers.get(name)}, not ${value}`);
  }
  const redirects = (await read('_redirects')).split('\n').flatMap((line) => (line.startsWith('/') ? [line.split(' ')] : []));
  const capsule = (await readdir(join(site, 'capsules'))).find((name) => existsSync(join(site, 'capsules', name, 'capsule.json'))) ?? '';
  const wrongRedirects: string[] = [];
  for (const [from = '', to = '', status] of redirects) {
    // Without rewrites, these addresses are missing.
    if (!isConfigured(host) && status === '200') continue;
    const [asked, target] = [from, to].map((path) => origin + path.replace(/:[a-z_0-9]+/, capsule)) as [string, string];
    const response = await fetch(asked, isConfigured(host) ? { redirect: 'manual' } : {});
    const body = await response.text();
    const { status: end } = await drained(fetch(target));
    const leadsOn = isConfigured(host)
      ? `${response.status}` === status && (status === '200' || new URL(response.headers.get('location') ?? '', origin).href === target)
      : body.includes(`content="0; url=${to}`);
    if (!leadsOn || end !== 200) wrongRedirects.push(`${asked} ${response.status}, whose target answers ${end}`);
  }
  const wrongMissing: string[] = [];
  // A server of files that knows no page for missing ones sends its own.
  const hasPage = host !== 'python3';
  const title = /<title>[^<]*/.exec(await read('404.html'))?.[0] ?? '404';
  for (const path of [
    '/missing',
    '/capsules/missing',
    '/capsules/missing/1.0.0.md',
    '/missing.md',
    '/capsules/missing.json',
    '/.well-known/missing',
    '/_astro/missing.js',
  ]) {
    const response = await fetch(origin + basePath + path);
    const isPage = (await response.text()).includes(title);
    const type = response.headers.get('content-type');
    const lifetime = response.headers.get('cache-control') ?? '';
    if (response.status !== 404 || (hasPage && !isPage) || !isAlike(type, 'text/html; charset=utf-8') || lifetime.includes('immutable'))
      wrongMissing.push(`${path} ${response.status} ${type} ${lifetime}${isPage ? '' : ' without the page'}`);
  }
  return { addresses, broken, wrongHeaders, redirects: redirects.length, wrongRedirects, wrongMissing };
}

async function drained(asked: Promise<Response>): Promise<Response> {
  const response = await asked;
  await response.arrayBuffer();
  return response;
}

/** Types that `_headers` leaves to the host, which knows them by extension. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  md: 'text/markdown; charset=utf-8',
  txt: 'text/plain; charset=utf-8',
  json: 'application/json',
  xml: 'application/xml',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript',
  mjs: 'text/javascript',
  svg: 'image/svg+xml',
  png: 'image/png',
  webp: 'image/webp',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  wasm: 'application/wasm',
  ndjson: 'application/x-ndjson',
};

const SAME: Readonly<Record<string, string>> = {
  'application/javascript': 'text/javascript',
  'text/xml': 'application/xml',
  'image/vnd.microsoft.icon': 'image/x-icon',
};

const CHECKED = ['Cache-Control', 'Content-Security-Policy', 'X-Content-Type-Options', 'Access-Control-Allow-Origin', 'Content-Type'];

type Rules = readonly {
  readonly pattern: RegExp;
  readonly detached: readonly string[];
  readonly headers: readonly (readonly [string, string])[];
}[];

function headerRules(written: string): Rules {
  return written
    .trim()
    .split('\n\n')
    .map((block) => {
      const [path = '', ...lines] = block.split('\n');
      const literal = path.replace(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*');
      return {
        pattern: new RegExp(`^${literal.replace(/:[a-z_0-9]+/g, '[^/]+')}$`),
        detached: lines.flatMap((line) => /^ {2}! (.*)$/.exec(line)?.[1] ?? []),
        headers: lines.flatMap((line) => {
          const [, name, value] = /^ {2}([\w-]+): (.*)$/.exec(line) ?? [];
          return name === undefined || value === undefined ? [] : [[name, value] as const];
        }),
      };
    });
}

/** The last value of each header counts; Pages joins those of several rules. */
function expectedHeaders(address: string, file: string, rules: Rules): Map<string, string> {
  const found = new Map([['Content-Type', TYPES[/\.(\w+)$/.exec(file)?.[1] ?? ''] ?? 'application/octet-stream']]);
  for (const { pattern, detached, headers } of rules) {
    if (!pattern.test(address)) continue;
    for (const name of detached) found.delete(name);
    for (const [name, value] of headers) if (CHECKED.includes(name)) found.set(name, value);
  }
  return found;
}

function isAlike(sent: string | null, wanted: string): boolean {
  if (sent === null) return false;
  const [type = '', ...rest] = sent.toLowerCase().split(/; ?/);
  const [wantedType = '', ...wantedRest] = wanted.toLowerCase().split(/; ?/);
  // A character set is needed where bytes do not say it.
  const isTyped = /^[a-z]+\/[^ ]+$/.test(wantedType);
  if (!isTyped) return sent === wanted;
  return (
    (SAME[type] ?? type) === (SAME[wantedType] ?? wantedType) &&
    (!wantedRest.includes('charset=utf-8') || type === 'text/css' || rest.includes('charset=utf-8'))
  );
}
