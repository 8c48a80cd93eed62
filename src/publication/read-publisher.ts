import { PAYMENT_NETWORK_IDS, paymentNetwork } from '../schemas/commerce/stablecoin-payments.ts';
import { NO_LICENSE } from '../schemas/license.ts';
import { didWebOf } from '../schemas/paths.ts';
import { PaymentSettings, Publisher, WrittenPublisher } from '../schemas/publisher.ts';
import { checkLook, checkTheme } from './check/check-look-and-theme.ts';
import { isReservedHost } from './check/check-offers.ts';
import { type ContentProblem, fieldProblem, fileProblem, InvalidContentError, isWarning } from './content-problem.ts';
import { fileDates, gitDates } from './git-history.ts';
import { readContentFile } from './read/content-files.ts';
import { type ParsedFile, parseContentFile } from './read/front-matter.ts';
import { findPlaceholders } from './read/page-templates.ts';

export const PUBLISHER_FILE = 'content/publisher.yaml';

/** Settings of the environment that override publisher.yaml; empty ones count as unset. */
export interface PublisherOverrides {
  readonly payTo?: string | undefined;
  readonly paymentNetwork?: string | undefined;
  readonly facilitatorUrl?: string | undefined;
  /** In force where the environment names no payments, and the file none that take money. */
  readonly demoPayments?: Payments | undefined;
  readonly baseUrl?: string | undefined;
  readonly checkoutHost?: string | undefined;
}

export function publisherOverrides(environment: Readonly<Record<string, string | undefined>>): PublisherOverrides {
  return {
    baseUrl: environment['BASE_URL'],
    checkoutHost: environment['CHECKOUT_HOST'],
    payTo: environment['PAY_TO'],
    paymentNetwork: environment['PAYMENT_NETWORK'],
    facilitatorUrl: environment['FACILITATOR_URL'],
  };
}

/** @throws {InvalidContentError} If publisher.yaml has a mistake. */
export async function loadPublisher(root: string, overrides: PublisherOverrides): Promise<Publisher> {
  const problems: ContentProblem[] = [];
  const publisher = await readPublisher(root, overrides, problems);
  if (publisher === undefined || problems.some((problem) => !isWarning(problem))) throw new InvalidContentError(problems);
  return publisher.data;
}

/** Stand-ins for required fields with mistakes, so that the other fields are checked. */
const STAND_INS = { name: 'Publisher', base_url: 'https://site.invalid', contact_email: 'desk@site.invalid' } as const;

/**
 * Reads and checks publisher.yaml, and adds all its mistakes to `problems`; `undefined` if it is no YAML with fields. A field with mistakes has its
 * default or a stand-in, and `invalid` contains its name. Do not report what follows from such a field alone.
 */
export async function readPublisher(
  root: string,
  overrides: PublisherOverrides,
  problems: ContentProblem[],
): Promise<(ParsedFile<Publisher> & { readonly invalid: ReadonlySet<string> }) | undefined> {
  const read = await readContentFile(root, PUBLISHER_FILE).catch(() => undefined);
  if (read === undefined) problems.push(fileProblem(PUBLISHER_FILE, 'is missing; it says who publishes and where'));
  problems.push(...(read?.problems ?? []));
  if (read?.raw === undefined) return undefined;
  const outcome = parseContentFile(PUBLISHER_FILE, read.raw, WrittenPublisher);
  if ('problems' in outcome) problems.push(...outcome.problems);
  const parsed = 'file' in outcome ? { ...outcome.file, invalid: new Set<string>() } : validPart(outcome.unchecked);
  if (parsed === undefined) return undefined;
  const { invalid, lineOf } = parsed;
  const { payments: written, ...settings } = parsed.data;
  problems.push(...findPlaceholders(PUBLISHER_FILE, read.raw, 'gap'));
  problems.push(...findReservedAddresses(PUBLISHER_FILE, settings, lineOf).filter(({ field }) => !invalid.has(field)));
  const data = await completePublisher(root, PUBLISHER_FILE, settings);
  const report = (path: readonly string[], message: string, line = lineOf(path)): void =>
    void problems.push({ file: PUBLISHER_FILE, line, field: path.join('.'), message });
  const override = (name: 'BASE_URL' | 'CHECKOUT_HOST', field: 'base_url' | 'checkout_host', value: string | undefined): void => {
    if (value === undefined || value === '') return;
    const { data: valid } = Publisher.shape[field].safeParse(value);
    if (valid === undefined)
      report(
        [field],
        `is overridden by ${name}=${value}, which is not an https ${name === 'BASE_URL' ? 'address' : 'origin'} such as https://docs.example.com`,
      );
    else data[field] = valid;
  };
  override('BASE_URL', 'base_url', overrides.baseUrl);
  override('CHECKOUT_HOST', 'checkout_host', overrides.checkoutHost);
  if (new URL(data.base_url).origin === data.checkout_host) report(['checkout_host'], 'must be another origin than base_url');
  for (const finding of checkLook(root, data.look))
    problems.push(fieldProblem(PUBLISHER_FILE, lineOf, { ...finding, path: ['look', ...finding.path] }));
  problems.push(...(await checkTheme(root, data.look)));
  const paid = invalid.has('payments') ? { payments: undefined } : paymentsInForce(written, overrides, data.base_url);
  if ('problems' in paid)
    for (const { field, message } of paid.problems) report(['payments', field], message, written === undefined ? 1 : undefined);
  else if (paid.payments) data.payments = paid.payments;
  return { ...parsed, data };
}

