import { defList } from 'micromark-extension-definition-list';
import type { Construct, Event, Extension, TokenizeContext } from 'micromark-util-types';

const COLON = 58;

/** Events that may stand between two parts of one list. */
const PREFIXES: ReadonlySet<string> = new Set(['linePrefix', 'blockQuotePrefix', 'blockQuoteMarker', 'blockQuotePrefixWhitespace']);

const [construct] = [defList.document?.[COLON] ?? []].flat();

/** Syntax of definition lists. Lists are resolved one by one: the package moves all events of a text for every list. */
export const definitionLists: Extension = { document: { [COLON]: construct === undefined ? [] : [linear(construct)] } };

/** The construct, in place because its continuation names itself. */
function linear(whole: Construct): Construct {
  const { resolveAll } = whole;
  if (resolveAll !== undefined) whole.resolveAll = (events, context) => resolveLists(events, context, resolveAll);
  return whole;
}

/** Resolves what ends with each outermost list by itself, and joins lists that follow each other. */
function resolveLists(events: Event[], context: TokenizeContext, resolveAll: NonNullable<Construct['resolveAll']>): Event[] {
  const resolved: Event[] = [];
  let list: Event[1] | undefined;
  let part: Event[] = [];
  let depth = 0;
  for (const event of events) {
    part.push(event);
    if (String(event[1].type) !== 'defList') continue;
    depth += event[0] === 'enter' ? 1 : -1;
    if (depth > 0) continue;
    const own = resolveAll(part, context);
    const start = own.findIndex(([, { type }]) => !PREFIXES.has(type));
    const first = own[start];
    const last = own.at(-1);
    if (list !== undefined && last !== undefined && first?.[0] === 'enter' && first[1] === last[1]) {
      resolved.pop();
      list.end = { ...last[1].end };
      last[1] = list;
      for (const each of own.slice(start + 1)) resolved.push(each);
    } else {
      list = last?.[1];
      for (const each of own) resolved.push(each);
    }
    part = [];
  }
  for (const event of part) resolved.push(event);
  return resolved;
}
