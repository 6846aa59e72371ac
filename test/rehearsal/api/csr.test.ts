import { X509Certificate } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { HOUR, MINUTE, SECOND } from '../../../src/platform/clock.ts';
import { startCsrCleaner, startCsrSigner } from '../../../src/rehearsal/api/csr.ts';
import type { KubeObject } from '../../../src/rehearsal/api/objects.ts';
import { createStore } from '../../../src/rehearsal/api/store.ts';
import { type CertificateAuthority, createAuthority, createRequest, signRequest } from '../../../src/rehearsal/pki.ts';
import { manualClock } from '../../support/manual-clock.ts';
import { type ApiSite, startApiSite } from './api-site.ts';

const REQUESTS = 'certificatesigningrequests.certificates.k8s.io';
const PATH = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const BOOTSTRAPPER = 'system:serviceaccount:openshift-machine-config-operator:node-bootstrapper';
const CLIENT = 'kubernetes.io/kube-apiserver-client-kubelet';
const SERVING = 'kubernetes.io/kubelet-serving';
const CLIENT_USAGES = ['digital signature', 'client auth'];
const SERVING_USAGES = ['digital signature', 'server auth'];

type RequestOptions = Parameters<typeof createRequest>[0];

let site: ApiSite;
let authority: CertificateAuthority;
beforeEach(async () => {
  site = await startApiSite();
  authority = await createAuthority('kubelet-signer', {
    notBefore: Date.UTC(2025, 0, 1),
    notAfter: Date.UTC(2035, 0, 1),
  });
});
afterEach(() => site.close());

const nodeRequest = (name: string, more: Partial<RequestOptions> = {}): RequestOptions => ({
  commonName: `system:node:${name}`,
  organization: 'system:nodes',
  ...more,
});

async function buildRequest(
  name: string,
  signerName: string,
  usages: readonly string[],
  options: RequestOptions,
  more = {},
) {
  const { requestPem } = await createRequest(options);
  const request = Buffer.from(requestPem).toString('base64');
  return { metadata: { name }, spec: { request, signerName, usages, ...more } };
}

const approval = (type = 'Approved') => ({ type, status: 'True', reason: 'Test', message: 'in a test' });

async function decide(name: string, conditions: readonly unknown[] = [approval()]) {
  const { body: request } = await site.send('GET', `${PATH}/${name}`);
  return site.send('PUT', `${PATH}/${name}/approval`, { ...request, status: { ...request.status, conditions } });
}

const listConditionTypes = (request: KubeObject | undefined) =>
  ((request?.status as { conditions?: { type: string }[] })?.conditions ?? []).map(({ type }) => type);
const getCertificate = (request: KubeObject | undefined) => (request?.status as { certificate?: string })?.certificate;

