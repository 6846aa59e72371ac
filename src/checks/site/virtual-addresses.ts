import { listVirtualAddresses } from '../../artifacts/network/firewall.ts';
import { listServiceHosts } from '../../design/derived-facts.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { isUnmeasurable, type PrivilegedHostState, type ProbeAnswer } from '../../probes/probe-types.ts';
import {
  createSiteCheckFactory,
  isLocalHost,
  readHostNetworkState,
  type SiteCheckContext,
  toSiteResult,
  type Verdict,
} from './site.ts';

const words = () => catalogue().diagnosis.site.details.virtualAddress;
const check = createSiteCheckFactory('load-balancer');

/** A service host and the state that was read on it; null: it could not be read. */
interface HostWithState {
  readonly host: ServiceHost;
  readonly networkState: PrivilegedHostState | null;
}

/** Checks of the endpoints that keepalived puts on one of the load balancers. */
export const VIRTUAL_ADDRESS_CHECKS = [
  /** keepalived runs on every load balancer. */
  check('vip-keepalived', 'fatal', (site) =>
    listKeepalivedHosts(site).map(async (host) => {
      const { networkState } = await readHostWithState(site, host);
      const command = isLocalHost(site, host)
        ? 'systemctl status keepalived'
        : `ssh ${host.ip[0]} systemctl status keepalived`;
      const addresses = listVirtualAddresses(site.design);
      if (networkState === null)
        return toSiteResult({ subject: host.name, command }, { state: 'unknown', detail: words().notRead });
      if (networkState.keepalived.isRunning)
        return toSiteResult({ subject: host.name, command }, { state: 'ok', detail: words().runs });
      return toSiteResult(
        { subject: host.name, command },
        {
          state: 'failed',
          // keepalived runs on another load balancer, which can take the addresses.
          ...((
            await Promise.all(
              listKeepalivedHosts(site).map((keepalivedHost) => readHostWithState(site, keepalivedHost)),
            )
          ).some(({ networkState: other }) => other?.keepalived.isRunning)
            ? { severity: 'warning' }
            : {}),
          detail: words().doesNotRun(addresses),
          remedy: words().start(host.name),
        },
      );
    }),
  ),
  /** Exactly one load balancer has each address. */
  check('vip-holder', 'fatal', (site) =>
    listCheckedAddresses(site).map(async (address) => {
      const hosts = await Promise.all(listKeepalivedHosts(site).map((host) => readHostWithState(site, host)));
      const command = listKeepalivedHosts(site)
        .map(({ ip }) => `ssh ${ip[0]} ip -br addr`)
        .join('; ');
      return toSiteResult({ subject: address, command }, evaluateHolders(address, hosts));
    }),
  ),
  /** The machine that answers at each address is the load balancer that has it. */
  check('vip-owner', 'fatal', (site) =>
    listVirtualAddresses(site.design).map(async (address) => {
      const command = `ping -c 1 -W 1 ${address}; ip neigh show ${address}`;
      const hostsToInspect = listServiceHosts(site.design).filter(
        (host) => site.onlyHost === null || host.name === site.onlyHost.name,
      );
      const [hosts, answer] = await Promise.all([
        Promise.all(hostsToInspect.map((host) => readHostWithState(site, host))),
        site.probes.neighbour({ address, shouldFindOthers: true }),
      ]);
      const reply = isUnmeasurable(answer) ? { mac: null } : answer;
      return toSiteResult({ subject: address, command }, evaluateOwner(site, address, hosts, reply));
    }),
  ),
];

function listKeepalivedHosts({ design, onlyHost }: SiteCheckContext): ServiceHost[] {
  const { kind, servers } = design.services.loadBalancer;
  if (kind === 'external' || design.topology === 'single-node' || listVirtualAddresses(design).length === 0) return [];
  return servers.filter(({ name }) => onlyHost === null || name === onlyHost.name);
}

function listCheckedAddresses(site: SiteCheckContext): string[] {
  return listKeepalivedHosts(site).length === 0 ? [] : listVirtualAddresses(site.design);
}

async function readHostWithState(site: SiteCheckContext, host: ServiceHost): Promise<HostWithState> {
  return { host, networkState: await readHostNetworkState(site, host) };
}

function hasAddress({ networkState }: HostWithState, address: string): boolean {
  return (
    networkState?.interfaces.some(({ addresses }) => addresses.some((cidr) => cidr.split('/')[0] === address)) ?? false
  );
}

