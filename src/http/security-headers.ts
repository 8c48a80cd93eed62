import { contentUsage } from '../schemas/content-usage.ts';
import type { Deployment } from '../schemas/deployment.ts';
import { PATHS } from '../schemas/paths.ts';

type Header = readonly [name: string, value: string];

/**
 * The policy of pages: nothing but this site, and no text becomes script through the DOM (Content Security Policy Level 3; Trusted Types).
 *
 * @param formTargets Further sources that their forms may lead to, redirects included.
 * @param inline Sources of code within a page of the publication's own, which has no Trusted Types: frameworks write to the DOM as text.
 */
export function pagePolicy(formTargets: readonly string[] = [], inline?: { readonly scripts: string; readonly styles: string }): string {
  const targets = ["'self'", ...formTargets].join(' ');
  return `default-src 'none'; script-src 'self' 'wasm-unsafe-eval'${inline?.scripts ?? ''}; style-src 'self'${inline?.styles ?? ''}; img-src 'self'; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action ${targets}; frame-ancestors 'none'${inline === undefined ? "; require-trusted-types-for 'script'; trusted-types 'none'" : ''}`;
}

/** The policy of other responses: a browser that shows one loads nothing. */
const API_POLICY = "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const UNUSED_FEATURES = ['camera', 'display-capture', 'geolocation', 'hid', 'microphone', 'midi', 'payment', 'serial', 'usb'];

/** HSTS: a year, for this host only. */
const HTTPS_ONLY = 'max-age=31536000';

/** What Cloudflare Pages says of a file for which `_headers` says nothing (developers.cloudflare.com/pages/configuration/serving-pages). */
export const FILE_CACHE_CONTROL = 'public, max-age=0, must-revalidate';

/** `Cache-Control` of files whose bytes never change: a year, in seconds. */
export const IMMUTABLE_CACHE_CONTROL = 'public, max-age=31536000, immutable';

type Headed = Pick<Deployment, 'baseUrl' | 'usage'>;

export function fileHeaders(deployment: Headed): readonly Header[] {
  return [...sharedHeaders(deployment), ['Content-Security-Policy', pagePolicy()]];
}

export function apiHeaders(deployment: Headed): readonly Header[] {
  return [...sharedHeaders(deployment), ['Content-Security-Policy', API_POLICY]];
}

/** Common headers. Everything is public and read without credentials, so pages of other origins may load it. */
function sharedHeaders({ baseUrl, usage }: Headed): readonly Header[] {
  return [
    ['X-Content-Type-Options', 'nosniff'],
    ['Referrer-Policy', 'strict-origin-when-cross-origin'],
    ['Permissions-Policy', UNUSED_FEATURES.map((feature) => `${feature}=()`).join(', ')],
    ['Cross-Origin-Opener-Policy', 'same-origin'],
    ['Cross-Origin-Resource-Policy', 'cross-origin'],
    ['Content-Usage', contentUsage(usage)],
    ...(baseUrl.startsWith('https://') ? ([['Strict-Transport-Security', HTTPS_ONLY]] as const) : []),
  ];
}

export const INDEX_LINK = `<${PATHS.llmsTxt}>; rel="describedby"`;

/** Keeps orders and deliveries out of caches and search indexes, and their addresses out of Referer headers. */
export const PRIVATE = { 'Cache-Control': 'private, no-store', 'Referrer-Policy': 'no-referrer', 'X-Robots-Tag': 'noindex' } as const;
