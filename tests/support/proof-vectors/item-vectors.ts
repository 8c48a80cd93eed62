import { attacker, issuer, sha256 } from './parties.ts';
import { addressOf, JWKS, makeLineage, type SampleLineage, textOf, textsOf } from './sample.ts';
import { at, changed, type Given, type Vector, vector } from './vector.ts';

type Members = Record<string, unknown>;

/** Members that a capsule and a result have alike, about one version. */
function summaryOf({ versions, head }: SampleLineage, sequence: number): Members {
  const { record } = at(versions, sequence);
  return {
    capsule_id: record.id,
    version: record.version,
    title: record.title,
    summary: record['summary'],
    type: record['kind'],
    tags: record.tags,
    language: record['language'],
    license: 'CC-BY-4.0',
    evidence: record['evidence'],
    status: head.statement.status,
    ...(head.statement['statusReason'] === undefined ? {} : { status_reason: head.statement['statusReason'] }),
    ...(head.statement['supersededBy'] === undefined ? {} : { superseded_by: head.statement['supersededBy'] }),
    access: 'public',
    created: '2026-11-19',
    updated: record.issued.slice(0, 10),
    words: 12,
    tokens: 34,
    content_sha256: record.digest['sha-256'],
  };
}

interface SampleCapsule extends Members {
  markdown: string;
  tags: string[];
  sources: Members[];
  derived_from: string[];
  cites: string[];
  supersedes: Members[];
  versions: Members[];
}

/** A capsule as its lineage says it, in its newest version unless another is meant. */
function capsuleOf(lineage: SampleLineage, sequence = lineage.versions.length - 1): SampleCapsule {
  return {
    ...summaryOf(lineage, sequence),
    tags: at(lineage.versions, sequence).record.tags,
    sources: [
      {
        key: 'rfc9111',
        title: 'RFC 9111: HTTP Caching',
        url: 'https://www.rfc-editor.org/rfc/rfc9111',
        publisher: 'IETF',
        kind: 'standard',
        retrieved: '2026-11-18',
      },
      { key: 'rfc8785', title: 'RFC 8785', url: 'https://www.rfc-editor.org/rfc/rfc8785', publisher: 'IETF', kind: 'standard' },
    ],
    derived_from: ['well-known-uris'],
    cites: ['did-web'],
    supersedes: [{ capsule_id: 'older-words', reason: 'It was too long.' }],
    versions: lineage.versions.map(({ record, recordDigest }) => ({
      version: record.version,
      issued: record.issued.slice(0, 10),
      content_sha256: record.digest['sha-256'],
      record_digest: recordDigest,
    })),
    markdown: textOf(lineage.id, sequence),
    content_role: 'data',
  };
}

/** A capsule with its lineage. */
const capsuleGiven = (capsule: SampleCapsule, lineage: SampleLineage): Given => ({
  document: JSON.stringify(capsule),
  lineages: { [lineage.id]: JSON.stringify(lineage) },
  id: lineage.id,
  trust: JWKS,
});

