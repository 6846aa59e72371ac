import { getList, getString, isRecord } from '../../api/objects.ts';

/** The role that an ignition file gives a machine. */
export type IgnitionRole =
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