/** Finds the interface that has the planned address of the host, and not only a virtual one. */
function findHostInterface(hostWithState?: HostWithState): string | null {
  const [hostAddress = ''] = hostWithState?.host.ip ?? [];
  const { interfaces = [] } = hostWithState?.networkState ?? {};
  return interfaces.find(({ addresses }) => addresses.some((cidr) => cidr.split('/')[0] === hostAddress))?.name ?? null;
}

function evaluateHolders(address: string, hosts: readonly HostWithState[]): Verdict {
  const holders = hosts.filter((candidate) => hasAddress(candidate, address)).map(({ host }) => host.name);
  const [holder] = holders;
  if (holders.length > 1) {
    const line = findJournalLine(hosts, FOREIGN_ADVERTS);
    return {
      state: 'failed',
      detail: [words().heldBySeveral(holders), ...(line === null ? [] : [line])].join('; '),
      remedy: words().separate(holders),
    };
  }
  if (holder !== undefined) return { state: 'ok', detail: words().heldBy(holder) };
  if (hosts.some(({ networkState }) => networkState === null)) return { state: 'unknown', detail: words().notRead };
  const names = hosts.map(({ host }) => host.name);
  const runningHosts = hosts.filter(({ networkState }) => networkState?.keepalived.isRunning);
  if (runningHosts.length === 0)
    return { state: 'failed', detail: words().heldByNone(names), remedy: words().start(names.join(', ')) };
  const rivalLine = findJournalLine(runningHosts, FOREIGN_ADVERTS);
  if (rivalLine !== null) {
    const [, rivalAddress = null] = /advert from (\S+)/.exec(rivalLine) ?? [];
    return {
      state: 'failed',
      detail: `${words().heldByNone(names)}; ${words().rival(rivalLine)}`,
      remedy: words().removeRival(rivalAddress),
    };
  }
  const [firstHost] = runningHosts;
  const name = firstHost?.host.name ?? '';
  const missingInterfaceLine = findJournalLine(runningHosts, MISSING_INTERFACE);
  if (missingInterfaceLine !== null)
    return {
      state: 'failed',
      detail: `${words().heldByNone(names)}; ${words().fault(missingInterfaceLine)}`,
      remedy: words().nameInterface(name, findHostInterface(firstHost)),
    };
  const faultLine = findJournalLine(runningHosts, FAULT_MESSAGE);
  if (faultLine !== null)
    return {
      state: 'failed',
      detail: `${words().heldByNone(names)}; ${words().fault(faultLine)}`,
      remedy: words().repairFault(name),
    };
  return {
    state: 'failed',
    detail: `${words().heldByNone(names)}; ${words().withoutReason}`,
    remedy: words().reload(name),
  };
}

/**
 * Messages of keepalived (vrrp.c) about adverts of a router that is none of the planned load balancers, or does not
 * agree with them.
 */
const FOREIGN_ADVERTS =
  /received advert from \S+ with higher priority|not present in (?:MASTER )?advert|invalid ip number count|VRID mismatch|(?:wrong|invalid|unexpected).*(?:auth|passwd)|authentication|advert(?:isement)? interval mismatch/i;
