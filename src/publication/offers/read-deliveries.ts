import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { deliveryName, type OfferFrontMatter } from '../../schemas/commerce/offers.ts';

/** Folder of the files that offers deliver. None of them is published. */
const DELIVERIES_FOLDER = 'content/deliveries';

/** Largest file that an offer delivers, in bytes: a function reads it whole. */
const FILE_MAX_BYTES = 5_000_000;

/** A fault of an offer's deliveries. */
export interface DeliveryFinding {
  readonly index: number;
  readonly path: readonly PropertyKey[];
  readonly message: string;
}

/** Files that offers deliver, by name, and what is wrong with deliveries. */
export interface Deliveries {
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly findings: readonly DeliveryFinding[];
}

/**
 * Reads what offers deliver and checks it.
 *
 * @param capsules How each capsule that is published can be read, by id.
 * @param isPaymentOn Whether paid capsules are published at all.
 */
export async function readDeliveries(
  root: string,
  offers: readonly { readonly frontMatter: OfferFrontMatter }[],
  capsules: ReadonlyMap<string, 'public' | 'paid'>,
  isPaymentOn: boolean,
): Promise<Deliveries> {
  const files = new Map<string, Uint8Array>();
  const findings: DeliveryFinding[] = [];
  for (const [index, { frontMatter }] of offers.entries()) {
    const names = new Set<string>();
    for (const [position, delivery] of frontMatter.delivers.entries()) {
      const report = (field: string, message: string): void => void findings.push({ index, path: ['delivers', position, field], message });
      const name = deliveryName(delivery);
      if (names.has(name)) report('name' in delivery ? 'name' : 'kind', `"${name}" is delivered by this offer already`);
      names.add(name);
      if (delivery.kind === 'capsule') {
        const access = capsules.get(delivery.capsule);
        if (access === undefined) report('capsule', `names the capsule "${delivery.capsule}", which does not exist`);
        else if (access === 'public') report('capsule', `names the capsule "${delivery.capsule}", which is free to read`);
        else if (!isPaymentOn) report('capsule', 'is paid, and paid capsules are published only where publisher.yaml has payments');
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

async function readDelivery(path: string): Promise<Uint8Array | string> {
  try {
    const { size } = await stat(path);
    if (size > FILE_MAX_BYTES) return `has ${size} bytes; at most ${FILE_MAX_BYTES} can be delivered`;
    return new Uint8Array(await readFile(path));
  } catch {
    return 'cannot be read';
  }
}
