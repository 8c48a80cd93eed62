import { describe, expect, test } from 'vitest';
import { verifyKey } from '../../../src/gateway/agents/api-key.ts';
import { isReceiptOf } from '../../../src/gateway/intake/submit-proposal.ts';
import { decodeCursor } from '../../../src/gateway/knowledge/cursor.ts';
import { networkOf } from '../../../src/gateway/limits/token-bucket.ts';
import { repeatable } from '../../../src/gateway/result.ts';
import { matchesEntityTag, preferredType } from '../../../src/http/content-negotiation.ts';
import { jsonBody, parseJsonObject } from '../../../src/http/read-body.ts';
import { readSigningSecrets } from '../../../src/platform/environment.ts';
import { parseContentFile } from '../../../src/publication/read/front-matter.ts';
import { Id, Language, License, Uri, Version } from '../../../src/schemas/primitives.ts';
import { PageFrontMatter } from '../../../src/schemas/publisher.ts';
import { analyse, splitIdentifier } from '../../../src/search/analysis/analyse.ts';
import { markdownBlocks, visibleRanges } from '../../../src/search/passages/markdown-blocks.ts';
import { passageUnits } from '../../../src/search/passages/passage-units.ts';
import { findHiddenCharacters } from '../../../src/text/check/hidden-characters.ts';
import { TEST_SIGNING_SECRETS } from '../../support/edge-gateway.ts';

/** Characters of the longest text, and the milliseconds that it may take before its growth is looked at. */
const LONGEST = 60_000;
const LONGEST_MS = 50;
/** By how much four times the text may take longer: linear is 4, quadratic is 16. */
const GROWTH = 9;
/** Texts that are read at full length: those that took longest for their size at a tenth of it. */
const SLOWEST = 3;

const secrets = await readSigningSecrets(TEST_SIGNING_SECRETS);

/** Texts that repeat what parsers look for, from a beginning to an end that leaves it open. */
const SHAPES: readonly (readonly [beginning: string, unit: string, end: string])[] = [
  ...[...'a \n\t"\\,;:.-_=/0<>[](){}*#|'].map((unit) => ['', unit, '\0'] as const),
  ...['`', '~', '&', '!', 'A', '\u{301}', '漢', 'Ａ', '\u{1f600}', '\u{200b}', '\u{202e}', 'ก', 'İ', 'ß', '\ud800'].map(
    (unit) => ['', unit, '!'] as const,
  ),
  ['{"a":"', '\\u0061', '"}'],
  ['{"a":"', '\\\\', ''],
  ['{', '"a" ', '}'],
  ['{', '"a":1,', '"b":2}'],
  ['{"a":', '[', ''],
  ['{"a":[', '  ', '}'],
  ['{"a":[', '"",', '""]}'],
  ['', 'text/html;q=0.1,', '*/*'],
  ['', 'a/b;;;;;', ''],
  ['', '"x", W/', '"'],
  ['text/html', ';q=1', ';'],
  ['application/json', '; charset=utf-8', ''],
  ['', '1.', 'x'],
  ['', '::', '1'],
  ['', 'ffff:', ':'],
  ['::ffff:', '1.2.3.4', ''],
  ['akg_test_', 'A0z', ''],
  ['', 'a-', '-'],
  ['https://a/', '%41', ' '],
  ['', 'aA1', '_'],
  ['', 'camelCase2', ' '],
  ['', 'Aa.', ' '],
  ...['. A', '." ', '1. ', '> ', '- ', '```\n', '[a](', '[^', '<!--', '<a ', '](a "'].map((unit) => ['', unit, ''] as const),
  ['', '|a', '\n|-\n'],
  ['---\n', 'a: 1\n', '---\n'],
  ['---\n', '- ', '\n---\n'],
  ['---\na: "', '\\u0041', '"\n---\n'],
  ['---\n', '# ', '\n'],
];

