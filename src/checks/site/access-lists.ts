import { isAddressInCidr } from '../../artifacts/network/addresses.ts';
import { isAddressInNetwork, parseNetwork } from '../../design/address.ts';
import { getClusterDomain } from '../../design/derived-facts.ts';
import type { Design, DesignNode } from '../../design/model.ts';
import type { NetworkInterface } from '../../probes/probe-types.ts';
import { listStatements, parseStatements, type Statement } from './server-config.ts';

/** A statement of an access list that refuses nodes, and the nodes that it refuses. */
export interface RefusedNodes {
  readonly nodes: readonly string[];
  /** As it stands in the file. */
  readonly statement: string;
}

/** Whether an entry of an access list contains the address; null: the entry is neither address nor network. */
function entryContains(entry: string, address: string): boolean | null {
  const network = parseNetwork(entry.includes('/') ? entry : `${entry}/${entry.includes(':') ? 128 : 32}`);
  return network === null ? null : isAddressInNetwork(address, network);
}

const formatStatement = ({ words, block }: Statement): string =>
  block === null
    ? words.join(' ')
    : `${words.join(' ')} { ${block.map((blockStatement) => `${formatStatement(blockStatement)};`).join(' ')} }`;

function groupByStatement(
  refusals: readonly { readonly node: DesignNode; readonly statement: string }[],
): RefusedNodes[] {
  return [...Map.groupBy(refusals, ({ statement }) => statement)].map(([statement, refusalsOfStatement]) => ({
    statement,
    nodes: refusalsOfStatement.map(({ node }) => `${node.name} ${node.ip[0] ?? ''}`.trim()),
  }));
}

/**
 * Lists the nodes whose queries for names of the cluster are refused by BIND (BIND 9 Administrator Reference Manual,
 * "Access Control").
 * @param text configuration of BIND, as named-checkconf -px prints it
 */
export function listNodesRefusedByBind(
  design: Design,
  text: string,
  interfaces: readonly NetworkInterface[],
): RefusedNodes[] {
  const statements = parseStatements(text);
  const acls = new Map(listStatements(statements, 'acl').map(({ words, block }) => [words[1] ?? '', block ?? []]));
  const options = listStatements(statements, 'options')[0]?.block ?? [];
  const views = statements.filter(({ words }) => words[0] === 'view');
  const interfaceCidrs = interfaces.flatMap(({ addresses }) => addresses);

  /** Whether a list accepts an address: the first entry that matches decides; null: none matches. */
  function matchList(list: readonly Statement[], address: string): boolean | null {
    for (const { words, block } of list) {
      const isNegated = words[0]?.startsWith('!') ?? false;
      const entry = (isNegated && words[0] === '!' ? words[1] : words[0]?.replace(/^!/, '')) ?? '';
      const isMatch = block === null ? matchEntry(entry, address) : matchList(block, address);
      if (isMatch === true) return !isNegated;
    }
    return null;
  }

  function matchEntry(entry: string, address: string): boolean {
    if (entry === 'any') return true;
    if (entry === 'none' || entry === 'key') return false;
    if (entry === 'localhost') return interfaceCidrs.some((cidr) => cidr.split('/')[0] === address);
    if (entry === 'localnets') return interfaceCidrs.some((cidr) => isAddressInCidr(address, cidr));
    const acl = acls.get(entry);
    return acl === undefined ? (entryContains(entry, address) ?? false) : matchList(acl, address) === true;
  }

  const findInBlock = (block: readonly Statement[], name: string) =>
    block.find(({ words }) => words[0] === name) ?? null;
  const domain = getClusterDomain(design);
  const isClusterZone = (zone: Statement) => {
    const name = zone.words[1] ?? '';
    return domain === name || domain.endsWith(`.${name}`);
  };

  function findRefusingStatement(address: string): string | null {
    const blackhole = findInBlock(options, 'blackhole');
    if (blackhole !== null && matchList(blackhole.block ?? [], address) === true) return formatStatement(blackhole);
    const view = views.find(({ block }) => {
      const clients = findInBlock(block ?? [], 'match-clients');
      return clients === null || matchList(clients.block ?? [], address) === true;
    });
    if (views.length > 0 && view === undefined)
      return views
        .map((viewStatement) =>
          formatStatement(findInBlock(viewStatement.block ?? [], 'match-clients') ?? viewStatement),
        )
        .join('; ');
    const scope = view?.block ?? statements;
    const zone = scope.find((candidate) => candidate.words[0] === 'zone' && isClusterZone(candidate));
    if (zone === undefined) return view === undefined ? null : `view ${view.words[1] ?? ''}`;
    const allowStatement =
      findInBlock(zone.block ?? [], 'allow-query') ??
      findInBlock(view?.block ?? [], 'allow-query') ??
      findInBlock(options, 'allow-query');
    return allowStatement !== null && matchList(allowStatement.block ?? [], address) !== true
      ? formatStatement(allowStatement)
      : null;
  }

  return groupByStatement(
    design.nodes.flatMap((node) =>
      node.ip.flatMap((address) => {
        const statement = findRefusingStatement(address);
        return statement === null ? [] : [{ node, statement }];
      }),
    ),
  );
}

