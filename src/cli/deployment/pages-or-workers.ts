import * as z from 'zod';
import { type CloudflareApi, CloudflareError } from '../../build/cloudflare-api.ts';
import { readWranglerSettings } from '../../build/wrangler-settings.ts';
import { UserError } from '../../publication/content-problem.ts';
import type { Publisher } from '../../schemas/publisher.ts';

/** What runs the site at Cloudflare: a Pages project or a Worker. Both have the name of wrangler.toml. */
export interface Host {
  readonly kind: string;
  /** The address at Cloudflare, such as `my-site.pages.dev`, and the names of the secrets; `undefined` before it was created. */
  readonly find: () => Promise<{ readonly address: string; readonly secrets: readonly string[] } | undefined>;
  readonly create: (name: string) => Promise<unknown>;
  /** `active` if the domain leads to the site, `undefined` if the host does not have it. */
  readonly domainStatus: (hostname: string) => Promise<string | undefined>;
  /** Absent where a person does it in the dashboard. */
  readonly addDomain?: (hostname: string) => Promise<unknown>;
  readonly setSecret: (name: string, value: string) => Promise<unknown>;
  /** The command of wrangler that does the same, in the folder of the publication. */
  readonly secretCommand: (name: string) => Promise<string>;
}

/** The host of a site, and the one that it has with the other `target`. */
export function hostsOf(root: string, { target }: Publisher, api: CloudflareApi): readonly [Host, Host] {
  const nameOf = async (): Promise<string> => (await readWranglerSettings(root)).project;
  const [pages, worker] = [pagesHost(nameOf, api), workerHost(nameOf, api)];
  return target === 'workers' ? [worker, pages] : [pages, worker];
}

const Project = z.object({
  /** Host of the project at Cloudflare, such as `my-site.pages.dev`. */
  subdomain: z.string(),
  deployment_configs: z.object({
    production: z.looseObject({ env_vars: z.record(z.string(), z.unknown()).nullish(), wrangler_config_hash: z.unknown().optional() }),
  }),
});

const Domains = z.array(z.object({ name: z.string(), status: z.string() }));

/** Code of Cloudflare for a Pages project that does not exist. */
const NO_PROJECT = 8_000_007;

function pagesHost(nameOf: () => Promise<string>, api: CloudflareApi): Host {
  const pathOf = async (): Promise<string> => `/pages/projects/${await nameOf()}`;
  const read = async (): Promise<z.infer<typeof Project> | undefined> => {
    try {
      return Project.parse(await api.request(await pathOf()));
    } catch (error) {
      if (error instanceof CloudflareError && (error.status === 404 || error.codes.includes(NO_PROJECT))) return undefined;
      throw error;
    }
  };
  return {
    kind: 'Pages project',
    find: async () => {
      const found = await read();
      return found && { address: found.subdomain, secrets: Object.keys(found.deployment_configs.production.env_vars ?? {}) };
    },
    create: (name) => api.request('/pages/projects', { method: 'POST', body: { name, production_branch: 'main' } }),
    domainStatus: async (hostname) =>
      Domains.parse(await api.list(`${await pathOf()}/domains`)).find(({ name }) => name === hostname)?.status,
    addDomain: async (name) => api.request(`${await pathOf()}/domains`, { method: 'POST', body: { name } }),
    setSecret: async (name, value) => {
      // The hash says that wrangler.toml has the other settings of the project, as "wrangler pages secret put" keeps it.
      const changed = {
        env_vars: { [name]: { type: 'secret_text', value } },
        wrangler_config_hash: (await read())?.deployment_configs.production.wrangler_config_hash,
      };
      return api.request(await pathOf(), { method: 'PATCH', body: { deployment_configs: { production: changed } } });
    },
    secretCommand: async (name) => `npx wrangler pages secret put ${name}`,
  };
}

/** Answers until the first deployment: secrets and previews need a Worker that is there. */
const PLACEHOLDER = "export default { fetch: () => new Response('Not deployed yet', { status: 503 }) };\n";

/** Code of Cloudflare for a secret of a Worker whose newest version is not online. */
const NEWEST_NOT_ONLINE = 10_215;

/** The requests are those of developers.cloudflare.com/api/resources/workers. */
function workerHost(nameOf: () => Promise<string>, api: CloudflareApi): Host {
  return {
    kind: 'Worker',
    find: async () => {
      const name = await nameOf();
      if (!(await hasWorker(api, name))) return undefined;
      const { subdomain } = z.object({ subdomain: z.string() }).parse(await api.request('/workers/subdomain'));
      return { address: `${name}.${subdomain}.workers.dev`, secrets: await workerSecrets(api, name) };
    },
    create: async (name) => {
      const form = new FormData();
      form.set('metadata', JSON.stringify({ main_module: 'index.js' }));
      form.set('index.js', new File([PLACEHOLDER], 'index.js', { type: 'application/javascript+module' }));
      await api.request(`/workers/scripts/${name}`, { method: 'PUT', body: form });
      return api.request(`/workers/scripts/${name}/subdomain`, { method: 'POST', body: { enabled: true, previews_enabled: true } });
    },
    domainStatus: async (hostname) => {
      const name = await nameOf();
      const domains = z.array(z.object({ hostname: z.string(), service: z.string() })).parse(await api.list('/workers/domains'));
      return domains.some((domain) => domain.hostname === hostname && domain.service === name) ? 'active' : undefined;
    },
    setSecret: async (name, text) => {
      const path = `/workers/scripts/${await nameOf()}/secrets`;
      return api.request(path, { method: 'PUT', body: { name, text, type: 'secret_text' } }).catch((error: unknown) => {
        if (!(error instanceof CloudflareError && error.codes.includes(NEWEST_NOT_ONLINE))) throw error;
        throw new UserError(
          'Cloudflare sets no secret while the newest version of the Worker is a preview: run "npm run deploy" first, or set it in the dashboard, which also puts that version online',
        );
      });
    },
    secretCommand: async (name) => workerCommand(`secret put ${name}`, await nameOf()),
  };
}

export async function hasWorker(api: CloudflareApi, name: string): Promise<boolean> {
  const scripts = z.array(z.object({ id: z.string() })).parse(await api.list('/workers/scripts'));
  return scripts.some(({ id }) => id === name);
}

export async function workerSecrets(api: CloudflareApi, name: string): Promise<string[]> {
  const secrets = z.array(z.object({ name: z.string() })).parse(await api.list(`/workers/scripts/${name}/secrets`));
  return secrets.map((secret) => secret.name);
}

/** A command of wrangler about a Worker, which refuses to run where it finds the wrangler.toml of a Pages project. */
export function workerCommand(command: string, name: string): string {
  return `npx wrangler ${command} --name ${name} --cwd /`;
}
