import { createServer, type Server } from 'node:https';
import { type AddressInfo, isIP } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { stringify } from 'yaml';
import { type CertificateAuthority, createAuthority, issueCertificate } from '../../../src/rehearsal/pki.ts';
import { checkSite } from '../../../src/steps/check/index.ts';
import { createExampleDesign } from '../../support/example-document.ts';
import { createStepFixture, type StepFixture } from '../../support/step-fixture.ts';

// Real TLS servers on loopback in place of the BMCs. Only the CA bundle of the design contains their CA.

// Valid at the times of the tests and at the current time, which Node.js's sockets use.
const VALIDITY = { notBefore: Date.UTC(2024, 0, 1), notAfter: Date.now() + 86_400_000 };
let authority: CertificateAuthority;
let fixture: StepFixture | null = null;
const servers: Server[] = [];
let requestCount = 0;
beforeAll(async () => {
  authority = await createAuthority('the BMCs of the company', VALIDITY);
});
afterEach(async () => {
  for (const server of servers.splice(0)) server.close();
  await fixture?.remove();
  requestCount = 0;
});

/** Starts a BMC with a certificate for 127.0.0.1 and these names. */
async function startBmc(...dnsNames: readonly string[]): Promise<number> {
  const names = { commonName: 'bmc', ipAddresses: ['127.0.0.1'], dnsNames };
  const { certPem, keyPem } = await issueCertificate(authority, { ...names, ...VALIDITY, usage: 'server' });
  const server = createServer({ cert: certPem, key: keyPem }, (_, response) => {
    requestCount += 1;
    response.writeHead(401).end();
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

/** Runs the check for two BMCs: `m1` at a host and port, `m2` at a closed port. */
async function runCheck(
  address: string,
  { verification, hasBundle = true }: { readonly verification?: string; readonly hasBundle?: boolean } = {},
) {
  await fixture?.remove();
  const resolveEndpoint = (host: string, port: number) => ({ host: isIP(host) === 0 ? '127.0.0.1' : host, port });
  fixture = createStepFixture({ design: createExampleDesign('fencing'), resolveEndpoint });
  const login = { username: 'fencing', password: 'not-for-screens' };
  const toUrl = (authorityText: string) => `redfish+https://${authorityText}/redfish/v1/Systems/1`;
  fixture.write(
    'fencing.yaml',
    stringify({
      credentials: [
        { hostName: 'm1', address: toUrl(address), ...login, certificateVerification: verification },
        { hostName: 'm2', address: toUrl('127.0.0.1:1'), ...login },
      ],
    }),
  );
  fixture.write('ca.pem', authority.certPem);
  const credentials = {
    ...fixture.context.credentials,
    fencingFile: join(fixture.dir, 'fencing.yaml'),
    trustBundleFile: hasBundle ? join(fixture.dir, 'ca.pem') : null,
  };
  const results = await checkSite({ ...fixture.context, credentials }, { only: ['bmc'] });
  expect(JSON.stringify(results)).not.toContain('not-for-screens');
  expect(requestCount).toBe(0);
  const [first, second] = results.map(({ finding }) => finding);
  expect(second).toMatchObject({ subject: 'm2 127.0.0.1:1', state: 'failed', severity: 'warning' });
  return first;
}

test('a certificate for the address from the CA of the bundle is trusted, by address and by name', async () => {
  const port = await startBmc('bmc.test');
  expect(await runCheck(`127.0.0.1:${port}`)).toMatchObject({ subject: `m1 127.0.0.1:${port}`, state: 'ok' });
  expect(await runCheck(`bmc.test:${port}`)).toMatchObject({ state: 'ok' });
});

test('a certificate of an unknown CA, or for another address, is fatal, and no finding without verification', async () => {
  const port = await startBmc();
  const unknown = await runCheck(`127.0.0.1:${port}`, { hasBundle: false });
  expect(unknown).toMatchObject({ state: 'failed', severity: 'fatal' });
  expect(unknown?.cause).toContain('the BMCs of the company');
  expect(unknown?.remedy).toContain('CA bundle');
  const other = await runCheck(`other.test:${port}`);
  expect(other).toMatchObject({ state: 'failed', severity: 'fatal', cause: expect.stringContaining('127.0.0.1') });
  const unverified = await runCheck(`127.0.0.1:${port}`, { hasBundle: false, verification: 'Disabled' });
  expect(unverified).toMatchObject({ state: 'ok' });
});
