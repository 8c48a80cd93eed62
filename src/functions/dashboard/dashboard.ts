import { ActionError } from '../../administration/action-error.ts';
import { changeGrant, GRANTABLE_SCOPES, type GrantableScope, readAgentId, readAgents, revokeAgent } from '../../administration/agents.ts';
import {
  markDone,
  markInvoice,
  orderNamed,
  readAmount,
  readTransaction,
  recordRefund,
  reviewCapsulePayment,
} from '../../administration/orders.ts';
import { acceptInDatabase, rejectProposal, reopenRejected } from '../../administration/proposals.ts';
import { CHARGE_LEASE_MS } from '../../gateway/commerce/orders/complete-session.ts';
import { sendWebhooks } from '../../gateway/commerce/orders/send-webhooks.ts';
import type { TextSales } from '../../gateway/commerce/payments/capsule-paywall.ts';
import { PAYMENT_TIMEOUT_SECONDS } from '../../gateway/commerce/payments/payment-terms.ts';
import { equalInConstantTime, keyedDigest, shortDigest } from '../../gateway/digests-and-base62.ts';
import { capitalized, type InsightReport, planLine } from '../../gateway/insights.ts';
import { networkOf, TokenBuckets } from '../../gateway/limits/token-bucket.ts';
import type { SigningSecret } from '../../gateway/platform-ports.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import type { AdminForm, AdminPage } from '../../http/on-demand-page-props.ts';
import { logError } from '../../http/rate-limits.ts';
import { formBody, isForm, readBody } from '../../http/read-body.ts';
import { fileHeaders } from '../../http/security-headers.ts';
import { accessTokenReader } from '../../platform/cloudflare-access.ts';
import {
  auditEntry,
  closeAdminSession,
  isAdminSessionOpen,
  newestAuditEntries,
  openAdminSession,
  SIGN_INS,
  takeSignIn,
  withAudit,
} from '../../platform/d1/dashboard-sessions-and-audit.ts';
import type { Database } from '../../platform/d1/database.ts';
import { readInsights } from '../../platform/d1/insight-counts.ts';
import { requeueWebhooks, reviewIssues } from '../../platform/d1/order-administration.ts';
import { unsettledPayments } from '../../platform/d1/payment-reservations.ts';
import { listProposals } from '../../platform/d1/proposal-store.ts';
import { type Environment, readSigningSecrets } from '../../platform/environment.ts';
import { toBase64Url, toBytes, toHex } from '../../provenance/bytes-and-sha256.ts';
import { liveStatus } from '../../routes/capsule-routes.ts';
import { PATHS } from '../../schemas/paths.ts';
import { DAY_MS, dayOf, HOUR_MS } from '../../schemas/time.ts';
import { minuteText, terminalLine, visibleLines } from '../../text/terminal-safe-text.ts';
import {
  type Asked,
  DAYS,
  formOf,
  LIST_MAX,
  messages,
  order,
  orders,
  proposal,
  proposals,
  tablesOf,
  type View,
} from './orders-and-proposals.ts';

/** The dashboard of the publisher. `undefined` for an address that is not its own. */
type AdminHandler = (request: Request) => Promise<Response | undefined>;

/** A session ends after this time, whatever is done in it. */
const SESSION_MS = 2 * HOUR_MS;

/** With this prefix browsers send a cookie only to the host that set it, over HTTPS (RFC 6265bis section 4.1.3.2). */
const COOKIE = '__Host-akg-admin';
const COOKIE_VALUE = new RegExp(`(?:^|; )${COOKIE}=([\\w-]{43})\\.([\\w-]{43})(?:;|$)`);

const FORM_MAX_BYTES = 8_000;

const POLICY =
  "default-src 'none'; style-src 'self'; img-src 'self'; font-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";

/** Who is signed in. The credential is a secret of the browser, from which the token of its forms is derived. */
interface Identity {
  readonly actor: string;
  readonly credential: string;
  /** The digest of the session's id; absent at Cloudflare Access, which ends its sessions itself. */
  readonly session?: string;
}

