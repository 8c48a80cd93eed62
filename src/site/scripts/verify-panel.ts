/** The verification panel of a capsule's page: runs the verifier of this site on the documents of the capsule and shows the results. */
import type { Check, CheckName } from '../../provenance/verify/checks.ts';
import type { verify } from '../../provenance/verify/verify.ts';

/** What a passed check shows, in a few words and in a sentence, and why a check may not have run. */
type Meaning = readonly [claim: string, meaning: string, notRun?: string];

const MEANINGS: Readonly<Partial<Record<CheckName, Meaning>>> = {
  json: ['Unambiguous', 'The documents are JSON without duplicate members, so that every program reads them alike.'],
  form: ['Complete', 'The documents have all members that verification needs.'],
  subject: ['About this capsule', 'All records are about this capsule and from one publisher.'],
  records: ['Records unchanged', 'The digest of every record matches the references to it.'],
  chain: ['Versions in one chain', 'Every record names the record before it, back to the first.'],
  head: ['Newest version named', 'The head of the lineage names the last record and the number of records.'],
  fresh: ['Not expired', 'The expiry date of the head has not passed.', 'Only signed heads have an expiry date.'],
  text: [
    'Text unchanged',
    'The text of every version has the size and digest in its record.',
    'The text is sold: buyers can compare its digest with the one in the colophon.',
  ],
  fields: ['Facts unchanged', 'Title, summary, sources, status and versions match the records.'],
  signature: [
    'Signed',
    'A key of the publisher signed the head and every record.',
    'This site publishes no key: the records are not signed.',
  ],
};
const NO_ED25519 = 'This browser cannot check Ed25519 signatures. Newer browsers can, and so can the command below.';

/** A lineage or a JWK Set before it is checked: any member may be missing. */
interface UncheckedDocument {
  readonly versions?: readonly { readonly record?: { readonly canonical?: unknown } | null }[];
  readonly head?: { readonly statement?: { readonly issuer?: { readonly id?: unknown } } };
  readonly keys?: readonly unknown[];
}

async function fetchBytes(address: string): Promise<Uint8Array> {
  const response = await fetch(address, { cache: 'no-cache' }).catch(() => undefined);
  if (response?.ok) return new Uint8Array(await response.arrayBuffer());
  throw new Error(`${address} could not be fetched (${response ? `status ${response.status}` : 'no response'})`);
}

/** Parsed JSON, or nothing: the verifier reports what is wrong with it. */
function parse(bytes: Uint8Array): UncheckedDocument | null | undefined {
  try {
    return JSON.parse(new TextDecoder().decode(bytes)) as UncheckedDocument | null;
  } catch {
    return undefined;
  }
}

/** Addresses of the texts of all versions. */
function textsOf(lineage: UncheckedDocument | null | undefined): string[] {
  const versions = Array.isArray(lineage?.versions) ? lineage.versions : [];
  return versions.map((entry) => {
    const address = `${entry?.record?.canonical}`;
    if (!/^\/[^/\\]/.test(address)) throw new Error(`The lineage names a text that is not on this site, ${address}`);
    return address;
  });
}

/** The result of a check; `ok` is `null` if it did not run. */
type Finding = Omit<Check, 'ok'> & { readonly ok: boolean | null };

const lacksEd25519 = ({ check, ok, detail }: Finding): boolean => check === 'signature' && ok === false && detail.includes('NotSupported');

