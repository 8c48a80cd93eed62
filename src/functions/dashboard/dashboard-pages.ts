import { ActionError } from '../../administration/action-error.ts';
import { GRANTABLE_SCOPES, readAgents } from '../../administration/agents.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/orders/complete-session.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import { capitalized, type InsightReport, planLine } from '../../gateway/insights.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { AdminForm, AdminPage } from '../../http/page-props.ts';
import { auditEntry, newestAuditEntries } from '../../platform/d1/dashboard-sessions-and-audit.ts';
import { readInsights } from '../../platform/d1/insight-counts.ts';
import { reviewIssues } from '../../platform/d1/order-administration.ts';
import { unsettledPayments } from '../../platform/d1/payment-reservations.ts';
import { listProposals } from '../../platform/d1/submissions.ts';
import { liveStatus } from '../../routes/capsule-routes.ts';
import { PATHS } from '../../schemas/paths.ts';
import { DAY_MS, dayOf } from '../../schemas/time.ts';
import { minuteText, terminalLine, visibleLines } from '../../text/visible-text.ts';
import {
  type Asked,
  commandAt,
  DAYS,
  LIST_MAX,
  messages,
  order,
  orders,
  proposal,
  proposals,
  tablesOf,
  type View,
} from './orders-and-proposals.ts';

/** The page that signs in. @param problem Why it was refused. */
export function signInPage(hasSecret: boolean, problem?: string): AdminPage {
  return {
    title: 'Sign in',
    path: PATHS.admin,
    ...(hasSecret ? {} : { lead: 'This dashboard is opened through Cloudflare Access.' }),
    ...(problem === undefined ? {} : { message: { isDone: false, text: problem } }),
    sections: [],
  };
}

/** The page at an address below that of the dashboard; `undefined` if there is none. */
export async function adminPage(
  { pathname, searchParams }: URL,
  { session, ...asked }: Asked & { readonly session: NonNullable<AdminPage['session']> },
): Promise<AdminPage | undefined> {
  const [name = '', id = '', ...more] = pathname.slice(PATHS.admin.length + 1).split('/');
  const views = id === '' ? LISTS : RECORDS;
  const view = Object.hasOwn(views, name) ? views[name] : undefined;
  if (view === undefined || more.length > 0) return undefined;
  const number = Number(searchParams.get('entry') ?? Number.NaN);
  const entry = Number.isInteger(number) ? await auditEntry(asked.database, number) : undefined;
  const message = entry && { isDone: entry.isDone, text: visibleLines(entry.outcome ?? 'Interrupted: nothing is known of its outcome.') };
  try {
    return { ...(await view(asked, id)), path: pathname, session, ...(message === undefined ? {} : { message }) };
  } catch (error) {
    if (error instanceof ActionError) return undefined;
    throw error;
  }
}

const overview: View = async (asked) => {
  const { database, deps, nowMs } = asked;
  const [report, proposals, issues, payments, status] = await Promise.all([
    readInsights(database, DAYS, nowMs),
    listProposals(database, false),
    reviewIssues(database, nowMs - CHARGE_LEASE_MS, 1),
    unsettledPayments(database, nowMs - PAYMENT_TIMEOUT_SECONDS * 1_000, 1),
    liveStatus(deps),
  ]);
  const review = [issues.events, issues.charging, payments].reduce((sum, { shown, left }) => sum + shown.length + left, 0);
  const waiting = [
    ['proposals', proposals.length, 'Proposals to accept or reject'],
    ['orders', review, 'Payments to review'],
    ['messages', issues.newInvoiceRequests, 'Invoice requests and messages'],
    ['orders', issues.givenUp, 'Webhooks that were given up'],
  ] as const;
  const known = new Map(report.days.map(({ day, requests }) => [day, requests]));
  const points = Array.from({ length: DAYS }, (_, at) => dayOf(nowMs - (DAYS - 1 - at) * DAY_MS)).map((name) => ({
    name,
    value: known.get(name) ?? 0,
  }));
  const total = points.reduce((sum, { value }) => sum + value, 0);
  const busy = status.budgets.filter(({ level }) => level !== 'open').map(({ name, level }) => `${name.replaceAll('_', ' ')} (${level})`);
  return {
    title: deps.deployment.name,
    lead: `Dashboard, ${minuteText(nowMs)}`,
    sections: [
      {
        heading: 'Waiting for you',
        empty: 'Nothing is waiting.',
        entries: waiting
          .filter(([, count]) => count > 0)
          .map(([page, count, what]) => ({ title: `${what}: ${count}`, href: `${PATHS.admin}/${page}` })),
      },
      {
        heading: 'Requests',
        note: requestNote(deps, report),
        ...(total === 0 ? { empty: 'Nothing was counted yet.' } : { plot: { label: `Requests a day, the last ${DAYS} days`, points } }),
        tables: tablesOf(report.counts, 'requests'),
      },
      {
        heading: 'Health',
        note: busy.length === 0 ? 'No budget of today is used up.' : `Budgets of today: ${busy.join(', ')}.`,
        entries: [...status.checks, ...paymentCheck(deps, payments)].map(({ name, ok, detail }) => ({
          title: capitalized(name),
          state: ok ? { status: 'passed', label: 'Works' } : { status: 'failed', label: 'Fails' },
          facts: [['', capitalized(detail)]],
        })),
      },
    ],
  };
};

