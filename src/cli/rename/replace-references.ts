import { isMap, isScalar, isSeq, parseDocument } from 'yaml';
import { resolveLink, type TextAddresses } from '../../publication/links/resolve-link.ts';
import { walk } from '../../publication/lint/markdown.ts';
import { parseText } from '../../publication/markdown/parse-text.ts';
import { splitFrontMatter } from '../capsules/capsule-file.ts';

/** What has another name now. */
export interface Renaming {
  /** Former and present address, such as `/capsules/a` and `/capsules/b`. */
  readonly address: readonly [from: string, to: string];
  /** Former and present file. */
  readonly file: readonly [from: string, to: string];
  /** Former and present id. */
  readonly id: readonly [from: string, to: string];
  /** Where front matter names such an id: `*` is any position in a list. */
  readonly fields: readonly (readonly string[])[];
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/**
 * A content file with the present name in its front matter and its links; every other byte stays.
 *
 * @param path The file, from the root.
 */
export function replaceReferences(path: string, raw: string, renaming: Renaming): string {
  const { frontMatter, rest } = path.endsWith('.md') ? splitFrontMatter(raw) : { frontMatter: raw, rest: '' };
  const yaml = frontMatter.replace(/^---[ \t]*\r?\n/, '').replace(/\n---[ \t]*$/, '\n');
  const offset = frontMatter.indexOf(yaml);
  return (
    frontMatter.slice(0, offset) +
    apply(yaml, fieldReplacements(yaml, renaming)) +
    frontMatter.slice(offset + yaml.length) +
    apply(rest, linkReplacements(path, rest, renaming))
  );
}

function apply(text: string, replacements: readonly Replacement[]): string {
  let changed = text;
  for (const { start, end, text: inserted } of [...replacements].sort((a, b) => b.start - a.start))
    changed = changed.slice(0, start) + inserted + changed.slice(end);
  return changed;
}

function fieldReplacements(yaml: string, { id: [from, to], fields }: Renaming): Replacement[] {
  const found: Replacement[] = [];
  const visit = (node: unknown, path: readonly string[]): void => {
    const [name, ...inner] = path;
    if (isScalar(node) && name === undefined && node.value === from && node.range) {
      const [start, end] = node.range;
      found.push({ start, end, text: yaml.slice(start, end).replace(from, to) });
    } else if (isSeq(node) && name === '*') for (const item of node.items) visit(item, inner);
    else if (isMap(node) && name !== undefined) visit(node.get(name, true), inner);
  };
  const { contents } = parseDocument(yaml, { logLevel: 'silent' });
  for (const field of fields) visit(contents, field);
  return found;
}

function linkReplacements(path: string, text: string, renaming: Renaming): Replacement[] {
  const [from, to] = renaming.address;
  const files: TextAddresses = new Map([[renaming.file[0], from]]);
  const found: Replacement[] = [];
  walk(parseText(text), (node) => {
    const start = node.position?.start.offset;
    const end = node.position?.end.offset;
    if (start === undefined || end === undefined) return;
    const source = text.slice(start, end);
    if (node.type === 'html') {
      for (let at = source.indexOf(from); at !== -1; at = source.indexOf(from, at + from.length))
        if (/^(?:[/?#"')\s]|\.md\b)/.test(source.slice(at + from.length)))
          found.push({ start: start + at, end: start + at + from.length, text: to });
    } else if (node.type === 'link' || node.type === 'definition') {
      const at = source.lastIndexOf(node.url);
      const url = newUrl(node.url, path, files, renaming);
      if (at >= 0 && url !== undefined) found.push({ start: start + at, end: start + at + node.url.length, text: url });
    }
  });
  return found;
}

/** The link with the present name; `undefined` if it leads elsewhere. */
function newUrl(url: string, path: string, files: TextAddresses, { address: [from, to], file, id }: Renaming): string | undefined {
  const target = resolveLink(url, path, files);
  if (target.kind === 'address') {
    const rest = url.slice(from.length);
    return url.startsWith(from) && /^($|[/?#]|\.md\b)/.test(rest) ? to + rest : undefined;
  }
  if (target.kind !== 'text' || target.file !== file[0]) return undefined;
  const [written = ''] = /^[^?#]*/.exec(url) ?? [];
  const at = written.lastIndexOf(id[0]);
  return at < 0 ? undefined : written.slice(0, at) + id[1] + written.slice(at + id[0].length) + url.slice(written.length);
}
