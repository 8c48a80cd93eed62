/** The verification panel of a capsule's page: runs the verifier of this site on the documents of the capsule and shows the results. */
import strings from 'virtual:verify-strings';
import type { Check, CheckName } from '../../provenance/verify/proof-and-documents.ts';
import type { verify } from '../../provenance/verify/verify.ts';
import type { PlaceholderOf } from '../../text/strings/message.ts';

/** What a passed check shows, in a few words and in a sentence, and why a check may not have run. */
const MEANINGS: Readonly<Partial<Record<CheckName, readonly string[]>>> = strings.meanings;

/** A lineage or a JWK Set before it is checked: any member may be missing. */
interface UncheckedDocument {
  readonly versions?: readonly { readonly record?: { readonly canonical?: unknown } | null }[];
  readonly head?: { readonly statement?: { readonly issuer?: { readonly id?: unknown } } };
  readonly keys?: readonly unknown[];
}

/** A sentence with its values; those of this panel have neither plural forms nor tags. */
function fillIn<const M extends string>(sentence: M, values: Readonly<Record<PlaceholderOf<M>, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: PlaceholderOf<M>) => values[name]);
}

async function fetchBytes(address: string): Promise<Uint8Array> {
  const response = await fetch(import.meta.env.BASE_PATH + address, { cache: 'no-cache' }).catch(() => undefined);
  if (response?.ok) return new Uint8Array(await response.arrayBuffer());
  throw new Error(
    response ? fillIn(strings.notFetched, { address, status: String(response.status) }) : fillIn(strings.noResponse, { address }),
  );
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
    if (!/^\/[^/\\]/.test(address)) throw new Error(fillIn(strings.foreignText, { address }));
    return address;
  });
}

/** The result of a check; `ok` is `null` if it did not run. */
type Finding = Omit<Check, 'ok'> & { readonly ok: boolean | null };

const lacksEd25519 = ({ check, ok, detail }: Finding): boolean => check === 'signature' && ok === false && detail.includes('NotSupported');

function setUp(panel: HTMLElement): void {
  const { verify: id = '', lineage = '', capsule = '', trust = '' } = panel.dataset;
  const verifier = import.meta.env.BASE_PATH + (panel.dataset['verifier'] ?? '');
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
    const why = ok !== null ? strings.noEd25519 : isBroken ? strings.notRunAfterFailure : notRun;
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
        ? fillIn(strings.allPassed, { issuer })
        : strings.allPassedUnsigned
      : lacksEd25519(first)
        ? strings.allPassedButSignatures
        : first.check === 'signature'
          ? strings.notSigned
          : fillIn(strings.failures, { checks: failed.map(({ check }) => MEANINGS[check]?.[0] ?? check).join('; ') });
  };

  const check = async (now: string): Promise<void> => {
    // Browsers remember a failed import by its address.
    const module: Promise<{ verify: typeof verify }> = import(/* @vite-ignore */ attempts++ ? `${verifier}?${attempts}` : verifier);
    const [program, document, proof, keys] = await Promise.all([
      module.catch(() => {
        throw new Error(fillIn(strings.notLoaded, { address: verifier }));
      }),
      fetchBytes(capsule),
      fetchBytes(lineage),
      fetchBytes(trust),
    ]);
    const parsed = parse(proof);
    const addresses = 'sold' in panel.dataset ? [] : textsOf(parsed);
    const texts = Object.fromEntries(await Promise.all(addresses.map(async (address) => [address, await fetchBytes(address)] as const)));
    const hasKeys = parse(keys)?.keys?.length !== 0;
    status.textContent = strings.checking;
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
    status.textContent = strings.fetching;
    try {
      await check(`${new Date(performance.timeOrigin + timeStamp).toISOString().slice(0, 19)}Z`);
      button.textContent = strings.verifyAgain;
    } catch (error) {
      status.className = 'failed';
      status.textContent = fillIn(strings.nothingChecked, { reason: (error as Error).message });
      button.textContent = strings.tryAgain;
    }
    button.ariaDisabled = 'false';
  });
  run.hidden = false;
}

for (const panel of document.querySelectorAll<HTMLElement>('[data-verify]')) if (isSecureContext) setUp(panel);
