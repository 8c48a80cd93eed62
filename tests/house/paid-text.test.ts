import ts from 'typescript';
import { expect, test } from 'vitest';
import { readSourceFiles, walkCode } from './source-files.ts';

/** What may read a text that is sold: each file gives it only to who has paid. */
const READERS = ['src/gateway/commerce/orders/deliver.ts', 'src/gateway/commerce/payments/pay-for-resource.ts'];

/** Files that call a function or method of this name, in ascending order. */
function callersOf(name: string): string[] {
  const callers = readSourceFiles().filter((file) => {
    let calls = false;
    walkCode(file, (node) => {
      if (!ts.isCallExpression(node)) return;
      const { expression } = node;
      const called = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
      if (ts.isIdentifier(called) && called.text === name) calls = true;
    });
    return calls;
  });
  return callers.map(({ path }) => path).sort();
}

test('a text that is sold is read by what has seen it paid, and by nothing else', () => {
  expect(callersOf('readPaidText')).toEqual(READERS);
  // The publisher's own command reads what was published, to freeze it.
  expect(callersOf('paidText')).toEqual(['src/build/content/published-text.ts', 'src/gateway/knowledge/read-capsule.ts']);
});
