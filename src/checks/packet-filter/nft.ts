import { addressToNumber, getAddressFamily, isAddressInNetwork, parseNetwork } from '../../design/address.ts';
import {
  areAllTrue,
  type Chain,
  type Effect,
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

type JsonObject = Readonly<Record<string, unknown>>;

/** Families of packets that the tables of each family filter; bridge tables filter none of the packets here. */
const PACKET_FAMILIES: Readonly<Record<string, readonly (4 | 6)[]>> = {
  ip: [4],
  ip6: [6],
  inet: [4, 6],
  netdev: [4, 6],
};
const HOOKS: readonly string[] = [
  'ingress',
  'prerouting',
  'input',
  'forward',
  'output',
  'postrouting',
] satisfies Hook[];

/**
 * Parses a ruleset of nftables (libnftables-json(5)).
 * @param json output of `nft -j list ruleset`
 * @param listing output of `nft -a list ruleset`, for the text of each rule
 * @param skippedTables tables that another tool describes better, for example `ip filter`
 * @returns null if the JSON is not a ruleset
 */
export function parseNftRuleset(json: string, listing: string, skippedTables: ReadonlySet<string>): Chain[] | null {
  const objects = parseObjects(json);
  if (objects === null) return null;
  const texts = parseRuleTexts(listing);
  const listObjects = (kind: string) => objects.flatMap((object) => (isJsonObject(object[kind]) ? [object[kind]] : []));
  // A dormant table filters nothing. nftables 1.0.6 shows that flag only in the listing, and not in the JSON.
  const dormantTables = [...listing.matchAll(/^table (\S+ \S+) \{.*\n\tflags .*\bdormant\b/gm)].map(
    ([, table = '']) => table,
  );
  const ignoredTables = new Set([...skippedTables, ...dormantTables]);
  const sets = new Map(
    [...listObjects('set'), ...listObjects('map')].map(
      (set) => [`${getTableName(set)} ${toText(set.name)}`, toArray(set.elem)] as const,
    ),
  );
  const rulesByChain = Map.groupBy(listObjects('rule'), (rule) => `${getTableName(rule)} ${toText(rule.chain)}`);
  return listObjects('chain').flatMap((chain): Chain[] => {
    const table = getTableName(chain);
    const families = PACKET_FAMILIES[toText(chain.family)];
    if (families === undefined || ignoredTables.has(table)) return [];
    const name = toText(chain.name);
    const findSet = (setName: string) => sets.get(`${table} ${setName}`) ?? null;
    return [
      {
        ...{ tool: 'nft', table, name, families },
        base: HOOKS.includes(toText(chain.hook))
          ? {
              hook: toText(chain.hook) as Hook,
              priority: Number(chain.prio),
              isDropPolicy: chain.policy === 'drop',
              isNat: chain.type === 'nat',
              devices: toArray(chain.dev).map(toText),
            }
          : null,
        rules: (rulesByChain.get(`${table} ${name}`) ?? []).map((rule) =>
          parseRule(toArray(rule.expr).filter(isJsonObject), findSet, {
            position: Number(rule.handle),
            text: texts.get(`${table} ${name} ${toText(rule.handle)}`) ?? JSON.stringify(rule.expr),
          }),
        ),
      },
    ];
  });
}

function parseObjects(json: string): JsonObject[] | null {
  try {
    const ruleset: unknown = JSON.parse(json);
    return isJsonObject(ruleset) && Array.isArray(ruleset.nftables) ? ruleset.nftables.filter(isJsonObject) : null;
  } catch {
    return null;
  }
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function toArray(value: unknown): readonly unknown[] {
  if (value === undefined || value === null) return [];
  return Array.isArray(value) ? value : [value];
}

function toText(value: unknown): string {
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

function getTableName({ family, table }: JsonObject): string {
  return `${toText(family)} ${toText(table)}`;
}

/** Parses the text of each rule, by table, chain and handle. */
function parseRuleTexts(listing: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  let [table, chain] = ['', ''];
  for (const line of listing.split('\n')) {
    table = /^table (\S+ \S+) \{/.exec(line)?.[1] ?? table;
    chain = /^\tchain (\S+) \{/.exec(line)?.[1] ?? chain;
    const [, rule, handle] = /^\t\t(.*\S) # handle (\d+)$/.exec(line) ?? [];
    // Counters change with every packet, and say nothing about the rule.
    if (rule !== undefined)
      texts.set(`${table} ${chain} ${handle}`, rule.replace(/ ?counter packets \d+ bytes \d+/, ''));
  }
  return texts;
}

type SetLookup = (name: string) => readonly unknown[] | null;

/** Statements that neither select packets nor decide about them. */
const STATEMENTS_WITHOUT_EFFECT = new Set([
  'counter',
  'log',
  'mangle',
  'notrack',
  'ct helper',
  'ct timeout',
  'ct expectation',
  'masquerade',
  'snat',
  'comment',
  'dup',
  'flow',
  'secmark',
]);

function parseRule(
  statements: readonly JsonObject[],
  findSet: SetLookup,
  ruleListing: Pick<Rule, 'text' | 'position'>,
): Rule {
  const conditions: ((packet: Packet) => Truth)[] = [];
  let effect: Rule['effect'] = () => ({ kind: 'continue' });
  for (const statement of statements) {
    const [[kind, body] = ['', null]] = Object.entries(statement);
    const fields = isJsonObject(body) ? body : {};
    if (kind === 'match') conditions.push((packet) => matchesStatement(fields, packet, findSet));
    else if (kind === 'limit') conditions.push(() => isUnderLimit(fields));
    else if (kind === 'ct count') conditions.push(() => (fields.inv === true ? false : null));
    else if (kind === 'set' || kind === 'meter')
      conditions.push(
        ...toArray(fields.stmt).flatMap((limit) => (isJsonObject(limit) ? [() => isUnderLimit(limit)] : [])),
      );
    else if (kind === 'vmap') {
      effect = (packet) => getVerdictMapEffect(fields, packet, findSet);
      // Without an entry for its value, a packet continues after the rule: `getVerdictMapEffect` decides this.
    } else if (kind === 'accept' || kind === 'drop' || kind === 'reject' || kind === 'return')
      effect = () => ({ kind });
    else if (kind === 'jump' || kind === 'goto') effect = () => ({ kind, chain: toText(fields.target) });
    else if (kind === 'dnat' || kind === 'redirect' || kind === 'tproxy') effect = () => ({ kind: 'redirect' });
    else if (kind === 'xt') {
      if (fields.type === 'target') effect = () => ({ kind: 'undecidable' });
      else conditions.push(() => (fields.name === 'comment' ? true : null));
    } else if (kind !== 'continue' && !STATEMENTS_WITHOUT_EFFECT.has(kind)) conditions.push(() => null);
  }
  return { ...ruleListing, matches: (packet) => areAllTrue(conditions.map((condition) => condition(packet))), effect };
}

/**
 * Whether a packet matches a rate limit: never an ordinary packet if the limit is inverted (`over`), which selects
 * floods; otherwise not known.
 */
function isUnderLimit(fields: JsonObject): Truth {
  const limit = isJsonObject(fields.limit) ? fields.limit : fields;
  return limit.inv === true ? false : null;
}

function matchesStatement({ op, left, right }: JsonObject, packet: Packet, findSet: SetLookup): Truth {
  const values = evaluateExpression(left, packet);
  if (values === 'other-protocol') return false;
  if (values === null) return null;
  const truth = compareValues(values, right, toText(op), findSet);
  return op === '!=' ? negate(truth) : truth;
}

/** The values of an expression for a packet: one, or several for a concatenation; each null if not known. */
type Values = readonly (string | number | null)[];

function evaluateExpression(expression: unknown, packet: Packet): Values | 'other-protocol' | null {
  if (!isJsonObject(expression)) return null;
  const [[kind, body] = ['', null]] = Object.entries(expression);
  if (kind === 'concat') {
    const parts = toArray(body).map((part) => evaluateExpression(part, packet));
    if (parts.includes('other-protocol')) return 'other-protocol';
    return parts.map((part) => (Array.isArray(part) ? (part[0] ?? null) : null));
  }
  if (kind === '&') {
    const [operand, mask] = toArray(body);
    const value = evaluateExpression(operand, packet);
    const bits = parseFlags(mask);
    if (!Array.isArray(value) || typeof value[0] !== 'number' || bits === null)
      return value === 'other-protocol' ? value : null;
    return [value[0] & bits];
  }
  const fields = isJsonObject(body) ? body : {};
  if (kind === 'payload') return getPayloadValues(toText(fields.protocol), toText(fields.field), packet);
  if (kind === 'meta') return [getMetaValue(toText(fields.key), packet)];
  if (kind === 'ct') return [getConntrackValue(toText(fields.key), packet)];
  // The destination is an address of the host. A route to the sender exists, so `oif` has some interface.
  if (kind === 'fib' && fields.result === 'type' && toArray(fields.flags).includes('daddr'))
    return [packet.state === 'new' ? 'local' : 'unicast'];
  if (kind === 'fib' && fields.result === 'oif') return ['way-back'];
  return null;
}

/** Returns the value of a conntrack key for a connection without address translation. */
function getConntrackValue(key: string, { state }: Packet): string | null {
  if (key === 'state') return state;
  if (key === 'direction') return state === 'new' ? 'original' : 'reply';
  return key === 'status' ? 'confirmed' : null;
}

function getPayloadValues(protocol: string, field: string, packet: Packet): Values | 'other-protocol' | null {
  if (protocol === 'ip' || protocol === 'ip6') {
    if ((protocol === 'ip') !== (packet.family === 4)) return 'other-protocol';
    if (field === 'saddr') return [packet.source];
    if (field === 'daddr') return [packet.destination];
    if (field === 'protocol' || field === 'nexthdr') return [packet.protocol];
    return [null];
  }
  if (['tcp', 'udp', 'th'].includes(protocol)) {
    if (protocol !== 'th' && protocol !== packet.protocol) return 'other-protocol';
    if (field === 'dport') return [packet.destinationPort];
    if (field === 'sport') return [packet.sourcePort];
    if (field === 'flags') return [getTcpFlags(packet)];
    return [null];
  }
  // Ethernet and VLAN headers occur with every protocol. Other protocols (icmp, sctp, ah, …) are never those of a
  // `Packet`.
  return ['ether', 'vlan'].includes(protocol) || protocol === '' ? null : 'other-protocol';
}

function getMetaValue(key: string, packet: Packet): string | number | null {
  if (key === 'l4proto') return packet.protocol;
  if (key === 'nfproto') return packet.family === 4 ? 'ipv4' : 'ipv6';
  if (key === 'protocol') return packet.family === 4 ? 'ip' : 'ip6';
  if (key === 'iifname' || key === 'iif') return packet.inInterface;
  if (key === 'oifname' || key === 'oif') return packet.outInterface;
  if (key === 'pkttype') return 'host';
  return null;
}

function parseFlags(value: unknown): number | null {
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return TCP_FLAGS[value] ?? null;
  const parts = isJsonObject(value) ? toArray(value['|']) : toArray(value);
  const numbers = parts.map(parseFlags);
  return numbers.length === 0 || numbers.includes(null)
    ? null
    : numbers.reduce<number>((bits, number) => bits | (number ?? 0), 0);
}

function compareValues(values: Values, right: unknown, op: string, findSet: SetLookup): Truth {
  const [value = null] = values;
  if (typeof right === 'string' && right.startsWith('@')) {
    const elements = findSet(right.slice(1));
    return elements === null ? null : matchesAnyElement(values, elements);
  }
  if (isJsonObject(right) && 'set' in right) return matchesAnyElement(values, toArray(right.set));
  // `ct state new,established` lists alternatives, `tcp flags syn,ack` bits.
  if (Array.isArray(right) && typeof value !== 'number') return matchesAnyElement(values, right);
  if (
    typeof value === 'number' &&
    (op === 'in' || isJsonObject(right) || typeof right === 'string' || Array.isArray(right))
  ) {
    const bits = parseFlags(right);
    if (bits !== null) return op === 'in' ? (value & bits) !== 0 : value === bits;
  }
  if (op === '<' || op === '>' || op === '<=' || op === '>=') return compareOrder(value, op, Number(right));
  return matchesElement(values, right);
}

function compareOrder(value: string | number | null, op: string, limit: number): Truth {
  if (typeof value !== 'number' || Number.isNaN(limit)) return null;
  if (op.startsWith('<')) return value < limit || (op === '<=' && value === limit);
  return value > limit || (op === '>=' && value === limit);
}

function matchesAnyElement(values: Values, elements: readonly unknown[]): Truth {
  return isAnyTrue(elements.map((element) => matchesElement(values, element)));
}

function matchesElement(values: Values, element: unknown): Truth {
  if (isJsonObject(element) && isJsonObject(element.elem)) return matchesElement(values, element.elem.val);
  if (isJsonObject(element) && 'concat' in element) {
    const parts = toArray(element.concat);
    return areAllTrue(values.map((value, index) => matchesElement([value], parts[index])));
  }
  const [value = null] = values;
  if (element === '*') return true;
  if (value === null) return null;
  if (isJsonObject(element) && isJsonObject(element.prefix)) {
    const network = parseNetwork(`${toText(element.prefix.addr)}/${toText(element.prefix.len)}`);
    return typeof value !== 'string' || network === null ? null : isAddressInNetwork(value, network);
  }
  if (isJsonObject(element) && Array.isArray(element.range))
    return isInRange(value, element.range[0], element.range[1]);
  // `exists` and `missing`: whether the packet has the header or option.
  if (typeof element === 'boolean') return (typeof value === 'string') === element;
  if (typeof element !== 'string' && typeof element !== 'number') return null;
  return matchesScalar(value, String(element));
}

function matchesScalar(value: string | number, element: string): Truth {
  if (String(value) === element) return true;
  if (typeof value === 'number') return false;
  if (value === 'vrrp' || value === 'tcp' || value === 'udp')
    return matchesProtocol(element, { protocol: value } as Packet);
  const number = addressToNumber(element);
  if (number !== null)
    return addressToNumber(value) === number && getAddressFamily(value) === getAddressFamily(element);
  return matchesInterface(element, value);
}

function isInRange(value: string | number, first: unknown, last: unknown): Truth {
  if (typeof value === 'number') return value >= Number(first) && value <= Number(last);
  const [low, high, number] = [addressToNumber(toText(first)), addressToNumber(toText(last)), addressToNumber(value)];
  if (low === null || high === null || number === null) return null;
  return getAddressFamily(value) === getAddressFamily(toText(first)) && number >= low && number <= high;
}

/** Chooses the effect of a verdict map: the verdict of the entry with the packet's value. */
function getVerdictMapEffect({ key, data }: JsonObject, packet: Packet, findSet: SetLookup): Effect {
  const values = evaluateExpression(key, packet);
  if (values === 'other-protocol') return { kind: 'continue' };
  const entries =
    typeof data === 'string' ? findSet(data.replace(/^@/, '')) : isJsonObject(data) ? toArray(data.set) : null;
  if (values === null || entries === null) return { kind: 'undecidable' };
  let isUncertain = false;
  for (const entry of entries) {
    const [element, verdict] = toArray(entry);
    const truth = matchesElement(values, element);
    if (truth === true) return parseVerdict(verdict);
    if (truth === null) isUncertain = true;
  }
  return { kind: isUncertain ? 'undecidable' : 'continue' };
}

function parseVerdict(verdict: unknown): Effect {
  const [[kind, body] = ['', null]] = isJsonObject(verdict) ? Object.entries(verdict) : [];
  if (kind === 'accept' || kind === 'drop' || kind === 'reject' || kind === 'return' || kind === 'continue')
    return { kind };
  if ((kind === 'jump' || kind === 'goto') && isJsonObject(body)) return { kind, chain: toText(body.target) };
  return { kind: 'undecidable' };
}
