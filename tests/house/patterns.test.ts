import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { lineOf, readSourceFiles, type SourceFile, walkCode } from './source-files.ts';

interface SourcePattern {
  readonly at: string;
  readonly pattern: RegExp;
}

/** Every regular expression of the files: literals, and `new RegExp` of texts that are known without running anything. */
function patternsOf(files: readonly SourceFile[]): { readonly patterns: SourcePattern[]; readonly unknown: string[] } {
  const constants = new Map<string, ts.Expression>();
  for (const file of files)
    walkCode(file, (node) => {
      if (ts.isVariableDeclaration(node) && ts.isIdentifier(node.name) && node.initializer !== undefined)
        constants.set(node.name.text, node.initializer);
    });
  const patterns: SourcePattern[] = [];
  const unknown: string[] = [];
  for (const file of files)
    walkCode(file, (node) => {
      const at = `${file.path}:${lineOf(file, node)}`;
      if (node.kind === ts.SyntaxKind.RegularExpressionLiteral) {
        const text = node.getText(file.tree);
        const end = text.lastIndexOf('/');
        patterns.push({ at, pattern: new RegExp(text.slice(1, end), text.slice(end + 1)) });
      } else if (ts.isNewExpression(node) && node.expression.getText(file.tree) === 'RegExp') {
        const [source, flags] = (node.arguments ?? []).map((argument) => textOf(argument, constants));
        if (source === undefined) unknown.push(at);
        else patterns.push({ at, pattern: new RegExp(source, flags ?? '') });
      } else if (ts.isCallExpression(node) && node.expression.getText(file.tree) === 'phrases') {
        // Of `find-instructions.ts`: an id, a message, and the alternatives of a pattern.
        const alternatives = node.arguments.slice(2).map((argument) => textOf(argument, constants));
        if (alternatives.includes(undefined)) unknown.push(at);
        else patterns.push({ at, pattern: new RegExp(alternatives.join('|'), 'gu') });
      }
    });
  return { patterns, unknown };
}

/** The text of an expression, where it is one of literals, templates, constants, and joined or replaced lists of these. */
function textOf(node: ts.Expression, constants: ReadonlyMap<string, ts.Expression>): string | undefined {
  if (ts.isStringLiteralLike(node)) return node.text;
  if (ts.isAsExpression(node)) return textOf(node.expression, constants);
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw' && ts.isNoSubstitutionTemplateLiteral(node.template))
    return node.template.rawText ?? '';
  if (ts.isTaggedTemplateExpression(node) && node.tag.getText() === 'String.raw' && ts.isTemplateExpression(node.template))
    return textOf(node.template, constants);
  if (ts.isIdentifier(node)) {
    const value = constants.get(node.text);
    return value === undefined ? undefined : textOf(value, constants);
  }
  if (ts.isTemplateExpression(node)) {
    // Within String.raw, a backslash is itself.
    const isRaw = ts.isTaggedTemplateExpression(node.parent);
    const partOf = (literal: ts.TemplateLiteralLikeNode): string => (isRaw ? (literal.rawText ?? '') : literal.text);
    let text = partOf(node.head);
    for (const { expression, literal } of node.templateSpans) {
      const value = textOf(expression, constants);
      if (value === undefined) return undefined;
      text += value + partOf(literal);
    }
    return text;
  }
  if (!ts.isCallExpression(node) || !ts.isPropertyAccessExpression(node.expression)) return undefined;
  const { expression, name } = node.expression;
  const given = node.arguments.map((argument) => textOf(argument, constants));
  if (name.text === 'join' && ts.isArrayLiteralExpression(expression)) {
    const parts = expression.elements.map((element) => textOf(element, constants));
    return parts.includes(undefined) ? undefined : parts.join(given[0] ?? ',');
  }
  const text = textOf(expression, constants);
  const [from, to] = given;
  return name.text === 'replaceAll' && text !== undefined && from !== undefined && to !== undefined ? text.replaceAll(from, to) : undefined;
}

/** Characters that stand for the classes of patterns: some of each kind that any of them tells apart. */
const SAMPLES = [...' \t\n\r0129afzAFZ_-.,:;/\\\'"`~!?@#$%^&*+=|()[]{}<>éß…”»。」́­ҕαअไ漢가', '\u{1d11e}', '\ud800'];

