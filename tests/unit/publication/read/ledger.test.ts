import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import {
  EMPTY_LEDGER,
  extendLedger,
  LEDGER_FILE,
  type LedgerVersion,
  publishedVersion,
  readLedger,
  writeLedger,
} from '../../../../src/publication/read/version-ledger.ts';
import { readContent } from '../../../../src/publication/read-content.ts';
import { offer, problemsOf, publisher, TODAY, writeWorld } from '../content-world.ts';

const run = promisify(execFile);

const version = (capsule: string, number = '1.0.0', digit = 'a'): LedgerVersion => ({
  capsule,
  version: number,
  updated: '2026-11-02',
  created: '2026-11-01',
  text: digit.repeat(64),
  record: digit.repeat(64),
});

const line = (entry: object): string => `${JSON.stringify(entry)}\n`;

describe('the ledger', () => {
  it('is read as it was written, sorted by id and version number', async () => {
    const root = await writeWorld();
    const ledger = extendLedger(EMPTY_LEDGER, [
      ...[version('b', '1.10.0'), version('b', '1.9.0'), version('a')],
      { capsule: 'c', taken_down: '2026-11-20', reason: 'A court ordered it.', legal: true },
      { offer: 'z', published: '2026-11-02' },
    ]);
    await writeLedger(root, ledger);
    const lines = (await readFile(join(root, LEDGER_FILE), 'utf8')).trimEnd().split('\n');
    expect(lines.map((text) => Object.values(JSON.parse(text)).slice(0, 2))).toEqual([
      ['a', '1.0.0'],
      ['b', '1.9.0'],
      ['b', '1.10.0'],
      ['c', '2026-11-20'],
      ['z', '2026-11-02'],
    ]);
    const read = await readLedger(root);
    expect(read).toEqual({ ledger, problems: [] });
    expect(publishedVersion(read.ledger, ['b'], '1.9.0')?.created).toBe('2026-11-01');
  });

  it('is empty without its file', async () => expect(await readLedger(await writeWorld())).toEqual({ ledger: EMPTY_LEDGER, problems: [] }));

  it('keeps the first entry of a version', () => {
    const ledger = extendLedger(EMPTY_LEDGER, [version('a'), version('a', '1.0.0', 'b')]);
    expect(publishedVersion(ledger, ['a'], '1.0.0')?.record).toBe('a'.repeat(64));
  });

  it('reports every line that no command wrote, with its number', async () => {
    const ours = line(version('a'));
    const other = line(version('a', '1.0.0', 'b'));
    expect(
      await problemsOf({ 'published.jsonl': `${ours}{"capsule":"x"}\n<<<<<<< HEAD\n${other}=======\n${ours}>>>>>>> other\n` }),
    ).toEqual([
      'published.jsonl:2 is not an entry that a command wrote; restore the file from git',
      'published.jsonl:3 is a mark of an unresolved merge; keep the lines of both sides and delete the mark',
      expect.stringContaining('published.jsonl:4 names version 1.0.0 of "a" with another digest than a line before'),
      expect.stringContaining('published.jsonl:5 is a mark'),
      expect.stringContaining('published.jsonl:7 is a mark'),
    ]);
  });

  it('merges in git when two branches publish different capsules', async () => {
    const root = await writeWorld();
    const git = (...args: string[]): Promise<unknown> =>
      run('git', ['-c', 'user.name=A', '-c', 'user.email=a@example.com', ...args], { cwd: root });
    const publish = async (...ids: string[]): Promise<void> => {
      const { ledger } = await readLedger(root);
      await writeLedger(
        root,
        extendLedger(
          ledger,
          ids.map((id) => version(id)),
        ),
      );
      await git('add', '-A');
      await git('commit', '-qm', 'Publish');
    };
    await git('init', '-q', '-b', 'main');
    await writeFile(join(root, '.gitattributes'), 'content/published.jsonl merge=union\n');
    await publish('a', 'm', 'z');
    await git('switch', '-qc', 'other');
    await publish('n');
    await git('switch', '-q', 'main');
    await publish('o');
    await git('merge', '-q', '--no-edit', 'other');
    const { ledger, problems } = await readLedger(root);
    expect(problems).toEqual([]);
    expect([...ledger.versions.keys()].sort()).toEqual(['a', 'm', 'n', 'o', 'z']);
  });

  it('refuses a text under an id that was taken down', async () => {
    const takenDown = line({ capsule: 'a-capsule', taken_down: '2026-11-20', reason: 'A court ordered it.', legal: true });
    expect(await problemsOf({ 'published.jsonl': takenDown })).toEqual([
      'capsules/a-capsule.md:1 was taken down on 2026-11-20, and its id stays with its tombstone; delete the file, or write a new text under another id',
    ]);
  });

  it('warns of an offer that was published and is missing or a draft now, unless another has its name', async () => {
    const sold = (...ids: string[]): string => ids.map((id) => line({ offer: id, published: '2026-11-02' })).join('');
    const root = await writeWorld({
      'published.jsonl': sold('an-offer', 'former-name', 'gone', 'paused'),
      'publisher.yaml': publisher({ editorial: undefined }),
      'offers/an-offer.md': offer({ aliases: '[former-name]' }),
      'offers/paused.md': offer({ draft: 'true', checkout: '/demo/paused' }),
    });
    const { warnings } = await readContent(root, { today: TODAY });
    const ofOffers = warnings.filter(({ message }) => message.startsWith('was published on 2026-11-02'));
    expect(ofOffers.map(({ file }) => file)).toEqual(['content/offers/gone.md', 'content/offers/paused.md']);
    expect(ofOffers[0]?.message).toContain('/buy/gone answers 404');
  });
});
