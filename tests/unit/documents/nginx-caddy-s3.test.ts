import { expect, it } from 'vitest';
import { serverFiles } from '../../../src/documents/nginx-caddy-s3.ts';

const RULES = [
  {
    path: '/notes/*',
    headers: [
      ['X-Content-Type-Options', 'nosniff'],
      ['Content-Security-Policy', "default-src 'none'"],
    ],
  },
  { path: '/notes/_astro/*', headers: [['Cache-Control', 'public, max-age=31536000, immutable']] },
  {
    path: '/notes/capsules/:capsule_id/:version.md',
    headers: [
      ['Cache-Control', 'public, max-age=31536000, immutable'],
      ['Link', '<x>'],
    ],
  },
  { path: '/notes/media/*', headers: [['Content-Security-Policy', 'sandbox "x"']] },
  { path: '/notes/list', headers: [['Content-Type', 'application/linkset+json; profile="https://x.example"']] },
  { path: '/notes/feed.xml', headers: [['Content-Type', 'application/atom+xml']] },
] as const;
const REDIRECTS = [
  { from: '/notes/old', to: '/notes/capsules/new', status: 308 },
  { from: '/notes/api/capsule/:capsule_id', to: '/notes/capsules/:capsule_id/capsule.json', status: 200 },
];
const files = serverFiles(RULES, REDIRECTS, { base_url: 'https://ada.example/notes', static_form: 'directory' });
const inFiles = serverFiles(RULES, REDIRECTS, { base_url: 'https://ada.example/notes', static_form: 'file' });

it('tells nginx headers, types, redirects, rewrites, and the file of a page', () => {
  const text = files['nginx.conf'];
  for (const line of [
    'add_header X-Content-Type-Options "nosniff" always;',
    'error_page 404 /notes/404.html;',
    'location = /notes/old { return 308 /notes/capsules/new; }',
    'rewrite ^/notes/api/capsule/([^/]+)$ /notes/capsules/$1/capsule.json last;',
    'location /notes/ { try_files $uri $uri/index.html $uri/index.html =404; }',
    String.raw`location = /notes/list { types { } default_type "application/linkset+json; profile=\"https://x.example\""; }`,
    'location = /notes/feed.xml { types { } default_type "application/atom+xml"; }',
  ])
    expect(text.split('\n')).toContain(line);
  // A block with a header of its own has the general ones too, once each.
  const media = text.split('\n').find((line) => line.includes('/notes/media/')) ?? '';
  expect(media.match(/add_header/g)).toHaveLength(2);
  expect(media).toContain('Content-Security-Policy "sandbox \\"x\\"" always;');
  expect(text).toContain(String.raw`location ~ ^(?:/notes/_astro/.*|/notes/capsules/([^/]+)/[0-9.]+\.md)$`);
  expect(inFiles['nginx.conf']).toContain('try_files $uri $uri.html $uri/index.html =404;');
});

it('tells Caddy the same', () => {
  const text = files.Caddyfile;
  for (const line of [
    'header ?X-Content-Type-Options "nosniff"',
    'header /notes/feed.xml Content-Type "application/atom+xml"',
    'redir @from0 /notes/capsules/new 308',
    'rewrite @from1 /notes/capsules/{re.from1.1}/capsule.json',
    '\trewrite * /notes/404.html',
  ])
    expect(text.split('\n')).toContain(line);
});

it('uploads to S3 with types and lifetimes, and keeps no page of a list for a year', () => {
  const lines = files['s3.sh'].split('\n');
  expect(lines).toContain('# sh .akg/servers/s3.sh dist-static s3://my-bucket/notes');
  const immutable = lines.filter((line) => line.includes('immutable'));
  expect(immutable).toEqual([expect.stringContaining("--include '_astro/*' --cache-control 'public, max-age=31536000, immutable'")]);
  expect(lines.join('\n')).toContain("--include 'feed.xml' --content-type 'application/atom+xml'");
});
