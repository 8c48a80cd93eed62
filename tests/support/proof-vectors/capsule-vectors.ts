import { attacker, issuer, sha256 } from './parties.ts';
import { addressOf, type Change, JWKS, makeLineage, type SampleLineage, textOf, textsOf } from './sample.ts';
import { type Members, summaryOf } from './sample-bundle.ts';
import { at, changed, failing, type Given, unsigned, type Vector, vector } from './vector.ts';

interface SampleCapsule extends Members {
  markdown: string;
  tags: string[];
  sources: Members[];
  derived_from: string[];
  cites: string[];
  supersedes: Members[];
  versions: Members[];
}

export function capsuleOf(lineage: SampleLineage, sequence = lineage.versions.length - 1): SampleCapsule {
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

const capsuleGiven = (capsule: SampleCapsule, lineage: SampleLineage): Given => ({
  document: JSON.stringify(capsule),
  lineages: { [lineage.id]: JSON.stringify(lineage) },
  id: lineage.id,
  trust: JWKS,
});

const sold = (capsule: SampleCapsule): SampleCapsule => ({ ...capsule, access: 'paid' });
const withoutText = (capsule: SampleCapsule): SampleCapsule => changed(sold(capsule), { markdown: undefined });

export async function capsuleVectors(): Promise<Vector[]> {
  const lineage = await makeLineage({ by: issuer, count: 2 });
  const clean = capsuleOf(lineage);
  const given = capsuleGiven(clean, lineage);
  const edited = (title: string, change: Change<SampleCapsule>): Vector =>
    vector(failing('fields', title), capsuleGiven(changed(clean, change), lineage));
  const retracted = await makeLineage({
    by: issuer,
    changeHead: { status: 'retracted', statusReason: 'It was wrong.' },
  });
  const superseded = await makeLineage({
    by: issuer,
    changeHead: { status: 'superseded', supersededBy: 'newer-words' },
  });
  const named = await makeLineage({ by: issuer, id: 'constructor' });
  const noon = await makeLineage({
    by: issuer,
    change: { issued: '2026-11-19T12:00:00Z' },
  });
  const unordered = await makeLineage({
    by: issuer,
    change: (record) => record.derivedFrom.reverse(),
  });
  const single = await makeLineage({ by: issuer });
  const withoutDigest = await makeLineage({ by: issuer, change: { digest: undefined } });
  const byAttacker = await makeLineage({ by: attacker, count: 2 });
  return [
    vector('capsule-clean: A capsule holds with its lineage.', given),
    vector('capsule-older-version: A capsule in an older version holds.', capsuleGiven(capsuleOf(lineage, 0), lineage)),
    vector('capsule-retracted: A retracted capsule says so and why.', capsuleGiven(capsuleOf(retracted), retracted)),
    vector('capsule-superseded: A superseded capsule says by what.', capsuleGiven(capsuleOf(superseded), superseded)),
    vector('capsule-named-constructor: An id that every object knows in some languages.', capsuleGiven(capsuleOf(named), named)),
    vector('capsule-named-constructor-without-lineage [fields]: The same without its lineage.', {
      ...capsuleGiven(capsuleOf(named), named),
      lineages: {},
    }),
    vector('capsule-texts-of-all-versions: Exact texts that are given besides are looked at.', { ...given, texts: textsOf(lineage) }),
    vector('capsule-text-of-older-version-edited [text]: An exact text of an older version was changed.', {
      ...given,
      texts: { [addressOf(lineage.id, '1.0.0')]: 'x' },
    }),
    edited('capsule-title-edited: The title of a capsule was changed.', { title: 'Another title' }),
    edited('capsule-title-nfd: A title in another normal form is another title.', (copy) =>
      Object.assign(copy, { title: `${copy['title']}\u0301` }),
    ),
    edited('capsule-title-absent: A title was left out.', (copy) => Reflect.deleteProperty(copy, 'title')),
    edited('capsule-summary-edited: The claim was changed.', { summary: 'Another sentence.' }),
    edited('capsule-status-absent: The status was left out.', (copy) => Reflect.deleteProperty(copy, 'status')),
    vector(
      'capsule-status-edited [fields]: A retracted capsule that claims to be current.',
      capsuleGiven(changed(capsuleOf(retracted), { status: 'current' }), retracted),
    ),
    vector(
      'capsule-status-reason-removed [fields]: The reason of a retraction was left out.',
      capsuleGiven(
        changed(capsuleOf(retracted), (copy) => Reflect.deleteProperty(copy, 'status_reason')),
        retracted,
      ),
    ),
    vector(
      'capsule-superseded-by-edited [fields]: Another capsule is named as the newer one.',
      capsuleGiven(changed(capsuleOf(superseded), { superseded_by: 'their-words' }), superseded),
    ),
    edited('capsule-status-reason-added: A reason where there is none.', { status_reason: 'x' }),
    edited('capsule-tags-reordered: The order of tags was changed.', (copy) => copy.tags.reverse()),
    edited('capsule-evidence-edited: The evidence was made stronger.', { evidence: 'measured' }),
    edited('capsule-type-edited: The kind was changed.', { type: 'protocol' }),
    edited('capsule-license-edited: The licence was changed.', { license: 'CC0-1.0' }),
    edited('capsule-language-number: A member of another type.', { language: 1 }),
    edited('capsule-updated-edited: The day of the newest change was changed.', { updated: '2026-11-21' }),
    edited('capsule-updated-list: A day in a list is no day.', (copy) => Object.assign(copy, { updated: [copy['updated']] })),
    vector('capsule-updated-not-midnight: A day is proved by a record of its noon.', capsuleGiven(capsuleOf(noon), noon)),
    edited('capsule-digest-edited: The digest of the text was changed.', { content_sha256: sha256('another') }),
    vector(
      'capsule-digest-absent-on-both-sides [text]: What neither a capsule nor its record says is the same on both sides; a text without a digest is not proved.',
      capsuleGiven(
        changed(capsuleOf(single), (copy) => {
          delete copy['content_sha256'];
          const { content_sha256: _, ...version } = at(copy.versions, 0);
          copy.versions = [{ ...version, record_digest: at(withoutDigest.versions, 0).recordDigest }];
        }),
        withoutDigest,
      ),
    ),
    edited('capsule-markdown-edited [text]: The text was changed.', (copy) =>
      Object.assign(copy, { markdown: copy.markdown.replace('costs', 'saves') }),
    ),
    edited('capsule-markdown-and-digest-edited [text fields]: The text was changed, and its digest with it.', (copy) => {
      copy.markdown = 'x';
      copy['content_sha256'] = sha256('x');
    }),
    edited('capsule-source-edited: The address of a source was changed.', (copy) =>
      Object.assign(at(copy.sources, 0), { url: 'https://attacker.example/' }),
    ),
    edited('capsule-source-removed: A source was left out.', (copy) => copy.sources.pop()),
    edited('capsule-source-added: A source was added.', (copy) => copy.sources.push({ key: 'x', url: 'https://attacker.example/' })),
    edited('capsule-source-retrieved-added: A source claims to have been opened.', (copy) =>
      Object.assign(at(copy.sources, 1), { retrieved: '2026-11-18' }),
    ),
    edited('capsule-source-without-key: A source that is not named by a key is none.', (copy) => {
      copy.sources.unshift({ url: '/capsules/well-known-uris' });
      copy.derived_from = [];
    }),
    edited('capsule-derived-from-as-supersedes: What the capsule rests on is told as what it replaces.', (copy) => {
      copy.supersedes.push({ capsule_id: 'well-known-uris' });
      copy.derived_from = [];
    }),
    edited('capsule-derived-from-list: An id in a list is no id.', (copy) => Object.assign(copy, { derived_from: [copy.derived_from] })),
    edited('capsule-license-list: A licence in a list is no licence.', (copy) => Object.assign(copy, { license: [copy['license']] })),
    edited('capsule-id-list [subject fields]: The id of a capsule in a list is no id.', (copy) =>
      Object.assign(copy, { capsule_id: [copy['capsule_id']] }),
    ),
    edited('capsule-sources-null: Sources that are no list.', { sources: null }),
    edited('capsule-sources-of-null: A source that is null.', { sources: [null, null] }),
    edited('capsule-sources-absent: No sources at all.', { sources: undefined }),
    vector(
      'capsule-source-kind-edited: The kind of a source is not proved.',
      capsuleGiven(
        changed(clean, (copy) => Object.assign(at(copy.sources, 0), { kind: 'blog' })),
        lineage,
      ),
    ),
    vector(
      'capsule-words-edited: Counts of words are not proved.',
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
    edited('capsule-derived-from-removed: What the capsule rests on was left out.', { derived_from: [] }),
    edited('capsule-derived-from-address: An address where an id is meant.', { derived_from: ['/capsules/well-known-uris'] }),
    edited('capsule-cites-edited: Another capsule is cited.', { cites: ['did-key'] }),
    edited('capsule-supersedes-removed: What the capsule replaces was left out.', { supersedes: [] }),
    edited('capsule-versions-shortened: An older version was left out of the list.', (copy) => copy.versions.shift()),
    edited('capsule-versions-edited: A digest in the list of versions was changed.', (copy) =>
      Object.assign(at(copy.versions, 0), { content_sha256: sha256('another') }),
    ),
    edited('capsule-versions-record-digest-edited: A name in the list of versions was changed.', (copy) =>
      Object.assign(at(copy.versions, 0), { record_digest: `sha256:${sha256('another')}` }),
    ),
    edited('capsule-version-without-record: A version that the lineage does not have.', { version: '1.2.0' }),
    edited('capsule-id-edited [subject fields]: A capsule of another id has no lineage here.', { capsule_id: 'http-other' }),
    edited('capsule-version-malformed [fields]: A version that is none.', { version: 'v1' }),
    edited('capsule-markdown-absent [form]: A capsule without its text.', { markdown: undefined }),
    vector('capsule-markdown-number-without-lineage [form]: A text that is a number has no form, whether there is a lineage or not.', {
      document: JSON.stringify({ ...clean, markdown: 5 }),
    }),
    vector('capsule-paid: The text of a paid capsule is absent, and not compared; all else is.', capsuleGiven(withoutText(clean), lineage)),
    vector('capsule-paid-and-bought: The text of a paid capsule that is given is compared.', capsuleGiven(sold(clean), lineage)),
    vector(
      'capsule-paid-text-edited [text]: The text of a paid capsule that is given is not that of its record.',
      capsuleGiven(
        changed(sold(clean), (copy) => Object.assign(copy, { markdown: copy.markdown.replace('costs', 'saves') })),
        lineage,
      ),
    ),
    vector(
      'capsule-paid-text-null [form]: A text that is null is none, and not absent.',
      capsuleGiven(changed(sold(clean), { markdown: null }), lineage),
    ),
    vector(
      'capsule-paid-digest-edited [fields]: The digest of a text that is sold is that of its record.',
      capsuleGiven(changed(withoutText(clean), { content_sha256: sha256('another') }), lineage),
    ),
    vector('capsule-of-another-id [subject]: Another capsule than the one that was asked for.', { ...given, id: 'http-other' }),
    vector('capsule-lineage-of-another [subject fields]: The lineage that was given for the id is of another capsule.', {
      ...given,
      lineages: { [lineage.id]: JSON.stringify(await makeLineage({ by: issuer, count: 2, id: 'http-other' })) },
    }),
    vector('capsule-lineage-missing [fields]: Without a lineage nothing about a capsule is proved.', {
      ...given,
      lineages: {},
      trust: JWKS,
    }),
    vector(
      'capsule-lineage-edited [records signature]: The lineage of a capsule was changed with it.',
      capsuleGiven(
        changed(clean, { title: 'Ours' }),
        changed(lineage, ({ versions }) => Object.assign(at(versions, 1).record, { title: 'Ours' })),
      ),
    ),
    unsigned(
      'capsule-lineage-by-attacker: The lineage of a capsule is signed by another key.',
      capsuleGiven(capsuleOf(byAttacker), byAttacker),
    ),
    vector(
      'capsule-origins-in-another-order [fields]: A record names what it replaces first, then what it rests on, then its sources.',
      capsuleGiven(capsuleOf(unordered), unordered),
    ),
    vector('capsule-lineage-of-another-besides [json]: A lineage that is given besides is looked at too.', {
      ...given,
      lineages: { ...given.lineages, 'http-other': 'x' },
    }),
    vector('capsule-lineage-expired [fresh]: The head of the lineage of a capsule expired.', { ...given, now: '2027-01-01T00:00:00Z' }),
    vector('capsule-lineage-unreadable [json]: A lineage that is no JSON proves nothing, and ends the checks.', {
      ...given,
      lineages: { [lineage.id]: 'x' },
    }),
  ];
}
