import { Webhook } from 'standardwebhooks';
import { WAITS_MS } from '../gateway/commerce/orders/send-webhooks.ts';
import type { BudgetUse } from '../gateway/platform-ports.ts';
import { BUDGETS, type BudgetName, LIMITS } from '../schemas/limits.ts';
import type { NotifySettings } from '../schemas/publisher.ts';
import { dayOf } from '../schemas/time.ts';
import { systemRuntime } from './clock-and-deadlines.ts';
import type { Database } from './d1/database.ts';
import { collectNotices, type DueNotice, markNotices, type Notice, type NoticeOutcome, takeDueNotices } from './d1/publisher-notices.ts';
import { d1Budgets } from './d1/quotas.ts';
import { webhookSender } from './outgoing-requests.ts';

export interface NotifyEnvironment {
  /** `notify` of publisher.yaml as JSON; empty without. */
  readonly NOTIFY?: string;
  /** Secret of the webhooks, `whsec_…`. */
  readonly NOTIFY_SECRET?: string;
  readonly NOTIFY_MAIL?: SendEmail;
  readonly BASE_URL?: string;
}

const NOTICES_MAX = 10;

/** Share of a budget from which on the publisher is told. */
const NEAR = 0.8;

/** Sentences of notices, with the command that shows more. No notice has personal data, which the command shows. */
const SENTENCES: Readonly<Record<DueNotice['kind'], readonly [subject: string, command: string]>> = {
  'order.created': ['New order', 'npm run orders -- list --remote'],
  'invoice.requested': ['An invoice is requested', 'npm run orders -- invoices --remote'],
  'message.received': ['A message arrived', 'npm run orders -- invoices --remote'],
  'proposal.received': ['A proposal waits for review', 'npm run intake -- list --remote'],
  'service.failing': ['Checks of the site fail', 'npm run doctor'],
  'limit.near': ['A daily limit is at 80 %', 'npm run doctor'],
};

/** Tells the publisher what happened, in at most four statements of the database. `undefined` where nobody wants to be told. */
export async function notifyPublisher(
  database: Database,
  environment: NotifyEnvironment,
  nowMs: number,
): Promise<{ readonly sent: number; readonly failed: number } | undefined> {
  const { NOTIFY, NOTIFY_SECRET = '', NOTIFY_MAIL, BASE_URL = '' } = environment;
  if (!NOTIFY) return undefined;
  const settings: NotifySettings = JSON.parse(NOTIFY);
  const channels = (['webhook', 'mail'] as const).filter((channel) => settings[channel] !== undefined);
  await collectNotices(database, channels, settings, nearLimits(await d1Budgets(database)(nowMs), nowMs), nowMs);
  const due = await takeDueNotices(database, nowMs, NOTICES_MAX, WAITS_MS);
  if (due.length === 0) return { sent: 0, failed: 0 };
  const mailed = due.filter(({ channel }) => channel === 'mail');
  const mailFailure = mailed.length === 0 ? undefined : await sendMail(mailed, settings.mail, NOTIFY_MAIL, BASE_URL);
  const outcomes = await Promise.all(
    due.map(async (notice): Promise<NoticeOutcome> => {
      const failure = notice.channel === 'mail' ? mailFailure : await sendNotice(notice, settings.webhook ?? '', NOTIFY_SECRET, nowMs);
      const { id, channel, attempts } = notice;
      return { id, channel, isLast: attempts >= LIMITS.noticeAttemptsMax, ...(failure === undefined ? {} : { failure }) };
    }),
  );
  await markNotices(database, outcomes);
  const failed = outcomes.filter(({ failure }) => failure !== undefined).length;
  return { sent: outcomes.length - failed, failed };
}

function nearLimits(budgets: ReadonlyMap<BudgetName, BudgetUse>, nowMs: number): Notice[] {
  return [...budgets].flatMap(([name, { requests, rowsStored }]) => {
    const { requests: most, stored }: (typeof BUDGETS)[BudgetName] & { readonly stored?: { readonly rows: number } } = BUDGETS[name];
    const isNear = requests >= NEAR * most || (stored !== undefined && rowsStored >= NEAR * stored.rows);
    const data = JSON.stringify({ limit: name, requests, most, ...(stored && { rows: rowsStored, most_rows: stored.rows }) });
    return isNear ? [{ id: `limit_${name}_${dayOf(nowMs)}`, kind: 'limit.near' as const, data }] : [];
  });
}

/** Signed as Standard Webhooks require. @param secret `whsec_` and 24 to 64 bytes in base64. @returns Why it was not accepted. */
async function sendNotice(notice: DueNotice, url: string, secret: string, nowMs: number): Promise<string | undefined> {
  const { id, kind, data, createdAtMs } = notice;
  const [, key] = /^whsec_([A-Za-z0-9+/]{32,88}={0,2})$/.exec(secret) ?? [];
  if (key === undefined) return 'the secret NOTIFY_SECRET is missing or malformed';
  const body = JSON.stringify({ type: kind, timestamp: new Date(createdAtMs).toISOString(), data: JSON.parse(data) });
  const headers = {
    'Content-Type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': `${Math.floor(nowMs / 1_000)}`,
    'webhook-signature': new Webhook(key).sign(id, new Date(nowMs), body),
  };
  return webhookSender([new URL(url).host], systemRuntime.timers)({ url, body, headers });
}

async function sendMail(notices: readonly DueNotice[], mail: NotifySettings['mail'], sender: SendEmail | undefined, baseUrl: string) {
  if (sender === undefined || mail === undefined) return 'no send_email binding NOTIFY_MAIL';
  const facts = (data: string): string =>
    Object.entries(JSON.parse(data))
      .map(([name, value]) => `${name} ${value}`)
      .join(', ');
  const lines = notices.map(({ kind, data }) => `${SENTENCES[kind][0]} (${facts(data)}): ${SENTENCES[kind][1]}`);
  const [{ kind } = { kind: 'order.created' as const }] = notices;
  const subject = notices.length === 1 ? SENTENCES[kind][0] : `${notices.length} events`;
  return sender.send({ ...mail, subject: `${subject}: ${new URL(baseUrl).host}`, text: `${lines.join('\n\n')}\n` }).then(
    () => undefined,
    (error: unknown) => `the mail was not accepted: ${error instanceof Error ? error.message : error}`,
  );
}
