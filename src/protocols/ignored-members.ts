import * as z from 'zod';
import { LIMITS } from '../schemas/limits.ts';

/* Members of requests that a protocol has and this service ignores: their content is not checked. */

export const AnyText = z.string().max(LIMITS.jsonStringMaxLength);

export const IgnoredObject = z.looseObject({});

export const IgnoredList = z.array(z.unknown()).max(LIMITS.jsonMaxKeys);

/**
 * JSONPath (RFC 9535) for a JSON Pointer, as far as its members have plain names; `undefined` for the name of a parameter, which has no
 * place in a body.
 */
export function jsonPath(pointer: string | undefined): string | undefined {
  if (pointer === undefined || (pointer !== '' && !pointer.startsWith('/'))) return undefined;
  let path = '$';
  for (const name of pointer.split('/').slice(1)) {
    if (/^\d+$/.test(name)) path += `[${name}]`;
    else if (/^[A-Za-z_]\w*$/.test(name)) path += `.${name}`;
    else break;
  }
  return path;
}
