import { HOUR } from '../../src/platform/clock.ts';
import { createAuthority, issueCertificate } from '../../src/rehearsal/pki.ts';
import { DOMAIN } from './csr-forge.ts';

let cachedPki: ReturnType<typeof createPki> | null = null;

/**
 * A CA with the certificates of an API server and its administrator. All tests of a worker share it, since no test is
 * about them.
 */
export const getApiPki = () => {
  cachedPki ??= createPki();
  return cachedPki;
};

/** Creates the same for another cluster. */
export const createOtherPki = () => createPki();

async function createPki() {
  const validity = { notBefore: Date.now() - HOUR, notAfter: Date.now() + 24 * HOUR };
  const authority = await createAuthority('kube-apiserver-lb-signer', validity);
  const names = { dnsNames: [`api.${DOMAIN}`] };
  const apiServer = await issueCertificate(authority, { commonName: 'api', ...names, ...validity, usage: 'server' });
  const admin = await issueCertificate(authority, { commonName: 'system:admin', ...validity, usage: 'client' });
  return {
    authority,
    server: { cert: apiServer.certPem, key: apiServer.keyPem },
    admin: { cert: admin.certPem, key: admin.keyPem },
  };
}
