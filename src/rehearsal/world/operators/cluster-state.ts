import { HOUR, systemClock } from '../../../platform/clock.ts';
import { type CertificateAuthority, createAuthority, issueCertificate } from '../../pki.ts';
import type { ClusterState } from '../saved.ts';

const TEN_YEARS = 3650 * 24 * HOUR;

/**
 * Creates the state of a new cluster: the installer's authorities, and certificates that they sign for its servers.
 * @param getAuthority returns an authority by its name below /opt/openshift/tls
 * @param settings all other fields
 */
export async function createClusterState(
  getAuthority: (name: string) => CertificateAuthority,
  settings: Omit<
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
  const { clusterDomain, apiSince } = settings;
  // TLS libraries check the machine's own clock, which may differ much from the site's.
  const serverOptions = {
    notBefore: systemClock.now() - HOUR,
    notAfter: systemClock.now() + TEN_YEARS,
    usages: 'server',
  } as const;
  const ingressAuthority = await createAuthority(`ingress-operator@${Math.floor(apiSince / 1000)}`, serverOptions);
  return {
    ...settings,
    kubeletSigner: getAuthority('kubelet-signer'),
    clientAuthorities: [getAuthority('admin-kubeconfig-signer').certPem, getAuthority('kubelet-signer').certPem],
    apiAuthority: getAuthority('kube-apiserver-lb-signer').certPem,
    apiServing: await issueCertificate(getAuthority('kube-apiserver-lb-signer'), {
      commonName: `api.${clusterDomain}`,
      dnsNames: [`api.${clusterDomain}`, `api-int.${clusterDomain}`],
      ...serverOptions,
    }),
    machineConfigServing: await issueCertificate(getAuthority('root-ca'), {
      commonName: 'system:machine-config-server',
      dnsNames: [`api-int.${clusterDomain}`],
      ...serverOptions,
    }),
    ingressAuthority,
    ingressServing: await issueCertificate(ingressAuthority, {
      commonName: `*.apps.${clusterDomain}`,
      dnsNames: [`*.apps.${clusterDomain}`],
      ...serverOptions,
    }),
  };
}
