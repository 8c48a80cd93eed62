import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseDocument } from 'yaml';
import { ENGINE_PACKAGE } from '../../build/engine.ts';

/** A change that a version of the engine asks of publications made for earlier ones. */
export interface Migration {
  /** The version that asks for it. */
  readonly version: string;
  /** What it does, as a sentence. */
  readonly title: string;
  /**
   * Changes files of the publication at `root`, unless they have it already.
   *
   * @returns What was changed, a line for each file; nothing if nothing needed a change. With `isTrial`, what would be.
   */
  readonly apply: (root: string, isTrial: boolean) => Promise<readonly string[]>;
}

/** All migrations, oldest first. None overwrites what a publisher wrote: they add lines, or replace lines that the engine wrote. */
export const MIGRATIONS: readonly Migration[] = [
  {
    version: '1.1.0',
    title: 'The engine is a package: wrangler.toml names its database migrations there.',
    apply: (root, isTrial) =>
      editFile(root, 'wrangler.toml', isTrial, (text) =>
        text.replace(
          /^(\s*migrations_dir\s*=\s*)"src\/platform\/d1\/migrations"/m,
          `$1"node_modules/${ENGINE_PACKAGE}/lib/platform/d1/migrations"`,
        ),
      ),
  },
  {
    version: '1.1.0',
    title: 'House rules for texts are off unless publisher.yaml sets them: the rules of earlier versions are written there.',
    apply: (root, isTrial) =>
      editFile(root, 'content/publisher.yaml', isTrial, (text) =>
        parseDocument(text).has('editorial') ? text : `${text.replace(/\n*$/, '\n')}\n${EARLIER_RULES}`,
      ),
  },
];

/** The rules that versions before 1.1.0 applied to every publication. */
const EARLIER_RULES = `# House rules for texts, each off, warn or error (node_modules/agent-knowledge-gateway/docs/writing-capsules.md).
editorial:
  words: { level: error, min: 200, max: 900 }
  page_words: { level: error, min: 30, max: 4000 }
  offer_words: { level: error, min: 40, max: 4000 }
  title_length: { level: error, min: 8, max: 110 }
  summary_length: { level: error, min: 60, max: 280 }
  description_length: { level: error, min: 50, max: 200 }
  tags: { level: error, min: 2, max: 6 }
  sources: { level: error, min: 1, max: 8 }
  cited_sources: error
  complete_front_matter: error
  heading_levels: error
  code_languages: error
  html: error
  images: error
  footnotes: error
  https_links: error
  address_links: error
  broken_links: error
  unknown_fields: error
  hidden_characters: error
  instructions: error
`;

async function editFile(root: string, path: string, isTrial: boolean, edit: (text: string) => string): Promise<string[]> {
  const text = await readFile(join(root, path), 'utf8').catch(() => undefined);
  if (text === undefined) return [];
  const edited = edit(text);
  if (edited === text) return [];
  if (!isTrial) await writeFile(join(root, path), edited);
  return [path];
}
