/** Today in UTC, `YYYY-MM-DD`: the day that a command holds content against. */
export function today(): string {
  return new Date().toISOString().slice(0, 10);
}
