import { HOUR, systemClock } from '../../platform/clock.ts';
import { type CertificateAuthority, createAuthority, type IssuedCertificate, issueCertificate } from '../pki.ts';

/** The authorities and certificates of a new installation, by their name below /opt/openshift/tls. */
export type TlsAssets = Readonly<Record<string, CertificateAuthority | IssuedCertificate>>;

const DAY = 24 * HOUR;
const TEN_YEARS = 3650 * DAY;

/**
 * Creates the assets as pkg/asset/tls of openshift/installer does. The signers of kubelets and of the aggregator and
 * the first certificate of the API are valid for a day, the others for ten years.
 * @param now the site's time, ms. Certificates also start before the real time, because TLS libraries check the real
 * clock.
 */
export async function createTlsAssets(clusterDomain: string, now: number): Promise<TlsAssets> {
  const notBefore = Math.min(now, systemClock.now()) - HOUR;
  const day = { notBefore, notAfter: now + DAY };
  const decade = { notBefore, notAfter: now + TEN_YEARS };
  const rootCa = await createAuthority('root-ca', decade);
  const adminSigner = await createAuthority('admin-kubeconfig-signer', decade);
  const apiSigner = await createAuthority('kube-apiserver-lb-signer', decade);
  return {
    'root-ca': rootCa,
    'admin-kubeconfig-signer': adminSigner,
    'kube-apiserver-lb-signer': apiSigner,
    'kubelet-signer': await createAuthority('kubelet-signer', day),
    'aggregator-signer': await createAuthority('aggregator-signer', day),
    'kube-apiserver-lb-server': await issueCertificate(apiSigner, {
      commonName: 'system:kube-apiserver',
      organization: 'kube-master',
      dnsNames: [`api.${clusterDomain}`],
      usages: 'server',
      ...day,
    }),
    'machine-config-server': await issueCertificate(rootCa, {
      commonName: 'system:machine-config-server',
      dnsNames: [`api-int.${clusterDomain}`],
      usages: 'server',
      ...decade,
    }),
    'admin-kubeconfig-client': await issueCertificate(adminSigner, {
      commonName: 'system:admin',
      organization: 'system:masters',
      usages: 'client',
      ...decade,
    }),
  };
}
