import { isIP } from 'node:net';
import { parse } from 'yaml';
import { ExitError } from './console.ts';

/** install-config.yaml as far as the installation depends on it. */
export interface InstallConfig {
  readonly clusterName: string;
  readonly baseDomain: string;
  readonly controlPlaneReplicas: number;
  readonly computeReplicas: number;
  readonly networkType: string;
  readonly clusterNetworks: readonly { readonly cidr: string; readonly hostPrefix: number }[];
  readonly serviceNetworks: readonly string[];
  readonly machineNetworks: readonly string[];
  readonly sshKey: string;
  readonly pullSecret: string;
  readonly proxy: { readonly httpProxy: string; readonly httpsProxy: string; readonly noProxy: string } | null;
  /** The disk of a single node; empty where none is named. */
  readonly inPlaceDisk: string;
  /** The text as it was given. */
  readonly text: string;
}

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const CHECKED =
  'failed to fetch Master Machines: failed to load asset "Install Config": failed to create install config: invalid "install-config.yaml" file: ';

/**
 * Reads an install-config and refuses what the real program refuses, in its words.
 * @param rejectedCode the exit code of a rejected file: 3, or 1 on 4.5
 * @throws ExitError
 */
export function readInstallConfig(text: string, rejectedCode: number): InstallConfig {
  const reject = (problem: string): never => {
    throw new ExitError(`${CHECKED}${problem}`, rejectedCode);
  };
  let document: unknown;
  try {
    document = parse(text);
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new ExitError(
      `failed to fetch Master Machines: failed to load asset "Install Config": failed to unmarshal install-config.yaml: error converting YAML to JSON: yaml: ${line}`,
      rejectedCode,
    );
  }
  const at = (...path: readonly (string | number)[]) => valueAt(document, path);
  const word = (...path: readonly (string | number)[]) => String(at(...path) ?? '');
  const clusterName = word('metadata', 'name');
  const baseDomain = word('baseDomain');
  if (at('apiVersion') !== 'v1')
    reject(`apiVersion: Invalid value: "${word('apiVersion')}": install-config version must be "v1"`);
  if (!LABEL.test(clusterName)) {
    reject(
      `metadata.name: Invalid value: "${clusterName}": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'`,
    );
  }
  if (baseDomain === '' || !baseDomain.split('.').every((label) => LABEL.test(label))) {
    reject(
      `baseDomain: Invalid value: "${baseDomain}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`,
    );
  }
  if (!isPullSecret(word('pullSecret'))) {
    reject(`pullSecret: Invalid value: "": auths required`);
  }
  const sshKey = word('sshKey');
  if (sshKey !== '' && !/^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+) \S+/.test(sshKey)) {
    reject(`sshKey: Invalid value: "${sshKey.slice(0, 30)}": ssh: no key found`);
  }
  const clusterNetworks = list(at('networking', 'clusterNetwork')).map((entry) => ({
    cidr: String(valueAt(entry, ['cidr']) ?? ''),
    hostPrefix: Number(valueAt(entry, ['hostPrefix']) ?? 23),
  }));
  const serviceNetworks = list(at('networking', 'serviceNetwork')).map(String);
  const machineNetworks = list(at('networking', 'machineNetwork')).map((entry) =>
    String(valueAt(entry, ['cidr']) ?? ''),
  );
  const cidrs: [string, string][] = [
    ...clusterNetworks.map(({ cidr }, index): [string, string] => [`networking.clusterNetwork[${index}].cidr`, cidr]),
    ...serviceNetworks.map((cidr, index): [string, string] => [`networking.serviceNetwork[${index}]`, cidr]),
    ...machineNetworks.map((cidr, index): [string, string] => [`networking.machineNetwork[${index}].cidr`, cidr]),
  ];
  for (const [field, cidr] of cidrs) {
    if (!isCidr(cidr)) reject(`${field}: Invalid value: "${cidr}": invalid CIDR address: ${cidr}`);
  }
  if (at('platform', 'none') === undefined) {
    reject('platform: Invalid value: "": must specify one of the platforms (none)');
  }
  return {
    clusterName,
    baseDomain,
    controlPlaneReplicas: Number(at('controlPlane', 'replicas') ?? 3),
    computeReplicas: list(at('compute')).reduce(
      (sum: number, pool) => sum + Number(valueAt(pool, ['replicas']) ?? 3),
      0,
    ),
    networkType: word('networking', 'networkType') || 'OVNKubernetes',
    clusterNetworks,
    serviceNetworks,
    machineNetworks,
    sshKey,
    pullSecret: word('pullSecret'),
    proxy:
      at('proxy') === undefined
        ? null
        : {
            httpProxy: word('proxy', 'httpProxy'),
            httpsProxy: word('proxy', 'httpsProxy'),
            noProxy: word('proxy', 'noProxy'),
          },
    inPlaceDisk: word('bootstrapInPlace', 'installationDisk'),
    text,
  };
}

function valueAt(value: unknown, path: readonly (string | number)[]): unknown {
  return path.reduce<unknown>(
    (current, key) =>
      typeof current === 'object' && current !== null ? (current as Record<string | number, unknown>)[key] : undefined,
    value,
  );
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isPullSecret(text: string): boolean {
  try {
    const { auths } = JSON.parse(text) as { auths?: Record<string, unknown> };
    return typeof auths === 'object' && Object.keys(auths).length > 0;
  } catch {
    return false;
  }
}

function isCidr(text: string): boolean {
  const [address = '', prefix = ''] = text.split('/');
  const family = isIP(address);
  return family !== 0 && /^\d+$/.test(prefix) && Number(prefix) <= (family === 4 ? 32 : 128);
}
