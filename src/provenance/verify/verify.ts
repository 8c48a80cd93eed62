import { checkBundle } from './check-bundle.ts';
import { canonical } from './canonical.ts';
import { checkLineage, checkText, type Vouch } from './check-lineage.ts';
import type { Document, Lineage } from './documents.ts';
import type { Check, CheckName, Kind, Note } from './findings.ts';
import { FORMS, type Form, isLine } from './forms.ts';
import { readJson, type Source, toText } from './json-text.ts';
import { differingField } from './told-fields.ts';
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
  /** Every check that was made, once each, in the order in which they were first made. */
  readonly checks: readonly Check[];
  /** 1 if a check other than `signature` failed, else 2 if that failed, else 0. */
  readonly exit: 0 | 1 | 2;
}

const kindOf = (document: object): Kind =>
  'results' in document ? 'answer' : 'statement' in document ? 'manifest' : 'capsule_id' in document ? 'capsule' : 'lineage';

/** What `make` gives, or what it throws. */
function attempt<T>(make: () => T): unknown {
  try {
    return make();
  } catch (error) {
    return error;
  }
}

/** Makes every check of the format of proofs (`/docs/proof-format`) on a document. Never throws. */
export async function verify(proof: Proof): Promise<Verdict> {
  const { id, parts, known, trust, now } = proof;
  const found: Partial<Record<CheckName, Check>> = {};
  let { kind = 'lineage' } = proof;
  let exit: 0 | 1 | 2 = 0;
  let isSigned: IsSigned | undefined;

  const note: Note = (check, ok, detail) => {
    if (!ok && exit !== 1) exit = check === 'signature' ? 2 : 1;
    if (found[check]?.ok !== false) found[check] = { check, ok: !!ok, detail };
    return ok;
  };

  /** Reads a document with its checks `json` and `form`; gives nothing if one of them fails. */
  const open = <T>(source: Source, what: string, form: Form<T>): T | undefined => {
    let check: CheckName = 'json';
    try {
      const document = readJson(source) as T;
      note(check, true, what);
      check = 'form';
      if (note(check, form(document), what)) return document;
    } catch (error) {
      note(check, false, `${what}: ${error}`);
    }
    return undefined;
  };

  const vouch: Vouch = async (what, statement, signatures) => {
    const { issued, validUntil } = statement;
    if (validUntil) note('fresh', now <= validUntil && issued <= validUntil, `${what}: ${validUntil}`);
    if (isSigned) note('signature', await isSigned(statement, signatures), what);
  };

  try {
    const document = open<Document>(proof.document, 'document', (value) => {
      kind = proof.kind ?? kindOf(value);
      return FORMS[kind](value);
    });
    if (document) {
      const { statement, signatures, versions } = document;
      const texts = { __proto__: null, ...proof.texts } as unknown as Readonly<Record<string, Source | undefined>>;
      const lineages = { __proto__: null } as unknown as Record<string, Lineage | undefined>;
      const check = (lineage: Lineage, asked: string): Promise<void> =>
        checkLineage(note, vouch, lineage, asked, lineage.versions.map(({ record }) => texts[record.canonical]));
      const checkKnown = (continues: (old: Document) => unknown): void => {
        if (known !== undefined) note('known', attempt(() => {
          const old = readJson(known) as Document;
          return FORMS[kind](old) && continues(old);
        }) === true, 'older copy');
      };
      if (trust !== undefined)
        try {
          isSigned = await readTrust(trust);
        } catch (error) {
          note('signature', false, `${error}`);
        }
      if (kind === 'lineage') {
        await check(document, id ?? document.id);
        checkKnown((old) => old.versions.every(({ recordDigest }, at) => recordDigest === versions[at]?.recordDigest) && old.head.statement.issued <= document.head.statement.issued);
      } else if (kind === 'manifest') {
        await vouch(kind, statement, signatures);
        checkKnown(({ statement: { changes, issued } }) => (changes.count < statement.changes.count || canonical(changes) === canonical(statement.changes)) && issued <= statement.issued);
        if (parts)
          await checkBundle(note, statement, parts, async (source, what) => {
            const line = open(source, what, isLine);
            if (line) await checkLineage(note, vouch, line.lineage, line.lineage.id, line.texts.map(({ markdown }) => markdown));
            return line;
          });
      } else {
        const isCapsule = kind === 'capsule';
        for (const [about, source] of Object.entries(proof.lineages ?? {})) {
          const lineage = open<Document>(source, `lineage of ${about}`, FORMS.lineage);
          if (lineage) await check(lineages[about] = lineage, about);
        }
        for (const item of isCapsule ? [document] : document.results) {
          const { capsule_id, version, quote } = item;
          const what = `${capsule_id} ${version}`;
          const lineage = lineages[capsule_id];
          const record = lineage?.versions.find((entry) => entry.record.version === version)?.record;
          const wrong = lineage && record ? attempt(() => differingField(item, record, lineage, isCapsule)) : 'no record';
          note('fields', !wrong, `${what}: ${wrong}`);
          if (isCapsule && id !== undefined) note('subject', id === capsule_id, id);
          if (record) {
            const text = texts[record.canonical];
            if (isCapsule) await checkText(note, record, document.markdown, what);
            else if (text !== undefined) note('quote', quote.start >= 0 && quote.end === quote.start + quote.text.length && toText(text).slice(quote.start, quote.end) === quote.text, what);
          }
        }
      }
    }
  } catch (error) {
    note('json', false, `${error}`);
  }
  return { kind, checks: Object.values(found), exit };
}
