import type { AgentStore, RegistrationStore } from '../gateway/agents/agent-ports.ts';
import type { AgentRegistry } from '../gateway/agents/register-agent.ts';
import type { RevocationList } from '../gateway/agents/revocation-list.ts';
import type { OrderStore } from '../gateway/commerce/cart/checkout-ports.ts';
import type { CommerceDependencies, InvoiceStore, PaymentWebhookReader } from '../gateway/commerce/orders/order-ports.ts';
import type { TextSales } from '../gateway/commerce/payments/capsule-paywall.ts';
import type { Insights } from '../gateway/insights.ts';
import type { ProposalStore, QueueCounts } from '../gateway/intake/proposal-queue.ts';
import type { Corpus } from '../gateway/knowledge/corpus.ts';
import type { DatabaseCheck, StatusHistory } from '../gateway/knowledge/report-status.ts';
import type { TokenBuckets } from '../gateway/limits/token-bucket.ts';
import type { CachedRead } from '../gateway/memory-caches.ts';
import type {
  Clock,
  DocumentCache,
  IdentifyAgent,
  KeyBindings,
  LocationLimiter,
  Quotas,
  Randomness,
  SigningSecrets,
  TaggedDocument,
} from '../gateway/platform-ports.ts';
import { ok, type Result, refuse } from '../gateway/result.ts';
import type { PublishedBudget } from '../schemas/agents.ts';
import type { Deployment } from '../schemas/deployment.ts';
import type { Features } from '../schemas/feature-switches.ts';
import type { RateLimitName } from '../schemas/limits.ts';
import type { RenderPage } from './on-demand-page-props.ts';

export type PublishedDocument = TaggedDocument;

/** A document made at build whose text is a file of the site: as code it would be a seventh of the functions (gzip). */
export interface FiledDocument extends Omit<PublishedDocument, 'body'> {
  readonly file: string;
}

export type FunctionDocuments<Document = PublishedDocument> = Readonly<
  Record<'capabilities' | 'intake' | 'openApi' | 'corpusManifest', Document> & Record<string, Document>
>;

/** Documents that functions serve, of which a deployment has large ones as files. */
export type DeployedDocuments = Readonly<
  Record<'capabilities' | 'intake' | 'corpusManifest', PublishedDocument> & Record<string, PublishedDocument | FiledDocument>
>;

/** What handlers work with. One object serves an isolate; nothing in it belongs to a request. A handler names what it needs. */
export interface GatewayDependencies {
  readonly corpus: Corpus;
  readonly checkDatabase: DatabaseCheck;
  readonly statusHistory: StatusHistory;

  readonly secrets: SigningSecrets | { readonly missing: string };
  readonly registrations: RegistrationStore | undefined;
  readonly agents: AgentStore | undefined;
  readonly revocations: RevocationList;
  readonly registry: AgentRegistry;

  readonly commerce: CommerceDependencies;
  readonly loadSales: () => Promise<TextSales>;

  readonly proposals: ProposalStore | undefined;
  readonly intakeQueue: CachedRead<QueueCounts>;

  /** Idempotency keys; `undefined` when no database is bound. */
  readonly keys: KeyBindings | undefined;
  /** Quotas counted by the database and reported in response headers; `undefined` without database or secret. */
  readonly quotas: Quotas | undefined;
  /** Counts what is asked; `undefined` without a database, and where the publisher switched it off. */
  readonly insights?: Insights | undefined;
  readonly identifyAgent?: IdentifyAgent | undefined;
  /** Limits of agents that sign their requests, by their origins. */
  readonly agentLimiters: ReadonlyMap<string, TokenBuckets>;
  readonly budgets: CachedRead<readonly PublishedBudget[]>;
  /** `undefined` while a benchmark has lifted the limits. */
  readonly limiters: Readonly<Record<RateLimitName, TokenBuckets>> | undefined;
  readonly location: LocationLimiter | undefined;

  readonly deployment: Deployment;
  readonly features: Features;
  readonly documents: DeployedDocuments;
  readonly clock: Clock;
  readonly randomness: Randomness;
  /** The static file at the address of the request. @throws If the host of the files does not respond. */
  readonly serveFile: (request: Request) => Promise<Response>;
  readonly renderPage: RenderPage;
  /** Documents of capsules that were made for this deployment; absent where nothing keeps them. */
  readonly documentCache?: DocumentCache | undefined;
}

interface Provided {
  readonly secrets: { readonly secrets: SigningSecrets };
  readonly quotas: { readonly quotas: Quotas };
  readonly agents: { readonly agents: AgentStore };
  readonly proposals: { readonly proposals: ProposalStore };
  readonly orders: { readonly agents: AgentStore; readonly commerce: { readonly orders: OrderStore; readonly invoices: InvoiceStore } };
  readonly paymentWebhook: { readonly commerce: { readonly readPaymentWebhook: PaymentWebhookReader } };
}
export type Need = keyof Provided;

type Intersection<T> = (T extends unknown ? (part: T) => void : never) extends (whole: infer All) => void ? All : never;

export type DependenciesWith<Needs extends Need> = GatewayDependencies & Intersection<Provided[Needs]>;

const NO_DATABASE = 'No database is bound to this deployment.';

interface NeedCheck {
  readonly error: 'not_configured' | 'state_unavailable';
  readonly lackOf: (deps: GatewayDependencies) => string | undefined;
}

export const NEEDS: Readonly<Record<Need, NeedCheck>> = {
  secrets: { error: 'not_configured', lackOf: ({ secrets }) => ('missing' in secrets ? secrets.missing : undefined) },
  quotas: { error: 'not_configured', lackOf: ({ quotas }) => (quotas ? undefined : 'This deployment counts no quotas.') },
  agents: { error: 'not_configured', lackOf: ({ agents }) => (agents ? undefined : NO_DATABASE) },
  proposals: { error: 'not_configured', lackOf: ({ proposals }) => (proposals ? undefined : NO_DATABASE) },
  orders: {
    error: 'state_unavailable',
    lackOf: ({ agents, commerce: { orders, invoices } }) => (agents && orders && invoices ? undefined : NO_DATABASE),
  },
  paymentWebhook: {
    error: 'not_configured',
    lackOf: ({ commerce: { readPaymentWebhook: reader } }) => ('missing' in reader ? reader.missing : undefined),
  },
};

export function provide<Needs extends Need>(needs: readonly Needs[], deps: GatewayDependencies): Result<DependenciesWith<Needs>> {
  for (const need of needs) {
    const { error, lackOf } = NEEDS[need];
    const lack = lackOf(deps);
    if (lack !== undefined) return refuse(error, lack);
  }
  return ok(deps as DependenciesWith<Needs>);
}
