import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { validateInput } from '../../../../src/routes/http/validate-input.ts';

const messageOf = (schema: z.ZodType, value: unknown): string | undefined => {
  const result = validateInput(schema, value, 'query');
  return result.ok ? undefined : result.refusal.errors?.[0]?.message;
};

describe('a member that is not known', () => {
  test('is refused with the names that are known', () => {
    expect(messageOf(z.strictObject({ tag: z.string().optional(), limit: z.string().optional() }), { page: '1' })).toBe(
      'is not known here; known are tag, limit',
    );
  });

  test('and without a list where none is', () => {
    expect(messageOf(z.strictObject({}), { page: '1' })).toBe('is not known here');
  });
});
