import { getList, getString, isRecord, type NewObject } from '../../api/objects.ts';
import { isAtLeast, type ReleaseFacts } from '../../site/config.ts';

/** The role that an ignition file gives a machine. */
type IgnitionRole =
  /** `isInPlace`: it runs in the live system of a single node and writes that node's disk at the end. */
  | { readonly kind: 'bootstrap'; readonly files: ReadonlyMap<string, string>; readonly isInPlace: boolean }
  /** The complete configuration of a node, without a pointer. */
  | { readonly kind: 'node' }
  | { readonly kind: 'pointer'; readonly url: string; readonly authority: string }
  | { readonly kind: 'unusable'; readonly reason: string };

/**
 * Script of bootstrap in place that writes the disk (data/data/bootstrap/bootstrap-in-place of openshift/installer).
 */
const IN_PLACE_FILE = '/usr/local/bin/install-to-disk.sh';
const NODE_FILE = '/etc/mcs-machine-config-content.json';

/**
 * Builds the configuration that bootstrap in place writes to the disk of its node. Other nodes fetch it from port
 * 22623.
 */
export function buildNodeIgnition(): string {
  const source = `data:,${encodeURIComponent(JSON.stringify({ pool: 'master' }))}`;
  const files = [{ path: NODE_FILE, mode: 0o644, contents: { source } }];
  return JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } });
}

/** Parses an ignition file, spec 3 (merge) or 2 (append), as far as the rehearsal's machines act on it. */
export function parseIgnition(text: string): IgnitionRole {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { kind: 'unusable', reason: 'failed to parse config: config is not valid' };
  }
  if (!isRecord(document) || getString(document, 'ignition', 'version') === '') {
    return { kind: 'unusable', reason: "failed to parse config: invalid config version (couldn't parse)" };
  }
  const [pointer] = [
    ...getList(document, 'ignition', 'config', 'merge'),
    ...getList(document, 'ignition', 'config', 'append'),
  ];
  const url = getString(pointer, 'source');
  if (url !== '') {
    const authorities = getList(document, 'ignition', 'security', 'tls', 'certificateAuthorities');
    return {
      kind: 'pointer',
      url,
      authority: authorities.map((entry) => decodeDataUrl(getString(entry, 'source'))).join(''),
    };
  }
  const files = new Map(
    getList(document, 'storage', 'files').map((file) => [
      getString(file, 'path'),
      decodeDataUrl(getString(file, 'contents', 'source')),
    ]),
  );
  if (files.has(NODE_FILE)) return { kind: 'node' };
  if (!files.has('/opt/openshift/auth/kubeconfig')) {
    return { kind: 'unusable', reason: 'the config is no bootstrap config and points nowhere' };
  }
  return { kind: 'bootstrap', files, isInPlace: files.has(IN_PLACE_FILE) };
}

/** Decodes the text in a data URL (RFC 2397). Empty: not a data URL. */
export function decodeDataUrl(url: string): string {
  const [, isBase64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  return isBase64 ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
}

const NAMESPACE = 'openshift-machine-api';

/**
 * Builds the user-data secrets that MachineSets give to new machines. They hold the installer's pointer ignition, and
 * since 4.7 also a managed one in a newer spec, which the machine-config-operator keeps up to date. Clusters of
 * platform none have both.
 * @param authority PEM of the CA of the machine config server
 */
export function buildUserDataSecrets(clusterDomain: string, authority: string, release: ReleaseFacts): NewObject[] {
  const usesSpec3 = isAtLeast(release, 4, 6);
  const buildPointer = (specification: string, role: string) => {
    const source = `https://api-int.${clusterDomain}:22623/config/${role}`;
    const config = usesSpec3 ? { merge: [{ source }] } : { append: [{ source, verification: {} }] };
    const authorities = [{ source: `data:text/plain;charset=utf-8;base64,${encodeBase64(authority)}` }];
    const tls = { certificateAuthorities: authorities };
    return JSON.stringify({ ignition: { config, security: { tls }, version: specification } });
  };
  return ['master', 'worker'].flatMap((role) => [
    buildSecret(`${role}-user-data`, buildPointer(usesSpec3 ? '3.2.0' : '2.2.0', role)),
    ...(isAtLeast(release, 4, 7) ? [buildSecret(`${role}-user-data-managed`, buildPointer('3.4.0', role))] : []),
  ]);
}

function buildSecret(name: string, userData: string): NewObject {
  return {
    metadata: { name, namespace: NAMESPACE },
    type: 'Opaque',
    data: { disableTemplating: encodeBase64('true'), userData: encodeBase64(userData) },
  };
}

function encodeBase64(text: string): string {
  return Buffer.from(text).toString('base64');
}
