/**
 * The packet that opens a connection to or from the host with the packet filter, or the reply to that packet. Null: not
 * known.
 */
export interface Packet {
  readonly family: 4 | 6;
  readonly protocol: 'tcp' | 'udp' | 'vrrp';
  readonly source: string;
  readonly destination: string;
  readonly sourcePort: number | null;
  readonly destinationPort: number | null;
  /** Null: not known, or the packet leaves the host. */
  readonly inInterface: string | null;
  readonly outInterface: string | null;
  /** State of connection tracking: `new` opens a connection, `established` is the reply to it. */
  readonly state: 'new' | 'established';
}

/** Whether a condition holds for a packet; null: the rules alone do not decide it. */
export type Truth = boolean | null;

/** The effect of a rule on a packet. `continue`: none. `redirect`: the packet is sent to another address or port. */
export type Effect =
  | { readonly kind: 'accept' | 'drop' | 'reject' | 'return' | 'continue' | 'redirect' | 'undecidable' }
  | { readonly kind: 'jump' | 'goto'; readonly chain: string };

/** A rule of a packet filter: nftables or iptables. */
export interface Rule {
  /** As the tool lists it. */
  readonly text: string;
  /** nftables: its handle. iptables: its number in the chain, from 1. */
  readonly position: number;
  readonly matches: (packet: Packet) => Truth;
  readonly effect: (packet: Packet) => Effect;
}

/** The tool whose commands change a chain. */
export type FilterTool = 'nft' | 'iptables' | 'ip6tables' | 'iptables-legacy' | 'ip6tables-legacy';

/** A hook of Netfilter. */
export type Hook = 'ingress' | 'prerouting' | 'input' | 'forward' | 'output' | 'postrouting';

export interface Chain {
  readonly tool: FilterTool;
  /** `inet filter` of nftables, `filter` of iptables. */
  readonly table: string;
  readonly name: string;
  /** IP families of the packets that pass the chain. */
  readonly families: readonly (4 | 6)[];
  /** Null: no base chain, so that packets come only from a jump or goto. */
  readonly base: {
    readonly hook: Hook;
    readonly priority: number;
    readonly isDropPolicy: boolean;
    readonly isNat: boolean;
    /** Interfaces of an ingress chain; empty: all of them. */
    readonly devices: readonly string[];
  } | null;
  readonly rules: readonly Rule[];
}

/** The decision of the filter about a packet. `rule` null: the policy of the chain decides. */
type Decision =
  | { readonly kind: 'accepted' }
  | {
      readonly kind: 'blocked' | 'undecidable';
      readonly chain: Chain;
      readonly rule: Rule | null;
      /** Whether the reply is stopped, and not the packet that opens the connection. */
      readonly isReply: boolean;
    };

const ACCEPTED: Decision = { kind: 'accepted' };

/**
 * Maximum number of rules that are evaluated for a packet in one base chain and its jumps. Beyond that, the decision is
 * `undecidable`.
 */
const MAX_EVALUATED_RULES = 50_000;

/** The hooks that a packet to the host passes, and those that a packet from it passes, in order. */
const INBOUND_HOOKS: readonly Hook[] = ['ingress', 'prerouting', 'input'];
const OUTBOUND_HOOKS: readonly Hook[] = ['output', 'postrouting'];

/**
 * Decides whether the packet that opens a connection and the reply to it are let through. Every base chain has to
 * accept a packet: the first one that drops it decides (nftables wiki, "Configuring chains").
 * @param direction `in`: the connection is opened to the host; `out`: from it
 */
export function decideConnection(chains: readonly Chain[], packet: Packet, direction: 'in' | 'out' = 'in'): Decision {
  const [requestHooks, replyHooks] =
    direction === 'in' ? [INBOUND_HOOKS, OUTBOUND_HOOKS] : [OUTBOUND_HOOKS, INBOUND_HOOKS];
  const requestDecision = decidePacket(chains, packet, requestHooks);
  if (requestDecision.kind !== 'accepted') return requestDecision;
  const reply: Packet = {
    ...packet,
    source: packet.destination,
    destination: packet.source,
    sourcePort: packet.destinationPort,
    destinationPort: packet.sourcePort,
    inInterface: packet.outInterface,
    outInterface: packet.inInterface,
    state: 'established',
  };
  return decidePacket(chains, reply, replyHooks);
}

function decidePacket(chains: readonly Chain[], packet: Packet, hooks: readonly Hook[]): Decision {
  const orderedChains = chains
    .filter(({ base, families }) => base !== null && hooks.includes(base.hook) && families.includes(packet.family))
    // A reply does not pass the NAT chains (Netfilter evaluates them for the first packet of a connection only).
    .filter(({ base }) => !base?.isNat || packet.state === 'new')
    .filter(({ base }) => isAtDevice(base?.devices ?? [], packet.inInterface))
    .toSorted((a, b) => getSortKey(a, hooks) - getSortKey(b, hooks));
  let firstUndecidable: Decision | null = null;
  for (const chain of orderedChains) {
    const decision = evaluateBaseChain(chains, chain, packet);
    if (decision.kind === 'blocked') return decision;
    if (decision.kind === 'undecidable') firstUndecidable ??= decision;
  }
  return firstUndecidable ?? ACCEPTED;
}

