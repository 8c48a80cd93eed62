import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventsOfTakeDowns, withoutTakenDown } from '../../../../src/build/check-published-versions.ts';
import { GenerationStore } from '../../../../src/build/corpus-blocks/generation-store.ts';
import type { BlockNamespace, WrittenBlock } from '../../../../src/build/kv/block-namespace.ts';
import { publishBlocks } from '../../../../src/build/kv/publish-blocks.ts';
import { reviseCapsule } from '../../../../src/cli/capsules/revise-capsule.ts';
import { renameCapsule } from '../../../../src/cli/commands/rename.ts';
import { takeDownCapsule } from '../../../../src/cli/commands/take-down.ts';
import { documentFiles } from '../../../../src/documents/make-documents.ts';
import { keyId, signerOf } from '../../../../src/provenance/sign.ts';
import { verify } from '../../../../src/provenance/verify/verify.ts';
import { publishCapsules } from '../../../../src/publication/publish/published-capsules.ts';
import { Tombstone } from '../../../../src/schemas/knowledge/lineage.ts';
import { languageVersionsOf } from '../../../../src/schemas/knowledge/translations.ts';
import { PATHS } from '../../../../src/schemas/paths.ts';
import { saveGeneration } from '../../../support/generations.ts';
import { requirePython } from '../../../support/optional-tools.ts';
import { makePublication } from '../../../support/sample-content.ts';
import { PRINTED_SECRETS } from '../../../support/signed-site.ts';
import { lost } from '../../build/published-corpus.ts';
import { startPythonVerifier } from '../../provenance/python-verifier.ts';
import { BODY, capsule, TODAY } from '../../publication/content-world.ts';
import { changesIn, contentOf, publishAll, publishedWorld, put } from '../capsules/published-world.ts';

const TAKE_DOWN = { reason: 'It contained personal data.', legal: true, today: TODAY };
const NOW = `${TODAY}T00:00:00Z`;
const SECRET = 'Zwiebelkuchen';
const WORLD = {
  'capsules/secret.md': capsule(
    { title: `A capsule about ${SECRET}`, summary: `State what ${SECRET} is, in one sentence that can be quoted alone, as here.` },
    `${BODY}${SECRET} is a word that must go.\n`,
  ),
  'capsules/friend.md': capsule({ derived_from: '[secret]' }, `${BODY}See [it](/capsules/secret).\n`),
};

