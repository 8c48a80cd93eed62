import { expect, test } from 'vitest';
import { prefersProblem } from '../../../src/http/serve-file.ts';

const BROWSER = 'text/html,application/xhtml+xml,*/*;q=0.8';

test.each([
  ['/capsules/nothing', '*/*', false],
  ['/capsules/nothing', BROWSER, false],
  ['/capsules/nothing', 'application/json', true],
  ['/capsules/nothing', 'text/markdown', true],
  ['/capsules/nothing', 'text/plain, text/html;q=0.5', true],
  ['/capsules/nothing.md', '*/*', true],
  ['/capsules/nothing/capsule.json', '*/*', true],
  ['/capsules/nothing.md', BROWSER, false],
  ['/image.png', 'image/*', false],
])('what is missing at %s, for a caller that accepts %s: a problem document: %s', (path, Accept, expected) => {
  expect(prefersProblem(new Request(`https://a.example${path}`, { headers: { Accept } }))).toBe(expected);
});
