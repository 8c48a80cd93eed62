import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { taggedDocuments } from '../../documents/document-files.ts';
import { startRanking } from '../../gateway/knowledge/corpus.ts';
import type { Route } from '../../http/define-route.ts';
import type { FunctionDocuments } from '../../http/gateway-dependencies.ts';
import { createGateway, type Gateway } from '../../http/mount.ts';
import type { RenderPage } from '../../http/on-demand-pages.ts';
import { blockDigest } from '../../platform/block-stores.ts';
import type { Environment } from '../../platform/environment.ts';
import { gatewayDependencies } from '../../platform/gateway-dependencies.ts';
import { PROTOCOL_ADAPTERS } from '../../protocols/protocols.ts';
import { functionPaths, routeTable } from '../../routes/route-table.ts';
import { PATHS } from '../../schemas/paths.ts';
import { compiledKernel } from '../content/make-publication.ts';
import { settingIn } from '../local/local-stores.ts';
import type { LiveState } from './live-publication.ts';

/** Names of the secrets that functions read. */
const SECRETS = [
  'SIGNING_SECRETS',
  'STRIPE_SECRET_KEY',
  'STRIPE_WEBHOOK_SECRETS',
  'STRIPE_API_BASE',
  'PAYMENT_RPC_URL',
] as const satisfies readonly (keyof Environment)[];

/** Bindings of the development server besides the blocks, which are in memory. */
export interface LiveBindings extends Partial<Record<(typeof SECRETS)[number], string>> {
  readonly STATE: unknown;
  /** Files and pages of the site. */
  readonly ASSETS: { readonly fetch: (request: Request | string) => Promise<Response> };
}

/** The secrets of `.dev.vars`, as functions get them from wrangler. */
export async function localSecrets(root: string): Promise<Omit<LiveBindings, 'STATE' | 'ASSETS'>> {
  const text = await readFile(join(root, '.dev.vars'), 'utf8').catch(() => '');
  return Object.fromEntries(
    SECRETS.flatMap((name) => {
      const value = settingIn(text, name);
      return value === undefined ? [] : [[name, value]];
    }),
  );
}

/** The gateway over one state of the publication: the code of the functions, in this process. */
export class LiveGateway {
  readonly #state: LiveState;
  readonly #environment: Environment;
  readonly #renderPage: RenderPage;
  readonly #table: readonly Route[];
  readonly #paths: readonly string[];
  readonly #gateways = new Map<boolean, Promise<Gateway>>();

  constructor(state: LiveState, bindings: LiveBindings, renderPage: RenderPage) {
    this.#state = state;
    this.#renderPage = renderPage;
    this.#environment = { ...bindings, CAPSULES: memoryNamespace(state.made.generation.blocks) } as Environment;
    this.#table = routeTable(state.made.deployment);
    this.#paths = functionPaths(this.#table);
  }

  /** Whether Pages would send a path to functions. */
  serves(path: string): boolean {
    return this.#paths.some((pattern) => (pattern.endsWith('/*') ? `${path}/`.startsWith(pattern.slice(0, -1)) : path === pattern));
  }

  async respond(request: Request): Promise<Response> {
    const gateway = await this.#gateway(needsDocuments(new URL(request.url).pathname));
    return gateway(request, (work) => void work.catch(() => undefined));
  }

  #gateway(withDocuments: boolean): Promise<Gateway> {
    let gateway = this.#gateways.get(withDocuments);
    if (gateway === undefined) {
      gateway = this.#make(withDocuments);
      this.#gateways.set(withDocuments, gateway);
    }
    return gateway;
  }

  async #make(withDocuments: boolean): Promise<Gateway> {
    const { deployment, generation } = this.#state.made;
    const ranking = startRanking(await compiledKernel(), generation.manifest.index.documents);
    const documents = withDocuments ? await taggedDocuments(await this.#state.publication()) : ({} as FunctionDocuments);
    const dependencies = await gatewayDependencies(this.#environment, deployment, generation, ranking, PROTOCOL_ADAPTERS);
    return createGateway({ ...dependencies, documents, renderPage: this.#renderPage }, this.#table);
  }
}

/** Operations that answer from the index alone, and so at once after a change: documents of a large corpus take seconds to make. */
const WITHOUT_DOCUMENTS: readonly string[] = [
  PATHS.search,
  ...['query', 'register', 'capsule', 'keys'].map((name) => `${PATHS.gateway}/${name}`),
  ...['browse', 'status'].map((name) => `${PATHS.publicCapsules}/${name}`),
];

function needsDocuments(path: string): boolean {
  return !WITHOUT_DOCUMENTS.some((operation) => path === operation || path.startsWith(`${operation}/`));
}

/** Blocks as functions read them from KV. */
function memoryNamespace(blocks: ReadonlyMap<string, Uint8Array>): unknown {
  const read = (key: string): Uint8Array | undefined => blocks.get(blockDigest(key));
  return {
    get: async (keys: string | readonly string[]): Promise<unknown> => {
      if (typeof keys === 'string') return read(keys)?.slice().buffer ?? null;
      return new Map(
        keys.map((key) => {
          const bytes = read(key);
          return [key, bytes === undefined ? null : new TextDecoder().decode(bytes)];
        }),
      );
    },
  };
}
