import { words } from './words.ts';

/** What stands behind a prefix in an address and is the name of no file: names that some file system refuses, or takes for another. */
export const HOSTILE_NAMES: readonly string[] = [
  ...words`
    ${'a'.repeat(300)}/b %00 a%00.html %0A a%0D%0Ab %7F %ff %C0%AE%C0%AE %ED%A0%80 %E0%A4%A % %zz %25 %252e%252e %2F a%2Fb %2e%2e%2F
    %2e%2e%2F_headers ..%2F..%2F..%2Fpackage.json ..%5C..%5Cpackage.json a%5Cb a\b /a /${'a'.repeat(300)} . .. ... a. a.. a%20 %20 C:
    c:%5Ca a:b a::$DATA e%CC%81 %C3%A9 %EF%BC%8E%EF%BC%8E %E2%80%AE con NUL nul.html COM1 lpt1.txt a*?b %3Ca%3E %22%7C%22 ~ - _headers/a
    index.html/a
  `,
  'a'.repeat(250),
  'a'.repeat(251),
  'a'.repeat(255),
  'a'.repeat(256),
  'a'.repeat(1_900),
  '%C3%A9'.repeat(128),
  '%F0%9F%98%80'.repeat(64),
  'a/'.repeat(900),
  'a'.repeat(8_192),
];