function isAtDevice(devices: readonly string[], name: string | null): boolean {
  return devices.length === 0 || name === null || devices.includes(name);
}

/** Returns the sort key: the hook counts first, then the priority, which is within 2^31 (NF_IP_PRI_FIRST). */
function getSortKey({ base }: Chain, hooks: readonly Hook[]): number {
  return base === null ? 0 : hooks.indexOf(base.hook) * 2 ** 33 + base.priority;
}

function evaluateBaseChain(chains: readonly Chain[], baseChain: Chain, packet: Packet): Decision {
  const tableChains = new Map(
    chains
      .filter(({ tool, table }) => tool === baseChain.tool && table === baseChain.table)
      .map((chain) => [chain.name, chain] as const),
  );
  const isReply = packet.state === 'established';
  let evaluatedCount = 0;

  /** Evaluates the rules of a chain from `startIndex` on; `onEnd` decides after the last one, and after a `return`. */
  function evaluateRules(chain: Chain, startIndex: number, depth: number, onEnd: () => Decision): Decision {
    for (let index = startIndex; index < chain.rules.length; index += 1) {
      const rule = chain.rules[index];
      if (rule === undefined) break;
      evaluatedCount += 1;
      // The kernel allows 16 nested jumps (NFT_JUMP_STACK_SIZE).
      if (evaluatedCount > MAX_EVALUATED_RULES || depth > 16) return { kind: 'undecidable', chain, rule, isReply };
      const truth = rule.matches(packet);
      const effect = rule.effect(packet);
      if (truth === false || effect.kind === 'continue') continue;
      const evaluateRemainingRules = () => evaluateRules(chain, index + 1, depth, onEnd);
      const effectDecision = applyEffect(chain, rule, effect, depth, evaluateRemainingRules, onEnd);
      if (truth === true) return effectDecision;
      // If both ways lead to the same decision, it does not matter whether the rule matches.
      const continuedDecision = evaluateRemainingRules();
      return continuedDecision.kind === effectDecision.kind
        ? continuedDecision
        : { kind: 'undecidable', chain, rule, isReply };
    }
    return onEnd();
  }

  function applyEffect(
    chain: Chain,
    rule: Rule,
    effect: Effect,
    depth: number,
    evaluateRemainingRules: () => Decision,
    onEnd: () => Decision,
  ): Decision {
    if (effect.kind === 'accept') return ACCEPTED;
    if (effect.kind === 'drop' || effect.kind === 'reject') return { kind: 'blocked', chain, rule, isReply };
    if (effect.kind === 'return') return onEnd();
    const target = effect.kind === 'jump' || effect.kind === 'goto' ? tableChains.get(effect.chain) : undefined;
    if (target === undefined) return { kind: 'undecidable', chain, rule, isReply };
    return evaluateRules(target, 0, depth + 1, effect.kind === 'jump' ? evaluateRemainingRules : onEnd);
  }

  return evaluateRules(baseChain, 0, 0, () =>
    baseChain.base?.isDropPolicy ? { kind: 'blocked', chain: baseChain, rule: null, isReply } : ACCEPTED,
  );
}

/** Returns the logical and: false if one is false, else null if one is not known, else true. */
export function areAllTrue(truths: Iterable<Truth>): Truth {
  let result: Truth = true;
  for (const truth of truths) {
    if (truth === false) return false;
    if (truth === null) result = null;
  }
  return result;
}

/** Returns the logical or: true if one is true, else null if one is not known, else false. */
export function isAnyTrue(truths: Iterable<Truth>): Truth {
  let result: Truth = false;
  for (const truth of truths) {
    if (truth === true) return true;
    if (truth === null) result = null;
  }
  return result;
}

export function negate(truth: Truth): Truth {
  return truth === null ? null : !truth;
}

/** IP protocol numbers (IANA) of the protocols in `Packet`. */
const PROTOCOL_NUMBERS = { tcp: 6, udp: 17, vrrp: 112 } as const;

/** Whether a protocol of a rule, by name or number, is the protocol of the packet. */
export function matchesProtocol(name: string, { protocol }: Packet): boolean {
  return name === protocol || Number(name) === PROTOCOL_NUMBERS[protocol] || name === 'all' || name === '0';
}

/** Whether a pattern matches the name of an interface; `eth+` (iptables) and `eth*` (nftables) match a prefix. */
export function matchesInterface(pattern: string, name: string | null): Truth {
  if (name === null) return null;
  const [, prefix] = /^(.*)[+*]$/.exec(pattern) ?? [];
  return prefix === undefined ? pattern === name : name.startsWith(prefix);
}

/** Bits of the TCP flags, by their names in nftables and iptables. */
export const TCP_FLAGS: Readonly<Record<string, number>> = {
  ...{ fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32, ecn: 64, cwr: 128, none: 0, all: 63 },
};

/** Returns the TCP flags of a packet: SYN opens a connection, SYN and ACK are the reply. */
export function getTcpFlags({ state }: Packet): number {
  return state === 'new' ? 2 : 18;
}
