import { type DhcpClient, type DhcpServer, isInNetwork, type Lease, parsePrefixLength, pickAddress } from './dhcp.ts';
import { evaluateCondition } from './dhcp-eval.ts';
import { assertStatements, type DhcpdStatement } from './dhcpd-syntax.ts';

interface Subnet {
  readonly network: string;
  readonly prefix: number;
  readonly body: readonly DhcpdStatement[];
}

interface Host {
  readonly mac: string;
  readonly address: string | null;
  /** The declarations around it, outermost first, and its own as the last. */
  readonly scopes: readonly (readonly DhcpdStatement[])[];
}

/** Options that a configuration may name without defining them first. */
const OPTION_CODES: Readonly<Record<string, number>> = { 'vendor-class-identifier': 60, 'user-class': 77 };

/**
 * Parses a dhcpd.conf of ISC dhcpd (dhcpd.conf(5), dhcp-eval(5)), limited to the parts that decide leases and boot
 * files.
 * @throws Error with a line number where dhcpd would not start
 */
export function parseDhcpdConf(text: string): DhcpServer {
  const statements = parseStatements(text);
  assertStatements(statements);
  const codes = new Map(Object.entries(OPTION_CODES));
  const subnets: Subnet[] = [];
  const hosts: Host[] = [];
  const classes: (readonly DhcpdStatement[])[] = [];
  collectDeclarations(statements, []);

  function collectDeclarations(list: readonly DhcpdStatement[], scopes: readonly (readonly DhcpdStatement[])[]): void {
    for (const { words, body } of list) {
      const [keyword = '', name = '', third = '', fourth = ''] = words;
      if (keyword === 'option' && third === 'code') codes.set(name, Number(fourth));
      if (body === null) continue;
      if (keyword === 'subnet') subnets.push({ network: name, prefix: parsePrefixLength(fourth) ?? 24, body });
      if (keyword === 'class') classes.push(body);
      if (keyword === 'host') hosts.push(parseHost(body, [...scopes, body]));
      else if (/^(?:subnet|shared-network|group|pool)$/.test(keyword)) collectDeclarations(body, [...scopes, body]);
    }
  }

  return {
    findLease(client) {
      const host = hosts.find(({ mac }) => mac === client.mac);
      const subnet = host?.address
        ? subnets.find(({ network, prefix }) => isInNetwork(host.address ?? '', network, prefix))
        : subnets[0];
      if (!subnet) return { network: subnets[0] ? `${subnets[0].network}/${subnets[0].prefix}` : 'unknown' };
      const address = host?.address ?? pickAddress(client.mac, listRanges(subnet.body));
      if (address === null) return { network: `${subnet.network}/${subnet.prefix}` };
      const matching = classes.filter((body) => matchesClass(body, client, codes));
      const values = new Map<string, string[]>();
      for (const scope of [statements, subnet.body, ...matching, ...(host?.scopes ?? [])])
        execute(scope, client, codes, values);
      return { lease: buildLease(address, subnet.prefix, values) };
    },
  };
}

function parseHost(body: readonly DhcpdStatement[], scopes: readonly (readonly DhcpdStatement[])[]): Host {
  const findWords = (keyword: string) => body.find(({ words }) => words[0] === keyword)?.words;
  return {
    mac: (findWords('hardware')?.[2] ?? '').toLowerCase(),
    address: findWords('fixed-address')?.[1] ?? null,
    scopes,
  };
}

function listRanges(body: readonly DhcpdStatement[]): [string, string][] {
  return body.flatMap(({ words, body: inner }) => {
    if (words[0] === 'pool' && inner) return listRanges(inner);
    if (words[0] !== 'range') return [];
    const [first, last] = words.slice(1).filter((word) => word !== 'dynamic-bootp');
    return first ? [[first, last ?? first] as [string, string]] : [];
  });
}

/** Runs the statements of a scope in order; later values win. */
function execute(
  list: readonly DhcpdStatement[],
  client: DhcpClient,
  codes: ReadonlyMap<string, number>,
  values: Map<string, string[]>,
): void {
  let isBranchTaken = false;
  for (const { words, body } of list) {
    const [keyword = ''] = words;
    if (keyword === 'if' || keyword === 'elsif' || keyword === 'else') {
      if (keyword === 'if') isBranchTaken = false;
      const isElseIf = keyword === 'elsif' || (keyword === 'else' && words[1] === 'if');
      const condition = words.slice(keyword === 'else' && isElseIf ? 2 : 1);
      const isTrue = keyword === 'else' && !isElseIf ? true : evaluateCondition(condition, client, codes);
      if (!isBranchTaken && isTrue) {
        isBranchTaken = true;
        execute(body ?? [], client, codes, values);
      }
      continue;
    }
    if (body !== null) continue;
    if (keyword === 'option')
      values.set(
        `option ${words[1]}`,
        words.slice(2).filter((word) => word !== ','),
      );
    else
      values.set(
        keyword,
        words.slice(1).filter((word) => word !== ','),
      );
  }
}

function matchesClass(
  body: readonly DhcpdStatement[],
  client: DhcpClient,
  codes: ReadonlyMap<string, number>,
): boolean {
  const match = body.find(({ words }) => words[0] === 'match' && words[1] === 'if');
  return match !== undefined && evaluateCondition(match.words.slice(2), client, codes);
}

function buildLease(address: string, prefix: number, values: ReadonlyMap<string, string[]>): Lease {
  const firstText = (key: string) => unquote(values.get(key)?.[0]);
  return {
    address,
    prefix,
    hostname: firstText('option host-name'),
    domain: firstText('option domain-name'),
    nameServers: values.get('option domain-name-servers') ?? [],
    routers: values.get('option routers') ?? [],
    filename: firstText('filename') ?? firstText('option bootfile-name'),
    nextServer: firstText('next-server') ?? firstText('option tftp-server-name'),
  };
}

function unquote(word: string | undefined): string | null {
  return word === undefined ? null : word.replace(/^"|"$/g, '');
}

function parseStatements(source: string): DhcpdStatement[] {
  const tokens: { word: string; line: number }[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    for (const [word] of line.matchAll(/"(?:\\.|[^"\\])*"|#.*$|[{}();,]|!=|=|[^\s{}();,="!#]+/g)) {
      if (!word.startsWith('#')) tokens.push({ word, line: index + 1 });
    }
  }
  let position = 0;
  const parseBlock = (isNested: boolean): DhcpdStatement[] => {
    const found: DhcpdStatement[] = [];
    let words: string[] = [];
    for (;;) {
      const token = tokens[position];
      position += 1;
      if (token === undefined) {
        if (isNested || words.length > 0) throw new Error('/etc/dhcp/dhcpd.conf: unexpected end of file.');
        return found;
      }
      if (token.word === '}') {
        if (!isNested || words.length > 0)
          throw new Error(`/etc/dhcp/dhcpd.conf line ${token.line}: semicolon expected.`);
        return found;
      }
      if (token.word === ';') {
        if (words.length > 0) found.push({ words, body: null, line: token.line });
        words = [];
      } else if (token.word === '{') {
        found.push({ words, body: parseBlock(true), line: token.line });
        words = [];
      } else words.push(token.word);
    }
  };
  return parseBlock(false);
}
