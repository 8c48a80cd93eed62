import type { CapsuleMetadata } from '../schemas/knowledge/capsule.ts';
import { formatDay } from './format.ts';

/** What a citation needs to know besides the capsule. */
export interface CitedAt {
  readonly publisher: string;
  /** Absolute address of the capsule's page. */
  readonly url: string;
}

/** A citation as plain text. The digest names the exact words that were read. */
export function plainCitation(capsule: CapsuleMetadata, { publisher, url }: CitedAt): string {
  return `${publisher}. “${capsule.title}.” Version ${capsule.version}, ${formatDay(capsule.updated)}. ${url} (SHA-256 ${capsule.content_sha256.slice(0, 16)}…).`;
}

/** The same as a BibTeX entry. */
export function bibtexCitation(capsule: CapsuleMetadata, { publisher, url }: CitedAt): string {
  const [year, month] = capsule.updated.split('-');
  const fields: [string, string][] = [
    ['author', `{${escapeTex(publisher)}}`],
    ['title', `{${escapeTex(capsule.title)}}`],
    ['year', year ?? ''],
    ['month', String(Number(month))],
    ['version', capsule.version],
    ['url', url],
    ['note', `SHA-256 ${capsule.content_sha256}`],
  ];
  return `@misc{${capsule.capsule_id},\n${fields.map(([name, value]) => `  ${name} = {${value}},`).join('\n')}\n}`;
}

function escapeTex(text: string): string {
  return text.replace(/[\\{}$&#^_~%]/g, (character) => (character === '\\' ? '\\textbackslash{}' : `\\${character}`));
}
