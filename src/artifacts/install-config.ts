import { stringify } from 'yaml';
import { type CredentialTexts, needsPullSecret, PLACEHOLDER_PULL_SECRET } from '../design/credentials.ts';
import { GO_ARCHITECTURES, listNodesWithRole } from '../design/derived-facts.ts';
import { needsFencingFile, parseFencingFile } from '../design/fencing.ts';
import type { Design } from '../design/model.ts';
import { findNonDefaultStream, getVersionProfile, isOkd } from '../design/versions.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { type UserError, UserErrorException } from '../i18n/user-error.ts';
import { type FileDraft, type FileGenerator, type GenerateInput, getOutputPath, WORK_DIR } from './shared/generator.ts';

const words = () => catalogue().artifacts;

/** Path of install-config.yaml on the bastion. It stays there: the installer deletes its input, so it gets a copy. */
export const INSTALL_CONFIG_PATH = `${WORK_DIR}/install-config.yaml`;

/**
 * install-config.yaml, which stage `install` needs. Later stages keep the earlier file whatever the design and the
 * credentials are now, because the installer has consumed it. Without a credential the earlier file stays, too; if
 * there is none, no file is generated, and stage `install` reports the credential.
 * @throws UserErrorException `credential-wrong`
 */
export const installConfigFile: FileGenerator<'install-config'> = {
  kind: 'install-config',
  host: 'bastion',
  paths: [INSTALL_CONFIG_PATH],
  findMissingInput: ({ design, stage, credentials, credentialFiles }) =>
    stage === 'install' ? findMissingCredential(design, credentials, credentialFiles) : null,
  files({ design, stage, credentials, previous }) {
    const { bastion } = design.services;
    if (stage !== 'install' || findMissingCredential(design, credentials) !== null) {
      const previousText = previous?.readContent(getOutputPath(bastion, INSTALL_CONFIG_PATH)) ?? null;
      if (previousText !== null) return [toDraft(previousText)];
      if (findMissingCredential(design, credentials) !== null) return [];
    }
    return [toDraft(renderInstallConfig(design, credentials))];

    function toDraft(content: string): FileDraft {
      return { host: bastion, path: INSTALL_CONFIG_PATH, mode: '0600', content };
    }
  },
};

/**
 * Renders install-config.yaml for platform none. Compute replicas are 0 on user-provisioned machines; the machine
 * network is always given, because its default is rarely the site's. Keys by version: openshift/installer
 * pkg/types/installconfig.go.
 * @throws UserErrorException `credential-missing`, `credential-wrong`
 */
export function renderInstallConfig(design: Design, credentials: CredentialTexts): string {
  const missingCredential = findMissingCredential(design, credentials);
  if (missingCredential) throw new UserErrorException(missingCredential);
  const { architecture } = design.openshift;
  const poolFields = { architecture: GO_ARCHITECTURES[architecture], hyperthreading: 'Enabled' };
  const controlPlane = listNodesWithRole(design, 'control-plane');
  const arbiters = listNodesWithRole(design, 'arbiter');
  const config = {
    apiVersion: 'v1',
    baseDomain: design.cluster.baseDomain,
    metadata: { name: design.cluster.name },
    compute: [{ name: 'worker', replicas: 0, ...poolFields }],
    controlPlane: {
      name: 'master',
      replicas: controlPlane.length,
      ...poolFields,
      ...buildFencingKeys(design, credentials),
    },
    ...(arbiters.length === 0 ? {} : { arbiter: { name: 'arbiter', replicas: arbiters.length, ...poolFields } }),
    networking: {
      networkType: design.networks.type,
      machineNetwork: design.networks.machine.map(({ cidr }) => ({ cidr })),
      clusterNetwork: design.networks.cluster.map(({ cidr, hostPrefix }) => ({ cidr, hostPrefix })),
      serviceNetwork: design.networks.service,
    },
    platform: { none: {} },
    ...(design.topology === 'single-node'
      ? { bootstrapInPlace: { installationDisk: controlPlane[0]?.installDisk ?? '' } }
      : {}),
    fips: design.fips,
    ...buildFeatureSetKeys(design),
    ...buildStreamKeys(design),
    ...buildProxyKeys(design),
    ...buildTrustBundleKeys(design, credentials),
    ...buildMirrorKeys(design),
    pullSecret: formatPullSecret(design, credentials.pullSecret ?? PLACEHOLDER_PULL_SECRET),
    sshKey: formatSshKeys(design, credentials.sshKey ?? ''),
  };
  // Strings are quoted, so that nothing in a secret or a name is ever read as another type.
  return stringify(config, {
    lineWidth: 0,
    defaultStringType: 'QUOTE_DOUBLE',
    defaultKeyType: 'PLAIN',
    version: '1.1',
  });
}

