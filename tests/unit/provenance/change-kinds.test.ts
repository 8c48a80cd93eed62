import { expect, test } from 'vitest';
import { CHANGE_KINDS } from '../../../src/provenance/change-log.ts';
import { ChangeEvent } from '../../../src/schemas/knowledge/changes.ts';

test('the published form of an event knows every kind that the change log writes, and no other', () => {
  expect(ChangeEvent.shape.event.options).toEqual([...CHANGE_KINDS]);
});
