import { ProtocolError, ProtocolErrorCode, type Server } from '@modelcontextprotocol/server';
import { SKILLS_EXTENSION_ID, SKILLS_GET_METHOD, SKILLS_LIST_METHOD, type Skill } from '@modelcontextprotocol/server/ext/skills';
import * as z from 'zod';
import { openOrPay } from '../../gateway/commerce/payments/capsule-paywall.ts';
import { readCapsuleMarkdown } from '../../gateway/knowledge/capsule-markdown.ts';
import { isPaid } from '../../gateway/knowledge/capsule-response.ts';
import { withCorpus } from '../../gateway/knowledge/corpus.ts';
import { paidPreview } from '../../gateway/knowledge/paid-text-preview.ts';
import { findCapsule } from '../../gateway/knowledge/read-capsule.ts';
import { ok } from '../../gateway/result.ts';
import { builtDocument } from '../../http/define-route.ts';
import type { GatewayDependencies } from '../../http/gateway-dependencies.ts';
import { readFileText } from '../../http/serve-file.ts';
import type { Deployment } from '../../schemas/deployment.ts';
import { allSections, titleInPlace } from '../../schemas/knowledge/sections.ts';
import { capsuleMarkdownPath, PATHS, pageMarkdownPath, sectionPath } from '../../schemas/paths.ts';
import { Id } from '../../schemas/primitives.ts';
import { MCP_VERSIONS, type McpInput } from './mcp-route.ts';
import { CACHE_HINT } from './serve-request.ts';

const MARKDOWN = 'text/markdown';

const sectionMarkdownPath = (id: string): string => pageMarkdownPath(sectionPath(id));

const FILES = [
  { path: PATHS.llmsTxt, name: 'llms.txt', title: 'Index of the site', mimeType: 'text/plain' },
  { path: PATHS.agentsMd, name: 'AGENTS.md', title: 'How to use the site', mimeType: MARKDOWN },
  { path: PATHS.authMd, name: 'auth.md', title: 'Keys and limits', mimeType: MARKDOWN },
  { path: PATHS.agentSkillsIndex, name: 'agent-skills', title: 'Index of skills', mimeType: 'application/json' },
  { path: PATHS.mirrorManifest, name: 'manifest', title: 'Digests of all texts', mimeType: 'application/json' },
] as const;

/** All but capsules. */
export function listResources(deps: Pick<GatewayDependencies, 'deployment' | 'documents'>) {
  const { baseUrl } = deps.deployment;
  return [
    ...FILES.map(({ path, ...resource }) => ({ uri: baseUrl + path, ...resource })),
    ...allSections(deps.deployment.sections ?? []).map((place) => {
      const { id, introduction: description } = place.section;
      const named = { uri: baseUrl + sectionMarkdownPath(id), name: `section-${id}`, title: titleInPlace(place) };
      return { ...named, ...(description === undefined ? {} : { description }), mimeType: MARKDOWN };
    }),
    ...mcpSkills(deps).map(({ uri, frontmatter: { name, description } }) => {
      return { uri, name, title: `Skill: ${name}`, description, mimeType: MARKDOWN };
    }),
  ];
}

export function resourceTemplates({ baseUrl }: Pick<Deployment, 'baseUrl'>) {
  return [
    {
      uriTemplate: baseUrl + capsuleMarkdownPath('{capsule_id}'),
      name: 'capsule',
      title: 'Capsule',
      description: 'A capsule as markdown: its text, its status and the sources that it names.',
      mimeType: MARKDOWN,
    },
  ];
}

export async function readResource(
  uri: string,
  { degrade, identify }: Pick<McpInput, 'degrade' | 'identify'>,
  deps: GatewayDependencies,
): Promise<{ readonly mimeType: string; readonly text: string } | undefined> {
  const { corpus, deployment } = deps;
  if (!uri.startsWith(`${deployment.baseUrl}/`)) return undefined;
  const path = uri.slice(deployment.baseUrl.length);
  const file = FILES.find((known) => known.path === path);
  const isSection = allSections(deployment.sections ?? []).some(({ section }) => sectionMarkdownPath(section.id) === path);
  if (file !== undefined || isSection || mcpSkills(deps).some((skill) => skill.uri === uri)) {
    const text = await readFileText(path, deps);
    return text === undefined ? undefined : { mimeType: file?.mimeType ?? MARKDOWN, text };
  }
  const id = /^\/capsules\/([^/]+)\.md$/.exec(path)?.[1];
  if (id === undefined || !Id.safeParse(id).success) return undefined;
  const stored = await withCorpus(corpus, () => findCapsule(id, undefined, corpus.newest));
  if (stored.ok && isPaid(stored.value.metadata)) {
    const opened = await withCorpus(corpus, () => openOrPay(stored.value.metadata, { identify }, corpus, deps));
    if (!opened.ok) throw new ProtocolError(ProtocolErrorCode.InternalError, opened.refusal.detail);
    return { mimeType: MARKDOWN, text: opened.value.sold?.markdown ?? paidPreview(stored.value, deployment) };
  }
  // Where the pages of capsules are files, the index does not hold them.
  const filed = await readFileText(path, deps);
  if (filed !== undefined) return { mimeType: MARKDOWN, text: filed };
  const markdown = await readCapsuleMarkdown(id, corpus, deployment, () => degrade('index'));
  return markdown.ok ? { mimeType: MARKDOWN, text: markdown.value } : undefined;
}

/** Most values of a completion (MCP, "Completion"). */
const COMPLETED_MAX = 100;

/** Ids of capsules that begin with a text, in ascending order; with an empty one, the first of all. */
export async function completeCapsuleId(beginning: string, { corpus }: GatewayDependencies) {
  const found = await withCorpus(corpus, async () => ok(await corpus.newest.idsWithPrefix(beginning, COMPLETED_MAX + 1)));
  const ids = found.ok ? found.value : [];
  return { values: ids.slice(0, COMPLETED_MAX), hasMore: ids.length > COMPLETED_MAX };
}

export { SKILLS_EXTENSION_ID };

/** Made at build. Their URIs are addresses of the site, and their files are resources. */
function mcpSkills(deps: Pick<GatewayDependencies, 'documents'>): Skill[] {
  return JSON.parse(builtDocument('mcp_skills', deps).body);
}

/** Skills over MCP (SEP-2640). By hand, because the extension of the library attaches to its other class of servers, which keeps the resources. */
export function addSkillHandlers(server: Server, deps: GatewayDependencies): void {
  // Older revisions have no such members.
  const cache = () => (server.getNegotiatedProtocolVersion() === MCP_VERSIONS[0] ? CACHE_HINT : {});
  server.setRequestHandler(SKILLS_LIST_METHOD, { params: z.looseObject({}) }, () => ({ skills: mcpSkills(deps), ...cache() }));
  server.setRequestHandler(SKILLS_GET_METHOD, { params: z.looseObject({ uri: z.string() }) }, ({ uri }) => {
    const skill = mcpSkills(deps).find((known) => known.uri === uri);
    if (skill === undefined)
      throw new ProtocolError(ProtocolErrorCode.InvalidParams, `No skill is at ${uri}. skills/list names all skills.`);
    return { skill, ...cache() };
  });
}
