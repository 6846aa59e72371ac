import { parse } from 'yaml';
import { catalogue } from '../i18n/catalogue.ts';
import { type CredentialRule, createCredentialProblem } from './credentials.ts';
import { getNodeFqdn, listNodesWithRole } from './derived-facts.ts';
import type { Design, DesignNode, Problem } from './model.ts';
import { isObjectOrList } from './paths.ts';

// The file with the credentials of the BMCs, for the topology `fencing`. It has the shape of `controlPlane.fencing` of
// install-config: a list `credentials`, one entry for each control plane node.

/**
 * The login to the BMC of a node, as install-config has it (openshift/installer pkg/types/machinepools.go: Credential).
 */
interface FencingCredential {
  /**
   * The name of the Node: cluster-etcd-operator looks for the secret `fencing-credentials-<node name>`
   * (pkg/tnf/pkg/tools/secrets.go).
   */
  readonly hostName: string;
  /** Redfish URL with its port: not every cluster-etcd-operator adds one (pkg/tnf/pkg/pcs/fencing.go). */
  readonly address: string;
  readonly username: string;
  readonly password: string;
  readonly certificateVerification: 'Enabled' | 'Disabled';
}

const FENCING_FILE_PATH = 'credentials.fencingFile';
const ENTRY_KEYS = ['hostname', 'address', 'username', 'password', 'certificateverification'];

const words = () => catalogue().design.fencing;

/** Whether a design needs the file with the credentials of the BMCs. For other designs the file is never read. */
export const needsFencingFile = ({ topology }: Pick<Design, 'topology'>) => topology === 'fencing';

/**
 * Checks the text of the file; null: it is missing. Problems repeat none of the contents but the names of nodes.
 * @param isPrivate whether only its owner can read the file
 */
export function checkFencingFile(text: string | null, isPrivate: boolean, design: Design): Problem[] {
  if (!needsFencingFile(design)) return [];
  const { fencingFile } = design.credentials;
  if (text === null) {
    const { missing, notFound, fixMissing } = words();
    return [createProblem('fencing-missing', fencingFile === null ? missing : notFound(fencingFile), fixMissing)];
  }
  const accessProblems = isPrivate
    ? []
    : [createProblem('fencing-mode', words().mode, words().fixMode(fencingFile ?? ''))];
  return [...accessProblems, ...parseFencingFile(text, design).problems];
}

/**
 * Parses the text of the file: the credentials in the order of the nodes, with the names of the nodes in the cluster.
 * They are complete if no problem is an error.
 */
export function parseFencingFile(
  text: string,
  design: Design,
): { readonly credentials: readonly FencingCredential[]; readonly problems: readonly Problem[] } {
  const entries = parseEntries(text);
  if (entries === null)
    return { credentials: [], problems: [createProblem('fencing-file', words().shape, words().fixShape)] };
  const nodes = listNodesWithRole(design, 'control-plane');
  const matches = nodes.map((node) => ({
    node,
    entries: entries.filter((entry) => isEntryForNode(entry, node, design)),
  }));
  const matchedEntries = new Set(matches.flatMap((match) => match.entries));
  const unknownIndex = entries.findIndex((entry) => !matchedEntries.has(entry));
  const problems = [
    ...matches.flatMap(({ node, entries: nodeEntries }) =>
      nodeEntries.length === 1 ? [] : [createNodesProblem(words().count(node.name, nodeEntries.length), nodes)],
    ),
    ...(unknownIndex < 0 ? [] : [createNodesProblem(words().unknownNode(unknownIndex + 1), nodes)]),
    ...matches.flatMap(({ node, entries: nodeEntries }) =>
      nodeEntries.slice(0, 1).flatMap((entry) => checkEntry(entry, node)),
    ),
    ...(areAddressesUnique(entries) ? [] : [createProblem('fencing-address', words().sameAddress, words().fixSame)]),
  ];
  const credentials = matches.flatMap(({ node, entries: nodeEntries }) =>
    nodeEntries.slice(0, 1).map((entry) => toCredential(entry, getNodeFqdn(design, node))),
  );
  return { credentials, problems };
}

/** Lists the secrets of the file, for redaction; empty for a text that is not such a file. */
export function listFencingSecrets(text: string): string[] {
  return (parseEntries(text) ?? []).flatMap(({ password }) => (typeof password === 'string' ? [password] : []));
}

