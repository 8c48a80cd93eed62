/**
 * A package of tests/eval/peers, as its default export where it has one.
 *
 * The name is known at run time only, so that types are checked without the packages being there; each peer declares the part
 * of the package that it uses.
 */
export async function loadPeer<T>(name: string): Promise<T> {
  const loaded: { readonly default?: T } & T = await import(name);
  return loaded.default ?? loaded;
}
