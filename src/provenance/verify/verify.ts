import { checkBundle } from './check-bundle.ts';
import { attempt, checkFields, checkQuote } from './check-items.ts';
import { checkLineage, checkText, vouchAt } from './check-lineage.ts';
import type { BundleLine, Item, Lineage, ManifestStatement, Signed, VersionRecord } from './documents.ts';
import { type Check, gatherFindings, type Kind } from './findings.ts';
import { answerForm, capsuleForm, type Form, lineageForm, lineForm, manifestForm, misformed } from './forms.ts';
import { isObject, readJson, type Source } from './json-text.ts';
import { type IsSigned, readTrust } from './trusted-keys.ts';

export type { Check, CheckName, Kind } from './findings.ts';

/** A document and what it is checked with. */
export interface Proof {
  /** A lineage, a capsule, an answer to a query, or a manifest. */
  readonly document: Source;
  /** Kind that was asked for; by the members of the document where it is left out. */
  readonly kind?: Kind;
  /** Lineages by capsule id, for a capsule and for an answer. */
  readonly lineages?: Readonly<Record<string, Source>>;
  /** Exact texts by the `canonical` address of their records. */
  readonly texts?: Readonly<Record<string, Source>>;
  /** Parts of the bundle, in order, for a manifest. */
  readonly parts?: readonly Source[];
  /** Id that was asked for, of a lineage or a capsule. */
  readonly id?: string;
  /** An older copy of the lineage or manifest. */
  readonly known?: Source;
  /** JWK Set or DID document. */
  readonly trust?: Source;
  /** Time of the check, as a timestamp: `YYYY-MM-DDThh:mm:ssZ`. */
  readonly now: string;
}

/** What came of all checks. */
export interface Verdict {
  readonly kind: Kind;
  /** Every check that there is for documents of the kind, once each. */
  readonly checks: readonly Check[];
  /** 1 if a check other than `signature` failed, else 2 if that failed, else 0. */
  readonly exit: 0 | 1 | 2;
}

/** Members of documents of all kinds; a document has those of its own. */
type Document = Lineage & Signed<ManifestStatement> & Item & { readonly results: readonly Item[] };

const FORMS: Readonly<Record<Kind, Form>> = { lineage: lineageForm, capsule: capsuleForm, answer: answerForm, manifest: manifestForm };

const kindOf = (value: unknown): Kind =>
  !isObject(value)
    ? 'lineage'
    : 'results' in value
      ? 'answer'
      : 'statement' in value
        ? 'manifest'
        : 'capsule_id' in value
          ? 'capsule'
          : 'lineage';

/** Whether a lineage continues an older copy. */
const lineageContinues = ({ versions, head }: Lineage, old: Lineage): boolean =>
  old.versions.every(({ recordDigest }, at) => recordDigest === versions[at]?.recordDigest) &&
  old.head.statement.issued <= head.statement.issued;

/** Whether a manifest continues an older copy. */
const manifestContinues = ({ statement }: Signed<ManifestStatement>, old: Signed<ManifestStatement>): boolean =>
  old.statement.changes.count <= statement.changes.count && old.statement.issued <= statement.issued;

/** Makes every check of the format of proofs (`/docs/proof-format`) on a document. Never throws. */
export async function verify(proof: Proof): Promise<Verdict> {
  const { id, parts, known, trust, now } = proof;
  const [note, findings] = gatherFindings();
  let { kind = 'lineage' } = proof;

  /** Reads a document with its checks `json` and `form`; gives nothing if one of them fails. */
  const open = <T>(source: Source, form: (value: unknown) => Form, what: string): T | undefined => {
    try {
      const value = readJson(source);
      note('json', true, what);
      const wrong = misformed(form(value), value);
      return note('form', !wrong, what + wrong) ? (value as T) : undefined;
    } catch (error) {
      note('json', false, `${what}: ${error}`);
      return undefined;
    }
  };

  const check = async (document: Document): Promise<void> => {
    let isSigned: IsSigned | undefined;
    try {
      if (trust !== undefined) isSigned = await readTrust(trust);
    } catch (error) {
      note('signature', false, `${error}`);
    }
    const vouch = vouchAt(note, now, isSigned);
    const texts = new Map<unknown, Source>(Object.entries(proof.texts ?? {}));
    const lineages = new Map(Object.entries(proof.lineages ?? {}));
    const textOf = ({ canonical }: VersionRecord): Source | undefined => texts.get(canonical);
    const isCapsule = kind === 'capsule';
    const old = known === undefined ? known : attempt(() => readJson(known) as Document, null);
    const checkKnown = (continues: (now: Document, old: Document) => boolean): unknown =>
      old !== undefined && note('known', !misformed(FORMS[kind], old) && continues(document, old as Document), 'older copy');
    if (kind === 'lineage') {
      await checkLineage(document, note, vouch, textOf, id);
      checkKnown(lineageContinues);
    } else if (kind === 'manifest') {
      const { statement, signatures } = document;
      await vouch(kind, 'corpus-manifest', statement, signatures);
      checkKnown(manifestContinues);
      if (parts)
        await checkBundle(statement, parts, note, async (source, what) => {
          const line = open<BundleLine>(source, () => lineForm, what);
          if (line) await checkLineage(line.lineage, note, vouch, (_, sequence) => line.texts[sequence]?.markdown);
          return line;
        });
    } else {
      const opened = new Map<string, Lineage | undefined>();
      for (const item of isCapsule ? [document] : document.results) {
        const about = item.capsule_id;
        if (!opened.has(about)) {
          const source = lineages.get(about);
          const lineage = source === undefined ? source : open<Lineage>(source, () => lineageForm, `lineage of ${about}`);
          opened.set(about, lineage);
          if (lineage) await checkLineage(lineage, note, vouch, textOf, about);
        }
        const record = checkFields(note, item, opened.get(about), isCapsule);
        const text = record && textOf(record);
        if (isCapsule && id !== undefined) note('subject', id === about, id);
        if (isCapsule && record) await checkText(note, record, item.markdown);
        else if (text !== undefined) checkQuote(note, item, text);
      }
    }
  };

  try {
    const document = open<Document>(
      proof.document,
      (value) => {
        kind = proof.kind ?? kindOf(value);
        return FORMS[kind];
      },
      'document',
    );
    if (document) await check(document);
  } catch (error) {
    note('form', false, `${error}`);
  }
  const checks = findings(kind);
  const failed = checks.filter(({ ok }) => ok === false);
  return { kind, checks, exit: failed.some(({ check }) => check !== 'signature') ? 1 : failed.length ? 2 : 0 };
}
