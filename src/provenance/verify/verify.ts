import { checkBundle } from './check-bundle.ts';
import { attempt, checkItems } from './check-items.ts';
import { checkFresh, checkLineage, checkSignature } from './check-lineage.ts';
import type { Context } from './context.ts';
import type { Item, Lineage, ManifestStatement, Signed } from './documents.ts';
import { type Check, Findings, type Kind } from './findings.ts';
import { answerForm, capsuleForm, type Form, lineageForm, manifestForm } from './forms.ts';
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

/** Members of all kinds of documents; those of other kinds than the document's own are absent. */
type Document = Lineage & Signed<ManifestStatement> & Item & { readonly results: readonly Item[] };

const FORMS: Readonly<Record<Kind, Form>> = { lineage: lineageForm, capsule: capsuleForm, answer: answerForm, manifest: manifestForm };

/** Member that only documents of a kind have. */
const MARKS: readonly (readonly [string, Kind])[] = [
  ['results', 'answer'],
  ['statement', 'manifest'],
  ['capsule_id', 'capsule'],
];

/** Whether a lineage or a manifest continues an older copy. */
function continues(now: Document, before: Document, form: Form): boolean {
  if (form(before, '')) return false;
  if (now.versions)
    return (
      before.versions.every(({ recordDigest }, at) => recordDigest === now.versions[at]?.recordDigest) &&
      before.head.statement.issued <= now.head.statement.issued
    );
  return before.statement.changes.count <= now.statement.changes.count && before.statement.issued <= now.statement.issued;
}

async function checkDocument(proof: Proof, document: Document, kind: Kind, context: Context): Promise<void> {
  const { note } = context;
  const { id, parts, known, lineages } = proof;
  const { statement } = document;
  if (kind === 'lineage') await checkLineage(document, context, id);
  else if (kind === 'manifest') {
    checkFresh(context, statement, 'manifest');
    await checkSignature(context, 'manifest', 'corpus-manifest', statement, document.signatures);
    if (parts) await checkBundle(statement, parts, context);
  } else {
    const isCapsule = kind === 'capsule';
    if (isCapsule && id !== undefined) note('subject', id === document.capsule_id, id);
    await checkItems(isCapsule ? [document] : document.results, isCapsule, new Map(Object.entries(lineages ?? {})), context);
  }
  if (known !== undefined)
    note(
      'known',
      attempt(() => continues(document, readJson(known) as Document, FORMS[kind]), false),
      'older copy',
    );
}

/** Makes every check of the format of proofs (`/docs/proof-format`) on a document. Never throws. */
export async function verify(proof: Proof): Promise<Verdict> {
  const findings = new Findings();
  const { note } = findings;
  let kind: Kind = proof.kind ?? 'lineage';
  try {
    const open: Context['open'] = (source, form, what) => {
      let value: unknown;
      let problem = '';
      try {
        value = readJson(source);
      } catch (error) {
        problem = `: ${error}`;
      }
      if (!note('json', !problem, what + problem)) return undefined;
      const wrong = form(value, what);
      return note('form', !wrong, wrong || what) ? (value as never) : undefined;
    };
    const document = open<Document>(
      proof.document,
      (value, what) => {
        kind = proof.kind ?? MARKS.find(([member]) => isObject(value) && member in value)?.[1] ?? kind;
        return FORMS[kind](value, what);
      },
      'document',
    );
    if (document) {
      let isSigned: IsSigned | undefined;
      if (proof.trust !== undefined)
        try {
          isSigned = await readTrust(proof.trust);
        } catch (error) {
          note('signature', false, `${error}`);
        }
      await checkDocument(proof, document, kind, {
        note,
        open,
        now: proof.now,
        isSigned,
        texts: new Map(Object.entries(proof.texts ?? {})),
      });
    }
  } catch (error) {
    note('form', false, `${error}`);
  }
  const checks = findings.of(kind);
  const failed = checks.filter(({ ok }) => ok === false);
  return { kind, checks, exit: failed.some(({ check }) => check !== 'signature') ? 1 : failed.length ? 2 : 0 };
}
