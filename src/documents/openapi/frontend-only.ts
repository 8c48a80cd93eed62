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

/** Descriptions of operations whose own description tells of what only functions do. */
const FILE_DESCRIPTIONS: Readonly<Record<string, string>> = {
  browseCapsules: 'Short descriptions of all public capsules, newest change first, in one list.',
  getCapsule:
    'Metadata, text, sources and digest of a capsule in its current version. Superseded and retracted capsules stay, with their state and the reason.',
  getCapsuleLineage:
    'The chain of versions with the digest of each record and text, the sources, the signed head, and the graph of capsules that this one rests on and that rest on it, each with its digest and whether its text has that digest. Addresses are root-relative; signatures are empty while no signing key is configured.',
  listChanges:
    'What was added, revised, superseded, retracted, restored or removed, in the order in which it was published, with the digests of records and texts: the whole log. Events tell of content: heads and the manifest are also issued and signed again every month and after a change of keys, without an event. The manifest states what the whole corpus is now, and where it can be had as a bundle.',
};

/**
 * The document of a deployment without functions: the live one without edge operations, without parameters of query and
 * header, without the security scheme, and with every operation at the address of its file. A file has one form, no headers
 * that could be promised, and no errors but the host's own 404.
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
  const used = new Set(Object.values(paths).flatMap((item) => Object.values(item).flatMap(({ tags }) => tags)));
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
  const wanted = new Set<string>();
  const visit = (value: unknown): void => {
    for (const [, kind = '', name = ''] of JSON.stringify(value ?? null).matchAll(/"\$ref":"#\/components\/([^/"]+)\/([^"]+)"/g)) {
      const key = `${kind}/${name}`;
      if (wanted.has(key)) continue;
      wanted.add(key);
      visit(components[kind as ComponentKind]?.[name]);
    }
  };
  visit(paths);
  const kept = Object.entries(components).map(
    ([kind, entries]) => [kind, Object.fromEntries(Object.entries(entries).filter(([name]) => wanted.has(`${kind}/${name}`)))] as const,
  );
  return Object.fromEntries(kept.filter(([, entries]) => Object.keys(entries).length > 0));
}
