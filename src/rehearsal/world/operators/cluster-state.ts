import { HOUR, systemClock } from '../../../ports/clock.ts';
import { type CertificateAuthority, createAuthority, issueCertificate } from '../../pki.ts';
import type { ClusterState } from '../saved.ts';

const TEN_YEARS = 3650 * 24 * HOUR;

/**
 * What a cluster begins with: the authorities of the installer, and certificates that they have signed for its servers.
 * @param authority the authority of that name, as it stands below /opt/openshift/tls
 * @param rest what was decided of it
 */
export async function newClusterState(
  authority: (name: string) => CertificateAuthority,
  rest: Omit<
    ClusterState,
    | 'kubeletSigner'
    | 'clientAuthorities'
    | 'apiAuthority'
    | 'apiServing'
    | 'machineConfigServing'
    | 'ingressAuthority'
    | 'ingressServing'
  >,
): Promise<ClusterState> {
  const { clusterDomain, apiSince } = rest;
  // TLS libraries compare with the machine's own clock, which may be far from the site's.
  const always = {
    notBefore: systemClock.now() - HOUR,
    notAfter: systemClock.now() + TEN_YEARS,
    usages: 'server',
  } as const;
  const ingressAuthority = await createAuthority(`ingress-operator@${Math.floor(apiSince / 1000)}`, always);
  return {
    ...rest,
    kubeletSigner: authority('kubelet-signer'),
    clientAuthorities: [authority('admin-kubeconfig-signer').certPem, authority('kubelet-signer').certPem],
    apiAuthority: authority('kube-apiserver-lb-signer').certPem,
    apiServing: await issueCertificate(authority('kube-apiserver-lb-signer'), {
      commonName: `api.${clusterDomain}`,
      dnsNames: [`api.${clusterDomain}`, `api-int.${clusterDomain}`],
      ...always,
    }),
    machineConfigServing: await issueCertificate(authority('root-ca'), {
      commonName: 'system:machine-config-server',
      dnsNames: [`api-int.${clusterDomain}`],
      ...always,
    }),
    ingressAuthority,
    ingressServing: await issueCertificate(ingressAuthority, {
      commonName: `*.apps.${clusterDomain}`,
      dnsNames: [`*.apps.${clusterDomain}`],
      ...always,
    }),
  };
}
