import { afterEach, beforeEach, expect, test } from 'vitest';
import { connect } from '../../../src/cluster/client.ts';
import { applyMoves } from '../../../src/steps/infra/apply-moves.ts';
import type { MoveEvent } from '../../../src/steps/infra/engine.ts';
import { lookAtMoves } from '../../../src/steps/infra/look.ts';
import type { MoveSite } from '../../../src/steps/infra/site.ts';
import { DOMAIN, testDesign } from '../../support/csr-forge.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { clusterSite } from '../../support/move-side.ts';
import { standingClock } from '../../support/standing-clock.ts';

const DNS = '/apis/operator.openshift.io/v1/dnses/default';
const OURS = { key: 'node-role.kubernetes.io/infra', operator: 'Exists' };
const THEIRS = { key: 'example.com/gpu', operator: 'Exists' };

let server: KubeServer;
let site: MoveSite;
let events: MoveEvent[];
const tell = (event: MoveEvent) => void events.push(event);

beforeEach(async () => {
  events = [];
  server = await startKubeServer();
  const reach = () => ({ host: '127.0.0.1', port: server.port });
  const cluster = await connect({ kubeconfig: server.kubeconfig, reach, clock: standingClock() });
  site = clusterSite(cluster, testDesign());
  for (const name of ['i1', 'i2', 'i3'])
    server.put(`/api/v1/nodes/${name}.${DOMAIN}`, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `${name}.${DOMAIN}` },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  dnsTolerates([]);
  // The operator has done its part already.
  server.put('/apis/apps/v1/namespaces/openshift-dns/daemonsets/dns-default', {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'dns-default', namespace: 'openshift-dns' },
    spec: { template: { spec: { tolerations: [OURS] } } },
    status: { observedGeneration: 1, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 },
  });
});
afterEach(() => server.close());

function dnsTolerates(tolerations: object[]): void {
  server.put(DNS, {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'DNS',
    metadata: { name: 'default' },
    spec: tolerations.length > 0 ? { nodePlacement: { tolerations } } : {},
  });
}

const planned = async () => (await lookAtMoves(site, ['dns'])).flatMap(({ changes }) => changes);
const tolerations = () => server.objects.get(DNS).spec.nodePlacement?.tolerations ?? [];

test('what was shown is written, and nobody is asked again', async () => {
  const shown = await planned();
  expect(await applyMoves(site, ['dns'], { tell, shown })).toEqual({ end: 'done' });
  expect(tolerations()).toContainEqual(OURS);
});

test('a change that is not the one that was shown stops before it is written, in words', async () => {
  const shown = await planned();
  dnsTolerates([THEIRS]);
  const ended = await applyMoves(site, ['dns'], { tell, shown });
  expect(ended).toMatchObject({ end: 'stopped', move: 'dns', trouble: { code: 'plan-differs' } });
  expect(events.map(({ type }) => type)).toEqual(['failed']);
  expect(server.writes()).toEqual([]);
});

test('a person is asked about the difference: no changes nothing, yes makes it', async () => {
  const shown = await planned();
  dnsTolerates([THEIRS]);
  const asked: (string | null)[] = [];
  const answer = (isYes: boolean) => async (_move: unknown, unseen: readonly { before: string | null }[]) => {
    asked.push(...unseen.map(({ before }) => before));
    return isYes;
  };
  expect(await applyMoves(site, ['dns'], { tell, shown, allow: answer(false) })).toEqual({ end: 'declined' });
  expect(server.writes()).toEqual([]);
  expect(await applyMoves(site, ['dns'], { tell, shown, allow: answer(true) })).toEqual({ end: 'done' });
  expect(asked).toEqual([expect.stringContaining('example.com/gpu'), expect.stringContaining('example.com/gpu')]);
  expect(tolerations()).toEqual([THEIRS, OURS]);
});

test('an object that changes between the look and the write is not written as it was not shown', async () => {
  const shown = await planned();
  const reads = () => server.requests.filter(({ method, path }) => method === 'GET' && path === DNS).length;
  const first = reads();
  // The look reads it once, or plans on what it read; the next read is the one that the write is made from.
  server.intercept = (request) => {
    if (request.url === DNS && reads() === first + 1 && tolerations().length === 0) dnsTolerates([THEIRS]);
    return false;
  };
  const ended = await applyMoves(site, ['dns'], { tell, shown });
  expect(ended).toMatchObject({ end: 'stopped', trouble: { code: 'plan-differs' } });
  expect(tolerations()).toEqual([THEIRS]);
  expect(server.writes()).toEqual([]);
  const others = await applyMoves(site, ['dns'], { tell, shown, allow: async () => true });
  expect(others).toEqual({ end: 'done' });
});