describe('takeDownCapsule()', () => {
  test('of an original leaves its translations linked to each other, and a translation that is added changes the others', async () => {
    const translation = (language: string): string => capsule({ language, translation_of: 'original' });
    const root = await publishedWorld({
      'capsules/original.md': capsule(),
      'capsules/german.md': translation('de'),
      'capsules/arabic.md': translation('ar'),
    });
    const content = await contentOf(root);
    const linked = async (capsules: typeof content.capsules): Promise<Record<string, unknown>> =>
      Object.fromEntries(
        (await publishCapsules({ ...content, capsules })).flatMap(({ id, metadata }) =>
          id === 'a-capsule' ? [] : [[id, languageVersionsOf(metadata).map((one) => [one.language, one.isOriginal])]],
        ),
      );
    const all = [
      ['en', true],
      ['ar', false],
      ['de', false],
    ];
    expect(await linked(content.capsules.filter(({ id }) => id !== 'arabic'))).toEqual({
      german: [all[0], all[2]],
      original: [all[0], all[2]],
    });
    expect(await linked(content.capsules)).toEqual({ arabic: all, german: all, original: all });
    const taken = await takeDownCapsule(root, 'original', TAKE_DOWN);
    expect(taken.references).toEqual(['content/capsules/arabic.md', 'content/capsules/german.md']);
    const { publication } = await makePublication(await contentOf(root), { mode: 'edge' });
    const left = publication.capsules.flatMap(({ id, metadata }) => (id === 'a-capsule' ? [] : [languageVersionsOf(metadata)]));
    expect(left.map((versions) => versions.map(({ language, isOriginal }) => [language, isOriginal]))).toEqual([
      [all[1], all[2]],
      [all[1], all[2]],
    ]);
    const sitemap = documentFiles(publication).find(({ path }) => path === PATHS.sitemap)?.body;
    expect(sitemap).toContain('hreflang="de"');
    expect(sitemap).not.toContain('x-default');
  });

  test('leaves the text nowhere in what is published, and a tombstone that verifies', async () => {
    const root = await publishedWorld(WORLD);
    const before = await makePublication(await contentOf(root), { mode: 'edge' });
    await reviseCapsule(root, 'secret', 'minor', TODAY);
    await publishAll(root);
    const older = await makePublication(await contentOf(root), { mode: 'edge' }, { changes: before.log, history: [before.generation] });
    expect(await takeDownCapsule(root, 'secret', TAKE_DOWN)).toEqual({ ids: ['secret'], references: ['content/capsules/friend.md'] });
    expect(await changesIn(root)).toEqual([]);
    const content = await contentOf(root);
    const made = await makePublication(content, { mode: 'edge' }, { changes: older.log, history: [older.generation, before.generation] });
    const files = documentFiles(made.publication);
    const texts = [
      ...files.map(({ body }) => body),
      ...[...made.generation.blocks].map(([, bytes]) => Buffer.from(bytes).toString('latin1')),
    ];
    expect(texts.filter((text) => /zwiebelk/i.test(text))).toEqual([]);
    expect(files.map(({ path }) => path).filter((path) => path.includes('/secret'))).toEqual(['/capsules/secret/lineage.json']);
    expect(await readFile(join(root, 'content/capsules/versions/SHA256SUMS'), 'utf8')).toBe('');

    const document = files.find(({ path }) => path === '/capsules/secret/lineage.json')?.body ?? '';
    const known = older.publication.capsules.find(({ id }) => id === 'secret')?.lineageText ?? '';
    expect(await verify({ document, known, id: 'secret', now: NOW })).toMatchObject({
      exit: 0,
      checks: expect.arrayContaining([{ check: 'known', ok: true, detail: 'secret' }]),
    });
    const { statement } = Tombstone.parse(JSON.parse(document)).head;
    expect(statement).toMatchObject({
      statusReason: TAKE_DOWN.reason,
      legal: true,
      issued: NOW,
      versions: [{ version: '1.0.0' }, { version: '1.1.0' }],
    });
    expect(made.log.at(-1)).toMatchObject({ event: 'removed', capsule_id: 'secret', date: TODAY, reason: TAKE_DOWN.reason });
    expect(files.some(({ path }) => path === statement.$schema)).toBe(true);
  });

  test('makes the next build list no generation that has the text', async () => {
    const root = await publishedWorld(WORLD);
    const before = await makePublication(await contentOf(root), { mode: 'edge' });
    await takeDownCapsule(root, 'secret', TAKE_DOWN);
    const content = await contentOf(root);
    const after = await makePublication(content, { mode: 'edge' }, { changes: before.log, history: [before.generation] });
    expect(after.generation.manifest.previous).toEqual([]);
    await put(root, 'capsules/new.md', capsule());
    const later = await makePublication(await contentOf(root), { mode: 'edge' }, { changes: after.log, history: [after.generation] });
    expect(later.generation.manifest.previous).toEqual([after.generation.version]);
    expect(withoutTakenDown([later.generation, before.generation], later.log, content.ledger)).toEqual([later.generation]);
  });

  test('leaves a tombstone that is signed if the site signs, as both verifiers find', async () => {
    const root = await publishedWorld(WORLD);
    const content = await contentOf(root);
    const signer = await signerOf(PRINTED_SECRETS[0]);
    const keys = [{ kid: await keyId(signer.publicKey.x), x: signer.publicKey.x, created: TODAY }];
    const past = { signing: { signer, today: TODAY, validDays: content.publisher.proof_days } };
    const before = await makePublication({ ...content, keys }, { mode: 'static' }, past);
    await takeDownCapsule(root, 'secret', TAKE_DOWN);
    const after = await makePublication({ ...(await contentOf(root)), keys }, { mode: 'static' }, { ...past, changes: before.log });
    const files = new Map(documentFiles(after.publication).map(({ path, body }) => [path, body]));
    const document = files.get('/capsules/secret/lineage.json') ?? '';
    const known = before.publication.capsules.find(({ id }) => id === 'secret')?.lineageText ?? '';
    const proof = { known, id: 'secret', now: NOW, trust: files.get(PATHS.jwks) ?? '' };
    const proofs = [
      { ...proof, document },
      { ...proof, document: document.replace(TAKE_DOWN.reason, 'It was dull.') },
      { ...proof, document: document.replace(/(?<="recordDigest":"sha256:).{8}/, '00000000') },
    ];
    const verdicts = await Promise.all(proofs.map(verify));
    expect(verdicts[0]?.checks).toContainEqual(expect.objectContaining({ check: 'signature', ok: true }));
    expect(verdicts.map(({ exit }) => exit)).toEqual([0, 2, 1]);
    const python = requirePython();
    if (python === undefined) return;
    const verifier = startPythonVerifier(python);
    for (const [at, one] of proofs.entries()) expect((await verifier.verify(one)).exit).toBe(verdicts[at]?.exit);
    await verifier.stop();
  });

  test('has the blocks with its text deleted by the publish after the deploy, without the usual delay', async () => {
    const root = await publishedWorld(WORLD);
    const store = new GenerationStore(root);
    const held = new Map<string, WrittenBlock>();
    const namespace: BlockNamespace = {
      list: async () => [...held.values()],
      read: async (digests) => new Map([...held].flatMap(([sha256, { value }]) => (digests.includes(sha256) ? [[sha256, value]] : []))),
      write: async (blocks) => blocks.forEach((block) => void held.set(block.sha256, block)),
      remove: async (digests) => digests.forEach((sha256) => void held.delete(sha256)),
    };
    const publish = async (live: string | undefined): Promise<number> => {
      const { ledger } = await contentOf(root);
      const options = { now: new Date(NOW), report: () => undefined, takeDownEvents: eventsOfTakeDowns(await store.changes(), ledger) };
      const findLive = async () => (live === undefined ? ('none' as const) : { version: live });
      return (await publishBlocks(namespace, store, { ...options, findLive })).removed;
    };
    const withSecret = (): number =>
      [...held.values()].filter(({ value }) => /zwiebelk/i.test(Buffer.from(value).toString('latin1'))).length;

    const before = await makePublication(await contentOf(root), { mode: 'edge' });
    await saveGeneration(root, before.generation);
    await publish(undefined);
    expect(withSecret()).toBeGreaterThan(0);
    await takeDownCapsule(root, 'secret', TAKE_DOWN);
    const past = { changes: before.log, history: await store.history() };
    const after = await makePublication(await contentOf(root), { mode: 'edge' }, past);
    await saveGeneration(root, after.generation);
    expect(await publish(before.generation.version)).toBe(0);
    expect(withSecret()).toBeGreaterThan(0);
    expect(await publish(after.generation.version)).toBeGreaterThan(0);
    expect([withSecret(), held.has(before.generation.version)]).toEqual([0, false]);
    expect(await lost(namespace, [after.generation])).toEqual([]);
  });

  test('gives every id that it was published under a tombstone', async () => {
    const root = await publishedWorld(WORLD);
    await renameCapsule(root, 'secret', 'hidden', { today: TODAY });
    await publishAll(root);
    expect((await takeDownCapsule(root, 'hidden', TAKE_DOWN)).ids).toEqual(['hidden', 'secret']);
    const { publication } = await makePublication(await contentOf(root), { mode: 'edge' });
    expect(publication.tombstones.map(({ id, head }) => [id, head.statement.versions.length])).toEqual([
      ['hidden', 1],
      ['secret', 1],
    ]);
    await put(root, 'capsules/secret.md', capsule());
    await expect(contentOf(root)).rejects.toThrow('was taken down on 2026-11-21, and its id stays with its tombstone');
  });

  test('refuses what was never published, and a reason that cannot be shown', async () => {
    const root = await publishedWorld(WORLD);
    await put(root, 'capsules/new.md', capsule());
    await expect(takeDownCapsule(root, 'new', TAKE_DOWN)).rejects.toThrow('"new" was never published');
    await expect(takeDownCapsule(root, 'gone', TAKE_DOWN)).rejects.toThrow('there is no capsule');
    await expect(takeDownCapsule(root, 'secret', { ...TAKE_DOWN, reason: 'Wrong.' })).rejects.toThrow(
      'the reason must have at least 20 characters; everybody can read it',
    );
  });
});
