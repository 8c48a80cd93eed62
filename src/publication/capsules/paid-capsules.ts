import type { Deployment } from '../../schemas/deployment.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { Content } from '../content.ts';
import type { PublishedCapsule, PublishedVersion } from './published-capsules.ts';

/** How paid capsules are paid in a build, if they can be: it takes functions, and settings of the publisher. */
export function paymentsIn({ payments }: Publisher, mode: Deployment['mode']): Publisher['payments'] {
  return mode === 'edge' ? payments : undefined;
}

/**
 * The content that a build publishes: paid capsules are part of it only where they can be paid.
 */
export function payableContent(content: Content, mode: Deployment['mode']): Content {
  if (paymentsIn(content.publisher, mode) !== undefined) return content;
  return { ...content, capsules: content.capsules.filter(({ frontMatter }) => frontMatter.access === 'public') };
}

/** One version as everybody may read it: without its text if that is sold. */
export interface FreeVersion extends Pick<PublishedVersion, 'metadata'> {
  readonly markdown?: string;
}

/** A capsule as everybody may read it. */
export interface FreeCapsule extends Omit<PublishedCapsule, 'markdown' | 'versions'>, FreeVersion {
  readonly versions: readonly FreeVersion[];
}

/** What of a capsule is in files and on pages: everything but a text that is sold. */
export function freePart(capsule: PublishedCapsule): FreeCapsule {
  const { markdown: _text, versions, ...rest } = capsule;
  return { ...rest, ...freeVersion(capsule), versions: versions.map(freeVersion) };
}

function freeVersion({ metadata, markdown }: PublishedVersion): FreeVersion {
  return metadata.access === 'public' ? { metadata, markdown } : { metadata };
}
