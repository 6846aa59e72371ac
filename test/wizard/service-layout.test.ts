import { expect, test } from 'vitest';
import { TOPOLOGIES } from '../../src/design/choices.ts';
import { renderExampleDesign } from '../../src/design/example.ts';
import { checkDocument, parseDesign } from '../../src/design/parse.ts';
import { getAt } from '../../src/design/paths.ts';
import { readFieldText, writeFieldText } from '../../src/wizard/design/fields.ts';
import { serviceFields } from '../../src/wizard/design/pages/services.ts';
import { exampleDocument } from '../support/example-document.ts';

const listErrors = (document: unknown) =>
  checkDocument(document).problems.filter(({ severity }) => severity === 'error');

test('one answer puts every service on the bastion, and the same answer takes them apart again', () => {
  const layout = serviceFields.find(({ path }) => path === 'services.layout');
  if (!layout) throw new Error('no such field');
  const apart = exampleDocument() as Parameters<typeof writeFieldText>[0];
  expect(readFieldText(apart, layout)).toBe('hosts');
  const one = writeFieldText(apart, layout, 'bastion');
  expect(readFieldText(one, layout)).toBe('bastion');
  expect(listErrors(one)).toEqual([]);
  expect(checkDocument(one).design?.services.loadBalancer.servers).toEqual([
    checkDocument(one).design?.services.bastion,
  ]);
  // The answer is stored in the hosts. The design has no such key.
  expect(getAt(one, 'services.layout')).toBeUndefined();
  expect(writeFieldText(apart, layout, 'hosts')).toEqual(apart);
  const again = writeFieldText(one, layout, 'hosts');
  expect(readFieldText(again, layout)).toBe('hosts');
  expect(listErrors(again).map(({ path }) => path)).toEqual(
    expect.arrayContaining(['services.dns.servers.0.ip', 'services.loadBalancer.servers.0.ip']),
  );
});

test.each(TOPOLOGIES)('the %s example with one machine for all is a design', (topology) => {
  const { design, problems } = parseDesign(renderExampleDesign({ topology, serviceLayout: 'bastion' }));
  expect(problems.filter(({ severity }) => severity === 'error')).toEqual([]);
  expect(design?.services.dns.servers.map(({ name }) => name)).toEqual(['bastion']);
  expect(design?.services.dhcp).toMatchObject({ server: 'bastion' });
});
