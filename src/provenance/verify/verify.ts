import { canonical, digestOf, nameOf } from './canonical.ts';
import { makeChecks } from './check-lineage.ts';
import type { BundleLine, Document, Lineage } from './documents.ts';
import type { Check, CheckName, Kind, Note, Proof, Verdict } from './findings.ts';
import { readJson, type Source, toBytes, toText } from './json-text.ts';
import { differingField } from './told-fields.ts';
import { type IsSigned, readTrust } from './trusted-keys.ts';

export type { Check, CheckName, Kind, Proof, Verdict } from './findings.ts';

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
  const { id, parts, known, trust } = proof;
  const found: Partial<Record<CheckName, Check>> = {};
  let { kind = 'lineage' } = proof;
  let exit: 0 | 1 | 2 = 0;
  let reading: CheckName = 'json';
  let isSigned: IsSigned | undefined;

  const note: Note = (check, ok, detail) => {
    if (!ok && exit !== 1) exit = check === 'signature' ? 2 : 1;
    if (found[check]?.ok !== false) found[check] = { check, ok: !!ok, detail };
  };

  /** Reads a document; what is thrown afterwards is about its form. */
  const open = (source: Source, what: string): unknown => {
    reading = 'json';
    const value = readJson(source);
    note(reading, true, what);
    reading = 'form';
    return value;
  };

  try {
    const document = open(proof.document, 'document') as Document;
    kind = proof.kind ?? kindOf(document);
    if (trust !== undefined)
      try {
        isSigned = await readTrust(trust);
      } catch (error) {
        note('signature', false, `${error}`);
      }
    const { vouch, checkText, checkLineage } = makeChecks(note, proof.now, isSigned);
    const { statement, signatures, versions, head } = document;
    const texts = { __proto__: null, ...proof.texts } as unknown as Readonly<Record<string, Source | undefined>>;
    const textsOf = (lineage: Lineage): (Source | undefined)[] => lineage.versions.map(({ record }) => texts[record.canonical]);
    const checkKnown = (continues: (old: Document) => boolean): void => {
      if (known !== undefined) note('known', attempt(() => continues(readJson(known) as Document)) === true, 'older copy');
    };
    if (kind === 'lineage') {
      await checkLineage(document, textsOf(document), id ?? document.id);
      checkKnown((old) => old.versions.every(({ recordDigest }, at) => recordDigest === versions[at]?.recordDigest) && old.head.statement.issued <= head.statement.issued);
    } else if (kind === 'manifest') {
      await vouch(statement, signatures, 'corpus-manifest', 'CorpusManifest', kind);
      checkKnown(({ statement: { changes, issued } }) => (changes.count < statement.changes.count || canonical(changes) === canonical(statement.changes)) && issued <= statement.issued);
      if (parts) {
        let before = '';
        let index = 0;
        let count = 0;
        const corpus: unknown[] = [];
        note('parts', parts.length === statement.bundle.parts.length, `${parts.length} parts`);
        for (const part of parts) {
          const lines = toText(part).split(/^|(?<=\n)/);
          const told = statement.bundle.parts[index++];
          const what = `part ${index}`;
          note('parts', told?.size === toBytes(part).length && told.lines === lines.length && told.digest?.['sha-256'] === (await digestOf(part)), what);
          for (const line of lines) {
            const { lineage, texts } = open(line, what) as BundleLine;
            const { id, versions, head } = lineage;
            const { status, statusReason, supersededBy } = head.statement;
            await checkLineage(lineage, versions.map((_, at) => texts[at].markdown), id);
            note('corpus', before < id, id);
            before = id;
            count += versions.length;
            corpus.push({ id, status, statusReason, supersededBy, versions: versions.map(({ recordDigest }) => recordDigest) });
          }
        }
        note('corpus', statement.capsules === corpus.length && statement.versions === count && statement.corpusDigest === (await nameOf(corpus)), `${count} versions`);
      }
    } else {
      const isCapsule = kind === 'capsule';
      const lineages: Lineage[] = [];
      for (const [about, source] of Object.entries(proof.lineages ?? {})) {
        const lineage = open(source, about) as Lineage;
        await checkLineage(lineage, textsOf(lineage), about);
        lineages.push(lineage);
      }
      for (const item of isCapsule ? [document] : document.results) {
        const { capsule_id, version, quote } = item;
        const what = `${capsule_id} ${version}`;
        const lineage = lineages.find((one) => one.id === capsule_id);
        const record = lineage?.versions.find((entry) => entry.record.version === version)?.record;
        const wrong = lineage && record ? attempt(() => differingField(item, record, lineage, isCapsule)) : 'no record';
        const text = record && texts[record.canonical];
        note('fields', !wrong, `${what}: ${wrong}`);
        if (isCapsule) note('subject', capsule_id === (id ?? capsule_id), what);
        if (isCapsule && record) await checkText(record, document.markdown, what);
        else if (text !== undefined) {
          const { start, end } = quote;
          const quoted = toText(text).slice(start, end);
          note('quote', toText(text).slice(0, start).length === start && quoted === quote.text && end === start + quoted.length, what);
        }
      }
    }
  } catch (error) {
    note(reading, false, `${error}`);
  }
  return { kind, checks: Object.values(found), exit };
}