/** Parses a Redfish URL to its host, its port, and the URL with that port; null if the text is no such URL. */
export function parseRedfishAddress(
  address: string,
): { readonly host: string; readonly port: number; readonly url: string } | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port, username, password, pathname } = new URL(address);
  const isSecure = protocol.includes('https') || /^(?:\w+-)?redfish:$/.test(protocol);
  const isSystem = /^\/redfish\/v1\/Systems\/[^/\s]+\/?$/.test(pathname);
  if (!isSecure || !isSystem || hostname === '' || username !== '' || password !== '') return null;
  const usedPort = port || '443';
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(usedPort),
    url: `${protocol}//${hostname}:${usedPort}${pathname}`,
  };
}

type Entry = Readonly<Record<string, unknown>>;

/** Parses the entries, with their keys in lower case as the installer accepts them; null: not such a file. */
function parseEntries(text: string): readonly Entry[] | null {
  const document = parseYaml(text);
  const list = isObjectOrList(document) && Object.keys(document).length === 1 ? document.credentials : null;
  if (!Array.isArray(list) || list.length === 0 || !list.every(isObjectOrList)) return null;
  return list.map((entry) =>
    Object.fromEntries(Object.entries(entry).map(([key, value]) => [key.toLowerCase(), value])),
  );
}

function parseYaml(text: string): unknown {
  try {
    return parse(text);
  } catch {
    // The parser's message quotes the text, so it is not passed on.
    return undefined;
  }
}

function isEntryForNode({ hostname }: Entry, node: DesignNode, design: Design): boolean {
  return hostname === node.name || hostname === getNodeFqdn(design, node);
}

/**
 * Checks an entry. Source: openshift/installer pkg/types/validation/installconfig.go,
 * validateFencingCredentialsAndPlatform.
 */
function checkEntry(entry: Entry, { name }: DesignNode): Problem[] {
  const { address, username, password, certificateverification: verification } = entry;
  if (Object.keys(entry).some((key) => !ENTRY_KEYS.includes(key)))
    return [createProblem('fencing-file', words().unknownKey(name), words().fixShape)];
  const missingKey = (['address', 'username', 'password'] as const).find((key) => !isFilledText(entry[key]));
  if (missingKey !== undefined)
    return [createProblem('fencing-file', words().missingKey(name, missingKey), words().fixMissingKey)];
  if (verification !== undefined && verification !== 'Enabled' && verification !== 'Disabled')
    return [createProblem('fencing-file', words().verification(name), words().fixVerification)];
  return [
    ...(parseRedfishAddress(String(address)) === null
      ? [createProblem('fencing-address', words().address(name), words().fixAddress)]
      : []),
    ...([username, password].some((text) => SHELL_CHARACTERS.test(String(text)))
      ? [createProblem('fencing-password', words().shell(name), words().fixShell)]
      : []),
    ...(verification === 'Disabled'
      ? [createProblem('fencing-unverified', words().unverified(name), words().fixUnverified)]
      : []),
  ];
}

/**
 * cluster-etcd-operator passes user and password to `bash -c` without quotes (pkg/tnf/pkg/pcs/fencing.go:
 * getStatusCommand, pkg/tnf/pkg/exec/exec.go).
 */
const SHELL_CHARACTERS = /[^A-Za-z0-9@%+=:,./_^-]/;

const isFilledText = (value: unknown): value is string => typeof value === 'string' && value.trim() !== '';

function areAddressesUnique(entries: readonly Entry[]): boolean {
  const addresses = entries.map(({ address }) => address).filter(isFilledText);
  return new Set(addresses).size === addresses.length;
}

function toCredential(entry: Entry, hostName: string): FencingCredential {
  const address = String(entry.address ?? '');
  return {
    hostName,
    address: parseRedfishAddress(address)?.url ?? address,
    username: String(entry.username ?? ''),
    password: String(entry.password ?? ''),
    certificateVerification: entry.certificateverification === 'Disabled' ? 'Disabled' : 'Enabled',
  };
}

function createNodesProblem(message: string, nodes: readonly DesignNode[]): Problem {
  return createProblem('fencing-nodes', message, words().fixNodes(nodes.map(({ name }) => name)));
}

function createProblem(rule: CredentialRule, message: string, fix: string): Problem {
  return createCredentialProblem(FENCING_FILE_PATH, rule, message, fix);
}