describe('a decision', () => {
  beforeEach(async () => {
    const username = BOOTSTRAPPER;
    site.store.create(REQUESTS, await buildRequest('csr-1', CLIENT, CLIENT_USAGES, nodeRequest('w1'), { username }));
  });

  test('changes only the conditions, and sets their times', async () => {
    const { body: request } = await site.send('GET', `${PATH}/csr-1`);
    const sent = {
      ...request,
      spec: { ...request.spec, username: 'x' },
      status: { certificate: 'eA==', conditions: [approval()] },
    };
    const { code, body: approved } = await site.send('PUT', `${PATH}/csr-1/approval`, sent);
    expect(code).toBe(200);
    expect(approved.spec.username).toBe(BOOTSTRAPPER);
    expect(approved.status).toEqual({
      conditions: [
        {
          ...approval(),
          lastUpdateTime: expect.stringMatching(/^2026-01-02T/),
          lastTransitionTime: expect.stringMatching(/Z$/),
        },
      ],
    });
  });

  test('cannot be made both ways or revoked', async () => {
    await decide('csr-1');
    const both = await decide('csr-1', [approval(), approval('Denied')]);
    expect(both).toMatchObject({ code: 422, body: { reason: 'Invalid' } });
    expect(both.body.message).toContain('Approved and Denied conditions are mutually exclusive');
    expect((await decide('csr-1', [])).body.message).toContain('updates may not remove a condition of type "Approved"');
    expect((await decide('csr-1', [approval('Denied')])).code).toBe(422);
    expect(listConditionTypes(site.store.get(REQUESTS, null, 'csr-1'))).toEqual(['Approved']);
  });

  test('on an old version is a conflict', async () => {
    const { body: old } = await site.send('GET', `${PATH}/csr-1`);
    await decide('csr-1');
    const late = await site.send('PUT', `${PATH}/csr-1/approval`, {
      ...old,
      status: { conditions: [approval('Denied')] },
    });
    expect(late).toMatchObject({ code: 409, body: { reason: 'Conflict' } });
  });

  test('cannot be made through the request itself or its status, and the request never changes', async () => {
    const merge = { 'Content-Type': 'application/merge-patch+json' };
    const patch = { spec: { signerName: SERVING }, status: { conditions: [approval()] } };
    await site.send('PATCH', `${PATH}/csr-1`, patch, merge);
    await site.send('PATCH', `${PATH}/csr-1/status`, patch, merge);
    const request = site.store.get(REQUESTS, null, 'csr-1');
    expect(listConditionTypes(request)).toEqual([]);
    expect(request?.spec).toMatchObject({ signerName: CLIENT });
  });
});

describe('old requests', () => {
  const start = Date.UTC(2026, 0, 2, 3);
  const condition = (type: string, at = start) => ({
    type,
    status: 'True',
    lastUpdateTime: new Date(at).toISOString(),
  });

  /** Returns the names of the remaining requests at each of these hours. */
  async function listRemaining(hours: readonly number[], requests: Record<string, object>) {
    const clock = manualClock(start);
    const store = createStore({ now: clock.now });
    for (const [name, status] of Object.entries(requests))
      store.create(REQUESTS, { metadata: { name }, spec: {}, status });
    const stop = startCsrCleaner({ store, clock });
    const remaining: string[][] = [];
    for (const hour of hours) {
      await clock.advance(start + hour * HOUR - clock.now());
      remaining.push(store.list(REQUESTS).map(({ metadata }) => metadata.name));
    }
    stop();
    expect(clock.countSleepers()).toBe(0);
    return remaining;
  }

  test('are removed as the controller manager does: an hour after the decision, a day after they were made', async () => {
    const remaining = await listRemaining([0.5, 1, 2, 24, 25, 100], {
      pending: {},
      issued: { conditions: [condition('Approved')], certificate: 'eA==' },
      approved: { conditions: [condition('Approved')] },
      denied: { conditions: [condition('Denied')] },
      failed: { conditions: [condition('Approved'), condition('Failed')] },
      late: { conditions: [condition('Denied', start + 30 * MINUTE)] },
    });
    const all = ['approved', 'denied', 'failed', 'issued', 'late', 'pending'];
    expect(remaining).toEqual([all, all, ['approved', 'pending'], ['approved', 'pending'], ['approved'], ['approved']]);
  });

  test('with an expired certificate are removed at once', async () => {
    const { requestPem } = await createRequest(nodeRequest('w1'));
    const validity = { notBefore: start - 2 * HOUR, notAfter: start - HOUR };
    const certPem = await signRequest(authority, requestPem, { ...validity, usage: 'client' });
    const certificate = Buffer.from(certPem).toString('base64');
    const fresh = { ...validity, notAfter: start + HOUR, usage: 'client' } as const;
    const good = Buffer.from(await signRequest(authority, requestPem, fresh)).toString('base64');
    const conditions = [condition('Approved')];
    const remaining = await listRemaining([0], {
      old: { conditions, certificate },
      good: { conditions, certificate: good },
    });
    expect(remaining).toEqual([['good']]);
  });
});

