import { PAYMENT_NETWORK_IDS, paymentNetwork } from '../schemas/commerce/payments.ts';
import { PaymentSettings, type Publisher } from '../schemas/publisher.ts';

/** Settings of the environment that take the place of those in publisher.yaml; empty ones count as none. */
export interface PaymentOverrides {
  /** `PAY_TO` */
  readonly payTo?: string | undefined;
  /** `PAYMENT_NETWORK` */
  readonly paymentNetwork?: string | undefined;
  /** `FACILITATOR_URL` */
  readonly facilitatorUrl?: string | undefined;
}

/** The settings of an environment, such as that of a process. */
export function paymentOverrides(environment: Readonly<Record<string, string | undefined>>): PaymentOverrides {
  return {
    payTo: environment['PAY_TO'],
    paymentNetwork: environment['PAYMENT_NETWORK'],
    facilitatorUrl: environment['FACILITATOR_URL'],
  };
}

/** Members of `payments` and the settings that take their places. */
const SETTINGS = [
  ['pay_to', 'PAY_TO', 'payTo'],
  ['network', 'PAYMENT_NETWORK', 'paymentNetwork'],
  ['facilitator', 'FACILITATOR_URL', 'facilitatorUrl'],
] as const;

type Payments = NonNullable<Publisher['payments']>;

/** What a member of `payments` must be, in words, beyond its form. */
interface PaymentProblem {
  readonly field: 'pay_to' | 'network' | 'facilitator';
  readonly message: string;
}

/** How paid capsules are paid, by the file and the environment, or what is wrong with it; `undefined` while payments are off. */
export function paymentsInForce(
  written: Payments | undefined,
  overrides: PaymentOverrides,
  baseUrl: string,
): { readonly payments: Payments | undefined } | { readonly problems: readonly PaymentProblem[] } {
  const set = SETTINGS.filter(([, , option]) => (overrides[option] ?? '') !== '');
  if (written === undefined && set.length === 0) return { payments: undefined };
  const members: Record<string, unknown> = { ...written };
  for (const [field, , option] of set) members[field] = overrides[option];
  const missing = SETTINGS.filter(([field]) => members[field] === undefined);
  if (missing.length > 0)
    return {
      problems: missing.map(([field, name]) => ({
        field,
        message: `is missing: payments are switched on by ${set.map(([, given]) => given).join(' and ')}, and need ${name} as well`,
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
  return problems.length > 0 ? { problems } : { payments: parsed.data };
}

function problemsOf({ network, facilitator }: Payments, baseUrl: string): PaymentProblem[] {
  const known = PAYMENT_NETWORK_IDS.map((id) => `${id} (${paymentNetwork(id)?.name})`).join(' or ');
  return [
    ...(paymentNetwork(network) === undefined
      ? [{ field: 'network', message: `names ${network}, on which nothing can be paid here; it must be ${known}` } as const]
      : []),
    ...(facilitator.startsWith('http:') && baseUrl.startsWith('https:')
      ? [
          {
            field: 'facilitator',
            message: `names ${facilitator}, which is on this machine; ${baseUrl} needs one that is reached by https`,
          } as const,
        ]
      : []),
  ];
}
