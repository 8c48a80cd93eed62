/** The events of a stream that has ended (HTML, server-sent events), with their data as JSON. */
export function readEvents(text: string): { readonly event: string; readonly data: unknown }[] {
  return text
    .split('\n\n')
    .filter((block) => block !== '')
    .map((block) => {
      const fieldOf = (name: string): string =>
        block
          .split('\n')
          .flatMap((line) => (line.startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []))
          .join('\n');
      return { event: fieldOf('event'), data: JSON.parse(fieldOf('data')) as unknown };
    });
}
