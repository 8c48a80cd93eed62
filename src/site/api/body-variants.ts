import { type ApiDocument, type MediaView, resolveSchema } from './api-document.ts';
import { memberRows } from './member-rows.ts';
import { examplesOf } from './operation-example.ts';

/** One form of a request body. */
export interface BodyForm {
  /** Fragment of the page. */
  readonly id: string;
  /** Name and meaning; absent where the body has one form only. */
  readonly title?: string;
  readonly description?: string;
  /** Rows of the table of its members, as HTML. */
  readonly rows: string[][];
  /** A body of this form, as JSON; absent where the request of the page shows it. */
  readonly example?: string;
}

/** The forms that a request body may have: those of a union in their order, else the one. */
export function bodyForms(body: MediaView | undefined, document: ApiDocument): BodyForm[] {
  if (body === undefined) return [];
  const schema = resolveSchema(body.schema, document);
  const examples = examplesOf(body);
  if (schema.oneOf === undefined) return [{ id: 'body-members', rows: memberRows(schema, document) }];
  return schema.oneOf.map((option, index) => {
    const form = resolveSchema(option, document);
    const constants = Object.entries(form.properties ?? {}).filter(([, member]) => member.const !== undefined);
    const example = examples.find((value) => constants.every(([name, member]) => memberOf(value, name) === member.const));
    return {
      id: `body-${index + 1}`,
      title: form.title ?? `Form ${index + 1}`,
      description: form.description ?? '',
      rows: memberRows(form, document),
      ...(example === undefined ? {} : { example: JSON.stringify(example, null, 2) }),
    };
  });
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Object.getOwnPropertyDescriptor(value, name)?.value : undefined;
}
