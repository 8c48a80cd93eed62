import { outage, ok, type Result } from '../gateway/result.ts';
import { pagePolicy } from './security-headers.ts';
import type { FilledPage, Outcome } from './define-route.ts';
import type { GatewayDependencies } from './gateway-dependencies.ts';
import { type Markup, html } from './html.ts';

/** What a function puts into a page that the build made. */
export interface PageParts {
  /** Title of the page, in the place of the built one. */
  readonly title?: string;
  /** Content of slots by their names; a slot that is not named keeps what the build put there. */
  readonly slots: Readonly<Record<string, Markup>>;
  /** Where forms of the page may lead, as sources of its policy; without any, it has none. */
  readonly formTargets?: readonly string[];
  /** `secret`: whoever has the address may see the page, so it is told to nobody. `passing`: it is not worth being found again. */
  readonly kind?: 'secret' | 'passing';
}

/**
 * A built page with its slots filled: what stands between `<!--slot:name-->` and `<!--/slot:name-->` is replaced
 * (src/site/components/Slot.astro).
 *
 * @param path Address of the page.
 * @returns The page, or `file_unavailable` if the host of the files does not answer with it.
 */
export async function fillPage(
  path: string,
  { title, slots, formTargets, kind }: PageParts,
  { deployment, serveFile }: Pick<GatewayDependencies, 'deployment' | 'serveFile'>,
): Promise<Result<FilledPage>> {
  const response = await serveFile(new Request(deployment.baseUrl + path)).catch(() => undefined);
  if (response?.status !== 200) {
    await response?.body?.cancel();
    return outage('file_unavailable', 'The page could not be read.');
  }
  const built = await response.text().catch(() => undefined);
  if (built === undefined) return outage('file_unavailable', 'The page could not be read to its end.');
  let page = built;
  for (const [name, content] of Object.entries(slots)) {
    const [start, end] = [`<!--slot:${name}-->`, `<!--/slot:${name}-->`];
    const [from, to] = [page.indexOf(start), page.indexOf(end)];
    if (from < 0 || to < from) return outage('file_unavailable', 'The page has no place for its content.');
    page = page.slice(0, from) + content.text + page.slice(to + end.length);
  }
  const named = title === undefined ? undefined : html`<title>${title} · ${deployment.name}</title>`.text;
  return ok({
    body: named === undefined ? page : page.replace(/<title>[^<]*<\/title>/, () => named),
    headers: {
      'Content-Security-Policy': pagePolicy(formTargets),
      Vary: 'Accept',
      ...(kind === undefined ? {} : { 'X-Robots-Tag': 'noindex' }),
      ...(kind === 'secret' ? { 'Referrer-Policy': 'no-referrer' } : {}),
    },
  });
}

/** The answer of a filled page. */
export function pageOutcome(page: Result<FilledPage>): Result<Outcome> {
  return page.ok ? ok({ kind: 'text', contentType: 'text/html; charset=utf-8', ...page.value }) : page;
}
