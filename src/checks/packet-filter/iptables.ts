import { addressToNumber, getAddressFamily, isAddressInNetwork, parseNetwork } from '../../design/address.ts';
import {
  areAllTrue,
  type Chain,
  type Effect,
  type FilterTool,
  getTcpFlags,
  type Hook,
  isAnyTrue,
  matchesInterface,
  matchesProtocol,
  negate,
  type Packet,
  type Rule,
  TCP_FLAGS,
  type Truth,
} from './evaluate.ts';

/** The hooks of the built-in chains. */
const HOOK_BY_CHAIN: Readonly<Record<string, Hook>> = {
  PREROUTING: 'prerouting',
  INPUT: 'input',
  FORWARD: 'forward',
  OUTPUT: 'output',
  POSTROUTING: 'postrouting',
};

/** Priorities of the tables (linux/netfilter_ipv4.h). */
const TABLE_PRIORITIES: Readonly<Record<string, number>> = {
  raw: -300,
  mangle: -150,
  nat: -100,
  filter: 0,
  security: 50,
};

/** Targets that do not decide whether a packet passes. */
const TARGETS_WITHOUT_EFFECT = new Set(
  `LOG NFLOG ULOG MARK CONNMARK CONNSECMARK SECMARK TCPMSS CT NOTRACK CHECKSUM CLASSIFY SET AUDIT TRACE DSCP TOS TTL HL MASQUERADE SNAT
   NETMAP RATEEST IDLETIMER LED`.split(/\s+/),
);
const REDIRECTING_TARGETS = new Set(['DNAT', 'REDIRECT', 'TPROXY']);

/**
 * Parses rules as iptables-save prints them (iptables(8), iptables-extensions(8)).
 * @param tool the tool that lists the tables; its name contains the family
 */
export function parseIptables(tool: FilterTool, text: string): Chain[] {
  const family = tool.startsWith('ip6') ? (6 as const) : (4 as const);
  const chains: (Chain & { readonly rules: Rule[] })[] = [];
  let table = '';
  for (const line of text.split('\n')) {
    table = /^\*(\w+)/.exec(line)?.[1] ?? table;
    const [, name, policy] = /^:(\S+) (\S+)/.exec(line) ?? [];
    if (name !== undefined) {
      const hook = policy === '-' ? undefined : HOOK_BY_CHAIN[name];
      const isDropPolicy = policy === 'DROP';
      const priority = TABLE_PRIORITIES[table] ?? 0;
      const base = hook === undefined ? null : { hook, priority, isDropPolicy, isNat: table === 'nat', devices: [] };
      chains.push({ tool, table, name, families: [family], base, rules: [] });
      continue;
    }
    const words = splitWords(line.replace(/^\[\d+:\d+\] /, ''));
    const chain =
      words[0] === '-A'
        ? chains.find((candidate) => candidate.table === table && candidate.name === words[1])
        : undefined;
    chain?.rules.push(
      parseRule(line, words.slice(2), chain.rules.length + 1, (target) =>
        chains.some((candidate) => candidate.table === table && candidate.name === target),
      ),
    );
  }
  return chains;
}

/** Splits a line at blanks; a text in quotes is one word. */
function splitWords(line: string): string[] {
  return [...line.matchAll(/"((?:[^"\\]|\\.)*)"|(\S+)/g)].map(
    ([, quotedText, plainText]) => quotedText ?? plainText ?? '',
  );
}

function parseRule(text: string, words: readonly string[], position: number, isChain: (name: string) => boolean): Rule {
  const conditions: ((packet: Packet) => Truth)[] = [];
  let effect: Effect = { kind: 'continue' };
  for (let index = 0; index < words.length; index += 1) {
    const isNegated = words[index] === '!';
    if (isNegated) index += 1;
    const option = words[index] ?? '';
    const rest = words.slice(index + 1);
    const endIndex = rest.findIndex((word) => /^(?:-{1,2}[a-z]|!$)/i.test(word));
    const values = endIndex === -1 ? rest : rest.slice(0, endIndex);
    index += values.length;
    if (option === '-j' || option === '-g') {
      effect = parseTarget(option, values[0] ?? '', isChain);
      // The options after the target belong to it and select no packets.
      break;
    }
    if (option === '-m') continue;
    conditions.push((packet) => {
      const truth = matchesOption(option, values, packet);
      return isNegated ? negate(truth) : truth;
    });
  }
  return {
    text,
    position,
    matches: (packet) => areAllTrue(conditions.map((condition) => condition(packet))),
    effect: () => effect,
  };
}

