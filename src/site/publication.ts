import { InvalidContentError } from '../publication/content-problem.ts';
import { paymentOverrides } from '../publication/payment-settings.ts';
import { pageContent } from '../publication/page-content.ts';
import type { PageContent } from '../publication/publication.ts';
import { readContent } from '../publication/read-content.ts';
import { MODE } from './deployment.ts';

let current: Promise<PageContent> | undefined;

/**
 * The publication in `content/`, read and checked once.
 *
 * @throws {InvalidContentError} With every problem, if the content cannot be published.
 */
export function publication(): Promise<PageContent> {
  current ??= readPublication();
  return current;
}

/** Makes the next call of {@link publication} read `content/` again. */
export function forgetPublication(): void {
  current = undefined;
}

async function readPublication(): Promise<PageContent> {
  const { content: authored, problems } = await readContent(process.cwd(), {
    today: process.env['AKG_TODAY'] ?? new Date().toISOString().slice(0, 10),
    baseUrl: process.env['BASE_URL'],
    checkoutHost: process.env['CHECKOUT_HOST'],
    ...paymentOverrides(process.env),
    areTextsChecked: process.env['AKG_TEXTS_CHECKED'] === 'yes',
  });
  if (authored === undefined) throw new InvalidContentError(problems);
  return pageContent(authored, MODE);
}
