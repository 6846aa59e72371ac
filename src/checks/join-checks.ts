import { catalogue } from '../i18n/catalogue.ts';
import { createCheckFactory, type Finding, runChecks } from './check.ts';
import type { ServedFile } from './files.ts';

const check = createCheckFactory<JoinCandidate>('join');
const siteCheck = createCheckFactory<JoinEvidence>('join');
const poolCheck = createCheckFactory<PoolEvidence>('join');

/** No other Node object has one of its addresses. */
const addressUnique = check('join-address-owner', 'fatal', ({ name: subject, addressOwner: owner }) => ({
  state: owner === null ? 'ok' : 'failed',
  subject,
  evidence: [owner ?? ''],
}));

/** Nothing answers at its address while the machine is off. */
const addressUnused = check('join-address', 'warning', ({ name: subject, openPort }) => ({
  state: openPort === null ? 'ok' : 'failed',
  subject,
  evidence: [openPort ?? ''],
}));

/** The API answers: nodes join through it. */
const apiAvailable = siteCheck('join-api', 'fatal', ({ api: { isUp, detail } }) => ({
  state: isUp ? 'ok' : 'failed',
  evidence: [detail],
}));

/** The boot server has the node's script, if it boots with one. */
const bootScript = check('join-script', 'fatal', ({ name: subject, script }) =>
  script === null ? null : { state: script.isPresent ? 'ok' : 'failed', subject, evidence: [script.detail] },
);

/** The boot server lets the machine's addresses fetch their ignition file. */
const ignitionAccess = check('join-door', 'fatal', ({ name: subject, canFetchIgnition }) => ({
  state: canFetchIgnition ? 'ok' : 'failed',
  subject,
}));

/** A new node fetches its configuration from the Machine Config Server, whose CA has to be in its ignition file. */
const configServer = poolCheck('join-config-server', 'fatal', ({ role, configServer: server }) => {
  if (server === null) return { state: 'unknown' };
  const { state, detail } = server;
  if (state !== 'untrusted') return { state: state === 'answers' ? 'ok' : 'failed', evidence: [detail] };
  const { wrong, remedy } = words(role)['join-config-server'].untrusted;
  return { state: 'failed', evidence: [detail], title: wrong, remedy };
});

/** Every name server resolves its name and its addresses. */
const dnsRecords = check('join-dns', 'fatal', ({ name: subject, lookups }) => {
  const failedLookups = lookups.filter(({ isOk }) => !isOk);
  const details = failedLookups.map(({ server, detail }) => `${server}: ${detail}`);
  return { state: failedLookups.length > 0 ? 'failed' : 'ok', subject, evidence: details };
});

/** The DHCP server's file has an entry for the node. */
const dhcpEntry = check('join-dhcp', 'fatal', ({ name: subject, dhcp: entry }) =>
  entry === 'none' ? null : { state: toEntryState(entry), subject },
);

/** The load balancers' files have the node in their pools. */
const balancerEntry = check('join-balancer', 'warning', ({ name: subject, balancer: entry }) =>
  entry === 'none' ? null : { state: toEntryState(entry), subject },
);

function toEntryState(entry: 'present' | 'missing' | null): Finding['state'] {
  if (entry === null) return 'unknown';
  return entry === 'missing' ? 'failed' : 'ok';
}

/** The ignition file of the pool exists. */
const ignitionFile = poolCheck('join-ignition', 'fatal', ({ hasIgnitionFile }) => ({
  state: hasIgnitionFile ? 'ok' : 'failed',
}));

/** The boot server has the images that the machines boot. */
const bootImages = siteCheck('join-images', 'fatal', ({ images }) => {
  const missingImages = images.filter(({ isPresent }) => !isPresent);
  const reportedFiles = missingImages.length > 0 ? missingImages : images;
  return { state: missingImages.length > 0 ? 'failed' : 'ok', evidence: reportedFiles.map(({ detail }) => detail) };
});

/** The cluster has no Node object of this name, unless the user marked the machine as reinstalled. */
const nameUnused = check('join-name', 'fatal', ({ name: subject, role, fqdn, nodeState, isReinstalled }) => {
  if (nodeState === null) return { state: 'unknown', subject };
  if (nodeState === 'absent') return { state: 'ok', subject };
  const remedy = words(role)['join-name'].freeName(fqdn);
  return isReinstalled ? null : { state: 'failed', subject, evidence: [fqdn], remedy };
});