/**
 * Lists the nodes that nginx refuses a path. The first `allow` or `deny` that matches decides; rules of a location
 * replace those of its server (ngx_http_access_module).
 * @param statements configuration of nginx
 * @param path as the nodes request it
 */
export function listNodesRefusedByNginx(
  nodes: readonly DesignNode[],
  statements: readonly Statement[],
  path: string,
): RefusedNodes[] {
  const refusals = listStatements(statements, 'http').flatMap((http) =>
    (http.block ?? [])
      .filter(({ words }) => words[0] === 'server')
      .flatMap((server) => {
        const location = findLocation(server.block ?? [], path);
        if (location === null) return [];
        const rules = [location, server, http].map(listAccessRules).find((accessRules) => accessRules.length > 0) ?? [];
        return nodes.flatMap((node) => {
          const [address = ''] = node.ip;
          const rule = rules.find(
            ({ words: [, entry = ''] }) => entry === 'all' || entryContains(entry, address) === true,
          );
          return rule?.words[0] === 'deny' ? [{ node, statement: formatStatement(rule) }] : [];
        });
      }),
  );
  return groupByStatement(refusals);
}

const listAccessRules = ({ block }: Statement) =>
  (block ?? []).filter(({ words }) => words[0] === 'allow' || words[0] === 'deny');

/**
 * Finds the location that serves a path: an exact one; a pattern, unless the longest prefix has `^~`; else the longest
 * prefix (ngx_http_core_module, "location"). Null: none, or a pattern that JavaScript cannot parse.
 */
function findLocation(server: readonly Statement[], path: string): Statement | null {
  const locations = server.filter(({ words }) => words[0] === 'location');
  const exactLocation = locations.find(({ words }) => words[1] === '=' && words[2] === path);
  if (exactLocation !== undefined) return exactLocation;
  const getPrefix = ({ words }: Statement) =>
    (words.length === 2 ? words[1] : words[1] === '^~' ? words[2] : null) ?? null;
  const [prefixLocation] = locations
    .filter((candidate) => path.startsWith(getPrefix(candidate) ?? '\0'))
    .toSorted((a, b) => (getPrefix(b)?.length ?? 0) - (getPrefix(a)?.length ?? 0));
  if (prefixLocation?.words[1] === '^~') return prefixLocation;
  for (const location of locations) {
    const [, kind = '', pattern = ''] = location.words;
    if (kind !== '~' && kind !== '~*') continue;
    const expression = parsePattern(pattern, kind === '~*');
    if (expression === null) return null;
    if (expression.test(path)) return location;
  }
  return prefixLocation ?? null;
}

function parsePattern(pattern: string, ignoresCase: boolean): RegExp | null {
  try {
    return new RegExp(pattern, ignoresCase ? 'i' : '');
  } catch {
    return null;
  }
}

