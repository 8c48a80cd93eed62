import * as z from 'zod';
import { LIMITS } from '../schemas/limits.ts';

/* Members of requests that a protocol has and this service ignores: their content is not checked. */

export const AnyText = z.string().max(LIMITS.jsonStringMaxLength);

export const IgnoredObject = z.looseObject({});

export const IgnoredList = z.array(z.unknown()).max(LIMITS.jsonMaxKeys);
