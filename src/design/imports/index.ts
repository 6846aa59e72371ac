import { catalogue } from '../../i18n/catalogue.ts';
import { isObjectOrList } from '../paths.ts';
import { parseYamlText } from '../yaml.ts';
import { importHelpernode, isHelpernodeVars } from './helpernode.ts';
import { parseDhcpdHosts, parseHostsFile, parseKeaReservations } from './host-lists.ts';
import { type ImportedDesign, type ImportFailure, omitEmpty, type PartialDocument } from './imported-design.ts';
import { importInstallConfig, isInstallConfig } from './install-config.ts';
import { type ImportedNodes, parseNodeTable, toDocumentNodes } from './node-table.ts';

const words = () => catalogue().imports;

// Characters; a site of a thousand nodes needs a tenth of this.
const MAX_TEXT_LENGTH = 1_000_000;

/**
 * Imports the design values of a file: a design, an install-config.yaml, helpernode's vars.yaml, a table of nodes,
 * dhcpd hosts, Kea reservations or a hosts file, recognized by its content. Never throws.
 */
export function importDesign(text: string): ImportedDesign | ImportFailure {
  if (text.length > MAX_TEXT_LENGTH) return { problem: words().tooLarge(MAX_TEXT_LENGTH), fix: words().fixTooLarge };
  const { document, isReadable } = parseYamlText(text);
  if (isReadable && isObjectOrList(document) && !Array.isArray(document)) {
    if (document.apiVersion === 'upi-wizard/v1') return { kind: 'design', document, files: [], notes: [] };
    if (isInstallConfig(document)) return importInstallConfig(document);
    if (isHelpernodeVars(document)) return importHelpernode(document);
    const kea = parseKeaReservations(document);
    if (kea) return { kind: 'kea', document: { nodes: toDocumentNodes(kea.rows) }, files: [], notes: kea.notes };
  }
  return importNodeList(text) ?? { problem: words().unknown, fix: words().fixUnknown };
}

function importNodeList(text: string): ImportedDesign | null {
  const nodes = parseNodeList(text);
  if (nodes === null) return null;
  const hosts = nodes.kind === 'hosts' ? parseHostsFile(text.replaceAll(/\r\n?/g, '\n')) : null;
  // An endpoint has one address, or one of each family.
  const toEndpointAddresses = (addresses: readonly string[] = []) =>
    addresses.length > 1 ? addresses.slice(0, 2) : addresses[0];
  return {
    kind: nodes.kind,
    files: [],
    notes: nodes.notes,
    document: omitEmpty({
      cluster: hosts?.cluster ?? undefined,
      endpoints: {
        api: toEndpointAddresses(hosts?.endpoints.api),
        apiInt: toEndpointAddresses(hosts?.endpoints.apiInt),
        ingress: toEndpointAddresses(hosts?.endpoints.ingress),
      },
      nodes: nodes.rows.length > 0 ? toDocumentNodes(nodes.rows) : undefined,
    }),
  };
}

/** Whether the import failed; `problem` and `fix` are then the reason and the remedy. */
export function isImportFailure(result: ImportedDesign | ImportFailure): result is ImportFailure {
  return 'problem' in result;
}

/**
 * Merges an imported design into a document: blocks are merged, lists and values replaced. A list entry keeps values
 * that the import lacks from the entry of the same name or CIDR. A list of placeholders (no MAC, no address) replaces
 * no existing nodes.
 */
export function mergeImport(document: unknown, importedDocument: PartialDocument): unknown {
  const base = isObjectOrList(document) && !Array.isArray(document) ? document : {};
  const mergedEntries = Object.entries(importedDocument).map(([key, value]) => {
    const existingValue = Object.hasOwn(base, key) ? base[key] : undefined;
    if (Array.isArray(value))
      return [key, Array.isArray(existingValue) ? mergeList(existingValue, value) : value] as const;
    return [key, isObjectOrList(value) ? mergeImport(existingValue, value) : value] as const;
  });
  return Object.fromEntries([...Object.entries(base), ...mergedEntries]);
}

function mergeList(existingList: readonly unknown[], list: readonly unknown[]): readonly unknown[] {
  const isPlaceholder = (entry: unknown) => isObjectOrList(entry) && entry.mac === '' && entry.ip === '';
  if (existingList.length > 0 && list.length > 0 && list.every(isPlaceholder)) return existingList;
  return list.map((entry) => {
    const existingEntry = existingList.find((candidate) =>
      IDENTITY_KEYS.some((key) => hasSameIdentity(candidate, entry, key)),
    );
    if (!isObjectOrList(entry) || !isObjectOrList(existingEntry)) return entry;
    return { ...existingEntry, ...Object.fromEntries(Object.entries(entry).filter(([, value]) => value !== '')) };
  });
}

// Keys that identify a node or service host (`name`) and a network (`cidr`).
const IDENTITY_KEYS = ['name', 'cidr'];

function hasSameIdentity(a: unknown, b: unknown, key: string): boolean {
  const getIdentity = (entry: unknown) => (isObjectOrList(entry) && typeof entry[key] === 'string' ? entry[key] : '');
  return getIdentity(a) !== '' && getIdentity(a) === getIdentity(b);
}

/** The start of an import without a design: every required key, empty. */
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

/** Machines from a list, and the format of that list. */
interface NodeList extends ImportedNodes {
  readonly kind: 'table' | 'dhcpd' | 'hosts';
}

/**
 * Parses a list of machines: dhcpd `host` blocks, a hosts file, or a table with tabs, commas, semicolons or blanks.
 * Null when it is none of these. Never throws.
 */
export function parseNodeList(text: string): NodeList | null {
  const normalizedText = text.replaceAll(/\r\n?/g, '\n');
  const dhcpd = parseDhcpdHosts(normalizedText);
  if (dhcpd) return { kind: 'dhcpd', ...dhcpd };
  const hosts = parseHostsFile(normalizedText);
  if (hosts) return { kind: 'hosts', rows: hosts.rows, notes: hosts.notes };
  const table = parseNodeTable(normalizedText);
  return table && { kind: 'table', ...table };
}
