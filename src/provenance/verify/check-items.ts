import { differingField } from './check-fields.ts';
import { checkLineage, checkText } from './check-lineage.ts';
import type { Context } from './context.ts';
import type { Item, Lineage } from './documents.ts';
import { lineageForm } from './forms.ts';
import { type Source, toText } from './json-text.ts';

/** Result of something that may throw, or `otherwise`. */
export function attempt<T>(make: () => T, otherwise: T): T {
  try {
    return make();
  } catch {
    return otherwise;
  }
}

/** Whether a passage stands in a text where it says, in UTF-16 code units. */
const isQuoted = ({ start, end, text }: Item['quote'], source: Source): boolean =>
  start >= 0 && text.length === end - start && toText(source).slice(start, end) === text;

/** Checks a capsule, or the results of a query, with their lineages and texts. */
export async function checkItems(
  items: readonly Item[],
  isCapsule: boolean,
  lineages: ReadonlyMap<string, Source>,
  context: Context,
): Promise<void> {
  const { note, open, texts } = context;
  const opened = new Map<string, Lineage | undefined>();
  for (const item of items) {
    const { capsule_id: id, version, markdown, quote } = item;
    const what = `${id} ${version}`;
    if (!opened.has(id)) {
      const source = lineages.get(id);
      const lineage = source === undefined ? source : open<Lineage>(source, lineageForm, `lineage of ${id}`);
      opened.set(id, lineage);
      if (lineage) await checkLineage(lineage, context, id);
    }
    const lineage = opened.get(id);
    const record = lineage?.versions.find((entry) => entry.record.version === version)?.record;
    const wrong = lineage && record ? attempt(() => differingField(item, record, lineage, isCapsule), 'malformed') : 'no record';
    note('fields', !wrong, `${what}: ${wrong}`);
    const text = isCapsule ? markdown : texts.get(record?.canonical);
    if (!record || text === undefined) continue;
    if (isCapsule) await checkText(context, record, text);
    else
      note(
        'quote',
        attempt(() => isQuoted(quote, text), false),
        what,
      );
  }
}
