import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findInstructions } from '../../src/text/check/find-instructions.ts';
import { maskCode } from '../../src/text/markdown/markdown-tree.ts';
import { parseText } from '../../src/text/markdown/parse-text.ts';
import { ROOT } from '../support/paths.ts';
import { readSample } from '../support/sample-content.ts';

interface InjectedText {
  readonly split: 'written_on' | 'held_out';
  readonly text: string;
  readonly host?: number;
}

interface Collection {
  readonly hosts: readonly string[];
  readonly injected: readonly InjectedText[];
  readonly harmless: readonly string[];
}

export interface LintReport {
  readonly recall: Readonly<Record<'written_on' | 'held_out', { readonly found: number; readonly of: number }>>;
  /** Harmless sentences, hosts and texts of the publication in which something is found. */
  readonly falsePositives: readonly string[];
  readonly harmless: number;
  readonly published: number;
}

export async function measureLint(): Promise<LintReport> {
  const collection = JSON.parse(await readFile(join(ROOT, 'tests/data/instructions.json'), 'utf8')) as Collection;
  const found = (text: string): boolean => findInstructions(text).length > 0;
  const shown = ({ text, host }: InjectedText): string =>
    host === undefined ? text : (collection.hosts[host] ?? '{}').replace('{}', () => text);
  const ofSplit = (split: InjectedText['split']) => {
    const all = collection.injected.filter((entry) => entry.split === split);
    return { found: all.filter((entry) => found(shown(entry))).length, of: all.length };
  };
  const { capsules, offers, pages } = await readSample();
  const published = [
    ...capsules.flatMap((capsule) => [...capsule.frozen, capsule].map(({ markdown }) => ({ file: capsule.file, markdown }))),
    ...offers,
    ...pages,
  ];
  const harmless = [...collection.harmless, ...collection.hosts.map((host) => host.replace('{}', ''))];
  return {
    recall: { written_on: ofSplit('written_on'), held_out: ofSplit('held_out') },
    falsePositives: [
      ...harmless.filter(found),
      ...published.flatMap(({ file, markdown }) =>
        findInstructions(maskCode(markdown, parseText(markdown))).map(({ line, rule }) => `${file}: text line ${line} ${rule}`),
      ),
    ],
    harmless: harmless.length,
    published: published.length,
  };
}
