/** Adds points to the score at an address. */
// @ts-ignore: decorator
@inline
export function addTo(score: usize, points: i32): void {
  store<i32>(score, load<i32>(score) + points);
}