/** Builds the key for the feature set, if a choice is a Technology Preview (pkg/types/validation/featuregates.go). */
function buildFeatureSetKeys({ openshift, topology }: Design) {
  const { osImageStream, fencing } = getVersionProfile(openshift.version);
  const isStreamPreview = osImageStream === 'preview' && findNonDefaultStream(openshift) !== null;
  const isFencingPreview = fencing === 'preview' && topology === 'fencing';
  return isStreamPreview || isFencingPreview ? { featureSet: 'TechPreviewNoUpgrade' } : {};
}

/** Builds the key for the stream; none for the default stream, which is refused if the feature gate is off. */
function buildStreamKeys({ openshift }: Design) {
  const osImageStream = findNonDefaultStream(openshift);
  return osImageStream === null ? {} : { osImageStream };
}

/**
 * Builds the key `fencing` with the credentials of the BMCs. `certificateVerification` is always written: the etcd
 * Operator refuses a secret without it (openshift/cluster-etcd-operator pkg/tnf/pkg/pcs/fencing.go).
 */
function buildFencingKeys(design: Design, { fencing }: CredentialTexts) {
  if (!needsFencingFile(design)) return {};
  const { credentials, problems } = parseFencingFile(fencing ?? '', design);
  const error = problems.find(({ severity }) => severity === 'error');
  if (error) throw createWrongCredentialError(words().fencingWrong(design.credentials.fencingFile, error));
  return { fencing: { credentials } };
}

function buildMirrorKeys({ imageDigestSources, openshift }: Design) {
  if (imageDigestSources.length === 0) return {};
  const entries = imageDigestSources.map(({ source, mirrors }) => ({ mirrors: [...mirrors], source }));
  return { [getVersionProfile(openshift.version).mirrorKey]: entries };
}

function buildProxyKeys({ proxy }: Design) {
  if (!proxy) return {};
  const proxyEntries = Object.entries(proxy).filter(([, value]) => value !== '');
  return proxyEntries.length > 0 ? { proxy: Object.fromEntries(proxyEntries) } : {};
}

/**
 * Builds the keys of the bundle. Without the policy `Always`, the installer ignores it unless there is a proxy (4.12).
 */
function buildTrustBundleKeys(design: Design, { trustBundle }: CredentialTexts) {
  if (design.additionalTrustBundleFile === null || trustBundle === null) return {};
  const policy = getVersionProfile(design.openshift.version).hasTrustBundlePolicy
    ? { additionalTrustBundlePolicy: design.additionalTrustBundlePolicy ?? 'Always' }
    : {};
  return { additionalTrustBundle: `${trustBundle.trim()}\n`, ...policy };
}

function findMissingCredential(
  design: Design,
  credentials: CredentialTexts,
  files: GenerateInput['credentialFiles'] = {
    ...design.credentials,
    trustBundleFile: design.additionalTrustBundleFile,
  },
): UserError | null {
  const { pullSecretFile, sshKeyFile, trustBundleFile, fencingFile } = files;
  const createMissingError = (
    ...credentialArgs: Parameters<ReturnType<typeof words>['credentialMissing']>
  ): UserError => ({
    code: 'credential-missing',
    ...words().credentialMissing(...credentialArgs),
  });
  if (credentials.pullSecret === null && needsPullSecret(design))
    return createMissingError(isOkd(design.openshift.version) ? 'pull-secret-okd' : 'pull-secret', pullSecretFile);
  if (credentials.sshKey === null) return createMissingError('ssh-key', sshKeyFile);
  if (design.additionalTrustBundleFile !== null && credentials.trustBundle === null)
    return createMissingError('trust-bundle', trustBundleFile);
  if (needsFencingFile(design) && credentials.fencing === null) return createMissingError('fencing', fencingFile);
  return null;
}

function createWrongCredentialError(message: Omit<UserError, 'code'>): UserErrorException {
  return new UserErrorException({ code: 'credential-wrong', ...message });
}

function formatPullSecret(design: Design, text: string): string {
  try {
    const pullSecret: unknown = JSON.parse(text);
    if (typeof pullSecret === 'object' && pullSecret !== null && 'auths' in pullSecret)
      return JSON.stringify(pullSecret);
  } catch {
    // The parser's message would quote the secret.
  }
  throw createWrongCredentialError(
    words().pullSecretWrong(design.credentials.pullSecretFile, isOkd(design.openshift.version)),
  );
}

const SSH_KEY_LINE =
  /^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-nistp\d+|sk-[a-z0-9@.-]+)[ \t]+[A-Za-z0-9+/=]+(?:[ \t][^\r\n]*)?$/;

/**
 * Formats the SSH keys of the file, one per line, without its comments. Each key may log in (openshift/installer splits
 * them since 4.20).
 */
function formatSshKeys(design: Design, text: string): string {
  const lines = text.split(/\r?\n/).map((line) => line.trim());
  const keys = lines.filter((line) => line !== '' && !line.startsWith('#'));
  if (keys.length === 0 || !keys.every((key) => SSH_KEY_LINE.test(key)))
    throw createWrongCredentialError(words().sshKeyWrong(design.credentials.sshKeyFile));
  return keys.join('\n');
}
