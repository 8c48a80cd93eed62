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

export type Check = (visitor: Visitor) => Promise<boolean>;

/** A rule by the names of its scanner and of itself, with its check or the reason why it is not met. */
export type Rule<T> = readonly [name: string, of: T];

export function rulesOf<T extends Check | string>(scanner: string, rules: Readonly<Record<string, T>>): Rule<T>[] {
  return Object.entries(rules).map(([rule, of]) => [`${scanner}: ${rule}`, of]);
}

const SAMPLE_PAGES = ['/', '/capsules/minor-units', '/docs', '/docs/searching', '/docs/api/queryKnowledge', '/buy', '/problems'] as const;

export const AI_CRAWLERS = ['GPTBot', 'ClaudeBot', 'CCBot', 'Google-Extended'] as const;

const hasType = ({ headers }: Answer, type: string): boolean => (headers.get('content-type') ?? '').startsWith(type);

export const isServed =
  (path: string, type: string): Check =>
  async (visitor) => {
    const answer = await visitor.ask(path);
    return answer.status === 200 && hasType(answer, type);
  };

export const says =
  (path: string, ...patterns: readonly RegExp[]): Check =>
  async (visitor) => {
    const { status, text } = await visitor.ask(path);
    return status === 200 && patterns.every((pattern) => pattern.test(text));
  };

export const saysNot =
  (path: string, pattern: RegExp): Check =>
  async (visitor) => {
    const { status, text } = await visitor.ask(path);
    return status === 200 && !pattern.test(text);
  };

/** Markdown for those who accept it. */
export const isNegotiated =
  (path: string): Check =>
  async (visitor) =>
    hasType(await visitor.ask(path, { headers: { Accept: 'text/markdown' } }), 'text/markdown');

/** The JSON object at a path, with what `is` says of it. */
export const isJson =
  (path: string, is: (value: Readonly<Record<string, unknown>>, headers: Headers) => boolean): Check =>
  async (visitor) => {
    const { status, headers, text } = await visitor.ask(path);
    return status === 200 && /json/.test(headers.get('content-type') ?? '') && is(JSON.parse(text) as Record<string, unknown>, headers);
  };

export const everyPage =
  (is: (page: Answer, path: string) => boolean): Check =>
  async (visitor) =>
    (await Promise.all(SAMPLE_PAGES.map(async (path) => is(await visitor.ask(path), path)))).every(Boolean);

/** The form in markdown that each page names. */
export const everyTwin =
  (is: (twin: Answer) => boolean): Check =>
  async (visitor) => {
    const met = SAMPLE_PAGES.map(async (path) => {
      const link = /<link[^>]+type="text\/markdown"[^>]*>/.exec((await visitor.ask(path)).text)?.[0];
      const address = visitor.pathOf(/href="([^"]+)"/.exec(link ?? '')?.[1] ?? '');
      if (address === undefined) return false;
      const twin = await visitor.ask(address);
      return twin.status === 200 && is(twin);
    });
    return (await Promise.all(met)).every(Boolean);
  };

export const isMarkdown = (twin: Answer): boolean => hasType(twin, 'text/markdown');
