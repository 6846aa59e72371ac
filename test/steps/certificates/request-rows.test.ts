import { expect, test } from 'vitest';
import { formatOwner, listRows } from '../../../src/steps/certificates/request-rows.ts';
import { certificatesView } from '../../screens/views.ts';

test('the decided requests of a node stand together, the node with the newest one first', () => {
  const [request = expect.fail('no request')] = certificatesView.requests;
  const requests = (['m1', 'm3', 'm1', 'm2', 'm3', 'm2'] as const).map((shortName, index) => ({
    ...request,
    ...{ name: `csr-${index}`, shortName, verdict: 'decided' as const, isApproved: true, reasons: [] },
  }));
  const owners = listRows({ ...certificatesView, requests }).map((row) =>
    row.kind === 'request' ? formatOwner(row.request) : row.node.name,
  );
  expect(owners).toEqual(['m1', 'm1', 'm3', 'm3', 'm2', 'm2']);
});

test('the row of a node whose requests are denied comes first, until it has its certificate', () => {
  const [request = expect.fail('no request')] = certificatesView.requests;
  const denied = { ...request, name: 'csr-denied', verdict: 'decided' as const, reasons: ['TERMINAL'] as const };
  const requests = [request, { ...denied, name: 'csr-older', requestedAt: 0 }, denied];
  const listNames = (progress: 'refused' | 'done') =>
    listRows({
      ...certificatesView,
      requests,
      nodes: certificatesView.nodes.map((node) =>
        node.name === 'w1' ? { ...node, certificateProgress: [progress, 'open'] } : node,
      ),
    }).map((row) => (row.kind === 'request' ? `${row.request.name} ${row.count}` : ''));
  expect(listNames('refused')).toEqual(['csr-denied 2', 'csr-7xk2p 1']);
  expect(listNames('done')).toEqual(['csr-7xk2p 1', 'csr-denied 2']);
});