/** The old Node object of a reinstalled machine is not Ready: if it is, another machine runs under its name. */
const oldNodeNotReady = check('join-anew', 'warning', ({ name: subject, fqdn, nodeState, isReinstalled }) => {
  if (nodeState === null || nodeState === 'absent' || !isReinstalled) return null;
  return { state: nodeState === 'ready' ? 'failed' : 'ok', subject, evidence: [fqdn] };
});

/** A new node takes its configuration from its MachineConfigPool. */
const poolHealth = poolCheck('join-pool', 'warning', ({ role, pool: state }) => {
  if (state === null) return { state: 'unknown' };
  const { degraded, paused } = words(role)['join-pool'];
  if (state.isDegraded) return { state: 'failed', evidence: [degraded(state.message)] };
  return state.isPaused ? { state: 'failed', evidence: [paused] } : { state: 'ok' };
});

const words = (role: string) => catalogue().diagnosis.nodeJoin(role);

/** Checks that apply to each node. */
const NODE_CHECKS = [
  nameUnused,
  oldNodeNotReady,
  addressUnique,
  addressUnused,
  dnsRecords,
  dhcpEntry,
  balancerEntry,
  bootScript,
  ignitionAccess,
];

/**
 * Checks whether nodes can join: the common checks first, then node by node.
 * Source: openshift-docs, machine_management/adding-rhcos-compute (what a node needs).
 */
export function checkJoin(evidence: JoinEvidence): Finding[] {
  return [
    ...runChecks([apiAvailable], evidence, words('')),
    ...evidence.pools.flatMap((pool) => runChecks([configServer, poolHealth], pool, words(pool.role))),
    ...runChecks([bootImages], evidence, words('')),
    ...evidence.pools.flatMap((pool) => runChecks([ignitionFile], pool, words(pool.role))),
    ...evidence.nodes.flatMap((node) => runChecks(NODE_CHECKS, node, words(node.role))),
  ];
}

/** Evidence about one node before its machine is powered on to join. */
export interface JoinCandidate {
  readonly name: string;
  /** The pool that it joins. */
  readonly role: string;
  readonly fqdn: string;
  /** The Node object of that name; null if the API does not answer. */
  readonly nodeState: 'absent' | 'ready' | 'not-ready' | null;
  /** Whether the user marked its machine as reinstalled: then its old Node object may exist. */
  readonly isReinstalled: boolean;
  /** Another Node that has one of its addresses. */
  readonly addressOwner: string | null;
  /** A port at its address that answers although the machine should be off: "172.16.0.44 port 22"; null: none. */
  readonly openPort: string | null;
  /** The answers of every name server for its name and addresses. */
  readonly lookups: readonly { readonly server: string; readonly isOk: boolean; readonly detail: string }[];
  /** Its entry in the DHCP server's file. `none`: the design has no DHCP. Null: the file is not readable from here. */
  readonly dhcp: 'present' | 'missing' | 'none' | null;
  /**
   * Its line in the pools of the load balancers' files. `none`: it belongs to no pool. Null: the files are not readable
   * from here.
   */
  readonly balancer: 'present' | 'missing' | 'none' | null;
  /** Its boot script on the boot server; null if it needs none. */
  readonly script: ServedFile | null;
  /** Whether the boot server lets the machine's addresses fetch their ignition file. */
  readonly canFetchIgnition: boolean;
}

/** The Machine Config Server's answer to a request like a new node's. */
export interface ConfigServerAnswer {
  /** `untrusted`: the ignition file does not trust the CA of the server (replaced after the file was created). */
  readonly state: 'answers' | 'untrusted' | 'silent';
  readonly detail: string;
}

/** Evidence about a MachineConfigPool that nodes join. */
export interface PoolEvidence {
  /** Its name, which is that of its ignition file: `worker`, `master`. */
  readonly role: string;
  /** Null if the ignition file does not name the Machine Config Server. */
  readonly configServer: ConfigServerAnswer | null;
  /** Its state; null if the API does not answer. */
  readonly pool: { readonly isDegraded: boolean; readonly isPaused: boolean; readonly message: string } | null;
  /** Whether the ignition file exists at the path from which it is served. */
  readonly hasIgnitionFile: boolean;
}

/** Evidence before nodes join a running cluster. */
export interface JoinEvidence {
  readonly api: { readonly isUp: boolean; readonly detail: string };
  readonly images: readonly ServedFile[];
  readonly pools: readonly PoolEvidence[];
  readonly nodes: readonly JoinCandidate[];
}