/**
 * Texts by which a pattern can be made to look at the same characters again and again: a beginning, something repeated, and an end that
 * spoils the match. They are made from the pattern's own literals and from the characters that its classes take.
 *
 * @param length Length of each, in UTF-16 code units.
 * @param only Number of the only one that is made.
 */
function attacksOn({ source, flags }: RegExp, length: number, only?: number): string[] {
  const literals = [...source.matchAll(/\\[dDwWsSbBpPux]\S?|\\(.)|([^\\()[\]{}*+?.|^$])/g)].map(
    ([, escaped, plain]) => escaped ?? plain ?? '',
  );
  const runs = (source.match(/[A-Za-z0-9_<>!:/=-]{2,12}/g) ?? []).slice(0, 6);
  const escapes = [...source.matchAll(/\\([^A-Za-z0-9])/g)].map(([, character = '']) => character);
  const classes = [...source.matchAll(/\[(?:\\.|[^\]\\])+\]|\\p\{[^}]+\}|\\[dDwWsS]/g)].flatMap(([text]) => {
    const one = new RegExp(`^${text}$`, flags.includes('u') ? 'u' : '');
    return SAMPLES.filter((sample) => one.test(sample)).slice(0, 3);
  });
  const characters = [...new Set([...escapes, ...literals, ...classes, ' ', 'a', '1'])].filter((text) => text !== '').slice(0, 18);
  const pairs = characters.slice(0, 8).flatMap((first) => characters.slice(0, 8).map((second) => first + second));
  const opening = [...new Set([escapes.slice(0, 2).join(''), escapes.slice(0, 3).join(''), ...runs])].filter((text) => text !== '');
  const units = [...new Set([...characters, ...pairs, ...opening, ...opening.flatMap((text) => [`${text} `, `${text}a`])])];
  const beginnings = ['', ...opening.slice(0, 2), escapes[0] ?? 'a'];
  const shapes = units.flatMap((unit) => [...new Set(beginnings)].map((beginning) => [beginning, unit] as const));
  return (only === undefined ? shapes : shapes.slice(only, only + 1)).map(([beginning, unit]) => {
    const repeated = unit.repeat(Math.ceil(length / unit.length)).slice(0, length - beginning.length - 1);
    return `${beginning}${repeated}\0`;
  });
}

/**
 * Groups that are repeated without a bound and whose inside matches both a text and the same text twice, such as `(a+)+`: there are then
 * exponentially many ways to read a run of them.
 */
function ambiguousRepeats({ source, flags }: RegExp): string[] {
  const starts: number[] = [];
  const found: string[] = [];
  for (let position = 0; position < source.length; position += 1) {
    const character = source[position];
    if (character === '\\') position += 1;
    else if (character === '[') position += /^\[(?:\\.|[^\]\\])*\]/.exec(source.slice(position))?.[0].length ?? 1;
    if (character === '[') position -= 1;
    if (character === '(') starts.push(position);
    if (character !== ')') continue;
    const group = source.slice(starts.pop(), position + 1);
    if (!/^(?:[*+]|\{\d+,\})/.test(source.slice(position + 1)) || /\\[1-9]/.test(group)) continue;
    const whole = new RegExp(`^${group}$`, flags.replace(/[gym]/g, ''));
    const runs = SAMPLES.flatMap((first) => ['', ...SAMPLES].map((second) => first + second));
    if (runs.some((text) => whole.test(text) && whole.test(text + text))) found.push(group);
  }
  return found;
}

/** Milliseconds below which a time is not looked at more closely. */
const HARMLESS_MS = 0.5;

/** The milliseconds that all matches of a pattern in a text take, the least of some tries: other programs only lengthen it. */
function matchTime(pattern: RegExp, text: string, tries: number): number {
  const every = new RegExp(pattern.source, pattern.flags.includes('g') ? pattern.flags : `${pattern.flags}g`);
  let least = Infinity;
  for (let attempt = 0; attempt <= tries && least > HARMLESS_MS; attempt += 1) {
    const begun = process.hrtime.bigint();
    text.replace(every, '');
    least = Math.min(least, Number(process.hrtime.bigint() - begun) / 1_000_000);
  }
  return least;
}

