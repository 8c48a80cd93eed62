/** Something wrong in an input: a JSON Pointer or the name of a parameter, and what is wrong there. */
export interface Fault {
  readonly pointer: string;
  readonly message: string;
}

/**
 * What a refusal says of faults: how many there are in all with the first of them in its `detail`, and the list, cut where it is long.
 *
 * @param what The thing that has them, such as `The body`.
 * @param max Most faults that are listed.
 */
export function listFaults(
  what: string,
  faults: readonly Fault[],
  max: number,
): { readonly detail: string; readonly errors: readonly Fault[] } {
  const first = `${faults[0]?.pointer ?? ''} ${faults[0]?.message ?? ''}`.trim();
  const listed = faults.length > max ? `, of which ${max} are listed` : '';
  const detail =
    faults.length === 1 ? `${what} has a fault: ${first}.` : `${what} has ${faults.length} faults${listed}. The first: ${first}.`;
  return { detail, errors: faults.slice(0, max) };
}
