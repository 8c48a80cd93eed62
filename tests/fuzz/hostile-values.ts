import { oneOf, type Random } from '../eval/random.ts';
import { words } from '../support/words.ts';

export const HOSTILE_TEXTS: readonly string[] = [
  '',
  ' ',
  '\t\n\r\u000b',
  '\u0000',
  'a\u0000b',
  '\ud800',
  'x\udc00y',
  '\ud83d\ude00',
  '\ufeff',
  '\ufffe\uffff',
  '\u202eabc\u202c',
  '\u2066x\u2069',
  '\u200b\u200c\u200d\u2060',
  '\u{e0041}\u{e0042}',
  'e\u0301',
  '\u00e9',
  '\u1e9e\u0130\u0131\ufb01\u212a',
  '\u0639\u0631\u0628\u064a \u05e2\u05d1\u05e8\u05d9\u05ea',
  '\u4e2d\u6587\u65e5\u672c\u8a9e\ud55c\uad6d',
  'a\u0300'.repeat(300),
  '\u2028\u2029',
  '\u0085',
  "' OR '1'='1",
  "'; DROP TABLE agents; --",
  '" onload="x',
  '<script>alert(1)</script>',
  ']]><!--',
  '{{7*7}}<%= 7*7 %>#{7*7}',
  '$(id)`id`|id',
  '../../../../etc/passwd',
  '..\\..\\windows',
  '/etc/passwd%00.json',
  'file:///etc/passwd',
  'http://169.254.169.254/latest/meta-data/',
  'javascript:alert(1)',
  'data:text/html,x',
  '//evil.example/x',
  'https://evil.example\\@checkout.example/',
  'a\r\nSet-Cookie: x=1',
  ...words`
    %0d%0aSet-Cookie:%20x=1 %00 %ff%fe %zz % %25%32%65 __proto__ constructor prototype toString hasOwnProperty null undefined NaN
    true -0 1e309 9007199254740993 0x10 1_000
  `,
  '[object Object]',
  '*',
  '.*',
  '(a+)+$',
  '^(([a-z])+.)+[A-Z]([a-z])+$',
  'AND OR NOT NEAR("x")',
  ...words`-1 , ; = & # ? : a:1 evidence-review:2 akg_test_`,
  'Bearer ',
  '\u{1f468}\u200d\u{1f469}\u200d\u{1f467}',
];

const LENGTHS: readonly number[] = [
  63, 64, 65, 79, 80, 81, 199, 200, 201, 255, 256, 257, 511, 512, 513, 1023, 1024, 1025, 2048, 8191, 8192, 8193,
];
const FILLS: readonly string[] = ['a', '0', ' ', '-', '\u00e9', '\ud83d\ude00', '"', '\\', '\u0000', 'a-', 'word ', '\u0301'];

export function longText(random: Random, lengths: readonly number[] = LENGTHS): string {
  const fill = oneOf(random, FILLS);
  const length = oneOf(random, lengths);
  return fill.repeat(Math.ceil(length / fill.length)).slice(0, length);
}

export const hostileText = (random: Random): string => (random() < 0.75 ? oneOf(random, HOSTILE_TEXTS) : longText(random));

export const HOSTILE_NUMBERS: readonly string[] = [
  ...words`
    0 -0 -1 1 0.1 1.5 1.0 1e0 1E+2 49 50 51 99 100 101 1000 1001 100000 100001 2147483647 2147483648 -2147483649 4294967296
    9007199254740991 9007199254740992 9007199254740993 1e21 1e308 1e309 -1e309 1e-400 123456789012345678901234567890 00 +1 .5 1.
    0x1F NaN Infinity 1n
  `,
];
