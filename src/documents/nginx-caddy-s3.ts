import { FILE_CACHE_CONTROL } from '../http/security-headers.ts';
import { basePathOf, pageFilePath } from '../schemas/paths.ts';
import type { Publisher } from '../schemas/publisher.ts';
import type { HeaderRule, RedirectRule } from './headers-and-redirects.ts';

/** Headers of all files, and those that some files have in addition or instead, from the rules for Cloudflare Pages. */
interface ServedFiles {
  readonly general: HeaderRule['headers'];
  readonly types: readonly (readonly [pattern: string, type: string])[];
  /** Other headers by pattern, those with the same headers together. */
  readonly special: readonly { readonly patterns: readonly string[]; readonly headers: HeaderRule['headers'] }[];
}

/** Headers that need what a pattern matched, which `_headers` alone can say. */
const isPlain = ([name]: HeaderRule['headers'][number]): boolean => name !== 'Link' && name !== 'Content-Type';

function servedFiles(rules: readonly HeaderRule[], basePath: string): ServedFiles {
  const [all, ...others] = rules;
  const plain = others
    .map(({ path, headers }) => ({ path, headers: headers.filter(isPlain) }))
    // What all files have anyway, taken back for a part of a more general pattern.
    .filter(({ headers }) => headers.length > 0 && !headers.some(([, value]) => value === FILE_CACHE_CONTROL));
  const special = [...Map.groupBy(plain, ({ headers }) => JSON.stringify(headers)).values()].map((group) => {
    return { patterns: group.map(({ path }) => path), headers: group[0]?.headers ?? [] };
  });
  const types = others.flatMap(({ path, headers }) =>
    headers.flatMap(([name, value]) => (name === 'Content-Type' ? [[path, value] as const] : [])),
  );
  const unknown = Object.entries(UNKNOWN_TYPES).map(([ending, type]) => [`${basePath}/*.${ending}`, type] as const);
  return { general: all?.headers ?? [], types: [...types, ...unknown], special };
}

const UNKNOWN_TYPES = { md: 'text/markdown; charset=utf-8', mjs: 'text/javascript', bin: 'application/octet-stream' } as const;

/** A pattern as a regular expression that matches whole paths. Versions are the numbers of a text, so that no pattern takes the page of a list. */
function expression(pattern: string): string {
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return pattern
    .split(/(\*|:[a-z_0-9]+)/)
    .map((part) => (part === '*' ? '.*' : part === ':version' ? '[0-9.]+' : part.startsWith(':') ? '([^/]+)' : literal(part)))
    .join('');
}

const quoted = (value: string): string => `"${value.replaceAll('"', '\\"')}"`;

const isExact = (pattern: string): boolean => !/[*:]/.test(pattern);

/** What `_headers` and `_redirects` say to Cloudflare Pages and Netlify, for nginx and Caddy, and an upload to S3, by the names of their files. */
export function serverFiles(
  rules: readonly HeaderRule[],
  redirects: readonly RedirectRule[],
  { base_url, static_form }: Pick<Publisher, 'base_url' | 'static_form'>,
): Record<'nginx.conf' | 'Caddyfile' | 's3.sh', string> {
  const basePath = basePathOf(base_url);
  const files = servedFiles(rules, basePath);
  const page = static_form === 'file' ? '.html' : '/index.html';
  return {
    'nginx.conf': nginx(files, redirects, basePath, page),
    Caddyfile: caddy(files, redirects, basePath, page),
    's3.sh': s3(files, basePath),
  };
}

const NOT_FOUND = pageFilePath('/404', 'file');

function nginx({ general, types, special }: ServedFiles, redirects: readonly RedirectRule[], basePath: string, page: string): string {
  const header = ([name, value]: HeaderRule['headers'][number]): string => `add_header ${name} ${quoted(value)} always;`;
  const place = (pattern: string): string => (isExact(pattern) ? `= ${pattern}` : `~ ^${expression(pattern)}$`);
  return lines([
    '# Made by the build. Include it in a "server" block whose "root" has the site:',
    `# server { listen 80; root ${basePath === '' ? '/var/www/site' : `/var/www; # with the site in /var/www${basePath}`}${basePath === '' ? ';' : '\n#'} include /etc/nginx/site.conf; }`,
    ...general.map(header),
    'charset utf-8;',
    `error_page 404 ${basePath}${NOT_FOUND};`,
    ...redirects.map(({ from, to, status }) =>
      status === 200
        ? `rewrite ^${expression(from)}$ ${to.replace(/:[a-z_0-9]+/, '$1')} last;`
        : `location = ${from} { return ${status} ${to}; }`,
    ),
    `location ${basePath}/ { try_files $uri $uri${page} $uri/index.html =404; }`,
    ...special.map(({ patterns, headers }) => {
      const own = general.filter(([name]) => !headers.some(([other]) => other === name));
      return `location ~ ^(?:${patterns.map(expression).join('|')})$ { types { ${NGINX_TYPES} } ${[...own, ...headers].map(header).join(' ')} }`;
    }),
    ...types
      .filter(([pattern]) => !special.some(({ patterns }) => patterns.includes(pattern)))
      .map(([pattern, type]) => `location ${place(pattern)} { types { } default_type ${quoted(type)}; }`),
  ]);
}

