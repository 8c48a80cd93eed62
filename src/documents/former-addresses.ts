import { statedTitle } from '../gateway/knowledge/capsule-state.ts';
import { escapeMarkup } from '../publication/markdown/write-markup.ts';
import type { DocumentFile, Publication } from '../publication/publication.ts';
import {
  capsuleApiPath,
  capsuleFilePath,
  capsuleMarkdownPath,
  capsulePath,
  capsuleVersionPath,
  lineageApiPath,
  lineageFilePath,
} from '../schemas/paths.ts';

/** The parts of a publication that former addresses follow from. */
type Renamed = Pick<Publication, 'capsules' | 'deployment'>;

/**
 * Former addresses of capsules that the host redirects, with the present ones: the page, its markdown, the versions that were published under
 * the former id, JSON, lineage, and the API without functions. None where functions serve the pages of capsules, and so redirect.
 */
export function formerAddresses({ capsules, deployment }: Renamed): [from: string, to: string][] {
  if (deployment.capsulePages === 'edge') return [];
  const byId = new Map(capsules.map((capsule) => [capsule.id, capsule]));
  return Object.entries(deployment.formerIds ?? {}).flatMap(([former, id]) => {
    const lineage = byId.get(id)?.lineage.formerly?.find((one) => one.id === former);
    const versions = lineage?.versions.map(({ record }) => record.version) ?? [];
    const addresses: ((capsule: string) => string)[] = [
      capsulePath,
      capsuleMarkdownPath,
      capsuleFilePath,
      lineageFilePath,
      ...versions.map((version) => (capsule: string) => capsuleVersionPath(capsule, version)),
      // Functions answer these.
      ...(deployment.mode === 'static' ? [capsuleApiPath, lineageApiPath] : []),
    ];
    return addresses.map((address): [string, string] => [address(former), address(id)]);
  });
}

/** Pages at the former addresses of pages, for hosts without redirects. */
export function formerPages({ capsules, deployment }: Renamed): DocumentFile[] {
  if (deployment.mode === 'edge') return [];
  const titles = new Map(capsules.map(({ id, metadata }) => [id, statedTitle(metadata)]));
  return Object.entries(deployment.formerIds ?? {}).flatMap(([former, id]): DocumentFile[] => {
    const title = titles.get(id);
    if (title === undefined) return [];
    const page = deployment.baseUrl + capsulePath(id);
    const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${escapeMarkup(title)}</title>
<link rel="canonical" href="${escapeMarkup(page)}">
<meta http-equiv="refresh" content="0; url=${escapeMarkup(capsulePath(id))}">
<meta name="robots" content="noindex">
<p><a href="${escapeMarkup(capsulePath(id))}">${escapeMarkup(title)}</a></p>
</html>
`;
    return [{ path: `${capsulePath(former)}.html`, contentType: 'text/html; charset=utf-8', body }];
  });
}
