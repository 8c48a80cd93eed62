export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What a scanner does: it asks a site, and follows no redirect by itself. */
export interface Visitor {
  readonly ask: (path: string, init?: RequestInit) => Promise<Answer>;
  /** Path and query of an address of the site, `undefined` of another's. */
  readonly pathOf: (address: string) => string | undefined;
}

export interface ScannerRule {
  readonly scanner: string;
  readonly rule: string;
  readonly check: (visitor: Visitor) => Promise<boolean>;
  /** Why the site does not meet it yet. The test fails as soon as it does. */
  readonly failing?: string;
}

export interface UnmetRule {
  readonly scanner: string;
  readonly rule: string;
  readonly reason: string;
}

const SAMPLE_PAGES = ['/', '/capsules/minor-units', '/docs', '/docs/searching', '/docs/api/queryKnowledge', '/buy', '/problems'] as const;

export const AI_CRAWLERS = ['GPTBot', 'ClaudeBot', 'CCBot', 'Google-Extended'] as const;

export async function isServed(visitor: Visitor, path: string, type: string): Promise<boolean> {
  const { status, headers } = await visitor.ask(path);
  return status === 200 && (headers.get('content-type') ?? '').startsWith(type);
}

/** The JSON object at a path, with what `is` says of it; false if there is none. */
export async function isJson(
  visitor: Visitor,
  path: string,
  is: (value: Readonly<Record<string, unknown>>, headers: Headers) => boolean,
): Promise<boolean> {
  const { status, headers, text } = await visitor.ask(path);
  if (status !== 200 || !/json/.test(headers.get('content-type') ?? '')) return false;
  return is(JSON.parse(text) as Record<string, unknown>, headers);
}

export async function everyPage(visitor: Visitor, is: (page: Answer, path: string) => boolean | Promise<boolean>): Promise<boolean> {
  const found = await Promise.all(SAMPLE_PAGES.map(async (path) => is(await visitor.ask(path), path)));
  return found.every(Boolean);
}

async function twinOf(visitor: Visitor, page: Answer): Promise<Answer | undefined> {
  const address = /<link[^>]+type="text\/markdown"[^>]*>/.exec(page.text)?.[0].match(/href="([^"]+)"/)?.[1];
  const path = address === undefined ? undefined : visitor.pathOf(address);
  return path === undefined ? undefined : visitor.ask(path);
}

export function everyTwin(visitor: Visitor, is: (twin: Answer, page: Answer) => boolean): Promise<boolean> {
  return everyPage(visitor, async (page) => {
    const twin = await twinOf(visitor, page);
    return twin !== undefined && twin.status === 200 && is(twin, page);
  });
}

export function structuredData({ text }: Answer): readonly string[] {
  return [...text.matchAll(/<script type="application\/ld\+json">([\s\S]*?)<\/script>/g)].map(([, json = '']) => json);
}
