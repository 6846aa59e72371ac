import { catalogue } from '../../text/catalogue.ts';
import { isRecord } from '../paths.ts';
import { readSource } from '../source.ts';
import { fromHelpernode, isHelpernode } from './helpernode.ts';
import { readHostsFile, readKeaReservations } from './host-lists.ts';
import { documentNodes, type Imported, type ImportRefused, type PartialDocument, withoutNothing } from './imported.ts';
import { fromInstallConfig, isInstallConfig } from './install-config.ts';
import { readNodeList } from './node-list.ts';

const words = () => catalogue().imports;

export type { Imported, ImportRefused, PartialDocument } from './imported.ts';
export { withoutPasswords, yamlText } from './printable.ts';
export { decodeText } from './reading.ts';

// A site of a thousand nodes is a tenth of this.
const LIMIT = 1_000_000;

/**
 * Reads the design values of a file: a design, an install-config.yaml, helpernode's vars.yaml, a table of
 * nodes, dhcpd hosts, Kea reservations or a hosts file, recognised by its content. Never throws.
 */
export function importText(text: string): Imported | ImportRefused {
  if (text.length > LIMIT) return { problem: words().tooLarge(LIMIT), fix: words().fixTooLarge };
  const { document, isReadable } = readSource(text);
  if (isReadable && isRecord(document) && !Array.isArray(document)) {
    if (document.apiVersion === 'upi-wizard/v1') return { kind: 'design', document, files: [], notes: [] };
    if (isInstallConfig(document)) return fromInstallConfig(document);
    if (isHelpernode(document)) return fromHelpernode(document);
    const kea = readKeaReservations(document);
    if (kea) return { kind: 'kea', document: { nodes: documentNodes(kea.rows) }, files: [], notes: kea.notes };
  }
  return fromList(text) ?? { problem: words().unknown, fix: words().fixUnknown };
}

function fromList(text: string): Imported | null {
  const nodes = readNodeList(text);
  if (nodes === null) return null;
  const hosts = nodes.kind === 'hosts' ? readHostsFile(text.replaceAll(/\r\n?/g, '\n')) : null;
  const one = (addresses: readonly string[] | undefined) =>
    addresses?.length === 1 ? addresses[0] : addresses?.slice(0, 2);
  const some = (addresses: readonly string[] | undefined) => (addresses?.length ? one(addresses) : undefined);
  return {
    kind: nodes.kind,
    files: [],
    notes: nodes.notes,
    document: withoutNothing({
      cluster: hosts?.cluster ?? undefined,
      endpoints: {
        api: some(hosts?.endpoints.api),
        apiInt: some(hosts?.endpoints.apiInt),
        ingress: some(hosts?.endpoints.ingress),
      },
      nodes: nodes.rows.length > 0 ? documentNodes(nodes.rows) : undefined,
    }),
  };
}

/** Whether nothing could be made of what was read; then `problem` and `fix` say why and what to do. */
export function isRefused(result: Imported | ImportRefused): result is ImportRefused {
  return 'problem' in result;
}

/**
 * A document with what an import tells put over it: blocks are joined, lists and values replaced. What a list does not tell of
 * a node or network that was known stays, and nodes that are only counted replace none.
 */
export function withImported(document: unknown, imported: PartialDocument): unknown {
  const base = isRecord(document) && !Array.isArray(document) ? document : {};
  const joined = Object.entries(imported).map(([key, value]) => {
    const before = Object.hasOwn(base, key) ? base[key] : undefined;
    if (Array.isArray(value)) return [key, Array.isArray(before) ? listOver(before, value) : value] as const;
    return [key, isRecord(value) ? withImported(before, value) : value] as const;
  });
  return Object.fromEntries([...Object.entries(base), ...joined]);
}

function listOver(before: readonly unknown[], list: readonly unknown[]): readonly unknown[] {
  const isCounted = (entry: unknown) => isRecord(entry) && entry.mac === '' && entry.ip === '';
  if (before.length > 0 && list.length > 0 && list.every(isCounted)) return before;
  return list.map((entry) => {
    const known = before.find((other) => IDENTITIES.some((key) => isSame(other, entry, key)));
    if (!isRecord(entry) || !isRecord(known)) return entry;
    return { ...known, ...Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== '')) };
  });
}

// What a node or service host, and a network, is known by.
const IDENTITIES = ['name', 'cidr'];

function isSame(a: unknown, b: unknown, key: string): boolean {
  const has = (entry: unknown) => (isRecord(entry) && typeof entry[key] === 'string' ? entry[key] : '');
  return has(a) !== '' && has(a) === has(b);
}

/** What an import starts from without a design: every required key, empty. */
export const EMPTY_DESIGN: PartialDocument = {
  apiVersion: 'upi-wizard/v1',
  kind: 'ClusterDesign',
  openshift: { version: '' },
  cluster: { name: '', baseDomain: '' },
  networks: { machine: [{ cidr: '' }] },
  endpoints: { api: '', apiInt: '', ingress: '' },
  nodes: [],
  services: { bastion: { name: 'bastion', ip: '' } },
};
