import { expect, test } from 'vitest';
import { classifyIgnitionDifference } from '../../src/installer/ignition.ts';
import { createAuthority } from '../../src/rehearsal/pki.ts';
import { deriveReleaseMetadata } from '../../src/rehearsal/site/release-metadata.ts';
import { buildPointerIgnition } from '../../src/rehearsal/stand-in/ignition.ts';

const NOW = Date.parse('2026-11-28T12:00:00Z');
const HOUR = 3_600_000;
const release = deriveReleaseMetadata('4.18.1', 'x86_64');

/** Creates the ignition files of one run. */
async function createRun(domain = 'ocp45.example.com', end = NOW + HOUR) {
  const { certPem } = await createAuthority('root-ca', { notBefore: NOW - 48 * HOUR, notAfter: end });
  const pointer = (role: 'master' | 'worker') => buildPointerIgnition(role, domain, certPem, release);
  const source = `data:text/plain;charset=utf-8;base64,${Buffer.from(certPem).toString('base64')}`;
  const files = [{ path: '/opt/openshift/tls/root-ca.crt', contents: { source } }];
  const bootstrap = JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } });
  return { bootstrap, master: pointer('master'), worker: pointer('worker') };
}

test('what stands in the place of an ignition file is distinguished', async () => {
  const [run, other] = [await createRun(), await createRun()];
  const [cluster, old] = [await createRun('old.example.com'), await createRun(undefined, NOW - HOUR)];
  const otherFiles = new Map([['worker.ign', run.worker]]);
  const find = (found: string, wanted = run.master) =>
    classifyIgnitionDifference(found, wanted, { otherFiles, now: NOW });
  expect(find(' \n')).toEqual({ kind: 'empty' });
  expect(find('<!DOCTYPE html><html><head><title>404 Not\u001b Found</title>')).toMatchObject({ kind: 'html' });
  expect(find(run.master.slice(0, 100))).toEqual({ kind: 'cut', actualBytes: 100, expectedBytes: run.master.length });
  expect(find(`${run.master}}`)).toEqual({ kind: 'damaged' });
  expect(find(run.worker)).toEqual({ kind: 'role', name: 'worker.ign' });
  expect(find(other.master)).toEqual({ kind: 'other-run' });
  expect(find(cluster.master)).toEqual({
    kind: 'other-cluster',
    url: 'https://api-int.old.example.com:22623/config/master',
  });
  expect(find(old.bootstrap, run.bootstrap)).toEqual({ kind: 'expired', at: NOW - HOUR });
  expect(find(run.bootstrap.replace('"3.2.0"', '"3.4.0"'), run.bootstrap)).toEqual({ kind: 'changed' });
});
