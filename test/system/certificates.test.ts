import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { getApiIntName, getApiName } from '../../src/design/derived-facts.ts';
import type { Validity } from '../../src/rehearsal/pki.ts';
import { eventually } from '../support/eventually.ts';
import { testInLab } from '../support/lab.ts';
import {
  createControlPlanePorts,
  createRouterPorts,
  createRunAuthorities,
  issue,
  openTlsSite,
  type RunAuthorities,
  type SiteCheckLine,
  type TlsSite,
} from '../support/tls-site.ts';

const CONTROL_PLANE = ['bs', 'm1', 'm2', 'm3'];
const CHECKS = ['--only', 'lb-listens,lb-members,api-certificate,machine-config-certificate,ingress-certificate'];

async function powerOn({ design, setNode }: TlsSite, run: RunAuthorities): Promise<void> {
  const [ports, routers] = [await createControlPlanePorts(design, run), await createRouterPorts(design, run)];
  for (const name of CONTROL_PLANE) await setNode(name, ports);
  for (const name of ['w1', 'w2', 'w3']) await setNode(name, routers);
}

const listFailures = (checks: readonly SiteCheckLine[]) =>
  checks.filter(({ result }) => result === 'failed').map(({ id, subject }) => `${id} ${subject}`);

/** Waits until HAProxy has seen a change of its members. */
async function expectFailures(site: TlsSite, expected: readonly string[]): Promise<readonly SiteCheckLine[]> {
  let found: readonly SiteCheckLine[] = [];
  await eventually(async () => {
    found = await site.check(...CHECKS);
    expect(listFailures(found)).toEqual(expected);
  });
  return found;
}

describe('certificates at the ports of the cluster', () => {
  testInLab('haproxy')('nothing fails before machines are on, nor when all of them serve', async () => {
    const run = await createRunAuthorities();
    const site = await openTlsSite(run);
    await site.setBalancer();
    const before = await site.check(...CHECKS);
    expect(listFailures(before)).toEqual([]);
    expect(new Set(before.filter(({ id }) => id.endsWith('-certificate')).map(({ result }) => result))).toEqual(
      new Set(['pending']),
    );
    await powerOn(site, run);
    await eventually(async () => {
      const checks = await site.check(...CHECKS);
      expect(checks.filter(({ result }) => result !== 'ok')).toEqual([]);
    });
    // Users may have a certificate of their own for the name by which they reach the API.
    const own = await issue((await createRunAuthorities()).ingress, [getApiName(site.design)]);
    const [api, ...others] = await createControlPlanePorts(site.design, run);
    const identity = { name: getApiName(site.design), cert: own.certPem, key: own.keyPem };
    const withOwn = { port: 6443, identities: [...(api?.identities ?? []).slice(0, 1), identity] };
    for (const name of CONTROL_PLANE) await site.setNode(name, [withOwn, ...others]);
    await expectFailures(site, []);
  });

  testInLab('haproxy')('a load balancer that ends TLS itself is named, with and without machines', async () => {
    const run = await createRunAuthorities();
    const site = await openTlsSite(run);
    const own = await issue((await createRunAuthorities()).ingress, [
      getApiName(site.design),
      getApiIntName(site.design),
    ]);
    const file = join(site.lab.dir, 'own.pem');
    writeFileSync(file, `${own.certPem}${own.keyPem}`);
    await site.setBalancer((config) => config.replaceAll(/^(\s*bind \S+:6443).*$/gm, `$1 ssl crt ${file}`));
    const expected = ['api-certificate 172.16.0.111:6443', 'api-certificate 172.16.0.110:6443'];
    const before = await expectFailures(site, expected);
    expect(before.find(({ result }) => result === 'failed')?.evidence).toMatch(
      /^the load balancer terminates TLS: .*none of its members is up$/,
    );
    await powerOn(site, run);
    await eventually(async () => {
      const checks = await site.check(...CHECKS);
      expect(listFailures(checks)).toEqual(expected);
      const [first] = checks.filter(({ result }) => result === 'failed');
      expect(first?.evidence).toMatch(
        /terminates TLS: it presents "api\.ocp45.*, issued by "ingress-operator@1", which is not the certificate of bs, m1, m2, m3$/,
      );
      expect(first?.remedy).toContain('remove "ssl crt …" from the bind line of this port');
    });
  });

  testInLab('haproxy')(
    'certificates that have expired, of another run or cluster, and no TLS are distinguished',
    async () => {
      const [run, otherRun] = [await createRunAuthorities(), await createRunAuthorities()];
      const site = await openTlsSite(run);
      const { design } = site;
      await site.setBalancer();
      await powerOn(site, run);
      await expectFailures(site, []);
      const setAll = async (authorities: RunAuthorities, validity?: Validity) => {
        const ports = await createControlPlanePorts(design, authorities, validity);
        for (const name of CONTROL_PLANE) await site.setNode(name, ports);
      };
      const HOUR = 3_600_000;
      const findEvidence = (checks: readonly SiteCheckLine[], id: string) =>
        checks.find((each) => each.id === id && each.result === 'failed')?.evidence;

      await setAll(run, { notBefore: Date.now() - 2 * HOUR, notAfter: Date.now() - HOUR });
      const both = ['api-certificate bs, m1, m2, m3 port 6443', 'machine-config-certificate bs, m1, m2, m3 port 22623'];
      expect(findEvidence(await expectFailures(site, both), 'api-certificate')).toMatch(/which expired at \d{4}-/);

      await setAll(run, { notBefore: Date.now() + HOUR, notAfter: Date.now() + 2 * HOUR });
      expect(findEvidence(await expectFailures(site, both), 'api-certificate')).toMatch(
        /valid from \S+ \S+ UTC on; the clock of this machine says/,
      );

      await setAll(otherRun);
      expect(findEvidence(await expectFailures(site, both), 'machine-config-certificate')).toMatch(
        /the CA "root-ca" of this install directory has another key: the two are from different runs/,
      );

      // One machine of another cluster among the members, and one without TLS.
      await setAll(run);
      const foreign = await createRunAuthorities();
      const other = await issue(foreign.ingress, ['api.old.example.com', 'api-int.old.example.com']);
      const identities = [{ name: 'api', cert: other.certPem, key: other.keyPem }];
      await site.setNode('m2', [
        { port: 6443, identities },
        { port: 22_623, identities: [] },
      ]);
      const found = await expectFailures(site, [
        'api-certificate m2 port 6443',
        'machine-config-certificate m2 port 22623',
      ]);
      expect(findEvidence(found, 'api-certificate')).toMatch(/"ingress-operator@1" is not a CA/);
      expect(findEvidence(found, 'machine-config-certificate')).toMatch(
        /does not speak TLS: it answers "HTTP\/1\.[01] /,
      );
    },
  );
});