async function capsules(): Promise<Vector[]> {
  const lineage = await makeLineage({ by: issuer, count: 2 });
  const clean = capsuleOf(lineage);
  const given = capsuleGiven(clean, lineage);
  const edited = (
    name: string,
    about: string,
    change: (capsule: SampleCapsule) => void,
    ...failed: Parameters<typeof vector>[3][]
  ): Vector => vector(name, about, capsuleGiven(changed(clean, change), lineage), ...(failed.length > 0 ? failed : (['fields'] as const)));
  const retracted = await makeLineage({
    by: issuer,
    changeHead: (head) => Object.assign(head, { status: 'retracted', statusReason: 'It was wrong.' }),
  });
  const superseded = await makeLineage({
    by: issuer,
    changeHead: (head) => Object.assign(head, { status: 'superseded', supersededBy: 'newer-words' }),
  });
  const constructor = await makeLineage({ by: issuer, id: 'constructor' });
  const noon = await makeLineage({
    by: issuer,
    change: (record) => {
      record.issued = '2026-11-19T12:00:00Z';
    },
  });
  const byAttacker = await makeLineage({ by: attacker, count: 2 });
  return [
    vector('capsule-clean', 'A capsule holds with its lineage.', given),
    vector('capsule-older-version', 'A capsule in an older version holds.', capsuleGiven(capsuleOf(lineage, 0), lineage)),
    vector('capsule-retracted', 'A retracted capsule says so and why.', capsuleGiven(capsuleOf(retracted), retracted)),
    vector('capsule-superseded', 'A superseded capsule says by what.', capsuleGiven(capsuleOf(superseded), superseded)),
    vector(
      'capsule-named-constructor',
      'An id that every object knows in some languages.',
      capsuleGiven(capsuleOf(constructor), constructor),
    ),
    vector(
      'capsule-named-constructor-without-lineage',
      'The same without its lineage.',
      { ...capsuleGiven(capsuleOf(constructor), constructor), lineages: {} },
      'fields',
    ),
    vector('capsule-texts-of-all-versions', 'Exact texts that are given besides are looked at.', { ...given, texts: textsOf(lineage) }),
    vector(
      'capsule-text-of-older-version-edited',
      'An exact text of an older version was changed.',
      { ...given, texts: { [addressOf(lineage.id, '1.0.0')]: 'x' } },
      'text',
    ),
    edited('capsule-title-edited', 'The title of a capsule was changed.', (copy) => {
      copy['title'] = 'Another title';
    }),
    edited('capsule-title-nfd', 'A title in another normal form is another title.', (copy) => {
      copy['title'] = `${copy['title']}\u0301`;
    }),
    edited('capsule-title-absent', 'A title was left out.', (copy) => {
      delete copy['title'];
    }),
    edited('capsule-summary-edited', 'The claim was changed.', (copy) => {
      copy['summary'] = 'Another sentence.';
    }),
    edited('capsule-status-absent', 'The status was left out.', (copy) => {
      delete copy['status'];
    }),
    vector(
      'capsule-status-edited',
      'A retracted capsule that claims to be current.',
      capsuleGiven(
        changed(capsuleOf(retracted), (copy) => {
          copy['status'] = 'current';
        }),
        retracted,
      ),
      'fields',
    ),
    vector(
      'capsule-status-reason-removed',
      'The reason of a retraction was left out.',
      capsuleGiven(
        changed(capsuleOf(retracted), (copy) => {
          delete copy['status_reason'];
        }),
        retracted,
      ),
      'fields',
    ),
    vector(
      'capsule-superseded-by-edited',
      'Another capsule is named as the newer one.',
      capsuleGiven(
        changed(capsuleOf(superseded), (copy) => {
          copy['superseded_by'] = 'their-words';
        }),
        superseded,
      ),
      'fields',
    ),
    edited('capsule-status-reason-added', 'A reason where there is none.', (copy) => {
      copy['status_reason'] = 'x';
    }),
    edited('capsule-tags-reordered', 'The order of tags was changed.', (copy) => {
      copy.tags.reverse();
    }),
    edited('capsule-evidence-edited', 'The evidence was made stronger.', (copy) => {
      copy['evidence'] = 'measured';
    }),
    edited('capsule-type-edited', 'The kind was changed.', (copy) => {
      copy['type'] = 'protocol';
    }),
    edited('capsule-license-edited', 'The licence was changed.', (copy) => {
      copy['license'] = 'CC0-1.0';
    }),
    edited('capsule-language-number', 'A member of another type.', (copy) => {
      copy['language'] = 1;
    }),
    edited('capsule-updated-edited', 'The day of the newest change was changed.', (copy) => {
      copy['updated'] = '2026-11-21';
    }),
    edited('capsule-updated-list', 'A day in a list is no day.', (copy) => {
      copy['updated'] = [copy['updated']];
    }),
    vector('capsule-updated-not-midnight', 'A record of noon is not proved by a day.', capsuleGiven(capsuleOf(noon), noon), 'fields'),
    edited('capsule-digest-edited', 'The digest of the text was changed.', (copy) => {
      copy['content_sha256'] = sha256('another');
    }),
    edited(
      'capsule-markdown-edited',
      'The text was changed.',
      (copy) => {
        copy.markdown = copy.markdown.replace('costs', 'saves');
      },
      'text',
    ),
    edited(
      'capsule-markdown-and-digest-edited',
      'The text was changed, and its digest with it.',
      (copy) => {
        copy.markdown = 'x';
        copy['content_sha256'] = sha256('x');
      },
      'text',
      'fields',
    ),
    edited('capsule-source-edited', 'The address of a source was changed.', (copy) => {
      at(copy.sources, 0)['url'] = 'https://attacker.example/';
    }),
    edited('capsule-source-removed', 'A source was left out.', (copy) => {
      copy.sources.pop();
    }),
    edited('capsule-source-added', 'A source was added.', (copy) => {
      copy.sources.push({ key: 'x', url: 'https://attacker.example/' });
    }),
    edited('capsule-source-retrieved-added', 'A source claims to have been opened.', (copy) => {
      at(copy.sources, 1)['retrieved'] = '2026-11-18';
    }),
    edited('capsule-sources-null', 'Sources that are no list.', (copy) => {
      Object.assign(copy, { sources: null });
    }),
    edited('capsule-sources-of-null', 'A source that is null.', (copy) => {
      Object.assign(copy, { sources: [null, null] });
    }),
    edited('capsule-sources-absent', 'No sources at all.', (copy) => {
      Object.assign(copy, { sources: undefined });
    }),
    vector(
      'capsule-source-kind-edited',
      'The kind of a source is not proved.',
      capsuleGiven(
        changed(clean, (copy) => {
          at(copy.sources, 0)['kind'] = 'blog';
        }),
        lineage,
      ),
    ),
    vector(
      'capsule-words-edited',
      'Counts of words are not proved.',
      capsuleGiven(
        changed(clean, (copy) => {
          copy['words'] = 1e99;
          copy['tokens'] = 0.5;
          copy['access'] = 'paid';
          copy['created'] = '';
        }),
        lineage,
      ),
    ),
    edited('capsule-derived-from-removed', 'What the capsule rests on was left out.', (copy) => {
      copy.derived_from = [];
    }),
    edited('capsule-derived-from-address', 'An address where an id is meant.', (copy) => {
      copy.derived_from = ['/capsules/well-known-uris'];
    }),
    edited('capsule-cites-edited', 'Another capsule is cited.', (copy) => {
      copy.cites = ['did-key'];
    }),
    edited('capsule-supersedes-removed', 'What the capsule replaces was left out.', (copy) => {
      copy.supersedes = [];
    }),
    edited('capsule-versions-shortened', 'An older version was left out of the list.', (copy) => {
      copy.versions.shift();
    }),
    edited('capsule-versions-edited', 'A digest in the list of versions was changed.', (copy) => {
      at(copy.versions, 0)['content_sha256'] = sha256('another');
    }),
    edited('capsule-versions-record-digest-edited', 'A name in the list of versions was changed.', (copy) => {
      at(copy.versions, 0)['record_digest'] = `sha256:${sha256('another')}`;
    }),
    edited('capsule-version-without-record', 'A version that the lineage does not have.', (copy) => {
      copy['version'] = '1.2.0';
    }),
    edited(
      'capsule-id-edited',
      'A capsule of another id has no lineage here.',
      (copy) => {
        copy['capsule_id'] = 'http-other';
      },
      'subject',
      'fields',
    ),
    edited(
      'capsule-version-malformed',
      'A version that is none.',
      (copy) => {
        copy['version'] = 'v1';
      },
      'form',
    ),
    edited(
      'capsule-markdown-absent',
      'A capsule without its text.',
      (copy) => {
        Object.assign(copy, { markdown: undefined });
      },
      'form',
    ),
    vector('capsule-of-another-id', 'Another capsule than the one that was asked for.', { ...given, id: 'http-other' }, 'subject'),
    vector(
      'capsule-lineage-of-another',
      'The lineage that was given for the id is of another capsule.',
      { ...given, lineages: { [lineage.id]: JSON.stringify(await makeLineage({ by: issuer, count: 2, id: 'http-other' })) } },
      'subject',
      'text',
      'fields',
    ),
    vector(
      'capsule-lineage-missing',
      'Without a lineage nothing about a capsule is proved.',
      { ...given, lineages: {}, trust: JWKS },
      'fields',
    ),
    vector(
      'capsule-lineage-edited',
      'The lineage of a capsule was changed with it.',
      capsuleGiven(
        changed(clean, (copy) => {
          copy['title'] = 'Ours';
        }),
        changed(lineage, ({ versions }) => {
          at(versions, 1).record.title = 'Ours';
        }),
      ),
      'records',
      'signature',
    ),
    vector(
      'capsule-lineage-by-attacker',
      'The lineage of a capsule is signed by another key.',
      capsuleGiven(capsuleOf(byAttacker), byAttacker),
      'signature',
    ),
    vector('capsule-lineage-expired', 'The head of the lineage of a capsule expired.', { ...given, now: '2027-01-01T00:00:00Z' }, 'fresh'),
    vector(
      'capsule-lineage-unreadable',
      'A lineage that is no JSON proves nothing: its check json fails, and fields with it.',
      { ...given, lineages: { [lineage.id]: 'x' } },
      'json',
      'fields',
    ),
  ];
}

