import { isRecord, listAt, textAt } from '../../api/objects.ts';

/** What an ignition file tells a machine to be. */
export type IgnitionRole =
  /** `isInPlace`: it runs in the live system of a single node, and writes that node's disk when it is done. */
  | { readonly kind: 'bootstrap'; readonly files: ReadonlyMap<string, string>; readonly isInPlace: boolean }
  /** The whole configuration of a node, which points nowhere. */
  | { readonly kind: 'node' }
  | { readonly kind: 'pointer'; readonly url: string; readonly authority: string }
  | { readonly kind: 'unusable'; readonly why: string };

/** The program of the bootstrap in place that writes the disk (data/data/bootstrap/bootstrap-in-place of openshift/installer). */
const IN_PLACE_FILE = '/usr/local/bin/install-to-disk.sh';
const NODE_FILE = '/etc/mcs-machine-config-content.json';

/** What the bootstrap in place writes to the disk of its node: the configuration that others fetch from port 22623. */
export function nodeIgnition(): string {
  const source = `data:,${encodeURIComponent(JSON.stringify({ pool: 'master' }))}`;
  const files = [{ path: NODE_FILE, mode: 0o644, contents: { source } }];
  return JSON.stringify({ ignition: { version: '3.2.0' }, storage: { files } });
}

/** Reads an ignition file, spec 3 (merge) or 2 (append), as far as the rehearsal's machines act on it. */
export function readIgnition(text: string): IgnitionRole {
  let document: unknown;
  try {
    document = JSON.parse(text);
  } catch {
    return { kind: 'unusable', why: 'failed to parse config: config is not valid' };
  }
  if (!isRecord(document) || textAt(document, 'ignition', 'version') === '') {
    return { kind: 'unusable', why: "failed to parse config: invalid config version (couldn't parse)" };
  }
  const [pointer] = [
    ...listAt(document, 'ignition', 'config', 'merge'),
    ...listAt(document, 'ignition', 'config', 'append'),
  ];
  const url = textAt(pointer, 'source');
  if (url !== '') {
    const authorities = listAt(document, 'ignition', 'security', 'tls', 'certificateAuthorities');
    return {
      kind: 'pointer',
      url,
      authority: authorities.map((entry) => fromDataUrl(textAt(entry, 'source'))).join(''),
    };
  }
  const files = new Map(
    listAt(document, 'storage', 'files').map((file) => [
      textAt(file, 'path'),
      fromDataUrl(textAt(file, 'contents', 'source')),
    ]),
  );
  if (files.has(NODE_FILE)) return { kind: 'node' };
  if (!files.has('/opt/openshift/auth/kubeconfig')) {
    return { kind: 'unusable', why: 'the config is no bootstrap config and points nowhere' };
  }
  return { kind: 'bootstrap', files, isInPlace: files.has(IN_PLACE_FILE) };
}

/** The text in a data URL (RFC 2397); empty: not a data URL. */
export function fromDataUrl(url: string): string {
  const [, isBase64, data = ''] = /^data:[^,]*?(;base64)?,(.*)$/s.exec(url) ?? [];
  return isBase64 ? Buffer.from(data, 'base64').toString() : decodeURIComponent(data);
}
