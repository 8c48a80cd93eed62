import type { Deployment } from '../../schemas/deployment.ts';
import type { Publisher } from '../../schemas/publisher.ts';
import type { Content } from '../authored-content.ts';
import type { PublishedCapsule, PublishedVersion } from './published-capsules.ts';

/** How paid capsules are paid in a build; `undefined` if they cannot be, without functions or without payment settings. */
export function paymentsIn({ payments }: Publisher, mode: Deployment['mode']): Publisher['payments'] {
  return mode === 'edge' ? payments : undefined;
}

/** The content that a build publishes: paid capsules only where they can be paid. */
export function payableContent(content: Content, mode: Deployment['mode']): Content {
  if (paymentsIn(content.publisher, mode) !== undefined) return content;
  return { ...content, capsules: content.capsules.filter(({ frontMatter }) => frontMatter.access === 'public') };
}

/** How much content a build publishes, and what it leaves out. */
export function contentLine(content: Content, mode: Deployment['mode']): string {
  const { capsules, offers, pages, draftCount } = content;
  const published = payableContent(content, mode).capsules.length;
  const omitted = capsules.length - published;
  const reason = mode === 'static' ? 'a frontend-only site takes no payments' : 'content/publisher.yaml has no "payments"';
  const note = omitted === 0 ? '' : `; ${omitted} paid ${omitted === 1 ? 'capsule is' : 'capsules are'} left out: ${reason}`;
  const drafts = draftCount === 0 ? '' : `; ${draftCount} ${draftCount === 1 ? 'draft is' : 'drafts are'} left out`;
  const counts = [counted(published, 'capsule'), counted(offers.length, 'offer'), counted(pages.length, 'page')];
  return `content: ${counts.join(', ')}${note}${drafts}`;
}

const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;

/** One version as everybody may read it: without a text that is sold. */
export interface FreeVersion extends Pick<PublishedVersion, 'metadata'> {
  readonly markdown?: string;
}

/** A capsule as everybody may read it. */
export interface FreeCapsule extends Omit<PublishedCapsule, 'markdown' | 'versions'>, FreeVersion {
  readonly versions: readonly FreeVersion[];
}

/** The part of a capsule for files and pages: everything but texts that are sold. */
export function freePart(capsule: PublishedCapsule): FreeCapsule {
  const { markdown: _text, references, sections, versions, ...rest } = capsule;
  const isFree = capsule.metadata.access === 'public';
  const ofText = { ...(isFree && references ? { references } : {}), ...(isFree && sections ? { sections } : {}) };
  return { ...rest, ...freeVersion(capsule), ...ofText, versions: versions.map(freeVersion) };
}

function freeVersion({ metadata, markdown }: PublishedVersion): FreeVersion {
  return metadata.access === 'public' ? { metadata, markdown } : { metadata };
}
