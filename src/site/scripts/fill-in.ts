import type { PlaceholderOf } from '../../publication/strings/message.ts';

/** A sentence of the interface with its values, for scripts: it has neither plural forms nor tags. */
export function fillIn<const M extends string>(sentence: M, values: Readonly<Record<PlaceholderOf<M>, string>>): string {
  return sentence.replace(/\{(\w+)\}/g, (_, name: PlaceholderOf<M>) => values[name]);
}
