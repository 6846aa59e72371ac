import { stringify } from 'yaml';
import { isVersionAtLeast } from '../../design/versions.ts';
import { HOUR, systemClock } from '../../platform/clock.ts';
import { encodeBase64 } from '../api/objects.ts';
import { type CertificateAuthority, createAuthority, type IssuedCertificate, issueCertificate } from '../pki.ts';
import type { ReleaseMetadata } from '../site/release-metadata.ts';
import { buildFencingSecrets, type InstallConfig } from './install-config.ts';

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

/**
 * Builds the manifests of an installation, by path below the install directory.
 * @param isProxyEdited whether the user added a proxy to the manifests, with an empty noProxy
 */
export function buildManifests(
  config: InstallConfig,
  release: ReleaseMetadata,
  isProxyEdited: boolean,
): Record<string, string> {
  const { clusterName, baseDomain } = config;
  const domain = `${clusterName}.${baseDomain}`;
  const topology = config.controlPlaneReplicas === 1 ? 'SingleReplica' : 'HighlyAvailable';
  const hasArbiter = config.arbiterReplicas > 0;
  // pkg/asset/manifests/topologies.go.
  const controlPlaneTopology = hasArbiter
    ? 'HighlyAvailableArbiter'
    : config.controlPlaneReplicas === 2
      ? 'DualReplica'
      : topology;
  const documents: Record<string, unknown> = {
    'manifests/cluster-config.yaml': {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'cluster-config-v1', namespace: 'kube-system' },
      data: { 'install-config': config.text.replace(/^pullSecret:.*$/m, 'pullSecret: ""') },
    },
    'manifests/cluster-dns-02-config.yml': buildConfigObject('DNS', { baseDomain: domain }),
    'manifests/cluster-infrastructure-02-config.yml': buildInfrastructure(domain, {
      name: `${clusterName}-${release.version.replaceAll('.', '')}x`,
      controlPlaneTopology,
      topology,
      platformSpec: { type: 'None' },
      platformStatus: { type: 'None' },
    }),
    'manifests/cluster-ingress-02-config.yml': buildConfigObject('Ingress', { domain: `apps.${domain}` }),
    'manifests/cluster-network-02-config.yml': buildConfigObject('Network', {
      clusterNetwork: config.clusterNetworks,
      networkType: config.networkType,
      serviceNetwork: config.serviceNetworks,
    }),
    ...buildFeatureGate(config),
    ...buildFencingSecrets(config.bmcCredentials),
    ...buildProxyManifest(config, isProxyEdited),
    'manifests/cluster-scheduler-02-config.yml': buildConfigObject(
      'Scheduler',
      { mastersSchedulable: config.computeReplicas === 0, policy: { name: '' } },
      {},
    ),
  };
  for (const role of hasArbiter ? ['master', 'arbiter', 'worker'] : ['master', 'worker']) {
    const path = `openshift/99_openshift-machineconfig_99-${role}-ssh.yaml`;
    documents[path] = buildSshMachineConfig(role, config.sshKey, release);
  }
  return Object.fromEntries(Object.entries(documents).map(([path, document]) => [path, stringify(document)]));
}

/**
 * Builds the Proxy manifest with the noProxy entries that the installer adds automatically
 * (pkg/asset/manifests/proxy.go). These entries do not cover application routes.
 */
function buildProxyManifest(config: InstallConfig, isEdited: boolean): Record<string, unknown> {
  const { clusterName, baseDomain } = config;
  const url = `http://proxy.${baseDomain}:3128`;
  const proxy = isEdited
    ? { httpProxy: config.proxy?.httpProxy || url, httpsProxy: config.proxy?.httpsProxy || url, noProxy: '' }
    : config.proxy;
  if (proxy === null) return {};
  const noProxyEntries = [
    '.cluster.local',
    '.svc',
    '127.0.0.1',
    `api-int.${clusterName}.${baseDomain}`,
    'localhost',
    ...config.clusterNetworks.map(({ cidr }) => cidr),
    ...config.machineNetworks,
    ...config.serviceNetworks,
    ...proxy.noProxy.split(',').filter((entry) => entry !== ''),
  ];
  return {
    'manifests/cluster-proxy-01-config.yaml': buildConfigObject(
      'Proxy',
      { ...proxy, trustedCA: { name: '' } },
      { ...proxy, noProxy: noProxyEntries.join(',') },
    ),
  };
}

/** Builds the Infrastructure of a cluster. */
export function buildInfrastructure(
  domain: string,
  options: {
    readonly name: string;
    readonly controlPlaneTopology: string;
    readonly topology: string;
    readonly platformSpec: object;
    readonly platformStatus: { readonly type: string; readonly aws?: object };
  },
) {
  const { name, controlPlaneTopology, topology, platformSpec, platformStatus } = options;
  const status = {
    apiServerInternalURI: `https://api-int.${domain}:6443`,
    apiServerURL: `https://api.${domain}:6443`,
    controlPlaneTopology,
    infrastructureName: name,
    infrastructureTopology: topology,
    platform: platformStatus.type,
    platformStatus,
  };
  return buildConfigObject('Infrastructure', { platformSpec }, status);
}

/** Builds an object `cluster` of config.openshift.io. */
export function buildConfigObject(kind: string, spec: object, status?: object) {
  const document = { apiVersion: 'config.openshift.io/v1', kind, metadata: { name: 'cluster' }, spec };
  return status === undefined ? document : { ...document, status };
}

/** Builds the FeatureGate, only if a feature set is configured (pkg/asset/manifests/featuregate.go). */
function buildFeatureGate({ text }: InstallConfig): Record<string, unknown> {
  const [, featureSet] = /^featureSet: *["']?(\w+)/m.exec(text) ?? [];
  return featureSet === undefined
    ? {}
    : { 'manifests/99_feature-gate.yaml': { ...buildConfigObject('FeatureGate', { featureSet }) } };
}

function buildSshMachineConfig(role: string, sshKey: string, release: ReleaseMetadata): unknown {
  // The machine-config-operator of a release does not know later spec versions.
  const ignitionVersion = isVersionAtLeast(release.version, '4.7')
    ? '3.2.0'
    : isVersionAtLeast(release.version, '4.6')
      ? '3.1.0'
      : '2.2.0';
  return {
    apiVersion: 'machineconfiguration.openshift.io/v1',
    kind: 'MachineConfig',
    metadata: { name: `99-${role}-ssh`, labels: { 'machineconfiguration.openshift.io/role': role } },
    spec: {
      config: {
        ignition: { version: ignitionVersion },
        passwd: { users: [{ name: 'core', sshAuthorizedKeys: sshKey === '' ? [] : [sshKey.trim()] }] },
      },
    },
  };
}
