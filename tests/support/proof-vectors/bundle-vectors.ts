import { attacker, issuer } from './parties.ts';
import { makeLineage } from './sample.ts';
import { entryOf, bundleGiven as given, lineOf, makeBundle, sampleLineages } from './sample-bundle.ts';
import { at, unsigned, type Vector, vector } from './vector.ts';

export async function bundleVectors(): Promise<Vector[]> {
  const lineages = await sampleLineages(issuer);
  const bundle = await makeBundle(lineages, issuer);
  const { manifest, parts } = bundle;
  const [first, second] = [at(parts, 0), at(parts, 1)];
  const lines = first.split(/(?<=\n)/);
  const older = await makeLineage({ by: issuer, id: 'a-first' });
  const olderLineages = [older, ...lineages.slice(1)];
  const brokenLine = await makeBundle(lineages, issuer, (statement) =>
    Object.assign(statement.bundle, { parts: [entryOf(first.replace('"texts"', '"text"'), 0), entryOf(second, 1)] }),
  );
  const soldPart =
    changedLine(at(lines, 0), (line) => {
      for (const text of line.texts) Object.assign(text as object, { markdown: null });
    }) + lines[1];
  const soldLine = await makeBundle(lineages, issuer, (statement) =>
    Object.assign(statement.bundle, { parts: [entryOf(soldPart, 0), entryOf(second, 1)] }),
  );
  return [
    vector(
      'part-cut [json parts]: The end of the last line of a part is missing.',
      given(bundle, { parts: [first.slice(0, -20), second] }),
    ),
    vector(
      'line-text-number [form parts]: A text in a line that is a number.',
      given(bundle, {
        parts: [changedLine(at(lines, 0), (line) => Object.assign(line.texts[0] as object, { markdown: 5 })), second],
      }),
    ),
    vector(
      'manifest-parts-empty-object [parts]: A signed manifest whose parts are an object, of a bundle without any.',
      given(await makeBundle([], issuer, (statement) => Object.assign(statement.bundle, { parts: { length: 0 } })), { parts: [] }),
    ),
    vector(
      'manifest-parts-null-and-part-given [parts]: A part under a signed manifest whose parts are null.',
      given(await makeBundle(lineages, issuer, (statement) => Object.assign(statement.bundle, { parts: null }))),
    ),
    vector(
      'manifest-parts-null [parts]: A signed manifest whose parts are null, of a bundle without any.',
      given(await makeBundle([], issuer, (statement) => Object.assign(statement.bundle, { parts: null })), { parts: [] }),
    ),
    vector(
      'part-without-last-line-feed [parts]: The last line feed of a part is missing.',
      given(bundle, { parts: [first.slice(0, -1), second] }),
    ),
    vector('part-line-removed [parts corpus]: A line is missing.', given(bundle, { parts: [at(lines, 1), second] })),
    vector('part-last-line-removed [parts corpus]: The last line of a part is missing.', given(bundle, { parts: [at(lines, 0), second] })),
    vector(
      'part-lines-swapped [parts corpus]: Two lines stand in another order.',
      given(bundle, { parts: [`${lines[1]}${lines[0]}`, second] }),
    ),
    vector('part-line-twice [parts corpus]: A line stands twice.', given(bundle, { parts: [`${first}${lines[1]}`, second] })),
    vector('part-empty-line [json parts]: An empty line is no capsule.', given(bundle, { parts: [`${first}\n`, second] })),
    vector(
      'part-white-space [parts]: A blank more in a line makes another part, though the same capsules.',
      given(bundle, { parts: [first.replace('{', '{ '), second] }),
    ),
    vector('part-missing [parts corpus]: One of two parts is missing.', given(bundle, { parts: [first] })),
    vector('parts-none [parts corpus]: All parts are missing.', given(bundle, { parts: [] })),
    vector(
      'part-too-many [parts corpus]: A part more than the manifest has.',
      given(bundle, { parts: [first, second, lineOf(await makeLineage({ by: issuer, id: 'd-fourth' }))] }),
    ),
    vector('part-empty-too-many [parts]: An empty part more than the manifest has.', given(bundle, { parts: [first, second, ''] })),
    vector('parts-swapped [parts corpus]: The parts stand in another order.', given(bundle, { parts: [second, first] })),
    vector(
      'part-with-byte-order-mark [json parts]: A part begins with a byte order mark.',
      given(bundle, { parts: [`\ufeff${first}`, second] }),
    ),
    vector(
      'part-text-edited [text parts]: A text in a part was changed.',
      given(bundle, { parts: [first.replace('no more', 'much more'), second] }),
    ),
    vector(
      'part-record-edited [records parts signature]: A record in a part was changed.',
      given(bundle, { parts: [first.replace('briefly', 'shortly'), second] }),
    ),
    vector(
      'part-status-edited [parts corpus signature]: The status of a capsule in a part was changed.',
      given(bundle, { parts: [first.replace('"status":"superseded"', '"status":"current"'), second] }),
    ),
    vector(
      'line-without-texts [form]: A line of the wrong form, in a part as the manifest says it.',
      given(brokenLine, { parts: [first.replace('"texts"', '"text"'), second] }),
    ),
    vector(
      'line-text-left-out [form parts]: A line lacks the text of one of its versions.',
      given(bundle, {
        parts: [changedLine(at(lines, 0), (line) => line.texts.pop()) + lines[1], second],
      }),
    ),
    vector(
      'line-texts-sold: The texts of a line are sold: they are null, under a manifest that says so of the part.',
      given(soldLine, { parts: [soldPart, second] }),
    ),
    vector('line-text-sold-in-copy [parts]: A text of a line was taken out.', given(bundle, { parts: [soldPart, second] })),
    vector(
      'line-texts-swapped [text parts]: The texts of a line stand in another order.',
      given(bundle, {
        parts: [changedLine(at(lines, 0), (line) => line.texts.reverse()) + lines[1], second],
      }),
    ),
    vector(
      'bundle-capsule-twice [corpus]: A capsule stands twice under a manifest that counts it twice.',
      given(await makeBundle([at(lineages, 0), at(lineages, 0), at(lineages, 2)], issuer)),
    ),
    vector(
      'bundle-id-of-digits: An id of digits comes before one of letters.',
      given(await makeBundle([await makeLineage({ by: issuer, id: '1-first' }), ...lineages], issuer)),
    ),
    vector(
      'bundle-with-older-capsule [parts corpus]: A capsule was replaced by its own older state, of which all signatures are valid.',
      given({ manifest, parts: (await makeBundle(olderLineages, issuer)).parts }),
    ),
    vector(
      'bundle-with-older-capsule-and-manifest [known]: The same with a manifest that fits, which the older copy gives away.',
      given(await makeBundle(olderLineages, issuer, (statement) => Object.assign(statement.changes, { count: 3 })), {
        known: JSON.stringify(manifest),
      }),
    ),
    unsigned(
      'bundle-with-capsule-of-attacker: A capsule was added under a manifest that fits but is not signed by the issuer.',
      given(await makeBundle([...lineages, await makeLineage({ by: attacker, id: 'd-fourth' })], attacker)),
    ),
  ];
}

const changedLine = (line: string, change: (line: { texts: unknown[] }) => void): string => {
  const read = JSON.parse(line) as { texts: unknown[] };
  change(read);
  return `${JSON.stringify(read)}\n`;
};