describe('the signer', () => {
  async function submitApproved(name: string, signer: string, usages: readonly string[], options: RequestOptions) {
    site.store.create(REQUESTS, await buildRequest(name, signer, usages, options));
    return decide(name);
  }

  test('issues what was approved, before its start and after, and nothing else', async () => {
    await submitApproved('early', CLIENT, CLIENT_USAGES, nodeRequest('w1'));
    const stop = startCsrSigner({ store: site.store, clock: site.clock, authority });
    const listIssued = () =>
      site.store.list(REQUESTS).flatMap((each) => (getCertificate(each) === undefined ? [] : [each.metadata.name]));
    site.store.create(REQUESTS, await buildRequest('pending', CLIENT, CLIENT_USAGES, nodeRequest('w9')));
    const names = { dnsNames: ['w1.example.test', 'api.example.test'], ipAddresses: ['172.16.0.31'] };
    await submitApproved('serving', SERVING, [...SERVING_USAGES, 'key encipherment'], nodeRequest('w1', names));
    await submitApproved('other', 'example.com/signer', CLIENT_USAGES, nodeRequest('w1'));
    await site.clock.advance(SECOND);
    await expect.poll(listIssued).toEqual(['early', 'serving']);
    stop();
    const certificate = new X509Certificate(
      Buffer.from(getCertificate(site.store.get(REQUESTS, null, 'serving')) ?? '', 'base64').toString(),
    );
    expect(certificate.verify(new X509Certificate(authority.certPem).publicKey)).toBe(true);
    expect(certificate.subject).toBe('O=system:nodes\nCN=system:node:w1');
    expect(certificate.checkIP('172.16.0.31')).toBe('172.16.0.31');
    expect(Date.parse(certificate.validFrom)).toBeLessThan(site.clock.now());
    expect(Date.parse(certificate.validTo)).toBeGreaterThan(site.clock.now());
    expect(listConditionTypes(site.store.get(REQUESTS, null, 'other'))).toEqual(['Approved']);
    expect(getCertificate(site.store.get(REQUESTS, null, 'other'))).toBeUndefined();
    expect(getCertificate(site.store.get(REQUESTS, null, 'pending'))).toBeUndefined();
  });

  const names = { dnsNames: ['w1'] };
  const invalidRequests: [string, string, readonly string[], RequestOptions, string][] = [
    [
      'masters',
      CLIENT,
      CLIENT_USAGES,
      nodeRequest('w1', { organization: ['system:nodes', 'system:masters'] }),
      'organization is not',
    ],
    ['cn', CLIENT, CLIENT_USAGES, { commonName: 'system:admin', organization: 'system:nodes' }, 'subject common name'],
    ['client-san', CLIENT, CLIENT_USAGES, nodeRequest('w1', names), 'DNS subjectAltNames are not allowed'],
    ['usages', CLIENT, SERVING_USAGES, nodeRequest('w1'), 'usages did not match'],
    ['no-san', SERVING, SERVING_USAGES, nodeRequest('w1'), 'DNS or IP subjectAltName is required'],
    ['uri', SERVING, SERVING_USAGES, nodeRequest('w1', { ...names, uris: ['https://x'] }), 'URI subjectAltNames'],
    [
      'mail',
      SERVING,
      SERVING_USAGES,
      nodeRequest('w1', { ...names, emailAddresses: ['a@b.c'] }),
      'Email subjectAltNames',
    ],
  ];
  test.each(invalidRequests)('fails an approved request: %s', async (name, signer, usages, options, why) => {
    const stop = startCsrSigner({ store: site.store, clock: site.clock, authority });
    await submitApproved(name, signer, usages, options);
    await site.clock.advance(SECOND);
    await expect.poll(() => listConditionTypes(site.store.get(REQUESTS, null, name))).toEqual(['Approved', 'Failed']);
    stop();
    const request = site.store.get(REQUESTS, null, name);
    expect(JSON.stringify(request?.status)).toContain('SignerValidationFailure');
    expect(JSON.stringify(request?.status)).toContain(why);
    expect(getCertificate(request)).toBeUndefined();
  });
});