const HIGHER_PRIORITY = /received advert from (\S+) with higher priority/i;
const MISSING_INTERFACE =
  /\binterface \S+ .*(?:does(?: not|n't)(?: currently)? exist|not found)|\(interface \S+ down\)|no IPv[46] address for interface/i;
const FAULT_MESSAGE = /Entering FAULT STATE|VRRP_Script\(\w+\) (?:failed|timed? ?out)|script .*(?:failed|timed out)/i;
/** keepalived takes the addresses: earlier messages no longer apply. */
const BECAME_MASTER = /Entering MASTER STATE/;

/**
 * Finds the last matching line in the journal of a host, unless keepalived has taken the addresses since. Returns that
 * of the first host that has one.
 */
function findJournalLine(hosts: readonly HostWithState[], pattern: RegExp): string | null {
  for (const { host, networkState } of hosts) {
    const journal = networkState?.keepalived.journal ?? [];
    const index = journal.findLastIndex((line) => pattern.test(line));
    const line = journal[index];
    if (line !== undefined && journal.findLastIndex((journalLine) => BECAME_MASTER.test(journalLine)) < index)
      return `${host.name}: ${line}`;
  }
  return null;
}

/**
 * Evaluates which machine answers ARP requests for a virtual address.
 * @param mac the MAC address that answers; null: none does, or this machine is not on the network of the address
 */
function evaluateOwner(
  site: SiteCheckContext,
  address: string,
  hosts: readonly HostWithState[],
  { mac, otherMacs = [] }: Pick<ProbeAnswer<'neighbour'>, 'mac' | 'otherMacs'>,
): Verdict {
  const { design, localAddresses } = site;
  const balancerNames = new Set(design.services.loadBalancer.servers.map(({ name }) => name));
  const misplacedHost = hosts.find(
    (candidate) => !balancerNames.has(candidate.host.name) && hasAddress(candidate, address),
  );
  const isOnThisMachine =
    localAddresses.has(address) && !design.services.loadBalancer.servers.some((host) => isLocalHost(site, host));
  if (isOnThisMachine || misplacedHost !== undefined) {
    const [name, hostLabel] = isOnThisMachine
      ? [words().thisMachine, words().here]
      : [misplacedHost?.host.name ?? '', misplacedHost?.host.name ?? ''];
    return { state: 'failed', detail: words().misplaced(name), remedy: words().removeAddress(hostLabel, address) };
  }
  if (mac === null) {
    // This machine sends no ARP request for an address of its own.
    const localHolder = hosts.find((candidate) => isLocalHost(site, candidate.host) && hasAddress(candidate, address));
    return localHolder === undefined
      ? { state: 'unknown', detail: words().noAnswer }
      : { state: 'ok', detail: words().heldBy(localHolder.host.name) };
  }
  const owner = findMacOwner(design, hosts, mac);
  const isSameHost = (otherMac: string) => {
    const { kind, name } = findMacOwner(design, hosts, otherMac);
    return kind === 'host' && name === owner.name;
  };
  const secondMac = otherMacs.find((otherMac) => !isSameHost(otherMac));
  if (owner.kind === 'host' && secondMac !== undefined) {
    const secondOwner = findMacOwner(design, hosts, secondMac);
    const remedy =
      secondOwner.kind === 'host'
        ? words().removeAddress(secondOwner.name, address)
        : words().removeMachine(address, secondMac, secondOwner.name, owner.name);
    return { state: 'failed', detail: words().answersTwice(owner.name, secondMac, secondOwner.name), remedy };
  }
  if (owner.kind === 'host') return { state: 'ok', detail: words().answers(owner.name, mac) };
  // Only the MAC addresses of hosts whose state could be read are known.
  const isConclusive =
    owner.kind === 'node' ||
    hosts.filter(({ host }) => balancerNames.has(host.name)).every(({ networkState }) => networkState !== null);
  if (!isConclusive || (owner.kind === 'unknown' && balancerNames.size === 0))
    return { state: 'unknown', detail: words().unknownMac(mac) };
  const { name } = owner;
  // If the address is only removed, the keepalived of that machine sets it again.
  const [, rivalAddress] = HIGHER_PRIORITY.exec(findJournalLine(hosts, HIGHER_PRIORITY) ?? '') ?? [];
  const remedy =
    rivalAddress === undefined
      ? words().removeMachine(address, mac, name, getExpectedHolderName(site, address, hosts))
      : words().stopKeepalived(rivalAddress, mac, name);
  return { state: 'failed', detail: words().foreignMac(mac, name), remedy };
}

/** Returns the name of the load balancer that has the address or, if none has it, of the first one. */
function getExpectedHolderName({ design }: SiteCheckContext, address: string, hosts: readonly HostWithState[]): string {
  const { servers } = design.services.loadBalancer;
  const holder = servers.find(({ name }) => hosts.some((host) => host.host.name === name && hasAddress(host, address)));
  return (holder ?? servers[0])?.name ?? '';
}

function findMacOwner(design: Design, hosts: readonly HostWithState[], mac: string) {
  const isSameMac = (otherMac: string) => otherMac.toLowerCase() === mac.toLowerCase();
  const host = hosts.find(({ networkState }) =>
    networkState?.interfaces.some(({ mac: interfaceMac }) => isSameMac(interfaceMac)),
  );
  if (host !== undefined) return { kind: 'host', name: host.host.name } as const;
  const node = design.nodes.find((candidate) => isSameMac(candidate.mac));
  return node === undefined ? ({ kind: 'unknown', name: null } as const) : ({ kind: 'node', name: node.name } as const);
}