/** The dashboard, which is on where the publisher set `ADMIN_SECRET` or an application of Cloudflare Access; `undefined` where it is off. */
export async function adminHandler(
  environment: Pick<Environment, 'ADMIN_SECRET' | 'ACCESS_TEAM_DOMAIN' | 'ACCESS_AUDIENCE'>,
  database: Database | undefined,
  deps: GatewayDependencies,
): Promise<AdminHandler | undefined> {
  const readAccessToken = accessTokenReader(environment);
  const secret = environment.ADMIN_SECRET ?? '';
  if (readAccessToken === undefined && secret === '') return undefined;
  const place = deps.deployment.keyPrefix === 'akg_live_' ? 'live' : 'local';
  const read = await readSigningSecrets(secret === '' ? undefined : `1:${secret}`, place);
  const key = 'missing' in read ? undefined : read[0];
  if (secret !== '' && key === undefined) console.error(JSON.stringify({ level: 'error', what: 'ADMIN_SECRET is not 32 random bytes' }));
  if (readAccessToken === undefined && key === undefined) return undefined;
  const attempts = new TokenBuckets(SIGN_INS, 10_000);
  const headers = headersOf(deps.deployment);
  const respond = async (page: AdminPage, status: number): Promise<Response> => {
    const html = await deps.renderPage('dashboard', page);
    return new Response(html, { status, headers: { ...headers, 'Content-Type': 'text/html; charset=utf-8' } });
  };
  const goTo = (location: string, cookie?: string): Response =>
    new Response(null, {
      status: 303,
      headers: { ...headers, Location: location, ...(cookie === undefined ? {} : { 'Set-Cookie': cookie }) },
    });
  const refuse = (text: string, status: number): Promise<Response> => respond(signInPage(key !== undefined, text), status);

  const identify = async ({ headers: sent }: Request, state: Database, nowMs: number): Promise<Identity | undefined> => {
    const token = sent.get('cf-access-jwt-assertion') ?? '';
    const email = token === '' ? undefined : await readAccessToken?.(token, nowMs);
    if (email !== undefined) return { actor: email, credential: token };
    const [, id = '', signature = ''] = COOKIE_VALUE.exec(sent.get('cookie') ?? '') ?? [];
    if (key === undefined || id === '') return undefined;
    if (!equalInConstantTime(toBytes(await signatureOf(key, id)), toBytes(signature))) return undefined;
    const session = await shortDigest(id, 32);
    return (await isAdminSessionOpen(state, session, nowMs)) ? { actor: 'dashboard', credential: id, session } : undefined;
  };

  /** Tries the secret of the form. Every attempt counts, in this isolate and in the database. */
  const signIn = async (fields: Readonly<Record<string, unknown>>, request: Request, state: Database, nowMs: number): Promise<Response> => {
    if (key === undefined) return refuse('This dashboard is opened through Cloudflare Access.', 403);
    const network = networkOf(request.headers.get('cf-connecting-ip') ?? undefined);
    const subject = toHex(await keyedDigest(key, 'admin sign-in', toBytes(network))).slice(0, 32);
    const isAllowed = attempts.take(network, nowMs).allowed && (await takeSignIn(state, subject, nowMs));
    if (!isAllowed) {
      const response = await refuse(`Too many attempts. Try again in ${SIGN_INS.windowSeconds / 60} minutes.`, 429);
      response.headers.set('Retry-After', String(SIGN_INS.windowSeconds));
      return response;
    }
    // Digests have one length, so that the comparison tells nothing about the secret.
    const digest = (text: string): Promise<Uint8Array> => keyedDigest(key, 'admin secret', toBytes(text));
    const given = String(fields['secret'] ?? '')
      .trim()
      .slice(0, 1_000);
    if (!equalInConstantTime(await digest(given), await digest(secret))) return refuse('This is not the secret of the dashboard.', 403);
    const id = toBase64Url(deps.randomness.bytes(32));
    const entry = { actor: 'dashboard', action: 'sign in', subject: '', atMs: nowMs };
    const done = await withAudit(state, entry, async () => {
      await openAdminSession(state, await shortDigest(id, 32), nowMs, nowMs + SESSION_MS);
      return [`signed in for ${SESSION_MS / HOUR_MS} hours`];
    });
    if ('error' in done) throw done.error;
    return goTo(PATHS.admin, cookieOf(`${id}.${await signatureOf(key, id)}`, SESSION_MS / 1_000));
  };

  const act = async (fields: Readonly<Record<string, unknown>>, identity: Identity, state: Database, nowMs: number): Promise<string> => {
    const text = (name: string): string => String(fields[name] ?? '').trim();
    const action = text('action');
    const run = Object.hasOwn(ADMIN_ACTIONS, action) ? ADMIN_ACTIONS[action] : undefined;
    const from = /^\/admin(?:\/[\w-]{1,80}){0,2}$/.exec(text('from'))?.[0] ?? PATHS.admin;
    if (run === undefined) return from;
    const subject = text('subject');
    const words = [subject, ...['scope', 'state', 'amount', 'transaction'].map(text)].filter((word) => word !== '');
    const entry = { actor: identity.actor, action, subject: words.join(' '), atMs: nowMs };
    const done = await withAudit(state, entry, () => run({ database: state, deps, subject, value: text, nowMs }));
    if ('error' in done && !(done.error instanceof ActionError)) throw done.error;
    return `${from}?entry=${done.number}`;
  };

  const answer = async (request: Request, url: URL, state: Database): Promise<Response> => {
    const nowMs = deps.clock.nowMs();
    const isReading = request.method === 'GET' || request.method === 'HEAD';
    const body = await readBody(request, deps.deployment.baseUrl, FORM_MAX_BYTES);
    if (!isReading && request.method !== 'POST')
      return new Response(null, { status: 405, headers: { ...headers, Allow: 'GET, HEAD, POST' } });
    const identity = await identify(request, state, nowMs);
    if (isReading) {
      if (identity === undefined) return url.pathname === PATHS.admin ? respond(signInPage(key !== undefined), 200) : goTo(PATHS.admin);
      const session = { actor: identity.actor, token: await formToken(identity), canSignOut: identity.session !== undefined };
      const page = await adminPage(url, { database: state, deps, nowMs }, session);
      const lead = 'There is nothing at this address. What was here may have been deleted.';
      return page === undefined ? respond({ title: 'Not found', lead, path: '', session, sections: [] }, 404) : respond(page, 200);
    }
    const fields = body.ok && isForm(request.headers) ? formBody(body.value) : undefined;
    if (!isFromHere(request, url) || !fields?.ok) return refuse('The form came from another site, or was incomplete.', 403);
    if (url.pathname === `${PATHS.admin}/sign-in`) return signIn(fields.value, request, state, nowMs);
    if (identity === undefined) return refuse('The session has ended. Sign in again.', 403);
    const token = toBytes(String(fields.value['token'] ?? ''));
    if (!equalInConstantTime(token, toBytes(await formToken(identity)))) return refuse('The form is not of this session.', 403);
    if (url.pathname === `${PATHS.admin}/act`) return goTo(await act(fields.value, identity, state, nowMs));
    if (url.pathname !== `${PATHS.admin}/sign-out` || identity.session === undefined) return goTo(PATHS.admin);
    await closeAdminSession(state, identity.session);
    return goTo(PATHS.admin, cookieOf('', 0));
  };

  return async (request) => {
    const url = new URL(request.url);
    if (url.pathname !== PATHS.admin && !url.pathname.startsWith(`${PATHS.admin}/`)) return undefined;
    try {
      if (database !== undefined) return await answer(request, url, database);
    } catch (error) {
      logError(error, 'admin');
    }
    const text = 'The database of the dashboard cannot be reached. Try again later; "npm run doctor" says what is wrong.\n';
    return new Response(text, { status: 503, headers: { ...headers, 'Content-Type': 'text/plain; charset=utf-8', 'Retry-After': '60' } });
  };
}

