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
  const document = parsed(text, rejectedCode);
  const at = (...path: readonly (string | number)[]) => valueAt(document, path);
  const word = (...path: readonly (string | number)[]) => String(at(...path) ?? '');
  const config: InstallConfig = {
    clusterName: word('metadata', 'name'),
    baseDomain: word('baseDomain'),
    controlPlaneReplicas: Number(at('controlPlane', 'replicas') ?? 3),
    computeReplicas: list(at('compute')).reduce(
      (sum: number, pool) => sum + Number(valueAt(pool, ['replicas']) ?? 3),
      0,
    ),
    networkType: word('networking', 'networkType') || 'OVNKubernetes',
    clusterNetworks: list(at('networking', 'clusterNetwork')).map((entry) => ({
      cidr: String(valueAt(entry, ['cidr']) ?? ''),
      hostPrefix: Number(valueAt(entry, ['hostPrefix']) ?? 23),
    })),
    serviceNetworks: list(at('networking', 'serviceNetwork')).map(String),
    machineNetworks: list(at('networking', 'machineNetwork')).map((entry) => String(valueAt(entry, ['cidr']) ?? '')),
    sshKey: word('sshKey'),
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
  const problem = problemOf(document, config);
  if (problem !== null) throw new ExitError(`${CHECKED}${problem}`, rejectedCode);
  return config;
}

function parsed(text: string, rejectedCode: number): unknown {
  try {
    return parse(text);
  } catch (error) {
    const [line = ''] = String(error instanceof Error ? error.message : error).split('\n');
    throw new ExitError(
      `failed to fetch Master Machines: failed to load asset "Install Config": failed to unmarshal install-config.yaml: error converting YAML to JSON: yaml: ${line}`,
      rejectedCode,
    );
  }
}

/** The first field that the real program refuses, and why; null: none. */
function problemOf(document: unknown, config: InstallConfig): string | null {
  const { clusterName, baseDomain, sshKey, clusterNetworks, serviceNetworks, machineNetworks } = config;
  const version = valueAt(document, ['apiVersion']);
  if (version !== 'v1')
    return `apiVersion: Invalid value: "${String(version ?? '')}": install-config version must be "v1"`;
  if (!LABEL.test(clusterName))
    return `metadata.name: Invalid value: "${clusterName}": a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-'`;
  if (baseDomain === '' || !baseDomain.split('.').every((label) => LABEL.test(label)))
    return `baseDomain: Invalid value: "${baseDomain}": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.'`;
  if (!isPullSecret(config.pullSecret)) return `pullSecret: Invalid value: "": auths required`;
  if (sshKey !== '' && !/^(?:ssh-(?:rsa|ed25519|dss)|ecdsa-sha2-\S+) \S+/.test(sshKey))
    return `sshKey: Invalid value: "${sshKey.slice(0, 30)}": ssh: no key found`;
  const cidrs = [
    ...clusterNetworks.map(({ cidr }, index) => [`clusterNetwork[${index}].cidr`, cidr] as const),
    ...serviceNetworks.map((cidr, index) => [`serviceNetwork[${index}]`, cidr] as const),
    ...machineNetworks.map((cidr, index) => [`machineNetwork[${index}].cidr`, cidr] as const),
  ];
  for (const [field, cidr] of cidrs)
    if (!isCidr(cidr)) return `networking.${field}: Invalid value: "${cidr}": invalid CIDR address: ${cidr}`;
  const hasPlatform = valueAt(document, ['platform', 'none']) !== undefined;
  return hasPlatform ? null : 'platform: Invalid value: "": must specify one of the platforms (none)';
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
