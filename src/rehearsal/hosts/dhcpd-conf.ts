import { type DhcpClient, type DhcpServer, fromRange, isInNetwork, type Lease, prefixOf } from './dhcp.ts';
import { isSo } from './dhcp-eval.ts';
import { assertStatements, type Statement } from './dhcpd-words.ts';

interface Subnet {
  readonly network: string;
  readonly prefix: number;
  readonly body: readonly Statement[];
}

interface Host {
  readonly mac: string;
  readonly address: string | null;
  /** The declarations it stands in, outermost first, itself last. */
  readonly scopes: readonly (readonly Statement[])[];
}

/** The options that can be asked for by name without being defined first. */
const OPTION_CODES: Readonly<Record<string, number>> = { 'vendor-class-identifier': 60, 'user-class': 77 };

/**
 * Reads a dhcpd.conf of ISC dhcpd (dhcpd.conf(5), dhcp-eval(5)) as far as it decides leases and boot files.
 * @throws Error with a line number where dhcpd would not start
 */
export function parseDhcpdConf(text: string): DhcpServer {
  const statements = parse(text);
  assertStatements(statements);
  const codes = new Map(Object.entries(OPTION_CODES));
  const subnets: Subnet[] = [];
  const hosts: Host[] = [];
  const classes: (readonly Statement[])[] = [];
  collect(statements, []);

  function collect(list: readonly Statement[], scopes: readonly (readonly Statement[])[]): void {
    for (const { words, body } of list) {
      const [keyword = '', name = '', third = '', fourth = ''] = words;
      if (keyword === 'option' && third === 'code') codes.set(name, Number(fourth));
      if (body === null) continue;
      if (keyword === 'subnet') subnets.push({ network: name, prefix: prefixOf(fourth) ?? 24, body });
      if (keyword === 'class') classes.push(body);
      if (keyword === 'host') hosts.push(hostOf(body, [...scopes, body]));
      else if (/^(?:subnet|shared-network|group|pool)$/.test(keyword)) collect(body, [...scopes, body]);
    }
  }

  return {
    lease(client) {
      const host = hosts.find(({ mac }) => mac === client.mac);
      const subnet = host?.address
        ? subnets.find(({ network, prefix }) => isInNetwork(host.address ?? '', network, prefix))
        : subnets[0];
      if (!subnet) return { network: subnets[0] ? `${subnets[0].network}/${subnets[0].prefix}` : 'unknown' };
      const address = host?.address ?? fromRange(client.mac, rangesOf(subnet.body));
      if (address === null) return { network: `${subnet.network}/${subnet.prefix}` };
      const matching = classes.filter((body) => matches(body, client, codes));
      const values = new Map<string, string[]>();
      for (const scope of [statements, subnet.body, ...matching, ...(host?.scopes ?? [])])
        execute(scope, client, codes, values);
      return { lease: leaseOf(address, subnet.prefix, values) };
    },
  };
}

function hostOf(body: readonly Statement[], scopes: readonly (readonly Statement[])[]): Host {
  const find = (keyword: string) => body.find(({ words }) => words[0] === keyword)?.words;
  return {
    mac: (find('hardware')?.[2] ?? '').toLowerCase(),
    address: find('fixed-address')?.[1] ?? null,
    scopes,
  };
}

function rangesOf(body: readonly Statement[]): [string, string][] {
  return body.flatMap(({ words, body: inner }) => {
    if (words[0] === 'pool' && inner) return rangesOf(inner);
    if (words[0] !== 'range') return [];
    const [first, last] = words.slice(1).filter((word) => word !== 'dynamic-bootp');
    return first ? [[first, last ?? first] as [string, string]] : [];
  });
}

/** Runs the statements of a scope in order; later values win. */
function execute(
  list: readonly Statement[],
  client: DhcpClient,
  codes: ReadonlyMap<string, number>,
  values: Map<string, string[]>,
): void {
  let isChainTaken = false;
  for (const { words, body } of list) {
    const [keyword = ''] = words;
    if (keyword === 'if' || keyword === 'elsif' || keyword === 'else') {
      if (keyword === 'if') isChainTaken = false;
      const isElseIf = keyword === 'elsif' || (keyword === 'else' && words[1] === 'if');
      const condition = words.slice(keyword === 'else' && isElseIf ? 2 : 1);
      const isTrue = keyword === 'else' && !isElseIf ? true : isSo(condition, client, codes);
      if (!isChainTaken && isTrue) {
        isChainTaken = true;
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

function matches(body: readonly Statement[], client: DhcpClient, codes: ReadonlyMap<string, number>): boolean {
  const match = body.find(({ words }) => words[0] === 'match' && words[1] === 'if');
  return match !== undefined && isSo(match.words.slice(2), client, codes);
}

function leaseOf(address: string, prefix: number, values: ReadonlyMap<string, string[]>): Lease {
  const one = (key: string) => text(values.get(key)?.[0]);
  return {
    address,
    prefix,
    hostname: one('option host-name'),
    domain: one('option domain-name'),
    nameServers: values.get('option domain-name-servers') ?? [],
    routers: values.get('option routers') ?? [],
    filename: one('filename') ?? one('option bootfile-name'),
    nextServer: one('next-server') ?? one('option tftp-server-name'),
  };
}

function text(word: string | undefined): string | null {
  return word === undefined ? null : word.replace(/^"|"$/g, '');
}

function parse(source: string): Statement[] {
  const tokens: { word: string; line: number }[] = [];
  for (const [index, line] of source.split('\n').entries()) {
    for (const [word] of line.matchAll(/"(?:\\.|[^"\\])*"|#.*$|[{}();,]|!=|=|[^\s{}();,="!#]+/g)) {
      if (!word.startsWith('#')) tokens.push({ word, line: index + 1 });
    }
  }
  let position = 0;
  const block = (isNested: boolean): Statement[] => {
    const found: Statement[] = [];
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
        found.push({ words, body: block(true), line: token.line });
        words = [];
      } else words.push(token.word);
    }
  };
  return block(false);
}