function headersOf(deployment: GatewayDependencies['deployment']): Record<string, string> {
  return {
    ...Object.fromEntries(fileHeaders(deployment).filter(([name]) => name !== 'Content-Usage')),
    'Content-Security-Policy': POLICY,
    'Cross-Origin-Resource-Policy': 'same-origin',
    'X-Frame-Options': 'DENY',
    'Referrer-Policy': 'no-referrer',
    'X-Robots-Tag': 'noindex, nofollow, noarchive',
    'Cache-Control': 'no-store',
    Vary: 'Cookie',
  };
}

/** Whether a form was sent from a page of this host. With the policy `no-referrer`, the `Origin` of browsers is `null` (Fetch, section 3.1). */
function isFromHere({ headers }: Request, { origin }: URL): boolean {
  const site = headers.get('sec-fetch-site');
  const sender = headers.get('origin');
  if (site !== null) return site === 'same-origin' && (sender === null || sender === 'null' || sender === origin);
  return sender === origin;
}

function cookieOf(value: string, seconds: number): string {
  return `${COOKIE}=${value}; Path=/; Secure; HttpOnly; SameSite=Strict; Max-Age=${seconds}`;
}

async function signatureOf(key: SigningSecret, id: string): Promise<string> {
  return toBase64Url(await keyedDigest(key, 'admin session', toBytes(id)));
}

async function formToken({ credential }: Identity): Promise<string> {
  return shortDigest(`form ${credential}`, 24);
}

interface AdminRequest extends Asked {
  readonly subject: string;
  /** A field of the form, trimmed; empty if it is absent. */
  readonly value: (name: string) => string;
}

/** Webhooks that one request sends; the others are sent later. */
const WEBHOOKS_AT_ONCE = 10;

