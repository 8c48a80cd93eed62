import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { verifySite } from '../../../src/cli/commands/verify.ts';
import { gatherProof } from '../../../src/cli/verify/gather-proof.ts';
import { documentFiles } from '../../../src/documents/make-documents.ts';
import { capsuleResponse } from '../../../src/gateway/knowledge/capsule-response.ts';
import type { Corpus } from '../../../src/gateway/knowledge/corpus.ts';
import { queryKnowledge } from '../../../src/gateway/knowledge/query-knowledge.ts';
import { readPaidText } from '../../../src/gateway/knowledge/read-capsule.ts';
import { type Verdict, verify } from '../../../src/provenance/verify/verify.ts';
import { QueryRequest } from '../../../src/schemas/knowledge/query.ts';
import { capsuleFilePath, capsuleVersionPath, lineageFilePath, PATHS } from '../../../src/schemas/paths.ts';
import { pythonWithCryptography } from '../../support/optional-tools.ts';
import { PLANTED } from '../../support/paid-content.ts';
import { ROOT } from '../../support/paths.ts';
import { makePublication } from '../../support/sample-content.ts';
import { type StaticServer, serveFolder } from '../../support/static-server.ts';
import { expectValue, openCorpus, recordingStore } from '../gateway/real-generation.ts';
import { plantedContent } from './planted-publication.ts';

const NOW = '2026-11-23T00:00:00Z';
const FREE_TEXT = capsuleVersionPath('bm25', '1.0.0');

/** A site with a paid capsule, as its host serves it, without pages. */
let folder: string;
let server: StaticServer;
let corpus: Corpus;

async function place(path: string, body: string): Promise<string> {
  const target = join(folder, path);
  await mkdir(dirname(target), { recursive: true });
  await writeFile(target, body);
  return target;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'akg-paid-site-'));
  server = await serveFolder(folder);
  const content = await plantedContent({ withPayments: true }, server.origin);
  const { publication, generation } = await makePublication(content, { mode: 'edge', rateLimits: undefined });
  for (const { path, body } of documentFiles(publication)) await place(path, body);
  corpus = openCorpus(generation, recordingStore(generation));
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function verdictOn(target: string): Promise<Verdict & { readonly unread: readonly string[] }> {
  const { proof, unread } = await gatherProof(target, undefined);
  return { ...(await verify({ ...proof, now: NOW })), unread };
}

const namesOf = ({ checks }: Pick<Verdict, 'checks'>): string[] => checks.map(({ check }) => check);

describe('proofs of a site with a paid capsule', () => {
  it('hold for the site as a whole: bundle, manifest and everything that is served', async () => {
    const { verdict, unread } = await verifySite(server.origin, { now: NOW, key: undefined, sampleMax: Infinity });
    expect(unread).toEqual([]);
    expect(verdict.checks.filter(({ ok }) => !ok)).toEqual([]);
    expect(verdict.exit).toBe(0);
    expect(verdict.checks.map(({ check }) => check)).toEqual(expect.arrayContaining(['parts', 'corpus', 'served', 'text']));
  });

  it.each([
    ['lineage', lineageFilePath(PLANTED)],
    ['capsule', capsuleFilePath(PLANTED)],
  ])('hold for its %s without the text, which is absent and no error', async (kind, path) => {
    const verdict = await verdictOn(server.origin + path);
    expect(verdict).toMatchObject({ kind, exit: 0, unread: [] });
    expect(namesOf(verdict)).toEqual(expect.arrayContaining(['records', 'chain', 'head']));
    expect(namesOf(verdict)).not.toContain('text');
  });

  it('hold for an answer that has it, whose quote is one of its summary', async () => {
    const request = QueryRequest.parse({ query: 'stored answer of a payment endpoint reused for another buyer', max_results: 4 });
    const answer = expectValue(await queryKnowledge(request, corpus, server.origin));
    expect(answer.results.map(({ capsule_id }) => capsule_id)).toContain(PLANTED);
    const verdict = await verdictOn(await place('answer.json', JSON.stringify(answer)));
    expect(verdict).toMatchObject({ kind: 'answer', exit: 0, unread: [] });
    const paid = answer.results.filter(({ capsule_id }) => capsule_id === PLANTED);
    const forged = paid.map((result) => ({ ...result, quote: { ...result.quote, text: `${result.quote.text.slice(0, -1)}?` } }));
    const found = await verdictOn(await place('forged.json', JSON.stringify({ ...answer, results: forged })));
    expect(found.checks.filter(({ ok }) => !ok).map(({ check }) => check)).toEqual(['quote']);
  });

  it('show that a text that was bought is the one that was published, in every version', async () => {
    const lineages = { [PLANTED]: await readFile(join(folder, lineageFilePath(PLANTED)), 'utf8') };
    for (const version of ['1.0.0', '1.1.0']) {
      const sold = await readPaidText(corpus.newest, PLANTED, version);
      if (sold === undefined) throw new Error('nothing is sold');
      const document = { ...capsuleResponse(sold, server.origin) };
      const check = (markdown: string) => verify({ document: JSON.stringify({ ...document, markdown }), lineages, now: NOW });
      const [genuine, forged] = [await check(sold.markdown), await check(`${sold.markdown}More.\n`)];
      expect([genuine.exit, namesOf(genuine).includes('text')]).toEqual([0, true]);
      expect(forged.checks.filter(({ ok }) => !ok).map((failed) => failed.check)).toEqual(['text']);
    }
    expect(await readPaidText(corpus.newest, PLANTED, '9.9.9')).toBeUndefined();
    expect(await readPaidText(corpus.newest, 'bm25', '1.0.0')).toBeUndefined();
  });

  it('still miss a text that is free and gone', async () => {
    const path = join(folder, FREE_TEXT);
    const text = await readFile(path, 'utf8');
    await rm(path);
    const { unread } = await verdictOn(server.origin + lineageFilePath('bm25'));
    await writeFile(path, text);
    expect(unread).toHaveLength(1);
    expect(unread[0]).toContain(FREE_TEXT);
  });

  const python = pythonWithCryptography();
  it.skipIf(python === undefined)('hold for the verifier in Python', async () => {
    const manifest = await readFile(join(folder, PATHS.mirrorManifest), 'utf8');
    const { statement } = JSON.parse(manifest) as { statement: { bundle: { parts: { uri: string }[] } } };
    const run = (...args: string[]) =>
      spawnSync(python ?? '', [join(ROOT, 'tests/conformance/verify_proofs.py'), ...args], { encoding: 'utf8' });
    const bundle = run('bundle', join(folder, PATHS.mirrorManifest), ...statement.bundle.parts.map(({ uri }) => join(folder, uri)));
    expect([bundle.status, bundle.stderr]).toEqual([0, '']);
    const lineage = run('check', join(folder, lineageFilePath(PLANTED)));
    expect([lineage.status, lineage.stderr]).toEqual([0, '']);
  });
});
