/** Bindings and secrets of the Pages project, as wrangler.toml and the dashboard give them. */
export interface Environment {
  /** Blocks of the capsule index. */
  readonly CAPSULES?: KVNamespace;
  /** State that needs uniqueness. */
  readonly STATE?: D1Database;
  /** Static files of the deploy. */
  readonly ASSETS: Fetcher;
  /** The companion, which counts requests for the whole location; see src/companion. */
  readonly LIMITER?: Fetcher;
  /** Dataset of the Analytics Engine in which clicks on checkout links are counted. */
  readonly ANALYTICS?: AnalyticsEngineDataset;
  /** Secrets that keys are signed with; see {@link readSigningSecrets}. */
  readonly SIGNING_SECRETS?: string;
  /** Key of the payment processor, where payments of agents are charged. */
  readonly STRIPE_SECRET_KEY?: string;
  /** One or two secrets, comma-separated, that messages of the payment processor are signed with: two while one is replaced. */
  readonly STRIPE_WEBHOOK_SECRETS?: string;
  /** Address of a stand-in for the payment processor; taken on a loopback address only. */
  readonly STRIPE_API_BASE?: string;
  /** Address of a node of the payment network, which payments with an unknown outcome are looked up at. It may hold a key. */
  readonly PAYMENT_RPC_URL?: string;
}
