import { expect, test } from 'vitest';
import { formatOwner, listRows } from '../../../src/steps/certificates/request-rows.ts';
import { certificatesView } from '../../screens/views.ts';

test('the decided requests of a node stand together, the node with the newest one first', () => {
  const [request = expect.fail('no request')] = certificatesView.requests;
  const requests = (['m1', 'm3', 'm1', 'm2', 'm3', 'm2'] as const).map((shortName, index) => ({
    ...request,
    ...{ name: `csr-${index}`, shortName, verdict: 'decided' as const, isApproved: true, reasons: [] },
  }));
  const owners = listRows({ requests, missingNodes: [] }).map((row) =>
    row.kind === 'request' ? formatOwner(row.request) : row.node.name,
  );
  expect(owners).toEqual(['m1', 'm1', 'm3', 'm3', 'm2', 'm2']);
});