/** Types of files that never change. A location with headers of its own has types of its own. */
const NGINX_TYPES =
  'text/css css; text/javascript js; font/woff2 woff2; application/wasm wasm; application/x-ndjson ndjson; "text/markdown; charset=utf-8" md; application/octet-stream bin; image/png png; image/jpeg jpg jpeg; image/webp webp; image/svg+xml svg; image/gif gif; image/avif avif; application/pdf pdf;';

function caddy({ general, types, special }: ServedFiles, redirects: readonly RedirectRule[], basePath: string, page: string): string {
  return lines([
    '# Made by the build. Import it in the block of the site:',
    `# site.example { root * /var/www${basePath === '' ? '/site' : ` # with the site in /var/www${basePath}`}`,
    '#   import /etc/caddy/site.caddy }',
    // Each by itself: of several in one block, none is sent where a more special rule has set one.
    ...general.map(([name, value]) => `header ?${name} ${quoted(value)}`),
    ...special.flatMap(({ patterns, headers }, at) => [
      `@special${at} path_regexp ^(?:${patterns.map(expression).join('|')})$`,
      ...headers.map(([name, value]) => `header @special${at} ${name} ${quoted(value)}`),
    ]),
    ...types.flatMap(([pattern, type], at) =>
      isExact(pattern)
        ? [`header ${pattern} Content-Type ${quoted(type)}`]
        : [`@type${at} path_regexp ^${expression(pattern)}$`, `header @type${at} Content-Type ${quoted(type)}`],
    ),
    ...redirects.flatMap(({ from, to, status }, at) => {
      const target = to.replace(/:[a-z_0-9]+/, `{re.from${at}.1}`);
      const match = [`@from${at} path_regexp from${at} ^${expression(from)}$`];
      return [...match, status === 200 ? `rewrite @from${at} ${target}` : `redir @from${at} ${target} ${status}`];
    }),
    `try_files {path} {path}${page} {path}/index.html`,
    'file_server',
    'handle_errors {',
    ...[...general, ['Content-Type', 'text/html; charset=utf-8']].map(([name, value = '']) => `\theader ${name} ${quoted(value)}`),
    '\theader -Cache-Control',
    `\trewrite * ${basePath}${NOT_FOUND}`,
    '\tfile_server',
    '}',
  ]);
}

function s3({ types, special }: ServedFiles, basePath: string): string {
  const typeOf = new Map(types);
  const lifetimeOf = (headers: HeaderRule['headers']): string =>
    headers.find(([name]) => name === 'Cache-Control')?.[1] ?? FILE_CACHE_CONTROL;
  const relative = (pattern: string): string => pattern.slice(basePath.length + 1).replace(/:[a-z_0-9]+/g, '*');
  const copy = (patterns: readonly string[], options: string): string =>
    `aws s3 cp "$1" "$2" --recursive --exclude '*' ${patterns.map((pattern) => `--include '${relative(pattern)}'`).join(' ')} ${options}`;
  return lines([
    '#!/bin/sh',
    '# Made by the build. Uploads a site to a bucket that is a website: its index document is index.html, its error document 404.html.',
    `# sh .akg/servers/s3.sh dist-static s3://my-bucket${basePath}`,
    'set -e',
    `aws s3 sync "$1" "$2" --delete --exclude _headers --exclude _redirects --exclude .nojekyll --cache-control '${FILE_CACHE_CONTROL}'`,
    // A version has the type of all markdown, and no pattern tells it from the page of a list.
    ...special.map(({ patterns, headers }) =>
      copy(
        patterns.filter((pattern) => !pattern.includes(':version') && !typeOf.has(pattern)),
        `--cache-control '${lifetimeOf(headers)}'`,
      ),
    ),
    ...types.map(([pattern, type]) => {
      const headers = special.find(({ patterns }) => patterns.includes(pattern))?.headers ?? [];
      return copy([pattern], `--content-type '${type}' --cache-control '${lifetimeOf(headers)}'`);
    }),
  ]);
}

function lines(written: readonly string[]): string {
  return `${written.join('\n')}\n`;
}