/** What the dashboard does, by the words of the command that does the same: each returns its lines. @throws {ActionError} If it is refused. */
const ADMIN_ACTIONS: Readonly<Record<string, (request: AdminRequest) => Promise<readonly string[]>>> = {
  'agents revoke': ({ database, subject, nowMs }) => revokeAgent(database, readAgentId(subject), nowMs),
  'agents grant': ({ database, subject, value }) => changeGrant(database, readAgentId(subject), scopeIn(value('scope')), true),
  'agents ungrant': ({ database, subject, value }) => changeGrant(database, readAgentId(subject), scopeIn(value('scope')), false),
  'intake accept': ({ database, subject, nowMs }) => acceptInDatabase(database, subject, nowMs),
  'intake reject': ({ database, subject, value, nowMs }) => rejectProposal(database, subject, value('reason'), nowMs),
  'intake reopen': ({ database, subject }) => reopenRejected(database, subject),
  'orders invoice': ({ database, subject, value, nowMs }) =>
    markInvoice(subject, value('state') === 'closed' ? 'closed' : 'answered', database, nowMs),
  'orders refund': async ({ database, subject, value, nowMs }) => {
    const amount = value('amount') === '' ? undefined : readAmount(value('amount'));
    return recordRefund(await orderNamed(subject, database), amount, database, nowMs);
  },
  'orders done': ({ database, subject, nowMs }) => markDone(subject, database, nowMs),
  'orders payment': ({ database, subject, value, nowMs }) => {
    const named = value('transaction');
    const verdict = named === '' ? { state: 'unpaid' as const } : { state: 'settled' as const, transaction: readTransaction(named) };
    return reviewCapsulePayment(subject, verdict, database, nowMs);
  },
  'orders retry': async ({ database, deps: { commerce, secrets, deployment }, nowMs }) => {
    const { orders, webhooks: deliveries, writeOrderEvent, sendWebhook } = commerce;
    if (orders === undefined || deliveries === undefined || 'missing' in secrets)
      throw new ActionError('webhooks are signed with SIGNING_SECRETS, which is not set');
    const { results } = await requeueWebhooks(database, nowMs).all();
    const sending = { deliveries, orders, writeOrderEvent, sendWebhook, secrets, baseUrl: deployment.baseUrl };
    const { sent } = await sendWebhooks(sending, nowMs, WEBHOOKS_AT_ONCE);
    return [`${sent} of ${results.length} webhooks delivered; those that are left will be retried`];
  },
};

function scopeIn(value: string): GrantableScope {
  const scope = GRANTABLE_SCOPES.find((name) => name === value);
  if (scope === undefined) throw new ActionError(`a scope is one of ${GRANTABLE_SCOPES.join(', ')}`);
  return scope;
}

/** The page that signs in. @param problem Why it was refused. */
function signInPage(hasSecret: boolean, problem?: string): AdminPage {
  return {
    title: 'Sign in',
    path: PATHS.admin,
    ...(hasSecret ? {} : { lead: 'This dashboard is opened through Cloudflare Access.' }),
    ...(problem === undefined ? {} : { message: { isDone: false, text: problem } }),
    sections: [],
  };
}

/** The page of the dashboard at an address; `undefined` for an unknown one. */
async function adminPage({ pathname, searchParams }: URL, asked: Asked, session: NonNullable<AdminPage['session']>) {
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
  const [report, proposals, issues, payments, status, sales] = await Promise.all([
    readInsights(database, DAYS, nowMs),
    listProposals(database, false),
    reviewIssues(database, nowMs - CHARGE_LEASE_MS, 1),
    unsettledPayments(database, nowMs - PAYMENT_TIMEOUT_SECONDS * 1_000, 1),
    liveStatus(deps),
    deps.loadSales(),
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
        entries: [...status.checks, ...paymentCheck(sales, payments)].map(({ name, ok, detail }) => ({
          title: capitalized(name),
          state: ok ? { status: 'passed', label: 'Works' } : { status: 'failed', label: 'Fails' },
          facts: [['', capitalized(detail)]],
        })),
      },
    ],
  };
};

/** What is recorded of facilitator and payment processor: whether each payment that began has an outcome. */
function paymentCheck({ payments }: TextSales, { shown, left }: Awaited<ReturnType<typeof unsettledPayments>>) {
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
          const form = (action: string, label: string, scope?: string): AdminForm =>
            formOf(deps, `agents ${action}`, subject, { label, ...(scope && { values: { scope }, argument: scope }) });
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
                    granted.includes(scope) ? form('ungrant', `Withdraw ${scope}`, scope) : form('grant', `Grant ${scope}`, scope),
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
