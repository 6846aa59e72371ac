import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { parseDesign } from '../src/design/parse.ts';
import { designJsonSchema } from '../src/design/schema.ts';

const readme = readFileSync(new URL('../README.md', import.meta.url), 'utf8');
const page = /^## The design file\n([\s\S]*?)^## /m.exec(readme)?.[1] ?? '';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly type?: string;
}

/** Every value that the schema knows, as the table writes it: `nodes[].bond.mode`. */
function pathsOf(schema: Schema, path = ''): string[] {
  const inner = schema.anyOf?.filter(({ type }) => type !== 'null') ?? [];
  // An address may be one or a list of two: the table has it once.
  if (inner.length > 1) return [path];
  const [only] = inner;
  if (only) return pathsOf(only, path);
  if (schema.properties)
    return Object.entries(schema.properties).flatMap(([key, value]) =>
      pathsOf(value, path === '' ? key : `${path}.${key}`),
    );
  return schema.items ? pathsOf(schema.items, `${path}[]`) : [path];
}

test('README explains every key of the design file, and no other', () => {
  const table = [...page.matchAll(/^\| (`.+?) \| .+ \| .+ \|$/gm)].flatMap(([, keys = '']) =>
    [...keys.matchAll(/`([^`]+)`/g)].map(([, key]) => key),
  );
  expect([...table].sort()).toEqual(pathsOf(designJsonSchema() as Schema).sort());
});

test('the design that README shows has no errors', () => {
  const yaml = /```yaml\n([\s\S]*?)```/.exec(page)?.[1] ?? '';
  const { design, problems } = parseDesign(yaml);
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(design?.nodes).toHaveLength(6);
});
