import { SESSION_ID_PREFIX } from '../sessions/session.ts';

/** What of the query of a permalink has an effect here. */
export interface PermalinkQuery {
  /** Where it asks to go on, percent-encoded as it was sent; `undefined` if it does not, or twice. */
  readonly continueTo: string | undefined;
  /** Parameters that go on to where the answer leads, with the values that they may have. */
  readonly passedOn: ReadonlyMap<string, string>;
}

const MARKETING = /^[A-Za-z0-9_-]{1,150}$/;

/**
 * A reference of whoever made the link. None that begins as ids of checkout sessions do: a payment completes the session that its
 * reference names, so that a link would have its buyer pay for the session of somebody else. Upper case is no way around it.
 */
const REFERENCE = new RegExp(`^(?!${SESSION_ID_PREFIX})[a-z0-9_-]{1,64}$`, 'i');

/**
 * Parameters that are passed on, with the values they may have (Stripe payment links take the same, and drop others without a word).
 * Any other is dropped: what may be sensitive cannot be told from its name.
 */
const PASSED_ON: ReadonlyMap<string, RegExp> = new Map([
  ['client_reference_id', REFERENCE],
  ['utm_source', MARKETING],
  ['utm_medium', MARKETING],
  ['utm_campaign', MARKETING],
  ['utm_term', MARKETING],
  ['utm_content', MARKETING],
]);

/** First token of a field path that stands for where a buyer comes from. */
const ATTRIBUTION = 'attribution';

/**
 * Reads a query. Names are compared as JSON pointers, with or without the slash at their beginning; one that is there twice is
 * ambiguous and dropped. Of the fields of UCP, `attribution/utm_…` goes on as `utm_…`, before a parameter of that name; no other has an
 * effect, so that no link sets a price, a total or a state.
 *
 * @param query Query string as it was sent, with or without its question mark.
 * @see UCP 2026-08-25, docs/specification/permalink.md, "Query Processing".
 */
export function readPermalinkQuery(query: string): PermalinkQuery {
  const values = new Map<string, string | undefined>();
  for (const part of query.replace(/^\?/, '').split('&')) {
    const at = part.indexOf('=');
    const name = decodedText(at < 0 ? part : part.slice(0, at));
    const value = at < 0 ? '' : part.slice(at + 1);
    if (name === undefined || name === '') continue;
    const pointer = name === 'continue_to' ? name : name.replace(/^\/*/, '/');
    values.set(pointer, values.has(pointer) ? undefined : value);
  }
  const passedOn = new Map<string, string>();
  for (const [name, allowed] of PASSED_ON) {
    const isMarketing = allowed === MARKETING;
    const sent = (isMarketing ? values.get(`/${ATTRIBUTION}/${name}`) : undefined) ?? values.get(`/${name}`);
    const value = sent === undefined ? undefined : decodedText(sent);
    if (value !== undefined && allowed.test(value)) passedOn.set(name, value);
  }
  return { continueTo: values.get('continue_to'), passedOn };
}

/** An address with parameters that are passed on, whose names and values need no encoding. */
export function withPassedOn(address: string, passedOn: PermalinkQuery['passedOn']): string {
  const query = [...passedOn].map(([name, value]) => `${name}=${value}`).join('&');
  return query === '' ? address : `${address}${address.includes('?') ? '&' : '?'}${query}`;
}

/** A name or value of a query, decoded as forms are; `undefined` for what is not percent-encoded rightly. */
function decodedText(text: string): string | undefined {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '));
  } catch {
    return undefined;
  }
}
