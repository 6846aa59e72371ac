import { buildRequestOptions, type DhcpServer, isInNetwork, type Lease, pickAddress } from './dhcp.ts';

interface OptionData {
  readonly name?: string;
  readonly code?: number;
  readonly data?: string;
}

/** Settings that every level of the configuration may have. */
interface Level {
  readonly 'option-data'?: readonly OptionData[];
  readonly 'next-server'?: string;
  readonly 'boot-file-name'?: string;
}

interface Reservation extends Level {
  readonly 'hw-address'?: string;
  readonly 'ip-address'?: string;
  readonly hostname?: string;
}

interface ClientClass extends Level {
  readonly name: string;
  readonly test?: string;
}

interface Subnet extends Level {
  readonly subnet: string;
  readonly pools?: readonly { readonly pool: string }[];
  readonly reservations?: readonly Reservation[];
}

interface Dhcp4 extends Level {
  readonly subnet4?: readonly Subnet[];
  readonly reservations?: readonly Reservation[];
  readonly 'client-classes'?: readonly ClientClass[];
}

const OPTION_CODES: Readonly<Record<string, number>> = {
  'vendor-class-identifier': 60,
  'user-class': 77,
  'client-system': 93,
};

/**
 * Parses the configuration of kea-dhcp4, limited to the parts that decide leases and boot files.
 * @throws Error where kea-dhcp4 would not start
 */
export function parseKeaConf(text: string): DhcpServer {
  const config = (JSON.parse(stripComments(text)) as { Dhcp4?: Dhcp4 }).Dhcp4;
  if (!config) throw new Error("missing mandatory 'Dhcp4' element");
  const subnets = config.subnet4 ?? [];
  return {
    findLease(client) {
      const found = subnets.flatMap((subnet) =>
        [...(subnet.reservations ?? []), ...(config.reservations ?? [])]
          .filter((entry) => entry['hw-address']?.toLowerCase() === client.mac)
          .filter((entry) => isInSubnet(entry['ip-address'], subnet))
          .map((reservation) => ({ subnet, reservation })),
      )[0];
      const subnet = found?.subnet ?? subnets[0];
      if (!subnet) return { network: 'unknown' };
      const address = found?.reservation['ip-address'] ?? pickAddress(client.mac, listRanges(subnet));
      if (address === null) return { network: subnet.subnet };
      const options = buildRequestOptions(client);
      const classes = findClasses(config['client-classes'] ?? [], options);
      const levels: Level[] = [config, subnet, ...classes, ...(found ? [found.reservation] : [])];
      return { lease: buildLease(address, subnet, found?.reservation.hostname ?? null, levels) };
    },
  };
}

function isInSubnet(address: string | undefined, { subnet }: Subnet): boolean {
  const [network = '', prefix = ''] = subnet.split('/');
  return address === undefined || isInNetwork(address, network, Number(prefix));
}

function listRanges({ pools = [] }: Subnet): [string, string][] {
  return pools.flatMap(({ pool }) => {
    const [first, last] = pool.split('-').map((part) => part.trim());
    return first && last ? [[first, last] as [string, string]] : [];
  });
}

function buildLease(address: string, { subnet }: Subnet, hostname: string | null, levels: readonly Level[]): Lease {
  const findOption = (name: string, code: number) =>
    levels
      .flatMap((level) => level['option-data'] ?? [])
      .filter((entry) => entry.name === name || entry.code === code)
      .at(-1)?.data ?? null;
  const findLast = (key: 'next-server' | 'boot-file-name') =>
    levels.map((level) => level[key]).findLast((value) => value !== undefined && value !== '') ?? null;
  const splitList = (data: string | null) => (data === null ? [] : data.split(',').map((entry) => entry.trim()));
  return {
    address,
    prefix: Number(subnet.split('/')[1]),
    hostname: hostname || findOption('host-name', 12),
    domain: findOption('domain-name', 15),
    nameServers: splitList(findOption('domain-name-servers', 6)),
    routers: splitList(findOption('routers', 3)),
    filename: findLast('boot-file-name') ?? findOption('boot-file-name', 67),
    nextServer: findLast('next-server') ?? findOption('tftp-server-name', 66),
  };
}

function findClasses(classes: readonly ClientClass[], options: ReadonlyMap<number, Buffer>): ClientClass[] {
  const members = new Set<string>(['ALL', 'KNOWN']);
  return classes.filter(({ name, test }) => {
    const isMember = test === undefined ? false : evaluateTest(test, options, members);
    if (isMember) members.add(name);
    return isMember;
  });
}

/** Evaluates a class test of Kea: or, and, not, member, exists, ==, substring. */
function evaluateTest(test: string, options: ReadonlyMap<number, Buffer>, members: ReadonlySet<string>): boolean {
  const words = test.match(/'[^']*'|==|!=|[()[\],.]|[\w-]+/g) ?? [];
  let position = 0;
  const next = () => words[position++] ?? '';
  const skip = (word: string) => {
    if (words[position] !== word)
      throw new Error(`expression: [${test}] error: syntax error near '${words[position]}'`);
    position += 1;
  };
  const evaluateOr = (): boolean => {
    let value = evaluateAnd();
    while (words[position] === 'or') {
      position += 1;
      const right = evaluateAnd();
      value = value || right;
    }
    return value;
  };
  const evaluateAnd = (): boolean => {
    let value = evaluateTerm();
    while (words[position] === 'and') {
      position += 1;
      const right = evaluateTerm();
      value = value && right;
    }
    return value;
  };
  const evaluateTerm = (): boolean => {
    const word = words[position];
    if (word === 'not') {
      position += 1;
      return !evaluateTerm();
    }
    if (word === '(') {
      position += 1;
      const value = evaluateOr();
      skip(')');
      return value;
    }
    if (word === 'member') {
      position += 1;
      skip('(');
      const name = next().slice(1, -1);
      skip(')');
      return members.has(name);
    }
    const left = readData();
    if (typeof left === 'boolean') return left;
    const operator = next();
    const right = readData();
    const isEqual = Buffer.isBuffer(left) && Buffer.isBuffer(right) && left.equals(right);
    return operator === '!=' ? !isEqual : isEqual;
  };
  const readData = (): Buffer | boolean => {
    const word = next();
    if (word === 'option') {
      skip('[');
      const name = next();
      skip(']');
      skip('.');
      const value = options.get(OPTION_CODES[name] ?? Number(name));
      return next() === 'exists' ? value !== undefined : (value ?? Buffer.alloc(0));
    }
    if (word === 'substring') {
      skip('(');
      const value = readData();
      skip(',');
      const offset = Number(next());
      skip(',');
      const length = next();
      skip(')');
      const whole = Buffer.isBuffer(value) ? value : Buffer.alloc(0);
      return whole.subarray(offset, length === 'all' ? undefined : offset + Number(length));
    }
    if (word.startsWith("'")) return Buffer.from(word.slice(1, -1));
    if (/^0x[0-9a-f]+$/i.test(word))
      return Buffer.from(word.slice(2).padStart(Math.ceil((word.length - 2) / 2) * 2, '0'), 'hex');
    throw new Error(`expression: [${test}] error: unknown word '${word}'`);
  };
  return evaluateOr();
}

/** Kea allows #, // and C comments in its JSON. */
function stripComments(text: string): string {
  return text.replace(/"(?:\\.|[^"\\])*"|\/\*[\s\S]*?\*\/|\/\/[^\n]*|#[^\n]*/g, (part) =>
    part.startsWith('"') ? part : '',
  );
}
