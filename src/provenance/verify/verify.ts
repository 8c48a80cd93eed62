import { type Source, sha256Hex } from '../bytes.ts';
import type { DetachedSignature } from '../lineage-records.ts';
import type { Check, CheckName, Proof, Verdict } from './checks.ts';
import { differingField } from './claimed-fields.ts';
import type { BundleLine, Document, SignedStatement, VerifiedLineage } from './documents.ts';
import { canonical, demand, hasDigest, readJson, statementDigest, toText } from './json.ts';
import { FORMS, fits, isTimestamp } from './proof-schemas.ts';
import { signatureVerifier, type VerifySignatures } from './verify-signature.ts';

export type { Check, CheckName, Kind, Proof, Verdict } from './checks.ts';

/** Verifies a document with all checks of the proof format (docs/proof-format.md). Never throws. */
export async function verify(proof: Proof): Promise<Verdict> {
  const { id, parts, known, trust, now } = proof;
  const texts = { __proto__: null, ...proof.texts } as unknown as Readonly<Record<string, Source | undefined>>;
  const lineages: VerifiedLineage[] = [];
  const checks: Partial<Record<CheckName, Check>> = {};
  let { kind = 'lineage' } = proof;
  let exit: 0 | 1 | 2 = 0;
  let verifySignatures: VerifySignatures | undefined;
  /** The subject of the current check, and the check that fails if an error is thrown. */
  let subject: string;
  let thrown: CheckName = 'json';

  const note = (check: CheckName, ok: unknown, fault: unknown = ''): void => {
    if (!ok) exit = check === 'signature' ? exit || 2 : 1;
    if (checks[check]?.ok !== false) checks[check] = { check, ok: !!ok, detail: ok ? subject : `${subject} ${fault}` };
  };

  /** Reads a document and checks its form; errors thrown later fail the check of the form too. */
  const open = (source: Source, name: string, formOf: (value: object) => keyof typeof FORMS): unknown => {
    subject = name;
    thrown = 'json';
    const value = readJson(source) as object;
    note(thrown, true);
    thrown = 'form';
    demand(fits(value, FORMS[formOf(value)]));
    note(thrown, true);
    return value;
  };

  /** Checks the validity period and the signatures of a statement. */
  const checkStatement = async (statement: SignedStatement, signatures: readonly DetachedSignature[]): Promise<void> => {
    const { issued, validUntil } = statement;
    if (validUntil) note('fresh', isTimestamp(now) && now <= validUntil && issued <= validUntil);
    demand(trust === undefined || Array.isArray(signatures));
    if (verifySignatures) note('signature', await verifySignatures(statement, signatures));
  };

  /** Checks a lineage, with the texts of its line or else those of the proof. */
  const checkLineage = async (
    { id, versions, head }: VerifiedLineage,
    expectedId: string,
    ownTexts?: BundleLine['texts'],
  ): Promise<void> => {
    const { statement } = head;
    let sequence = 0;
    let before: { readonly version: string; readonly recordDigest: string } | undefined;
    for (const { record, recordDigest, signatures } of versions) {
      const { version } = record;
      const text = ownTexts ? ownTexts[sequence]?.markdown : (texts[record.canonical] ?? null);
      subject = `${id} ${version}`;
      await checkStatement(record, signatures);
      note('subject', record.id === expectedId && record.issuer.id === statement.issuer.id);
      note('records', recordDigest === (await statementDigest(record)));
      note(
        'chain',
        record.sequence === sequence &&
          canonical(record.previous) === canonical(before) &&
          version.localeCompare(before?.version ?? '', 'en', { numeric: true }) > 0,
      );
      // In a line of the bundle a paid text is null.
      if (text !== null) note('text', await hasDigest(record, text as Source));
      before = { version, recordDigest };
      sequence += 1;
    }
    subject = id;
    await checkStatement(statement, head.signatures);
    note('subject', id === expectedId && statement.id === expectedId);
    note('head', statement.head === before?.recordDigest && statement.version === before?.version && statement.count === sequence);
  };

  try {
    const document = open(proof.document, 'document', (value) => {
      kind =
        proof.kind ?? ('results' in value ? 'answer' : 'statement' in value ? 'manifest' : 'capsule_id' in value ? 'capsule' : 'lineage');
      return kind;
    }) as Document;
    const { statement } = document;
    const checkKnown = (continues: (old: Document) => unknown): void => {
      if (known === undefined) return;
      thrown = 'known';
      const old = readJson(known) as Document;
      note(thrown, fits(old, FORMS[kind]) && continues(old));
    };
    if (trust !== undefined)
      try {
        verifySignatures = await signatureVerifier(trust);
      } catch (error) {
        note('signature', false, error);
      }
    if (kind === 'lineage') {
      await checkLineage(document, id ?? document.id);
      checkKnown(
        ({ versions, head }) =>
          versions.every(
            ({ recordDigest }, at) =>
              recordDigest === (document.versions[0] ? document : document.head.statement).versions[at]?.recordDigest,
          ) && head.statement.issued <= document.head.statement.issued,
      );
    } else if (kind === 'manifest') {
      const { changes, issued } = statement;
      await checkStatement(statement, document.signatures);
      if (parts) {
        const listed = statement.bundle.parts;
        demand(listed !== undefined);
        const claimed = Array.isArray(listed) ? (listed as typeof statement.bundle.parts) : [];
        const corpus: unknown[] = [];
        let index = 0;
        let before = '';
        let count = 0;
        note('parts', claimed === listed && parts.length === claimed.length);
        for await (const part of parts) {
          const lines = toText(part).split(/^|(?<=\n)/);
          const name = `part ${index}`;
          subject = name;
          note('parts', claimed[index]?.lines === lines.length && (await hasDigest(claimed[index], part)));
          index += 1;
          for (const line of lines) {
            const { lineage, texts } = open(line, name, () => 'line') as BundleLine;
            const { id, versions, head } = lineage;
            const { status, statusReason, supersededBy } = head.statement;
            await checkLineage(lineage, id, texts);
            note('corpus', before < id);
            before = id;
            count += versions.length;
            corpus.push({ id, status, statusReason, supersededBy, versions: versions.map(({ recordDigest }) => recordDigest) });
          }
        }
        note(
          'corpus',
          statement.capsules === corpus.length &&
            statement.versions === count &&
            statement.corpusDigest === (await statementDigest(corpus)),
        );
      }
      checkKnown(
        ({ statement: old }) =>
          [old, statement].every((manifest) => Number.isSafeInteger(manifest.changes.count)) &&
          (old.changes.count < changes.count || canonical(old.changes) === canonical(changes)) &&
          old.issued <= issued,
      );
    } else {
      const isCapsule = kind === 'capsule';
      for (const about in proof.lineages) {
        const lineage = open(proof.lineages[about] as Source, about, () => 'lineage') as VerifiedLineage;
        lineages.push(lineage);
        await checkLineage(lineage, about);
      }
      for (const item of isCapsule ? [document] : document.results) {
        const { capsule_id, version, quote } = item;
        if (capsule_id === undefined && (item.kind ?? 'capsule') !== 'capsule') {
          // A guide, an offer or an error has no record: its result has the digest of its text.
          const exact = texts[new URL(item.markdown_url as string).pathname];
          subject = `${item.kind} ${item.id}`;
          if (exact !== undefined)
            note('quote', (await sha256Hex(exact)) === item.content_sha256 && toText(exact).slice(quote.start, quote.end) === quote.text);
          continue;
        }
        const lineage = lineages.find(({ id }) => id === capsule_id);
        const record = lineage?.versions.find((link) => link.record.version === version)?.record;
        const isPaid = item.access === 'paid';
        const text = isPaid ? record?.summary : record && texts[record.canonical];
        subject = `${capsule_id} ${version}`;
        note('subject', capsule_id === (id ?? capsule_id));
        if (isCapsule) {
          if (record && !(isPaid && document.markdown === undefined)) note('text', await hasDigest(record, document.markdown as Source));
        } else if (text !== undefined) {
          demand(fits(quote, {}));
          const { start, end } = quote;
          const quoted = toText(text).slice(start, end);
          note('quote', quoted === quote.text && toText(text).slice(0, start).length === start && end === start + quoted.length);
        }
        thrown = 'fields';
        const wrong = lineage && record ? differingField(item, record, lineage, isCapsule) : 'no record';
        note(thrown, !wrong, wrong);
        thrown = 'form';
      }
    }
  } catch (error) {
    note(thrown, false, error);
  }
  return { kind, checks: Object.values(checks), exit };
}
