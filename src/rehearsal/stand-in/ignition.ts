import { stringify } from 'yaml';
import { isVersionAtLeast } from '../../design/versions.ts';
import { HOUR, systemClock } from '../../platform/clock.ts';
import { encodeBase64 } from '../api/objects.ts';
import { type CertificateAuthority, createAuthority, type IssuedCertificate, issueCertificate } from '../pki.ts';
import type { ReleaseMetadata } from '../site/release-metadata.ts';

interface IgnitionFile {
  readonly path: string;
  readonly mode: number;
  readonly overwrite: boolean;
  readonly contents: { readonly source: string };
}

const getAsset = (assets: TlsAssets, name: string): CertificateAuthority | IssuedCertificate => {
  const asset = assets[name];
  if (!asset) throw new Error(`no asset ${name}`);
  return asset;
};

/** Builds auth/kubeconfig as the installer does: the CA of the API and a client certificate of system:admin. */
export function buildKubeconfig(clusterName: string, clusterDomain: string, assets: TlsAssets): string {
  const { certPem, keyPem } = getAsset(assets, 'admin-kubeconfig-client');
  return stringify(
    {
      apiVersion: 'v1',
      clusters: [
        {
          cluster: {
            'certificate-authority-data': encodeBase64(getAsset(assets, 'kube-apiserver-lb-signer').certPem),
            server: `https://api.${clusterDomain}:6443`,
          },
          name: clusterName,
        },
      ],
      contexts: [{ context: { cluster: clusterName, user: 'admin' }, name: 'admin' }],
      'current-context': 'admin',
      kind: 'Config',
      preferences: {},
      users: [
        {
          name: 'admin',
          user: { 'client-certificate-data': encodeBase64(certPem), 'client-key-data': encodeBase64(keyPem) },
        },
      ],
    },
    { lineWidth: 0 },
  );
}

/**
 * Builds bootstrap.ign: the keys of the cluster, its manifests, and the release that it installs.
 * @param options.manifests by path below the install directory
 */
export function buildBootstrapIgnition(options: {
  readonly assets: TlsAssets;
  readonly manifests: Readonly<Record<string, string>>;
  readonly kubeconfig: string;
  readonly release: ReleaseMetadata;
  readonly sshKey: string;
  /** The text of the pull secret. */
  readonly pullSecret: string;
  /** Whether to add the script that writes the disk of a single node after its bootstrap. */
  readonly isInPlace: boolean;
}): string {
  const { assets, manifests, kubeconfig, release, sshKey, pullSecret, isInPlace } = options;
  const files: IgnitionFile[] = [
    ...Object.entries(assets).flatMap(([name, { certPem, keyPem }]) => [
      createFile(`/opt/openshift/tls/${name}.crt`, certPem, 0o600),
      createFile(`/opt/openshift/tls/${name}.key`, keyPem, 0o600),
    ]),
    ...Object.entries(manifests).map(([path, text]) => createFile(`/opt/openshift/${path}`, text, 0o644)),
    createFile('/opt/openshift/auth/kubeconfig', kubeconfig, 0o600),
    createFile('/root/.docker/config.json', pullSecret, 0o600),
    createFile('/usr/local/bin/release-image.sh', `#!/usr/bin/env bash\nRELEASE_IMAGE=${release.image}\n`, 0o555),
    ...(isInPlace ? [createFile('/usr/local/bin/install-to-disk.sh', INSTALL_TO_DISK, 0o555)] : []),
  ];
  const units = [
    'bootkube.service',
    'release-image.service',
    'approve-csr.service',
    'progress.service',
    'kubelet.service',
    ...(isInPlace ? ['install-to-disk.service', 'bootstrap-in-place-post-reboot.service'] : []),
  ];
  return JSON.stringify({
    ignition: { version: getSpecVersion(release) },
    passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKey === '' ? [] : [sshKey.trim()] }] },
    storage: { files },
    systemd: { units: units.map((name) => ({ name, enabled: true })) },
  });
}

/** Never run: a machine of the rehearsal only checks whether the file exists. */
const INSTALL_TO_DISK = '#!/usr/bin/env bash\ncoreos-installer install\n';

/** Builds master.ign, arbiter.ign or worker.ign: only the URL of the real configuration, and the CA for that URL. */
export function buildPointerIgnition(
  role: 'master' | 'arbiter' | 'worker',
  clusterDomain: string,
  authorityPem: string,
  release: ReleaseMetadata,
  specVersion = getSpecVersion(release),
): string {
  const source = `https://api-int.${clusterDomain}:22623/config/${role}`;
  const authority = { source: toDataUrl(authorityPem) };
  const config = isVersionAtLeast(release.version, '4.6')
    ? { merge: [{ source }] }
    : { append: [{ source, verification: {} }] };
  return JSON.stringify({
    ignition: { config, security: { tls: { certificateAuthorities: [authority] } }, version: specVersion },
  });
}

function getSpecVersion(release: ReleaseMetadata): string {
  return isVersionAtLeast(release.version, '4.6') ? '3.2.0' : '2.2.0';
}

function createFile(path: string, text: string, mode: number): IgnitionFile {
  return { path, mode, overwrite: true, contents: { source: toDataUrl(text) } };
}

/** Returns a text as a data URL (RFC 2397). */
export function toDataUrl(text: string): string {
  return `data:text/plain;charset=utf-8;base64,${encodeBase64(text)}`;
}

/** The CAs and certificates of a new installation, by their name below /opt/openshift/tls. */
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
  const dayValidity = { notBefore, notAfter: now + DAY };
  const tenYearValidity = { notBefore, notAfter: now + TEN_YEARS };
  const rootCa = await createAuthority('root-ca', tenYearValidity);
  const adminSigner = await createAuthority('admin-kubeconfig-signer', tenYearValidity);
  const apiSigner = await createAuthority('kube-apiserver-lb-signer', tenYearValidity);
  return {
    'root-ca': rootCa,
    'admin-kubeconfig-signer': adminSigner,
    'kube-apiserver-lb-signer': apiSigner,
    'kubelet-signer': await createAuthority('kubelet-signer', dayValidity),
    'aggregator-signer': await createAuthority('aggregator-signer', dayValidity),
    'kube-apiserver-lb-server': await issueCertificate(apiSigner, {
      commonName: 'system:kube-apiserver',
      organization: 'kube-master',
      dnsNames: [`api.${clusterDomain}`],
      usage: 'server',
      ...dayValidity,
    }),
    'machine-config-server': await issueCertificate(rootCa, {
      commonName: 'system:machine-config-server',
      dnsNames: [`api-int.${clusterDomain}`],
      usage: 'server',
      ...tenYearValidity,
    }),
    'admin-kubeconfig-client': await issueCertificate(adminSigner, {
      commonName: 'system:admin',
      organization: 'system:masters',
      usage: 'client',
      ...tenYearValidity,
    }),
  };
}