function setUp(panel: HTMLElement): void {
  const { verify: id = '', verifier = '', lineage = '', capsule = '', trust = '' } = panel.dataset;
  const [run, results] = panel.querySelectorAll<HTMLElement>(':scope > [hidden]');
  const [button, status, list] = [run?.querySelector('button'), run?.querySelector('p'), results?.querySelector('ul')];
  if (!run || !results || !button || !status || !list) return;
  let attempts = 0;

  const lineOf = (finding: Finding, isBroken: boolean): Node => {
    const { check, ok, detail } = finding;
    const isOpen = ok === null || lacksEd25519(finding);
    const state = isOpen ? 'open' : ok ? 'passed' : 'failed';
    const line = panel.querySelector<HTMLTemplateElement>(`[data-state=${state}]`)?.content.cloneNode(true) as DocumentFragment;
    const [claim = check, meaning = '', notRun = detail] = MEANINGS[check] ?? [];
    const why = ok !== null ? NO_ED25519 : isBroken ? 'Could not run after an earlier check failed.' : notRun;
    const words = [claim, isOpen ? why : meaning, `${check}: ${detail}`];
    for (const [at, slot] of line.querySelectorAll('strong, p + p, code').entries()) slot.textContent = words[at] ?? '';
    return line;
  };

  const showOutcome = (checks: readonly Finding[], issuer: string): void => {
    const failed = checks.filter(({ ok }) => ok === false);
    const [first] = failed;
    const isSigned = checks.some(({ check, ok }) => check === 'signature' && ok);
    status.className = first ? (lacksEd25519(first) ? 'open' : 'failed') : isSigned ? 'passed' : '';
    status.textContent = !first
      ? isSigned
        ? `All checks passed: signed by ${issuer} with a key of this site.`
        : 'All applicable checks passed. The records are not signed.'
      : lacksEd25519(first)
        ? 'All other checks passed, but this browser cannot check the signatures.'
        : first.check === 'signature'
          ? 'The documents are consistent, but not all are signed with a key of this site. Do not rely on them.'
          : `Failed: ${failed.map(({ check }) => MEANINGS[check]?.[0] ?? check).join('; ')}. Do not rely on these documents.`;
  };

  const check = async (now: string): Promise<void> => {
    // Browsers remember a failed import by its address.
    const module: Promise<{ verify: typeof verify }> = import(/* @vite-ignore */ attempts++ ? `${verifier}?${attempts}` : verifier);
    const [program, document, proof, keys] = await Promise.all([
      module.catch(() => {
        throw new Error(`${verifier} could not be loaded`);
      }),
      fetchBytes(capsule),
      fetchBytes(lineage),
      fetchBytes(trust),
    ]);
    const parsed = parse(proof);
    const addresses = 'sold' in panel.dataset ? [] : textsOf(parsed);
    const texts = Object.fromEntries(await Promise.all(addresses.map(async (address) => [address, await fetchBytes(address)] as const)));
    const hasKeys = parse(keys)?.keys?.length !== 0;
    status.textContent = 'Checking…';
    const verdict = await program.verify({ document, lineages: { [id]: proof }, texts, id, now, ...(hasKeys && { trust: keys }) });
    const checks = (Object.keys(MEANINGS) as CheckName[]).map(
      (name): Finding => verdict.checks.find(({ check }) => check === name) ?? { check: name, ok: null, detail: 'not run' },
    );
    const isBroken = checks.some(({ check, ok }) => ok === false && (check === 'json' || check === 'form'));
    list.replaceChildren(...checks.map((finding) => lineOf(finding, isBroken)));
    results.hidden = false;
    showOutcome(checks, `${parsed?.head?.statement?.issuer?.id}`);
  };

  button.addEventListener('click', async ({ timeStamp }) => {
    if (button.ariaDisabled === 'true') return;
    button.ariaDisabled = 'true';
    results.hidden = true;
    status.className = '';
    status.textContent = 'Fetching the documents…';
    try {
      await check(`${new Date(performance.timeOrigin + timeStamp).toISOString().slice(0, 19)}Z`);
      button.textContent = 'Verify again';
    } catch (error) {
      status.className = 'failed';
      status.textContent = `${(error as Error).message}. Nothing was checked.`;
      button.textContent = 'Try again';
    }
    button.ariaDisabled = 'false';
  });
  run.hidden = false;
}

for (const panel of document.querySelectorAll<HTMLElement>('[data-verify]')) if (isSecureContext) setUp(panel);