function parseTarget(option: string, target: string, isChain: (name: string) => boolean): Effect {
  if (isChain(target)) return { kind: option === '-g' ? 'goto' : 'jump', chain: target };
  if (target === 'ACCEPT') return { kind: 'accept' };
  if (target === 'DROP') return { kind: 'drop' };
  if (target === 'REJECT') return { kind: 'reject' };
  if (target === 'RETURN') return { kind: 'return' };
  if (TARGETS_WITHOUT_EFFECT.has(target)) return { kind: 'continue' };
  return { kind: REDIRECTING_TARGETS.has(target) ? 'redirect' : 'undecidable' };
}

/**
 * Options that match no ordinary packet to a service: they select other protocols, floods, bridged packets or spoofed
 * senders.
 */
const NEVER_MATCHING_OPTIONS = /^--(?:icmp(?:v6)?-type|connlimit-above|hashlimit-above|physdev-\w+|ctexpire|rt-type)$/;
/** Options that only qualify another option, and select no packets themselves. */
const DESCRIPTIVE_OPTIONS =
  /^--(?:comment|hashlimit-(?!above|upto)\S+|limit-burst|connlimit-(?!above|upto)\S+|name|rsource|rdest|mask|validmark|loose|accept-local|set)$/;

function matchesOption(option: string, values: readonly string[], packet: Packet): Truth {
  const [value = '', secondValue = ''] = values;
  const list = value.split(',');
  switch (option) {
    case '-s':
      return isInNetwork(packet.source, value);
    case '-d':
      return isInNetwork(packet.destination, value);
    case '-i':
      return matchesInterface(value, packet.inInterface);
    case '-o':
      return matchesInterface(value, packet.outInterface);
    case '-p':
      return matchesProtocol(value, packet);
    case '-f':
      return false;
    case '--dport':
    case '--dports':
      return matchesPort(list, packet.destinationPort);
    case '--sport':
    case '--sports':
      return matchesPort(list, packet.sourcePort);
    case '--ports':
      return isAnyTrue([matchesPort(list, packet.destinationPort), matchesPort(list, packet.sourcePort)]);
    case '--ctstate':
    case '--state':
      return list.some((state) => state.toLowerCase() === packet.state);
    case '--ctstatus':
      return list.includes('DNAT') || list.includes('SNAT') ? false : null;
    case '--ctdir':
      return (value === 'ORIGINAL') === (packet.state === 'new');
    case '--src-range':
      return isInRange(packet.source, value);
    case '--dst-range':
      return isInRange(packet.destination, value);
    case '--dst-type':
      return packet.state === 'new' ? list.includes('LOCAL') : list.includes('UNICAST');
    case '--src-type':
      return packet.state === 'new' ? list.includes('UNICAST') : list.includes('LOCAL');
    case '--syn':
      return packet.state === 'new' && packet.protocol === 'tcp';
    case '--tcp-flags':
      return (getTcpFlags(packet) & parseFlags(value)) === parseFlags(secondValue);
    case '--pkt-type':
      return value === 'unicast';
    case '--invert':
      // rpfilter --invert selects packets to whose sender no route leads back; to a node there is one.
      return false;
    default:
      if (NEVER_MATCHING_OPTIONS.test(option)) return false;
      return DESCRIPTIVE_OPTIONS.test(option) ? true : null;
  }
}

function parseFlags(list: string): number {
  return list.split(',').reduce((sum, flag) => sum | (TCP_FLAGS[flag.toLowerCase()] ?? 0), 0);
}

function isInNetwork(address: string, text: string): Truth {
  const network = parseNetwork(text.includes('/') ? text : `${text}/${text.includes(':') ? 128 : 32}`);
  return network === null ? null : isAddressInNetwork(address, network);
}

function isInRange(address: string, range: string): Truth {
  const [first = '', last = first] = range.split('-');
  const [low, high, number] = [addressToNumber(first), addressToNumber(last), addressToNumber(address)];
  if (low === null || high === null || number === null) return null;
  return getAddressFamily(first) === getAddressFamily(address) && number >= low && number <= high;
}

function matchesPort(list: readonly string[], port: number | null): Truth {
  if (port === null) return null;
  return isAnyTrue(
    list.map((listEntry) => {
      const [first, last = first] = listEntry
        .split(':')
        .map((word, index) => (word === '' ? [0, 65_535][index] : Number(word)));
      if (first === undefined || last === undefined || Number.isNaN(first + last)) return null;
      return port >= first && port <= last;
    }),
  );
}
