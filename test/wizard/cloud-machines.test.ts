import { expect, test } from 'vitest';
import { cloudDocument } from '../../src/cli/session/saved.ts';
import { checkDocument } from '../../src/design/parse.ts';
import { type Document, getAt, setAt } from '../../src/wizard/design/document.ts';
import { acceptText, visibleFields } from '../../src/wizard/design/fields.ts';
import { serviceFields } from '../../src/wizard/design/pages/services.ts';
import { exampleDocument } from '../support/example-document.ts';

/** The questions about the machines of a cloud that the page asks of a design. */
const asked = (document: Document) =>
  visibleFields(serviceFields, document, true)
    .map(({ path }) => path)
    .filter((path) => /machineSets|autoscaler/.test(path));

function answer(document: Document, path: string, text: string): Document {
  const field = visibleFields(serviceFields, document, true).find((one) => one.path === path);
  if (field === undefined) throw new Error(`nobody asks for ${path}`);
  return acceptText(document, field, text);
}

const infraOf = (document: Document) => checkDocument(document).design?.infra;

test('the machines of a cloud are asked for where no infra nodes are named, and go with their number', () => {
  // The example has infra nodes of its own.
  expect(asked(exampleDocument())).toEqual([]);
  const cloud = cloudDocument();
  const [count, size, health, most] = asked(cloud);
  expect(asked(cloud)).toHaveLength(4);
  const wanted = [
    ...([
      [count, '2'],
      [size, 'r6i.2xlarge'],
      [health, 'true'],
      [most, '9'],
      ['infra.autoscaler.least', '3'],
    ] as const),
  ].reduce((document, [path = '', text]) => answer(document, path, text), cloud);
  expect(infraOf(wanted)).toMatchObject({
    machineSets: { count: 2, size: 'r6i.2xlarge', healthCheck: true },
    autoscaler: { least: 3, most: 9 },
  });
  const fewer = answer(answer(wanted, 'infra.autoscaler.most', ''), 'infra.machineSets.count', '');
  expect([getAt(fewer, 'infra.machineSets'), getAt(fewer, 'infra.autoscaler')]).toEqual([undefined, undefined]);
  expect([asked(fewer), infraOf(fewer)?.machineSets]).toEqual([['infra.machineSets.count'], null]);
  // What is there although infra nodes are named, too, can be taken away.
  expect(asked(setAt(exampleDocument(), 'infra.machineSets.count', 3))).toContain('infra.machineSets.count');
  expect(getAt(answer(cloud, 'infra.machineSets.count', 'many'), 'infra.machineSets.count')).toBe('many');
});
