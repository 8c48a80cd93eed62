import { Publisher } from '../schemas/publisher.ts';
import { readContentFile } from './content-files.ts';
import type { ContentProblem } from './content-problem.ts';
import { type ParsedFile, parseContentFile } from './front-matter.ts';
import { type PaymentOverrides, paymentsInForce } from './payment-settings.ts';

/** Where the publisher is described. */
export const PUBLISHER_FILE = 'content/publisher.yaml';

/** Settings that take the place of those in the file. */
interface Overrides extends PaymentOverrides {
  readonly baseUrl?: string | undefined;
  readonly checkoutHost?: string | undefined;
}

/** Reads and checks publisher.yaml; what is wrong with it is added to `problems`. */
export async function readPublisher(
  root: string,
  options: Overrides,
  problems: ContentProblem[],
): Promise<ParsedFile<Publisher> | undefined> {
  const read = await readContentFile(root, PUBLISHER_FILE).catch(() => undefined);
  if (read === undefined)
    problems.push({ file: PUBLISHER_FILE, line: 1, field: '', message: 'is missing; it says who publishes and where' });
  problems.push(...(read?.problems ?? []));
  if (read?.raw === undefined) return undefined;
  const outcome = parseContentFile(PUBLISHER_FILE, read.raw, Publisher);
  if ('problems' in outcome) {
    problems.push(...outcome.problems);
    return undefined;
  }
  const { payments: written, ...settings } = outcome.file.data;
  const data: Publisher = settings;
  const override = (name: 'BASE_URL' | 'CHECKOUT_HOST', field: 'base_url' | 'checkout_host', value: string | undefined): void => {
    if (value === undefined || value === '') return;
    if (Publisher.shape[field].safeParse(value).success) data[field] = value;
    else
      problems.push({
        file: PUBLISHER_FILE,
        line: outcome.file.lineOf([field]),
        field,
        message: `is overridden by ${name}=${value}, which is not an https origin such as https://docs.example.com`,
      });
  };
  override('BASE_URL', 'base_url', options.baseUrl);
  override('CHECKOUT_HOST', 'checkout_host', options.checkoutHost);
  if (data.base_url === data.checkout_host)
    problems.push({
      file: PUBLISHER_FILE,
      line: outcome.file.lineOf(['checkout_host']),
      field: 'checkout_host',
      message: 'must be another origin than base_url',
    });
  const paid = paymentsInForce(written, options, data.base_url);
  if ('problems' in paid)
    for (const { field, message } of paid.problems) {
      const line = outcome.file.lineOf(written === undefined ? [] : ['payments', field]);
      problems.push({ file: PUBLISHER_FILE, line, field: `payments.${field}`, message });
    }
  else if (paid.payments) data.payments = paid.payments;
  return { ...outcome.file, data };
}