function validPart(unchecked: ParsedFile<unknown> | undefined) {
  const { data } = unchecked ?? {};
  if (unchecked === undefined || typeof data !== 'object' || data === null || Array.isArray(data)) return undefined;
  const known = Object.entries(data).filter(([name]) => Object.hasOwn(WrittenPublisher.shape, name));
  const invalid = new Set(WrittenPublisher.safeParse(Object.fromEntries(known)).error?.issues.map(({ path }) => String(path[0])));
  const valid = WrittenPublisher.safeParse({ ...STAND_INS, ...Object.fromEntries(known.filter(([name]) => !invalid.has(name))) });
  return valid.success ? { ...unchecked, data: valid.data, invalid } : undefined;
}

const SETTINGS = [
  ['pay_to', 'PAY_TO', 'payTo'],
  ['network', 'PAYMENT_NETWORK', 'paymentNetwork'],
  ['facilitator', 'FACILITATOR_URL', 'facilitatorUrl'],
] as const;

type Payments = NonNullable<Publisher['payments']>;

interface PaymentProblem {
  readonly field: keyof Payments;
  readonly message: string;
}

export function paymentsInForce(
  written: Payments | undefined,
  overrides: PublisherOverrides,
  baseUrl: string,
): { readonly payments: Payments | undefined } | { readonly problems: readonly PaymentProblem[] } {
  const set = SETTINGS.filter(([, , option]) => (overrides[option] ?? '') !== '');
  if (written === undefined && set.length === 0) return { payments: overrides.demoPayments };
  const members: Record<string, unknown> = { ...written };
  for (const [field, , option] of set) members[field] = overrides[option];
  const missing = SETTINGS.filter(([field]) => members[field] === undefined);
  const isByCardAlone = members['stripe_profile'] !== undefined && missing.length === SETTINGS.length;
  if (missing.length > 0 && !isByCardAlone)
    return {
      problems: missing.map(([field, name]) => ({
        field,
        message:
          set.length === 0
            ? 'is missing: payments in a token need pay_to, network and facilitator, and payments by card stripe_profile'
            : `is missing: ${set.map(([, given]) => given).join(' and ')} switched payments on; set ${name} as well`,
      })),
    };
  const parsed = PaymentSettings.safeParse(members);
  if (!parsed.success)
    return {
      problems: parsed.error.issues.map(({ path, message }) => {
        const [field, name] = SETTINGS.find(([member]) => member === path[0]) ?? SETTINGS[0];
        return { field, message: `is overridden by ${name}=${String(members[field])}, which ${message}` };
      }),
    };
  const problems = problemsOf(parsed.data, baseUrl);
  if (problems.length > 0) return { problems };
  const { network } = parsed.data;
  const takesMoney = set.length > 0 || (network !== undefined && paymentNetwork(network)?.isTest !== true);
  return { payments: takesMoney ? parsed.data : (overrides.demoPayments ?? parsed.data) };
}

function problemsOf({ network, facilitator }: Payments, baseUrl: string): PaymentProblem[] {
  const problems: PaymentProblem[] = [];
  const known = PAYMENT_NETWORK_IDS.map((id) => `${id} (${paymentNetwork(id)?.name})`).join(' or ');
  if (network !== undefined && paymentNetwork(network) === undefined)
    problems.push({ field: 'network', message: `${network} is not supported; it must be ${known}` });
  if (facilitator?.startsWith('http:') && baseUrl.startsWith('https:'))
    problems.push({ field: 'facilitator', message: `${facilitator} is on this machine; ${baseUrl} needs an https address` });
  return problems;
}

/** The identity defaults to the address in `base_url` (did:web), and the day of the newest change to that of the file. */
async function completePublisher(root: string, file: string, written: WrittenPublisher): Promise<Publisher> {
  const { tagline = written.name, description = tagline, issuer, license = NO_LICENSE, updated } = written;
  return {
    ...written,
    tagline,
    description,
    license,
    issuer: issuer ?? didWebOf(written.base_url),
    updated: updated ?? ((await gitDates(root, file)).get(file) ?? (await fileDates(root, file))).updated,
  };
}

/** Addresses of publisher.yaml that lead nowhere, unless it is a sample. */
function findReservedAddresses(
  file: string,
  publisher: { readonly base_url: string; readonly contact_email: string; readonly sample: boolean },
  lineOf: (path: readonly string[]) => number,
): ContentProblem[] {
  if (publisher.sample) return [];
  const addresses = [
    ['base_url', publisher.base_url],
    ['contact_email', publisher.contact_email.replace(/^.*@/, 'https://')],
  ] as const;
  return addresses.flatMap(([field, address]) =>
    /\.example$/.test(address) && isReservedHost(address)
      ? [{ file, line: lineOf([field]), field, message: 'is a name that is reserved for examples; write your own', level: 'gap' as const }]
      : [],
  );
}
