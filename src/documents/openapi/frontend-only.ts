import type { Route } from '../../http/define-route.ts';
import {
  type ComponentKind,
  type Components,
  componentRef,
  type OpenApiObject,
  type OperationObject,
  type ResponseObject,
} from './document.ts';
import { MISSING_FILE } from './operation.ts';

/** Descriptions of files, instead of those that mention functions. */
const FILE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  browseCapsules: 'Summaries of all public capsules, most recently changed first, in one list.',
  getCapsule:
    'Metadata, text and digest of a capsule in its current version. Superseded and retracted capsules remain, with their status and the reason.',
  getCapsuleLineage:
    'The chain of versions with the digest of each record and text, the head, and the graph of capsules that this one builds on and that build on it, each with its digest and whether its text matches. Addresses are root-relative; signatures are empty if no signing key is configured.',
  listChanges:
    'The whole log of what was added, revised, superseded, retracted, restored or removed, in the order of publication, with the digests of records and texts. Events are about content: heads and the manifest are also issued again every month and after a change of keys, without an event. The manifest describes the whole corpus as it is now and where to download it as a bundle.',
};

/**
 * The document of a frontend-only deployment: without edge operations, query and header parameters and security scheme, and with every
 * operation at the address of its file. A file has one media type, no guaranteed headers, and no error except the host's own 404.
 */
export function asFrontendOnly(live: OpenApiObject, table: readonly Route[]): OpenApiObject {
  const paths: Record<string, Record<string, OperationObject>> = {};
  for (const route of table) {
    const method = route.method.toLowerCase();
    const operation = live.paths[route.path]?.[method];
    if (operation === undefined || route.edge) continue;
    const path = route.staticPath ?? route.path;
    paths[path] = { ...paths[path], [method]: asFile(operation) };
  }
  const { securitySchemes: _securitySchemes, ...components } = live.components;
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags = [] }) => tags)));
  return { ...live, tags: live.tags.filter(({ name }) => used.has(name)), paths, components: reachable(components, paths) };
}

function asFile({ parameters = [], requestBody: _requestBody, ...operation }: OperationObject): OperationObject {
  const inPath = parameters.filter((parameter) => parameter.in === 'path');
  const success = Object.entries(operation.responses).filter(
    (entry): entry is [string, ResponseObject] => entry[0].startsWith('2') && 'description' in entry[1],
  );
  return {
    ...operation,
    description: FILE_DESCRIPTIONS[operation.operationId] ?? operation.description,
    ...(inPath.length === 0 ? {} : { parameters: inPath }),
    responses: {
      ...Object.fromEntries(
        success.map(([status, { description, content = {} }]) => [
          status,
          { description, content: Object.fromEntries(Object.entries(content).slice(0, 1)) },
        ]),
      ),
      '404': componentRef('responses', MISSING_FILE),
    },
  };
}

/** Components that the paths refer to, directly or through each other. */
export function reachable(components: Components, paths: unknown): Components {
  const used = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value ?? null).matchAll(/"\$ref":"#\/components\/([^/"]+)\/([^"]+)"/g)) {
      const key = `${kind}/${name}`;
      if (used.has(key)) continue;
      used.add(key);
      visit(components[kind as ComponentKind]?.[name]);
    }
  };
  visit(paths);
  const kept = Object.entries(components).map(
    ([kind, entries]) => [kind, Object.fromEntries(Object.entries(entries).filter(([name]) => used.has(`${kind}/${name}`)))] as const,
  );
  return Object.fromEntries(kept.filter(([, entries]) => Object.keys(entries).length > 0));
}
