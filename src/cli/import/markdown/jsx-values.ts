import type { Expression, Program } from 'estree';
import type { MdxJsxAttribute, MdxJsxExpressionAttribute } from 'mdast-util-mdx';

/** What names stand for in an MDX file: constants, and files that it imports. */
export type Scope = ReadonlyMap<string, unknown>;

/** A file that an MDX file imports. */
export class ImportedFile {
  /** As the import names it, without the prefixes of bundlers. */
  readonly target: string;
  /** Whether the bytes of the file are imported, not what it exports. */
  readonly isRaw: boolean;

  constructor(specifier: string) {
    this.isRaw = /raw-loader!|\?raw$/.test(specifier);
    this.target = specifier.replace(/^.*!/, '').replace(/\?\w+$/, '');
  }
}

/** The value of an expression, as far as it can be known without running it. */
function evaluate(expression: Expression | undefined | null, scope: Scope): unknown {
  switch (expression?.type) {
    case 'Literal':
      return 'regex' in expression || 'bigint' in expression ? undefined : expression.value;
    case 'TemplateLiteral': {
      const values = expression.expressions.map((part) => evaluate(part, scope));
      if (values.some((value) => typeof value !== 'string' && typeof value !== 'number')) return undefined;
      return expression.quasis.map(({ value }, index) => `${value.cooked ?? value.raw}${values[index] ?? ''}`).join('');
    }
    case 'Identifier':
      return scope.get(expression.name);
    case 'MemberExpression': {
      const object = expression.object.type === 'Super' ? undefined : evaluate(expression.object, scope);
      if (object instanceof ImportedFile) return object;
      if (expression.computed || expression.property.type !== 'Identifier' || !isRecord(object)) return undefined;
      return Object.hasOwn(object, expression.property.name) ? object[expression.property.name] : undefined;
    }
    case 'CallExpression': {
      const [first] = expression.arguments;
      const name = expression.callee.type === 'Identifier' ? expression.callee.name : '';
      if (first === undefined || first.type === 'SpreadElement' || !/^(require|useBaseUrl|withBase|resolve)$/.test(name)) return undefined;
      const value = evaluate(first, scope);
      return name === 'require' && typeof value === 'string' ? new ImportedFile(value) : value;
    }
    case 'BinaryExpression': {
      if (expression.operator !== '+' || expression.left.type === 'PrivateIdentifier') return undefined;
      const [left, right] = [evaluate(expression.left, scope), evaluate(expression.right, scope)];
      return typeof left === 'string' && typeof right === 'string' ? left + right : undefined;
    }
    case 'ArrayExpression':
      return expression.elements.map((item) => (item === null || item.type === 'SpreadElement' ? undefined : evaluate(item, scope)));
    case 'ObjectExpression':
      return Object.fromEntries(
        expression.properties.flatMap((property) => {
          if (property.type !== 'Property') return [];
          const { key, value } = property;
          const name = key.type === 'Identifier' ? key.name : key.type === 'Literal' ? String(key.value) : undefined;
          return name === undefined ? [] : [[name, evaluate(value as Expression, scope)]];
        }),
      );
    default:
      return undefined;
  }
}

/** The value of the only expression of a program; `undefined` for an empty one, such as a comment. */
export function evaluateProgram(program: Program | undefined | null, scope: Scope): unknown {
  const [statement] = program?.body ?? [];
  return statement?.type === 'ExpressionStatement' ? evaluate(statement.expression, scope) : undefined;
}

/** Attributes of an element by name. An attribute without a value is `true`; one that cannot be known is left out. */
export function attributesOf(attributes: readonly (MdxJsxAttribute | MdxJsxExpressionAttribute)[], scope: Scope): Map<string, unknown> {
  const values = new Map<string, unknown>();
  for (const attribute of attributes) {
    if (attribute.type !== 'mdxJsxAttribute') continue;
    const { name, value } = attribute;
    const known =
      value === null || value === undefined ? true : typeof value === 'string' ? value : evaluateProgram(value.data?.estree, scope);
    if (known !== undefined) values.set(name, known);
  }
  return values;
}

/** Adds what an `import` or `export` block declares to a scope. */
export function declare(program: Program | undefined | null, scope: Map<string, unknown>): void {
  for (const statement of program?.body ?? []) {
    if (statement.type === 'ImportDeclaration') {
      const file = new ImportedFile(String(statement.source.value));
      for (const { local } of statement.specifiers) scope.set(local.name, file);
    } else if (statement.type === 'ExportNamedDeclaration' && statement.declaration?.type === 'VariableDeclaration') {
      for (const { id, init } of statement.declaration.declarations)
        if (id.type === 'Identifier') {
          const value = evaluate(init, scope);
          if (value !== undefined) scope.set(id.name, value);
        }
    }
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
