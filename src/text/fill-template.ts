/**
 * A template with its values: `{{name}}` is a value, and `{{if name}}…{{end}}` a part that stays or goes. Values are not templates.
 *
 * @throws {RangeError} If it names a value or a part that does not exist.
 */
export function fillTemplate(
  template: string,
  values: Readonly<Record<string, string>>,
  parts: Readonly<Record<string, boolean>> = {},
): string {
  return withParts(template, parts).replace(/\{\{([\w.]+)\}\}/g, (_placeholder, name: string) => {
    const value = values[name];
    if (value === undefined) throw new RangeError(`a template names the value "${name}", which does not exist`);
    return value;
  });
}

/** A template with its parts `{{if name}}…{{end}}` that stay. */
export function withParts(template: string, parts: Readonly<Record<string, boolean>>): string {
  return template.replace(/\{\{if (\w+)\}\}(.*?)\{\{end\}\}/gs, (_part, name: string, text: string) => {
    const stays = Object.hasOwn(parts, name) ? parts[name] : undefined;
    if (stays === undefined) throw new RangeError(`a template names the part "${name}", which does not exist`);
    return stays ? text : '';
  });
}