/** What is recorded of facilitator and payment processor: whether each payment that began has an outcome. */
function paymentCheck({ payments }: GatewayDependencies, { shown, left }: Awaited<ReturnType<typeof unsettledPayments>>) {
  if (payments === undefined) return [];
  const open = shown.length + left;
  const failure =
    'missing' in payments
      ? payments.missing
      : open > 0
        ? `The facilitator or the payment processor gave no outcome of ${open === 1 ? '1 payment' : `${open} payments`}.`
        : undefined;
  const works = 'Every payment that began has an outcome. One that a facilitator could not verify is an error 5xx above.';
  return [{ name: 'payments', ok: failure === undefined, detail: failure ?? works }];
}

function requestNote({ deployment, insights }: GatewayDependencies, { incomplete, days }: InsightReport): string {
  if (!deployment.insights) return 'Counting is off: "insights" in content/publisher.yaml.';
  if (insights?.isReadable === false) return 'Counts are in the Analytics Engine, which npm run insights reads.';
  const cut = incomplete.length === 0 ? '' : ` Only the first requests were counted on ${incomplete.join(', ')}.`;
  return `${planLine(days)} Clients state themselves who they are.${cut}`;
}

const questions: View = async ({ database, nowMs, deps }) => {
  const { counts } = await readInsights(database, DAYS, nowMs);
  return {
    title: 'Questions',
    lead: `What was asked in the last ${DAYS} days, and what found no answer.`,
    sections: [
      {
        heading: 'Without an answer',
        note: `Write a capsule: each command writes a draft to fill in.${deps.deployment.insights === 'questions' ? '' : ' Texts of questions are kept only with "insights: questions" in publisher.yaml.'}`,
        empty: 'No question was left without an answer.',
        tables: tablesOf(counts, 'questions'),
      },
      { heading: 'Read', empty: 'Nothing was read yet.', tables: tablesOf(counts, 'reading') },
    ],
  };
};

const agents: View = async ({ database, deps, nowMs }) => {
  const records = await readAgents(database, LIST_MAX, nowMs);
  return {
    title: 'Keys',
    lead: 'The newest agents with a key. Suspending an agent revokes all its keys for good.',
    sections: [
      {
        heading: 'Agents',
        note: 'A grant adds a scope to those that an agent asked for. Of keys that were made before 1.15.0, only the keys know these.',
        empty: 'No agents are registered.',
        entries: records.map(({ agent, name, platform, contact, createdAtMs, expiresAtMs, granted, keyScopes = [], isRevoked }) => {
          const subject = `agt_${agent}`;
          const form = (action: string, label: string, values: { readonly scope?: string } = {}): AdminForm => ({
            action: `agents ${action}`,
            subject,
            label,
            values,
            command: commandAt(deps, ['agents --', action, subject, ...Object.values(values)].join(' ')),
          });
          return {
            title: terminalLine(name),
            state: isRevoked ? ({ status: 'failed', label: 'Suspended' } as const) : ({ status: 'passed', label: 'Active' } as const),
            facts: [
              ['Agent', `${subject}${platform === undefined ? '' : `, on ${terminalLine(platform)}`}`] as const,
              ...(contact === undefined ? [] : [['Contact', terminalLine(contact)] as const]),
              ['Registered', `${minuteText(createdAtMs)}, newest key until ${minuteText(expiresAtMs)}`] as const,
              ...(keyScopes.length === 0 ? [] : [['Scopes of its key', keyScopes.join(', ')] as const]),
              ...(granted.length === 0 ? [] : [['Granted', granted.join(', ')] as const]),
            ],
            forms: isRevoked
              ? []
              : [
                  ...GRANTABLE_SCOPES.filter((scope) => granted.includes(scope) || !keyScopes.includes(scope)).map((scope) =>
                    granted.includes(scope) ? form('ungrant', `Withdraw ${scope}`, { scope }) : form('grant', `Grant ${scope}`, { scope }),
                  ),
                  { ...form('revoke', 'Suspend'), isGrave: true as const },
                ],
          };
        }),
      },
    ],
  };
};

const log: View = async ({ database }) => ({
  title: 'Log',
  lead: 'What was done here and by commands, newest first. In a terminal, npm run audit lists the same.',
  sections: [
    {
      heading: 'Actions',
      empty: 'Nothing was done yet.',
      entries: (await newestAuditEntries(database, LIST_MAX)).map(({ atMs, actor, action, subject, isDone, outcome }) => ({
        title: terminalLine(`${action} ${subject}`),
        state: isDone
          ? ({ status: 'passed', label: 'Done' } as const)
          : ({ status: 'failed', label: outcome === undefined ? 'Interrupted' : 'Refused' } as const),
        facts: [[`${minuteText(atMs)}, ${terminalLine(actor)}`, visibleLines(outcome ?? '')] as const],
      })),
    },
  ],
});

const LISTS: Readonly<Record<string, View>> = { '': overview, questions, proposals, orders, messages, agents, log };
const RECORDS: Readonly<Record<string, View>> = { proposals: proposal, orders: order };