interface SampleResult extends Members {
  quote: { start: number; end: number; text: string };
}

/** A result that quotes a passage of the newest version. */
function resultOf(lineage: SampleLineage, passage: string, sequence = lineage.versions.length - 1): SampleResult {
  const start = textOf(lineage.id, sequence).indexOf(passage);
  return {
    ...summaryOf(lineage, sequence),
    score: 800,
    quote: { start, end: start + passage.length, text: passage },
    highlights: [{ start: 0, end: 5 }],
  };
}

async function answers(): Promise<Vector[]> {
  const [one, other] = [await makeLineage({ by: issuer, count: 2 }), await makeLineage({ by: issuer, id: 'http-validators' })];
  const retracted = await makeLineage({
    by: issuer,
    id: 'http-old',
    changeHead: (head) => Object.assign(head, { status: 'retracted', statusReason: 'It was wrong.' }),
  });
  const given = (results: readonly SampleResult[], more: Partial<Given> = {}): Given => ({
    document: JSON.stringify({ corpus_version: sha256('corpus'), results, page: { total: results.length } }),
    lineages: { [one.id]: JSON.stringify(one), [other.id]: JSON.stringify(other), [retracted.id]: JSON.stringify(retracted) },
    texts: { ...textsOf(one), ...textsOf(other), ...textsOf(retracted) },
    trust: JWKS,
    ...more,
  });
  const text = textOf(one.id, 1);
  const clean = resultOf(one, 'costs 3 € 😀🚀 and');
  const edited = (name: string, about: string, change: (result: SampleResult) => void, ...failed: Parameters<typeof vector>[3][]): Vector =>
    vector(name, about, given([changed(clean, change), resultOf(other, 'costs')]), ...failed);
  const codePoints = (passage: string): number => [...text.slice(0, text.indexOf(passage))].length;
  const byteStart = Buffer.byteLength(text.slice(0, text.indexOf('costs')));
  return [
    vector(
      'answer-clean',
      'Results hold with lineages and texts, and offsets count UTF-16 code units.',
      given([clean, resultOf(other, 'Élan vital'), resultOf(retracted, 'closing line.\n')]),
    ),
    vector('answer-empty', 'An answer without results says nothing that could fail.', given([])),
    vector('answer-two-results-of-one-capsule', 'Two results may be about one capsule.', given([clean, resultOf(one, 'vital', 0)])),
    vector('answer-without-texts', 'Without a text the check quote is not made.', given([clean], { texts: {} })),
    vector('answer-whole-text', 'A quote may be the whole text.', given([resultOf(one, text)])),
    edited('answer-score-edited', 'A score is not proved.', (copy) => {
      copy['score'] = 1_000_000;
    }),
    edited(
      'answer-quote-shifted',
      'The offsets of a quote are one too large.',
      (copy) => {
        copy.quote.start += 1;
        copy.quote.end += 1;
      },
      'quote',
    ),
    edited(
      'answer-quote-edited',
      'A word of a quote was changed.',
      (copy) => {
        copy.quote.text = copy.quote.text.replace('costs', 'saves');
      },
      'quote',
    ),
    edited(
      'answer-quote-shortened',
      'The quote is shorter than its offsets.',
      (copy) => {
        copy.quote.text = copy.quote.text.slice(0, 5);
      },
      'quote',
    ),
    edited(
      'answer-quote-in-code-points',
      'Offsets in code points are wrong after a character of two code units.',
      (copy) => {
        const start = codePoints('and no');
        copy.quote = { start, end: start + 6, text: 'and no' };
      },
      'quote',
    ),
    edited('answer-quote-after-emoji', 'Offsets in code units are right after such characters.', (copy) => {
      const start = text.indexOf('and no');
      copy.quote = { start, end: start + 6, text: 'and no' };
    }),
    edited(
      'answer-quote-in-bytes',
      'Offsets in bytes are wrong.',
      (copy) => {
        copy.quote = { start: byteStart, end: byteStart + 5, text: 'costs' };
      },
      'quote',
    ),
    edited(
      'answer-quote-inside-a-pair',
      'A quote that ends inside a character that is another character.',
      (copy) => {
        const start = text.indexOf('😀');
        copy.quote = { start: start + 1, end: start + 3, text: '🚀' };
      },
      'quote',
    ),
    edited(
      'answer-quote-with-half-a-pair',
      'Half a character is no text.',
      (copy) => {
        const start = text.indexOf('😀');
        copy.quote = { start, end: start + 1, text: '\ud83d' };
      },
      'json',
    ),
    edited(
      'answer-quote-from-the-end',
      'Offsets below 0 do not count from the end.',
      (copy) => {
        copy.quote = { start: -6, end: -1, text: text.slice(-6, -1) };
      },
      'quote',
    ),
    edited(
      'answer-quote-beyond-the-end',
      'A quote that ends beyond the text.',
      (copy) => {
        copy.quote = { start: text.length - 6, end: text.length + 9, text: text.slice(-6) };
      },
      'quote',
    ),
    edited(
      'answer-quote-backwards',
      'A quote that ends before it starts.',
      (copy) => {
        copy.quote = { start: 5, end: 0, text: text.slice(0, 5) };
      },
      'quote',
    ),
    edited('answer-quote-empty', 'A quote of nothing stands everywhere.', (copy) => {
      copy.quote = { start: 5, end: 5, text: '' };
    }),
    edited(
      'answer-quote-fraction',
      'An offset that is not whole.',
      (copy) => {
        copy.quote.start += 0.5;
      },
      'form',
    ),
    edited(
      'answer-version-wrong',
      'A version that the lineage does not have.',
      (copy) => {
        copy['version'] = '1.7.0';
      },
      'fields',
    ),
    edited(
      'answer-version-of-another-text',
      'The version before, of which the text is another.',
      (copy) => {
        copy['version'] = '1.0.0';
      },
      'fields',
    ),
    edited(
      'answer-title-edited',
      'The title in a result was changed.',
      (copy) => {
        copy['title'] = 'Ours';
      },
      'fields',
    ),
    edited(
      'answer-digest-edited',
      'The digest in a result was changed.',
      (copy) => {
        copy['content_sha256'] = sha256('x');
      },
      'fields',
    ),
    vector(
      'answer-status-edited',
      'A retracted capsule that an answer calls current.',
      given([
        changed(resultOf(retracted, 'costs'), (copy) => {
          copy['status'] = 'current';
          delete copy['status_reason'];
        }),
      ]),
      'fields',
    ),
    vector(
      'answer-text-edited',
      'The text that a result quotes was changed elsewhere.',
      given([resultOf(other, 'costs')], { texts: { [addressOf(other.id, '1.0.0')]: textOf(other.id, 0).replace('line', 'lime') } }),
      'text',
    ),
    vector(
      'answer-lineage-missing',
      'A result without its lineage is not proved.',
      given([clean, resultOf(other, 'costs')], { lineages: { [one.id]: JSON.stringify(one) } }),
      'fields',
    ),
    vector('answer-without-trust', 'Without trust an answer fits together.', withoutTrust(given([clean]))),
    vector(
      'answer-trust-unusable',
      'Trust that cannot be used fails even for an answer without results.',
      given([], { trust: '{"keys":[]}' }),
      'signature',
    ),
    vector(
      'answer-one-lineage-unsigned',
      'One of two lineages is not signed.',
      given([clean, resultOf(other, 'costs')], {
        lineages: { [one.id]: JSON.stringify(one), [other.id]: JSON.stringify(await makeLineage({ id: other.id })) },
      }),
      'signature',
    ),
    vector('answer-results-null', 'Results that are no list.', { document: '{"results":null}' }, 'form'),
    vector('answer-with-marks-of-other-kinds', 'What has results is an answer, whatever it has besides.', {
      document: '{"results":[],"statement":{},"capsule_id":1,"versions":[]}',
    }),
  ];
}

const withoutTrust = ({ trust: _, ...given }: Given): Given => given;

/** Vectors of capsules and of answers to queries. */
export const itemVectors = async (): Promise<Vector[]> => [...(await capsules()), ...(await answers())];
