import { HOUR } from '../../src/ports/clock.ts';
import { createAuthority, issueCertificate } from '../../src/rehearsal/pki.ts';
import { DOMAIN } from './csr-forge.ts';

let made: ReturnType<typeof make> | null = null;

/** An authority with the certificates of an API server and its administrator: the same for all tests of a worker, since no test is about them. */
export const apiPki = () => {
  made ??= make();
  return made;
};

/** The same of another cluster. */
export const strangePki = () => make();

async function make() {
  const validity = { notBefore: Date.now() - HOUR, notAfter: Date.now() + 24 * HOUR };
  const authority = await createAuthority('kube-apiserver-lb-signer', validity);
  const names = { dnsNames: [`api.${DOMAIN}`] };
  const own = await issueCertificate(authority, { commonName: 'api', ...names, ...validity, usages: 'server' });
  const admin = await issueCertificate(authority, { commonName: 'system:admin', ...validity, usages: 'client' });
  return {
    authority,
    server: { cert: own.certPem, key: own.keyPem },
    admin: { cert: admin.certPem, key: admin.keyPem },
  };
}
