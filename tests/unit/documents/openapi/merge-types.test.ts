import { describe, expect, test } from 'vitest';
import { mergeTypes } from '../../../../src/documents/openapi/schemas.ts';

describe('alternatives of a schema', () => {
  test('of different plain types become a list of types, with the bounds of each', () => {
    const schema = {
      anyOf: [{ type: 'string', maxLength: 9 }, { type: 'null' }, { type: 'array', items: { type: 'string' } }],
      description: 'A value.',
    };
    expect(mergeTypes({ type: 'object', properties: { value: schema } })).toEqual({
      type: 'object',
      properties: { value: { type: ['string', 'null', 'array'], maxLength: 9, items: { type: 'string' }, description: 'A value.' } },
    });
  });

  test('stay apart where a value could be of both, or a keyword holds for all types', () => {
    for (const anyOf of [
      [{ type: 'string' }, { type: 'string', maxLength: 3 }],
      [{ type: 'integer' }, { type: 'number' }],
      [{ type: 'string', enum: ['a'] }, { type: 'null' }],
      [{ $ref: '#/components/schemas/Offer' }, { type: 'null' }],
    ])
      expect(mergeTypes({ anyOf })).toEqual({ anyOf });
  });

  test('in examples are data', () => {
    const schema = { type: 'object', example: { anyOf: [{ type: 'string' }, { type: 'null' }] } };
    expect(mergeTypes(schema)).toEqual(schema);
  });
});
