import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { AuthoredDelivery, deliveryName } from '../../schemas/commerce/offers.ts';
import type { OfferFinding } from './check-offers.ts';

/** Folder of the files that offers deliver. They are never published. */
const DELIVERIES_FOLDER = 'content/deliveries';

/** Largest delivered file, in bytes: a function holds it in memory. */
const FILE_MAX_BYTES = 5_000_000;

/** Files that offers deliver, by name, and mistakes in deliveries. */
interface Deliveries {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly findings: readonly OfferFinding[];
}

/**
 * Reads and checks what offers deliver.
 *
 * @param offers What each offer delivers, by position; `undefined` for a delivery with mistakes.
 * @param capsules Access of each published capsule, by id, and ids of capsules with mistakes, whose access is unknown.
 * @param isPaymentOn Whether paid capsules are published.
 */
export async function readDeliveries(
  root: string,
  offers: readonly (readonly (AuthoredDelivery | undefined)[])[],
  capsules: { readonly access: ReadonlyMap<string, 'public' | 'paid'>; readonly unread: ReadonlySet<string> },
  isPaymentOn: boolean,
): Promise<Deliveries> {
  const files = new Map<string, Uint8Array>();
  const findings: OfferFinding[] = [];
  for (const [index, delivers] of offers.entries()) {
    const names = new Set<string>();
    for (const [position, delivery] of delivers.entries()) {
      if (delivery === undefined) continue;
      const report = (field: string, message: string): void => void findings.push({ index, path: ['delivers', position, field], message });
      const name = deliveryName(delivery);
      if (names.has(name)) report('name' in delivery ? 'name' : 'kind', `"${name}" is delivered twice; give one delivery another name`);
      names.add(name);
      if (delivery.kind === 'capsule' && !capsules.unread.has(delivery.capsule)) {
        const access = capsules.access.get(delivery.capsule);
        if (access === undefined) report('capsule', `names the capsule "${delivery.capsule}", which does not exist; check its spelling`);
        else if (access === 'public') report('capsule', `names the capsule "${delivery.capsule}", which is free to read; name a paid one`);
        else if (!isPaymentOn) report('capsule', 'is paid, and paid capsules need "payments" in content/publisher.yaml');
      }
      if (delivery.kind === 'file' && !files.has(delivery.file)) {
        const read = await readDelivery(join(root, DELIVERIES_FOLDER, delivery.file));
        if (typeof read === 'string') report('file', `${DELIVERIES_FOLDER}/${delivery.file} ${read}`);
        else files.set(delivery.file, read);
      }
    }
  }
  return { files, findings };
}

/** Deliveries in the front matter of an offer that has mistakes; `undefined` in place of those with mistakes of their own. */
export function validDeliveries(frontMatter: unknown): (AuthoredDelivery | undefined)[] {
  const list = typeof frontMatter === 'object' && frontMatter !== null && 'delivers' in frontMatter ? frontMatter.delivers : undefined;
  return Array.isArray(list) ? list.map((item: unknown) => AuthoredDelivery.safeParse(item).data) : [];
}

async function readDelivery(path: string): Promise<Uint8Array | string> {
  try {
    const { size } = await stat(path);
    if (size > FILE_MAX_BYTES) return `has ${size} bytes; at most ${FILE_MAX_BYTES} are allowed`;
    return new Uint8Array(await readFile(path));
  } catch {
    return 'is missing or cannot be read';
  }
}