/** Ports of the endpoints that nodes use. */
const ENDPOINT_PORTS = ['6443', '22623', '443', '80'];

/**
 * Lists the nodes whose connections HAProxy rejects at a port of the endpoints: `tcp-request … reject` and
 * `http-request deny` with conditions on the source (configuration manual, 7.3.3). Conditions on anything else prove
 * nothing.
 */
export function listNodesRefusedByHaproxy(design: Design, text: string): RefusedNodes[] {
  const refusals: { readonly node: DesignNode; readonly statement: string }[] = [];
  let section: string[][] = [];
  const finishSection = () => {
    const ports = section.filter(([first]) => first === 'bind').map(([, bind = '']) => bind.replace(/^.*:/, ''));
    if (ports.some((port) => ENDPOINT_PORTS.includes(port))) refusals.push(...listRefusals(design, section));
    section = [];
  };
  for (const line of text.split('\n')) {
    const words = line
      .replace(/(?:^|\s)#.*$/, '')
      .trim()
      .split(/\s+/);
    if (/^(?:frontend|listen|backend|defaults|global)$/.test(words[0] ?? '')) finishSection();
    section.push(words);
  }
  finishSection();
  return groupByStatement(refusals);
}

function listRefusals(design: Design, section: readonly (readonly string[])[]) {
  const acls = new Map<string, string[]>();
  for (const [first, name = '', ...rest] of section)
    if (first === 'acl' && rest[0] === 'src') acls.set(name, [...(acls.get(name) ?? []), ...rest.slice(1)]);
  return design.nodes.flatMap((node) => {
    const [address = ''] = node.ip;
    for (const words of section) {
      const action =
        /^(?:tcp-request (?:connection|content)|http-request) (reject|deny|silent-drop|accept|allow)\b/.exec(
          words.join(' '),
        )?.[1];
      if (action === undefined) continue;
      const conditionIndex = words.findIndex((word) => word === 'if' || word === 'unless');
      const isMet = conditionIndex === -1 ? true : isConditionMet(words.slice(conditionIndex + 1), address, acls);
      if (isMet === null) return [];
      if ((words[conditionIndex] === 'unless') === isMet && conditionIndex !== -1) continue;
      return action === 'accept' || action === 'allow' ? [] : [{ node, statement: words.join(' ') }];
    }
    return [];
  });
}

/** Whether a condition holds; null if it is neither the name of a source ACL nor `{ src … }`. */
function isConditionMet(
  words: readonly string[],
  address: string,
  acls: ReadonlyMap<string, readonly string[]>,
): boolean | null {
  const [, negation = '', list] = /^(!?) ?\{ src ([^{}]*) \}$/.exec(words.join(' ')) ?? [];
  const [name = ''] = words;
  const entries = list?.split(/\s+/) ?? (words.length === 1 ? acls.get(name.replace(/^!/, '')) : undefined);
  if (entries === undefined) return null;
  const matches = entries.map((entry) => entryContains(entry, address));
  if (matches.includes(null)) return null;
  return matches.includes(true) !== (negation === '!' || name.startsWith('!'));
}

/**
 * Returns the interfaces that dhcpd was started for, if none of them is on a network of its clients; null otherwise.
 * @param command its command line: options, then interfaces (dhcpd(8))
 */
export function findWrongDhcpInterfaces(
  design: Design,
  command: string,
  interfaces: readonly NetworkInterface[],
): { readonly servedInterfaces: readonly string[]; readonly expectedInterface: string } | null {
  const servedInterfaces = command.split(/\s+/).filter((word) => interfaces.some(({ name }) => name === word));
  const clientInterface = interfaces.find(({ addresses }) =>
    addresses.some((cidr) =>
      design.networks.machine.some((network) => isAddressInCidr(cidr.split('/')[0] ?? '', network.cidr)),
    ),
  );
  return clientInterface === undefined ||
    servedInterfaces.length === 0 ||
    servedInterfaces.includes(clientInterface.name)
    ? null
    : { servedInterfaces, expectedInterface: clientInterface.name };
}