const { patterns, unknown } = patternsOf(readSourceFiles());
/** Only what repeats without a limit can take long. */
const REPEATS = /[*+]|\{\d+,\}/;
const distinct = [...new Map(patterns.map((pattern) => [String(pattern.pattern), pattern])).values()];

/** Lengths at which a pattern is tried, so that one that explodes is met while it is still harmless. */
const STEPS = [24, 500, 2_000, 8_000];
/** So many texts are tried at the longest step: one that is read again and again is a hundred times slower than the others before it. */
const LONGEST_STEP_TEXTS = 12;
/** Milliseconds that no linear pattern needs at these lengths, by far; a quadratic one needs 10 at 2,000 characters. */
const STEP_MS = 4;
/** Milliseconds for the longest text, and by how much four times the length may take longer: linear is 4, quadratic 16. */
const LONGEST_MS = 50;
const GROWTH = 9;

function faultOf({ at, pattern }: SourcePattern): string | undefined {
  let slowest: { readonly time: number; readonly index: number }[] = [];
  for (const length of STEPS) {
    const texts = attacksOn(pattern, length);
    const tried = length === STEPS.at(-1) ? slowest.map(({ index }) => index) : texts.keys();
    slowest = [];
    for (const index of tried) {
      const text = texts[index] ?? '';
      let time = matchTime(pattern, text, 1);
      if (time > STEP_MS) time = matchTime(pattern, text, 5);
      if (time > STEP_MS) return `${at} ${pattern} needs ${time.toFixed(1)} ms for ${length} of ${JSON.stringify(text.slice(0, 20))}`;
      slowest.push({ time, index });
    }
    slowest = slowest.sort((a, b) => b.time - a.time).slice(0, LONGEST_STEP_TEXTS);
  }
  // A time below that shows by itself that it does not grow with the square: 8,000 squared takes tens of milliseconds.
  for (const { index } of slowest.slice(0, 3).filter(({ time }) => time > HARMLESS_MS)) {
    const timeOf = (length: number): number => matchTime(pattern, attacksOn(pattern, length, index)[0] ?? '', 3);
    const quarter = timeOf(25_000);
    // A quarter of the text that takes longer than all of it may is told without the whole, which would take seconds.
    const whole = quarter > LONGEST_MS ? Number.POSITIVE_INFINITY : timeOf(100_000);
    if (whole > LONGEST_MS && whole > GROWTH * quarter)
      return `${at} ${pattern} needs ${quarter.toFixed(1)} ms for 25 KB and ${whole.toFixed(1)} ms for 100 KB`;
  }
  return undefined;
}

describe('regular expressions', () => {
  test('are all known without running anything, but for those that are built from a setting', () => {
    expect(unknown.map((at) => at.replace(/:\d+$/, ''))).toEqual(['src/schemas/primitives.ts', 'src/text/check/find-instructions.ts']);
    expect(distinct.length).toBeGreaterThan(150);
  });

  test('repeat nothing that repeats in more than one way', () => {
    expect(distinct.flatMap(({ at, pattern }) => ambiguousRepeats(pattern).map((group) => `${at} ${pattern} repeats ${group}`))).toEqual(
      [],
    );
  });

  test('take time that grows no faster than the text, on texts made to slow them down', () => {
    const repeating = distinct.filter(({ pattern }) => REPEATS.test(pattern.source));
    expect(repeating.length).toBeGreaterThan(100);
    expect(repeating.flatMap((pattern) => faultOf(pattern) ?? [])).toEqual([]);
  });

  test.each([/^(a+)+$/, /(x|\d+)*y/])('%s is found by its form', (pattern) => expect(ambiguousRepeats(pattern)).toHaveLength(1));

  test.each([/\s+$/])('%s is found by its time', (pattern) => expect(faultOf({ at: 'here', pattern })).toContain('needs'));

  test.each([/^[a-z0-9]+(-[a-z0-9]+)*$/, /(?:\p{N}\p{M}*)+/gu])('%s is let through', (pattern) => {
    expect([faultOf({ at: 'here', pattern }), ambiguousRepeats(pattern)]).toEqual([undefined, []]);
  });
});
