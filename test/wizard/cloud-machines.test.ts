import { expect, test } from 'vitest';
import { createCloudDocument } from '../../src/cli/session/working-session.ts';
import { checkDocument } from '../../src/design/parse.ts';
import { type DesignDocument, getAt, setAt } from '../../src/design/paths.ts';
import { listVisibleFields, writeFieldText } from '../../src/wizard/design/fields.ts';
import { serviceFields } from '../../src/wizard/design/pages/services.ts';
import { exampleDocument } from '../support/example-document.ts';

/** Lists the paths of the questions about cloud machines that the page asks for a design. */
const listNetworkTests = (document: DesignDocument) =>
  listVisibleFields(serviceFields, document, true)
    .map(({ path }) => path)
    .filter((path) => /machineSets|autoscaler/.test(path));

function answer(document: DesignDocument, path: string, text: string): DesignDocument {
  const field = listVisibleFields(serviceFields, document, true).find((one) => one.path === path);
  if (field === undefined) throw new Error(`nobody asks for ${path}`);
  return writeFieldText(document, field, text);
}

const getInfra = (document: DesignDocument) => checkDocument(document).design?.infra;

test('cloud machines are asked for only without named infra nodes, and an empty count removes them', () => {
  // The example already has infra nodes.
  expect(listNetworkTests(exampleDocument())).toEqual([]);
  const cloud = createCloudDocument();
  const [count, size, health, maximum] = listNetworkTests(cloud);
  expect(listNetworkTests(cloud)).toHaveLength(4);
  const completed = [
    ...([
      [count, '2'],
      [size, 'r6i.2xlarge'],
      [health, 'true'],
      [maximum, '9'],
      ['infra.autoscaler.least', '3'],
    ] as const),
  ].reduce((document, [path = '', text]) => answer(document, path, text), cloud);
  expect(getInfra(completed)).toMatchObject({
    machineSets: { count: 2, size: 'r6i.2xlarge', healthCheck: true },
    autoscaler: { least: 3, most: 9 },
  });
  const fewer = answer(answer(completed, 'infra.autoscaler.most', ''), 'infra.machineSets.count', '');
  expect([getAt(fewer, 'infra.machineSets'), getAt(fewer, 'infra.autoscaler')]).toEqual([undefined, undefined]);
  expect([listNetworkTests(fewer), getInfra(fewer)?.machineSets]).toEqual([['infra.machineSets.count'], null]);
  // Existing machine sets can be removed although infra nodes are named, too.
  expect(listNetworkTests(setAt(exampleDocument(), 'infra.machineSets.count', 3))).toContain('infra.machineSets.count');
  expect(getAt(answer(cloud, 'infra.machineSets.count', 'many'), 'infra.machineSets.count')).toBe('many');
});
