/**
 * A package of tests/eval/peers, as its default export if it has one. Each caller declares the types that it uses, so that types are checked
 * without the packages.
 */
export async function loadPeer<T>(name: string): Promise<T> {
  const loaded: { readonly default?: T } & T = await import(name);
  return loaded.default ?? loaded;
}
