import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { findInstructions } from '../../src/text/check/find-instructions.ts';
import { maskCode } from '../../src/text/markdown/markdown-tree.ts';
import { parseText } from '../../src/text/markdown/parse-text.ts';
import { newScript } from '../support/campaign.ts';
import { ROOT } from '../support/paths.ts';
import { readSample } from '../support/sample-content.ts';

interface InjectedText {
  readonly id: string;
  readonly split: 'written_on' | 'held_out';
  readonly family: string;
  readonly language: string;
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
  readonly missed: readonly string[];
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
    missed: collection.injected.filter((entry) => !found(shown(entry))).map(({ id, text }) => `${id} ${text}`),
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

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  newScript(
    'eval:lint',
    'Measure how many texts that instruct a reader the lint rules find, and how many harmless texts they flag.',
  ).parse();
  const { recall, missed, falsePositives, harmless, published } = await measureLint();
  const share = ({ found, of }: { found: number; of: number }): string => `${found} of ${of} (${((100 * found) / of).toFixed(1)} %)`;
  console.log(`found, of the half that the rules were written on: ${share(recall.written_on)}`);
  console.log(`found, of the half that was held out:             ${share(recall.held_out)}`);
  for (const text of missed) console.log(`  missed: ${text.replaceAll('\n', ' / ')}`);
  console.log(`false positives: ${falsePositives.length} in ${harmless} harmless texts and ${published} texts of the publication`);
  for (const text of falsePositives) console.log(`  ${text}`);
}
