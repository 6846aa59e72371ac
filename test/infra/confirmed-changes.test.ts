import { afterEach, beforeEach, expect, test } from 'vitest';
import { applyMoves } from '../../src/infra/apply-moves.ts';
import type { InfraContext } from '../../src/infra/context.ts';
import { probeMoves } from '../../src/infra/probe.ts';
import type { MoveEvent } from '../../src/infra/run.ts';
import { connectCluster } from '../../src/kube/connect-cluster.ts';
import { DOMAIN, testDesign } from '../support/csr-forge.ts';
import { createFrozenClock } from '../support/frozen-clock.ts';
import { type KubeServer, startKubeServer } from '../support/kube-server.ts';
import { createInfraContextFor } from '../support/move-executor.ts';

const DNS = '/apis/operator.openshift.io/v1/dnses/default';
const INFRA_TOLERATION = { key: 'node-role.kubernetes.io/infra', operator: 'Exists' };
const GPU_TOLERATION = { key: 'example.com/gpu', operator: 'Exists' };

let server: KubeServer;
let infraContext: InfraContext;
let events: MoveEvent[];
const tell = (event: MoveEvent) => void events.push(event);

beforeEach(async () => {
  events = [];
  server = await startKubeServer();
  const resolveEndpoint = () => ({ host: '127.0.0.1', port: server.port });
  const cluster = await connectCluster({ kubeconfig: server.kubeconfig, resolveEndpoint, clock: createFrozenClock() });
  infraContext = createInfraContextFor(cluster, testDesign());
  for (const name of ['i1', 'i2', 'i3'])
    server.put(`/api/v1/nodes/${name}.${DOMAIN}`, {
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name: `${name}.${DOMAIN}` },
      status: { conditions: [{ type: 'Ready', status: 'True' }] },
    });
  setDnsTolerations([]);
  // The DNS operator has already rolled out the toleration.
  server.put('/apis/apps/v1/namespaces/openshift-dns/daemonsets/dns-default', {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name: 'dns-default', namespace: 'openshift-dns' },
    spec: { template: { spec: { tolerations: [INFRA_TOLERATION] } } },
    status: { observedGeneration: 1, desiredNumberScheduled: 3, updatedNumberScheduled: 3, numberAvailable: 3 },
  });
});
afterEach(() => server.close());

function setDnsTolerations(tolerations: object[]): void {
  server.put(DNS, {
    apiVersion: 'operator.openshift.io/v1',
    kind: 'DNS',
    metadata: { name: 'default' },
    spec: tolerations.length > 0 ? { nodePlacement: { tolerations } } : {},
  });
}

const planChanges = async () => (await probeMoves(infraContext, ['dns'])).flatMap(({ changes }) => changes);
const readTolerations = () => server.objects.get(DNS).spec.nodePlacement?.tolerations ?? [];

test('the confirmed changes are written without another question', async () => {
  const confirmedChanges = await planChanges();
  expect(await applyMoves(infraContext, ['dns'], { onEvent: tell, confirmedChanges })).toEqual({ end: 'done' });
  expect(readTolerations()).toContainEqual(INFRA_TOLERATION);
});

test('a change that differs from the confirmed one stops before it is written, with an error', async () => {
  const confirmedChanges = await planChanges();
  setDnsTolerations([GPU_TOLERATION]);
  const result = await applyMoves(infraContext, ['dns'], { onEvent: tell, confirmedChanges });
  expect(result).toMatchObject({ end: 'stopped', move: 'dns', userError: { code: 'plan-differs' } });
  expect(events.map(({ type }) => type)).toEqual(['failed']);
  expect(server.writes()).toEqual([]);
});

test('the user is asked about the difference: no changes nothing, yes applies it', async () => {
  const confirmedChanges = await planChanges();
  setDnsTolerations([GPU_TOLERATION]);
  const questions: (string | null)[] = [];
  const answer = (isYes: boolean) => async (_move: unknown, differences: readonly { before: string | null }[]) => {
    questions.push(...differences.map(({ before }) => before));
    return isYes;
  };
  expect(
    await applyMoves(infraContext, ['dns'], { onEvent: tell, confirmedChanges, requestConsent: answer(false) }),
  ).toEqual({
    end: 'declined',
  });
  expect(server.writes()).toEqual([]);
  expect(
    await applyMoves(infraContext, ['dns'], { onEvent: tell, confirmedChanges, requestConsent: answer(true) }),
  ).toEqual({
    end: 'done',
  });
  expect(questions).toEqual([expect.stringContaining('example.com/gpu'), expect.stringContaining('example.com/gpu')]);
  expect(readTolerations()).toEqual([GPU_TOLERATION, INFRA_TOLERATION]);
});

test('an object that changes between the probe and the write is not written without confirmation', async () => {
  const confirmedChanges = await planChanges();
  const countReads = () => server.requests.filter(({ method, path }) => method === 'GET' && path === DNS).length;
  const first = countReads();
  // The probe reads it once, or plans from an earlier read; the write is based on the next read.
  server.intercept = (request) => {
    if (request.url === DNS && countReads() === first + 1 && readTolerations().length === 0)
      setDnsTolerations([GPU_TOLERATION]);
    return false;
  };
  const result = await applyMoves(infraContext, ['dns'], { onEvent: tell, confirmedChanges });
  expect(result).toMatchObject({ end: 'stopped', userError: { code: 'plan-differs' } });
  expect(readTolerations()).toEqual([GPU_TOLERATION]);
  expect(server.writes()).toEqual([]);
  const withConsent = await applyMoves(infraContext, ['dns'], {
    onEvent: tell,
    confirmedChanges,
    requestConsent: async () => true,
  });
  expect(withConsent).toEqual({ end: 'done' });
});
