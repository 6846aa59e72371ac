import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAuthority } from '../../../src/rehearsal/pki.ts';
import { operatorsStep } from '../../../src/steps/operators.ts';
import { type KubeServer, startKubeServer } from '../../support/kube-server.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';
import { START } from '../../support/wizard-state.ts';

let fixture: StepFixture;
let server: KubeServer;
beforeEach(async () => {
  server = await startKubeServer();
  fixture = createStepFixture({ resolveEndpoint: () => ({ host: '127.0.0.1', port: server.port }) });
  fixture.write('auth/kubeconfig', readFileSync(server.kubeconfig, 'utf8'));
});
afterEach(async () => {
  await fixture.remove();
  await server.close();
});

const show = async (subject: string) => {
  const page = await operatorsStep.buildPage?.(fixture.context, subject);
  if (!page) throw new Error('no page');
  return page;
};
const putConfigMap = (data: Record<string, string>) =>
  server.put('/api/v1/namespaces/openshift-config-managed/configmaps/default-ingress-cert', {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'default-ingress-cert', namespace: 'openshift-config-managed' },
    data,
  });

test('the events of an operator, the newest first, from all its namespaces', async () => {
  server.put('/apis/config.openshift.io/v1/clusteroperators/ingress', {
    apiVersion: 'config.openshift.io/v1',
    kind: 'ClusterOperator',
    metadata: { name: 'ingress' },
    status: {
      relatedObjects: ['openshift-ingress', 'openshift-ingress-operator'].map((name) => ({
        resource: 'namespaces',
        name,
      })),
    },
  });
  const putEvent = (namespace: string, name: string, minutesAgo: number, more: object) =>
    server.put(`/api/v1/namespaces/${namespace}/events/${name}`, {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name, namespace },
      involvedObject: { kind: 'Pod', name: 'router-1' },
      type: 'Warning',
      reason: 'FailedScheduling',
      lastTimestamp: new Date(START - minutesAgo * 60_000).toISOString(),
      ...more,
    });
  putEvent('openshift-ingress', 'a', 9, { message: 'old' });
  putEvent('openshift-ingress', 'b', 2, { message: '0/3 nodes\u001b[31m are available\nsecond line', count: 7 });
  putEvent('openshift-ingress-operator', 'c', 5, { message: 'between', type: 'Normal', count: null });
  const { lines } = await show('events/ingress');
  expect(lines.slice(2)).toEqual([
    '2 min  WARNING  FailedScheduling  Pod/router-1  ×7',
    '    0/3 nodes\ufffd are available',
    '    second line',
    '5 min  FailedScheduling  Pod/router-1',
    '    between',
    '9 min  WARNING  FailedScheduling  Pod/router-1',
    '    old',
  ]);
  expect((await show('events/nothing')).lines.join()).toContain('does not report');
  // Lists are sorted by name: a limit could cut off the newest of many events.
  for (let index = 0; index < 1200; index += 1)
    putEvent('openshift-ingress', `m-${index}`, 100, { message: 'of many' });
  putEvent('openshift-ingress', 'z', 1, { message: 'the newest of all' });
  expect((await show('events/ingress')).lines[3]).toBe('    the newest of all');
  const eventRequests = server.requests.filter(({ path }) => path.endsWith('/events'));
  expect(new Set(eventRequests.map(({ query }) => query.get('limit')))).toEqual(new Set([null]));
});

test('the CA of the console is saved for all to read, with nothing but certificates', async () => {
  expect((await show('authority')).lines.join()).toContain('has not published the CA yet');
  const validity = { notBefore: START, notAfter: START + 1e10 };
  const [router, other] = [
    await createAuthority('ingress-operator@1', validity),
    await createAuthority('other', validity),
  ];
  const key = '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----\n';
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'router-ca', namespace: 'openshift-ingress-operator' },
    data: { 'tls.crt': Buffer.from(router.certPem).toString('base64'), 'tls.key': Buffer.from(key).toString('base64') },
  };
  server.put('/api/v1/namespaces/openshift-ingress-operator/secrets/router-ca', secret);
  const path = join(fixture.dir, 'console-ca.crt');
  const mask = process.umask(0o077);
  try {
    expect((await show('authority')).lines.join('\n')).toContain('CN=ingress-operator@1');
    expect(readFileSync(path, 'utf8').match(/BEGIN/g)).toHaveLength(1);
    putConfigMap({
      'ca-bundle.crt': `text\n${router.certPem}\n${key}${other.certPem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`,
    });
    const { lines } = await show('authority');
    expect(lines[0]).toBe(`Saved as ${path}`);
    expect(lines.join('\n')).toMatch(/CN=other, valid until .*\n +SHA-256 [0-9A-F:]{95}/);
    for (const where of ['Firefox', 'Windows', 'macOS', 'update-ca-trust', 'Chrome on Linux'])
      expect(lines.join('\n')).toContain(where);
  } finally {
    process.umask(mask);
  }
  expect(statSync(path).mode & 0o777).toBe(0o644);
  const saved = readFileSync(path, 'utf8');
  expect(saved.match(/BEGIN CERTIFICATE/g)).toHaveLength(2);
  expect(saved).not.toContain('PRIVATE');
});

test('the password is in the page and cannot be written by accident', async () => {
  expect((await show('password')).lines.join()).toContain('There is no password in');
  fixture.write('auth/kubeadmin-password', 'AbCdE-fGhIj-KlMnO-pQrSt\n');
  const page = await show('password');
  expect(page.secret?.value.reveal()).toBe('AbCdE-fGhIj-KlMnO-pQrSt');
  for (const text of [JSON.stringify(page), inspect(page, { depth: null, showHidden: true }), `${page.secret?.value}`])
    expect(text).not.toContain('fGhIj');
  expect(fixture.facts).toEqual({});
});