/** Everything of ours that reads what others write, as a function of a text. */
const READERS: Readonly<Record<string, (text: string) => unknown>> = {
  'a JSON body': (text) => parseJsonObject(text, LONGEST),
  'the headers of a body': (text) => jsonBody(new Headers({ 'content-type': headerText(text) }), new Uint8Array()),
  'an Accept header': (text) => preferredType(text, ['application/json', 'text/markdown']),
  'an If-None-Match header': (text) => matchesEntityTag(text, '"none"'),
  'an address of a network': networkOf,
  'an API key': (text) => ('missing' in secrets ? undefined : verifyKey(text, 'akg_test_', secrets, 0)),
  'a receipt': (text) => ('missing' in secrets ? undefined : isReceiptOf(text, '00000000000000aa', secrets)),
  'a cursor': (text) => decodeCursor(text, {}, 'query'),
  'a name that may be repeated': repeatable,
  'an id': (text) => Id.safeParse(text),
  'an address': (text) => Uri.safeParse(text),
  'a language, a licence and a version': (text) => [Language, License, Version].map((schema) => schema.safeParse(text)),
  'hidden characters': findHiddenCharacters,
  'words of a question': (text) => analyse(text, 'en'),
  'words of Thai': (text) => analyse(text, 'th'),
  'parts of a name': splitIdentifier,
  'blocks of a text': markdownBlocks,
  'what readers see of a text': visibleRanges,
  'places at which a text is cut': (text) => passageUnits(text, 480),
  'front matter': (text) => parseContentFile('content/pages/a.md', text, PageFrontMatter),
};

function headerText(text: string): string {
  return text.replaceAll(/[^\t\x20-\x7e]/g, 'x').trim();
}

function textOf([beginning, unit, end]: (typeof SHAPES)[number], length: number): string {
  return beginning + unit.repeat(Math.floor((length - beginning.length - end.length) / unit.length)) + end;
}

/** Milliseconds of the processor that a reading takes, the least of some; refusals are as good as answers. */
async function timeOf(read: (text: string) => unknown, text: string, tries: number): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const start = process.cpuUsage();
    try {
      await read(text);
    } catch {
      // A refusal.
    }
    const { user, system } = process.cpuUsage(start);
    least = Math.min(least, (user + system) / 1_000);
  }
  return least;
}

/** How often a slow reading is measured before it is a fault. */
const ROUNDS = 4;

describe.each(Object.entries(READERS))('%s', (_name, read) => {
  test('is read in time that grows no faster than the text', async () => {
    const faults: string[] = [];
    const tenths: { readonly shape: (typeof SHAPES)[number]; readonly time: number }[] = [];
    for (const shape of SHAPES) tenths.push({ shape, time: await timeOf(read, textOf(shape, LONGEST / 10), 1) });
    for (const { shape, time } of tenths.sort((a, b) => b.time - a.time).slice(0, SLOWEST)) {
      // What is quadratic is met at a tenth, before it takes a minute.
      if (time > 4 * LONGEST_MS) {
        faults.push(`${JSON.stringify(shape)}: ${time.toFixed(1)} ms for a tenth`);
        continue;
      }
      // Other programs take turns on the same cores: only what is slow every time is a fault.
      let fault: string | undefined;
      for (let round = 0; round === 0 || (round < ROUNDS && fault !== undefined); round += 1) {
        const quarter = await timeOf(read, textOf(shape, LONGEST / 4), 4);
        const whole = await timeOf(read, textOf(shape, LONGEST), 3);
        const isSlow = whole > LONGEST_MS && whole > GROWTH * quarter;
        fault = isSlow ? `${JSON.stringify(shape)}: ${quarter.toFixed(1)} ms for a quarter, ${whole.toFixed(1)} ms for all` : undefined;
      }
      if (fault !== undefined) faults.push(fault);
    }
    expect(faults).toEqual([]);
  });
});
