import { ERRORS, type ErrorCode, errorEntry } from '../gateway/errors.ts';

/** What the page of an error code says. */
export interface ErrorPage {
  readonly code: string;
  readonly status: number;
  readonly title: string;
  readonly explanation: string;
  /** Whether the same request can succeed later, in words. */
  readonly retry: string;
  readonly nextActions: readonly { readonly description: string; readonly method?: string; readonly path?: string }[];
}

const RETRY_WORDS = {
  never: 'The same request will fail again.',
  later: 'The same request can succeed later.',
  changed: 'The request can succeed once it is changed.',
} as const;

/** Every error code, in ascending order of status, then by code. */
export function errorPages(): ErrorPage[] {
  return (Object.keys(ERRORS) as ErrorCode[])
    .map((code) => {
      const { status, title, explanation, retry, nextActions } = errorEntry(code);
      return { code, status, title, explanation, retry: RETRY_WORDS[retry], nextActions };
    })
    .sort((a, b) => a.status - b.status || (a.code < b.code ? -1 : 1));
}
