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
  /** Secrets that keys are signed with; see {@link readSigningSecrets}. */
  readonly SIGNING_SECRETS?: string;
}
