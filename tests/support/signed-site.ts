import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { documentFiles } from '../../src/documents/make-documents.ts';
import { keyId, signerOf } from '../../src/provenance/sign.ts';
import type { AuthoredContent, AuthoredVersion } from '../../src/publication/authored-content.ts';
import { payableContent } from '../../src/publication/publish/published-capsules.ts';
import { makePublication, readSample } from './sample-content.ts';

/** The private keys of RFC 8032 section 7.1, TEST 1 and TEST 2: everybody knows them, so they protect nothing. */
export const PRINTED_SECRETS = ['nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A', 'TM0Imyj_ltqdtsNG7BFOD1uKMZ81q6Yk2oz27U-4pvs'] as const;

/** The files of a frontend-only site of the sample publication, without its pages. */
export interface SignedSite {
  readonly folder: string;
  readonly files: ReadonlyMap<string, string>;
  readonly remove: () => Promise<void>;
}

export async function sampleContent(): Promise<AuthoredContent> {
  return payableContent(await readSample(), 'static');
}

export function withCapsules(content: AuthoredContent, ids: readonly string[]): AuthoredContent {
  const among = <T extends AuthoredVersion>(version: T): T => {
    const { derived_from, cites, supersedes } = version.frontMatter;
    return {
      ...version,
      frontMatter: {
        ...version.frontMatter,
        derived_from: derived_from.filter((id) => ids.includes(id)),
        cites: cites.filter((id) => ids.includes(id)),
        supersedes: supersedes.filter(({ capsule }) => ids.includes(capsule)),
      },
    };
  };
  const capsules = content.capsules.filter(({ id }) => ids.includes(id));
  return { ...content, capsules: capsules.map((capsule) => ({ ...among(capsule), frozen: capsule.frozen.map(among) })) };
}

/** Day of a build that is looked at and not verified by the clock. */
export const TODAY = '2026-11-21';

/**
 * Writes what a build publishes besides pages, signed with a printed key.
 *
 * @param secret Private key, or `undefined` for an unsigned site.
 * @param today Day of the build; what is verified by the clock needs the real one.
 */
export async function writeSite(content: AuthoredContent, secret: string | undefined, today: string): Promise<SignedSite> {
  const signer = secret === undefined ? undefined : await signerOf(secret);
  const keys = signer === undefined ? [] : [{ kid: await keyId(signer.publicKey.x), x: signer.publicKey.x, created: TODAY }];
  const { publication } = await makePublication(
    { ...content, keys },
    { mode: 'static', rateLimits: undefined },
    { signing: signer === undefined ? undefined : { signer, today, validDays: content.publisher.proof_days } },
  );
  const files = new Map(documentFiles(publication).map(({ path, body }) => [path, body]));
  const folder = await mkdtemp(join(tmpdir(), 'akg-signed-'));
  for (const [path, body] of files) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), body);
  }
  return { folder, files, remove: () => rm(folder, { recursive: true, force: true }) };
}
