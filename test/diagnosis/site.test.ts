import { expect, test } from 'vitest';
import type { Answer, DhcpOffer, Kind, Question } from '../../src/diagnosis/site/exchange.ts';
import { SITE_CHECKS } from '../../src/diagnosis/site/index.ts';
import type { Askers } from '../../src/diagnosis/site/question.ts';
import type { Site } from '../../src/diagnosis/site/site.ts';
import { HOUR } from '../../src/ports/clock.ts';
import { configsOf } from '../../src/steps/check/configs.ts';
import { siteOf } from '../../src/steps/check/site.ts';
import { exampleImages, exampleSite, generated } from '../support/example-design.ts';

const design = exampleSite({ openshift: { ...exampleSite().openshift, version: '4.22' } });
const HERE = {
  stage: 'install' as const,
  addresses: new Set<string>(),
  dir: '/root/upi-cluster',
  imagesDir: '/root/upi-cluster/images',
  sizes: {},
  registries: {
    needed: ['mirror.example.com:5000'],
    known: ['cloud.openshift.com', 'mirror.example.com:5000', 'registry.redhat.io'],
    mirrors: ['mirror.example.com:5000/ocp/release'],
    proxy: 'http://proxy.example.com:3128',
    file: '/root/pull-secret.txt',
  },
  configs: configsOf(design, exampleImages),
};
const site = siteOf(design, exampleImages, HERE);
const names = new Map(site.names.map(({ name, type, addresses }) => [`${type} ${name}`, addresses]));
const reverse = new Map(site.reverse.map((each) => [each.address, each.names]));

const HOST = { state: 'seen', offsetMs: 20, isRoot: true, hasSudo: true, firewall: [], selinux: [] } as const;

/** A file as a later stage left it, where it has one. */
function fileOn(host: string, path: string): string | null {
  const { configs } = site.hosts.find(({ name }) => name === host) ?? { configs: [] };
  return configs.find((each) => each.path === path)?.planned.at(-1) ?? null;
}

/** A site where one file is otherwise. */
function fileWith(host: string, path: string, change: (text: string) => string): Pick<Askers, 'files'> {
  return {
    files: async ({ name, paths }) => ({
      state: 'seen',
      texts: paths.map((each) => {
        const text = fileOn(name, each);
        return name === host && each === path && text !== null ? change(text) : text;
      }),
    }),
  };
}

/** The pools as they are to be. */
function membersOf({ pools }: Pick<typeof site, 'pools'>) {
  return pools.flatMap(({ pool, members, places, isOpaque }) =>
    members.map((name, index) => {
      const mode = isOpaque ? ('tcp' as const) : ('http' as const);
      return { pool, name, status: 'DOWN', address: places[index] ?? '', mode };
    }),
  );
}

/** A site that is as designed. */
const RIGHT: { readonly [K in Kind]: (question: Question<K>) => Promise<Answer<K>> } = {
  dns: async ({ name, type }) => {
    const wildcard = name.replace(/^[^.]+/, '*');
    const found =
      type === 'PTR' ? reverse.get(name) : (names.get(`${type} ${name}`) ?? names.get(`${type} ${wildcard}`));
    const answers = name === 'quay.io' ? ['192.0.2.1'] : (found ?? []);
    return answers.length > 0
      ? { state: 'answered', answers: [...answers].sort(), detail: '' }
      : { state: 'no-name', answers: [], detail: `no ${name}` };
  },
  tcp: async ({ port }) => ({ state: port === 22 ? 'open' : 'closed-at-once', detail: '' }),
  head: async ({ url }) =>
    url.includes('/ignition/')
      ? { status: 403, length: 0, detail: '403' }
      : { status: 200, length: 100, detail: '200' },
  text: async ({ url }) => ({
    status: 200,
    text: generated(design, `bastion/var/www/upi-wizard${new URL(url).pathname}`),
    detail: '200',
  }),
  tftp: async () => ({ state: 'fetched', bytes: 70_000, head: 'MZ', detail: '' }),
  members: async () => membersOf(site),
  neighbour: async () => ({ isLocal: true, mac: null }),
  time: async () => ({ offsetMs: 3, detail: '' }),
  dhcp: async ({ server, machines }) => ({
    relay: 'asked',
    broadcast: 'asked',
    offers: machines.map(({ mac }) => offerOf(mac, server)),
  }),
  host: async () => HOST,
  files: async ({ name, paths }) => ({ state: 'seen', texts: paths.map((path) => fileOn(name, path)) }),
  ignition: async ({ files }) => ({
    expiresAt: 23 * HOUR,
    now: 0,
    files: files.map(({ name }) => ({ name, isThere: true, problem: null, served: 'same', servedBy: '' })),
  }),
  images: async ({ files }) => files.map((name) => ({ name, state: 'ok' })),
  registry: async () => ({ state: 'accepted', via: 'the proxy', detail: '' }),
  date: async () => ({ offsetMs: 400, isThere: true, detail: '' }),
};

/** What the ignition files are, wrong in one thing. */
function ignitionWith(change: {
  readonly expiresAt?: number | null;
  readonly file?: Partial<Answer<'ignition'>['files'][number]>;
}): Pick<Askers, 'ignition'> {
  return {
    ignition: async (asked) => {
      const right = await RIGHT.ignition(asked);
      const files = right.files.map((file) => ({ ...file, ...change.file }));
      return { ...right, expiresAt: change.expiresAt === undefined ? right.expiresAt : change.expiresAt, files };
    },
  };
}

/** What the planned server offers to a planned machine. */
function offerOf(mac: string, server: string): DhcpOffer {
  const planned = site.dhcp?.machines.find((machine) => machine.mac === mac);
  return {
    mac,
    server,
    address: planned?.address ?? '',
    gateways: [planned?.gateway ?? ''],
    nameServers: site.nameServers,
    file: planned?.file ?? null,
    nextServer: site.boot?.tftpServer ?? '',
  };
}

/** The same server, wrong in one thing. */
function offering(change: Partial<DhcpOffer>): Pick<Askers, 'dhcp'> {
  return {
    dhcp: async (asked) => {
      const right = await RIGHT.dhcp(asked);
      return { ...right, offers: right.offers.map((offer) => ({ ...offer, ...change })) };
    },
  };
}

function macOf(name: string): string {
  return design.nodes.find((node) => node.name === name)?.mac ?? '';
}

async function wrongOf(askers: Askers, of: Site = site): Promise<string[]> {
  const all = SITE_CHECKS.flatMap((check) => check.asks(of).map((ask) => ({ check, ask })));
  const verdicts = await Promise.all(all.map(({ ask }) => ask.put(askers)));
  return all.flatMap(({ check, ask }, index) => {
    const state = verdicts[index]?.state;
    return state === 'ok' ? [] : [`${check.code} ${state} ${ask.subject}`];
  });
}

test('a site as designed is in order, with one name server and with two, and each check has something to ask', async () => {
  expect(await wrongOf(RIGHT)).toEqual([]);
  expect(await wrongOf(RIGHT, { ...site, nameServers: ['172.16.0.102', '172.16.0.103'] })).toEqual([]);
  const straight = { ...site, registries: { ...site.registries, proxy: null } };
  for (const check of SITE_CHECKS)
    expect([...check.asks(site), ...check.asks(straight)].length, check.code).toBeGreaterThan(0);
});

test('a site where nothing answers is told once for each server, and the rest is unknown', async () => {
  const silent: Askers = {
    dns: async () => ({ state: 'timeout', answers: [], detail: 'silent' }),
    tcp: async () => ({ state: 'timeout', detail: 'silent' }),
    head: async () => ({ status: null, length: null, detail: 'silent' }),
    text: async () => ({ status: null, text: null, detail: 'silent' }),
    tftp: async () => ({ state: 'timeout', bytes: null, detail: 'silent' }),
    members: async () => null,
    neighbour: async () => ({ isLocal: false, mac: null }),
    time: async () => ({ offsetMs: null, detail: 'silent' }),
    dhcp: async () => ({ relay: 'asked', broadcast: 'asked', offers: [] }),
    host: async () => ({ state: 'unseen', detail: 'silent' }),
    files: async () => ({ state: 'unseen', detail: 'silent' }),
    ignition: async () => ({ expiresAt: null, now: 0, files: [] }),
    images: async () => [],
    registry: async () => ({ state: 'unreachable', via: null, detail: 'silent' }),
    date: async () => ({ offsetMs: null, isThere: false, detail: 'silent' }),
  };
  const failed = (await wrongOf(silent)).filter((each) => each.includes(' failed '));
  expect(failed.map((each) => each.split(' ')[0])).toEqual([
    ...site.hosts.map(() => 'ssh-hosts'),
    'dns-server',
    'dhcp-server',
    ...site.listeners.map(() => 'lb-listens'),
    'boot-server',
    'tftp-server',
    'ntp-servers',
  ]);
});

test('what never left this machine is unknown, whatever was asked', async () => {
  const kept = async () => ({ isUnmeasured: true as const, detail: 'no way' });
  const nowhere: Askers = {
    dns: kept,
    tcp: kept,
    head: kept,
    text: kept,
    tftp: kept,
    members: kept,
    neighbour: kept,
    dhcp: kept,
    host: kept,
    files: kept,
    ignition: kept,
    images: kept,
    registry: kept,
    date: kept,
    time: kept,
  };
  const states = (await wrongOf(nowhere)).map((each) => each.split(' ')[1]);
  expect(new Set(states)).toEqual(new Set(['unknown']));
});

test.each<[string, Partial<Askers>, string]>([
  [
    'a wildcard for all names',
    { dns: async () => ({ state: 'answered', answers: ['192.0.2.9'], detail: '' }) },
    'dns-no-cluster-wildcard failed *.ocp45.example.localdomain',
  ],
  [
    'a second PTR record',
    {
      dns: async (asked) => {
        const right = await RIGHT.dns(asked);
        return asked.type === 'PTR' ? { ...right, answers: [...right.answers, 'localhost'] } : right;
      },
    },
    'dns-reverse failed 172.16.0.21',
  ],
  [
    'the bootstrap left out of the balancer',
    { members: async (asked) => (await RIGHT.members(asked))?.filter(({ name }) => name !== 'bs') ?? null },
    'lb-bootstrap-present failed lb1 machine-config',
  ],
  [
    'a member that is none',
    {
      members: async (asked) => [
        ...((await RIGHT.members(asked)) ?? []),
        { pool: 'ingress-http', name: 'old', status: 'UP' },
      ],
    },
    'lb-members failed lb1 ingress-http',
  ],
  [
    'a line of the balancer that somebody changed',
    fileWith('lb1', '/etc/haproxy/haproxy.cfg', (text) => text.replace('m3 172.16.0.23:22623', 'm3 172.16.0.23:22624')),
    'host-files failed lb1 /etc/haproxy/haproxy.cfg',
  ],
  [
    'TCP of the name server closed',
    {
      tcp: async (asked) => (asked.port === 53 ? { state: 'timeout', detail: 'silent' } : await RIGHT.tcp(asked)),
    },
    'dns-tcp failed 172.16.0.102',
  ],
  [
    'an IPv6 address beside the planned one',
    {
      dns: async (asked) =>
        asked.type === 'AAAA' && asked.name.startsWith('m1.')
          ? { state: 'answered', answers: ['fd00::1'], detail: '' }
          : await RIGHT.dns(asked),
    },
    'dns-family failed m1.ocp45.example.localdomain',
  ],
  [
    'a member at the address of another',
    {
      members: async (asked) =>
        (await RIGHT.members(asked))?.map((each) =>
          each.name === 'm2' && each.pool === 'api' ? { ...each, address: '172.16.0.32:6443' } : each,
        ) ?? null,
    },
    'lb-members failed lb1 api',
  ],
  [
    'a pool that opens TLS',
    {
      members: async (asked) =>
        (await RIGHT.members(asked))?.map((each) =>
          each.pool === 'machine-config' ? { ...each, mode: 'http' as const } : each,
        ) ?? null,
    },
    'lb-members failed lb1 machine-config',
  ],
  [
    'an image that is empty',
    { head: async (asked) => ({ ...(await RIGHT.head(asked)), length: 0 }) },
    `http-artifacts failed ${exampleImages.kernel}`,
  ],
  [
    'ignition for everybody that is not there yet',
    { head: async () => ({ status: 404, length: null, detail: '404' }) },
    'ignition-served pending master.ign',
  ],
  [
    'a script of another node',
    {
      text: async () => ({
        status: 200,
        text: generated(design, 'bastion/var/www/upi-wizard/ipxe/00-50-56-96-11-c2.ipxe'),
        detail: '',
      }),
    },
    'ipxe-nodes failed m1',
  ],
  [
    'an address that another machine has',
    { neighbour: async () => ({ isLocal: true, mac: '02:00:00:00:00:01' }) },
    'ip-conflict failed w1 172.16.0.31',
  ],
  [
    'a clock that is off',
    { time: async () => ({ offsetMs: -90_000, detail: '' }) },
    'ntp-servers failed 192.168.124.1',
  ],
  [
    'a time server outside, where nobody was to look',
    { time: async () => ({ offsetMs: null, detail: '', isUnasked: true }) },
    'ntp-servers unknown 192.168.124.1',
  ],
  ['an address of another machine', offering({ address: '172.16.0.200' }), `dhcp-leases failed m1 ${macOf('m1')}`],
  ['a gateway that is none', offering({ gateways: [] }), `dhcp-gateway failed m1 ${macOf('m1')}`],
  ['name servers of somebody else', offering({ nameServers: ['8.8.8.8'] }), `dhcp-leases failed m1 ${macOf('m1')}`],
  ['another boot program', offering({ file: 'pxelinux.0' }), `dhcp-boot failed m1 ${macOf('m1')}`],
  [
    'a second DHCP server',
    {
      dhcp: async (asked) => {
        const right = await RIGHT.dhcp(asked);
        return { ...right, offers: [...right.offers, offerOf(macOf('m1'), '172.16.0.1')] };
      },
    },
    'dhcp-foreign failed everybody on this network',
  ],
  [
    'a MAC address that the server does not know',
    {
      dhcp: async (asked) => {
        const right = await RIGHT.dhcp(asked);
        return { ...right, offers: right.offers.filter(({ mac }) => mac !== macOf('m1')) };
      },
    },
    `dhcp-leases failed m1 ${macOf('m1')}`,
  ],
  [
    'that DHCP cannot be asked, as what it is',
    { dhcp: async () => ({ relay: 'itself', broadcast: 'port-taken', offers: [] }) },
    `dhcp-leases unknown m1 ${macOf('m1')}`,
  ],
  [
    'a host that does not let us in',
    { host: async () => ({ state: 'refused', detail: 'Permission denied', remedy: 'ssh-copy-id' }) },
    'host-login failed lb1',
  ],
  ['sudo that asks', { host: async () => ({ ...HOST, isRoot: false, firewall: null }) }, 'host-rights failed ns1'],
  [
    'no sudo',
    { host: async () => ({ ...HOST, isRoot: false, hasSudo: false, firewall: null }) },
    'host-rights failed ns1',
  ],
  ['a script that fails', { host: async () => ({ ...HOST, firewall: 'broken' }) }, 'host-firewall unknown ns1'],
  ['what only root sees', { host: async () => ({ ...HOST, firewall: null }) }, 'host-firewall unknown ns1'],
  ['a clock that is fast', { host: async () => ({ ...HOST, offsetMs: 8_000 }) }, 'host-clock failed ns1'],
  [
    'a closed port',
    { host: async () => ({ ...HOST, firewall: ['Would open: port=53/udp'] }) },
    'host-firewall failed ns1',
  ],
  ['SELinux in the way', { host: async () => ({ ...HOST, selinux: ['Would set: x'] }) }, 'host-selinux failed lb1'],
  ['files of yesterday', ignitionWith({ expiresAt: -HOUR }), 'ignition-age failed bootstrap.ign'],
  ['files that are not made yet', ignitionWith({ expiresAt: null }), 'ignition-age pending bootstrap.ign'],
  ['a pointer of another run', ignitionWith({ file: { problem: 'foreign' } }), 'ignition-run failed master.ign'],
  ['an old copy on the web server', ignitionWith({ file: { served: 'other' } }), 'ignition-same failed worker.ign'],
  [
    'a web server that keeps its files',
    ignitionWith({ file: { served: 'unseen' } }),
    'ignition-same unknown worker.ign',
  ],
  [
    'an image of another build',
    { images: async ({ files }) => files.map((name) => ({ name, state: 'wrong' })) },
    `rhcos-sums failed ${exampleImages.rootfs}`,
  ],
  [
    'an API of another time',
    { date: async () => ({ offsetMs: 60_000, isThere: true, detail: '' }) },
    'api-clock failed API',
  ],
  [
    'an API that is not there yet',
    { date: async () => ({ offsetMs: null, isThere: false, detail: '' }) },
    'api-clock pending API',
  ],
  [
    'that nobody waits at 8091, as what it is',
    { tcp: async ({ port }) => ({ state: port === 8091 ? 'refused' : 'open', detail: '' }) },
    'bootstrap-8091 unknown bs',
  ],
])('%s is found', async (_, broken, expected) => {
  expect(await wrongOf({ ...RIGHT, ...broken })).toContain(expected);
});

test('images of several builds, of a later release, shorter than here, and a network without a way out are told by the site alone', async () => {
  const named = (...files: readonly string[]) => files.map((file) => ({ file, url: `http://b/${file}`, bytes: null }));
  const { kernel, rootfs } = exampleImages;
  const builds = named(kernel, rootfs.replace('418.94.202410090804', '418.94.202501010000'));
  expect(await wrongOf(RIGHT, { ...site, images: builds })).toEqual([
    'rhcos-build failed 418.94.202410090804-0, 418.94.202501010000-0',
  ]);
  const build = 'rhcos-build failed 418.94.202410090804-0';
  expect(await wrongOf(RIGHT, { ...site, version: '4.17.3' })).toEqual([build]);
  // From 4.19 on builds carry the version of RHEL, which says nothing of the release.
  expect(await wrongOf(RIGHT, { ...site, images: named('rhcos-9.6.20250523-0-live-kernel.x86_64') })).toEqual([]);
  const [image] = site.images;
  if (image === undefined || site.konnectivity === null) throw new Error('no image, or no konnectivity');
  expect(await wrongOf(RIGHT, { ...site, images: [{ ...image, bytes: 99 }] })).toEqual([
    `http-artifacts failed ${kernel}`,
  ]);
  const noWay = { ...site, konnectivity: { ...site.konnectivity, hasRoute: false } };
  expect(await wrongOf(RIGHT, noWay)).toEqual(['bootstrap-route failed bs']);
});

test('with a proxy, names of the internet are looked up by the proxy', () => {
  const asked = (of: Site) =>
    SITE_CHECKS.filter(({ code }) => code === 'dns-upstream').flatMap((check) => check.asks(of));
  expect(asked({ ...site, isConnected: true })).toEqual([]);
  expect(asked({ ...site, isConnected: true, registries: { ...site.registries, proxy: null } })).not.toEqual([]);
});

test('a name server that knows the cluster and refuses names of the internet is told to a host of the site, not to a stranger', async () => {
  const connected = { ...site, isConnected: true, registries: { ...site.registries, proxy: null } };
  const refused = { state: 'refused', answers: [], detail: 'refused' } as const;
  const refusing: Askers['dns'] = async (asked) => (asked.name === 'quay.io' ? refused : await RIGHT.dns(asked));
  const told = async (isSelf: boolean, dns: Askers['dns']) => {
    const [check] = SITE_CHECKS.filter(({ code }) => code === 'dns-upstream');
    const hosts = site.hosts.map((host) => ({ ...host, isSelf: isSelf && host.name === 'bastion' }));
    return await check?.asks({ ...connected, hosts })[0]?.put({ ...RIGHT, dns });
  };
  expect(await told(true, refusing)).toEqual({ state: 'failed', detail: expect.stringMatching(/recursion/) });
  expect((await told(false, refusing))?.state).toBe('unknown');
  expect((await told(true, async () => refused))?.state).toBe('unknown');
  expect((await told(true, RIGHT.dns))?.state).toBe('ok');
});

test('a machine that is on has its own address', async () => {
  const macs = new Map(design.nodes.map(({ ip, mac }) => [ip[0], mac.toUpperCase()]));
  const neighbour: Askers['neighbour'] = async ({ address }) => ({ isLocal: true, mac: macs.get(address) ?? null });
  expect(await wrongOf({ ...RIGHT, neighbour })).toEqual([]);
});

test('of a file that is not as generated, the first line that differs is told; comments, blanks, serials and stages are the same', async () => {
  const path = '/etc/haproxy/haproxy.cfg';
  const told = async (askers: Pick<Askers, 'files'>, subject: string) => {
    const [check] = SITE_CHECKS.filter(({ code }) => code === 'host-files');
    const asked = check?.asks(site).find((each) => each.subject === subject);
    return await asked?.put({ ...RIGHT, ...askers });
  };
  const changed = fileWith('lb1', path, (text) =>
    text.replace('timeout tunnel 1h', 'timeout tunnel 5s').replace(/^.*stats refresh 10s/m, '    stats refresh 9s'),
  );
  expect(await told(changed, `lb1 ${path}`)).toEqual({
    state: 'failed',
    detail: expect.stringMatching(
      /^2 lines differ, from line \d+; there: timeout tunnel 5s; generated: timeout tunnel 1h$/,
    ),
  });
  const more = fileWith('lb1', path, (text) => text.replace('timeout tunnel 1h', 'timeout tunnel 1h\n  nbthread 2'));
  expect((await told(more, `lb1 ${path}`))?.detail).toMatch(/there: nbthread 2; nothing of it was generated$/);
  const less = fileWith('lb1', path, (text) => text.replace(/^.*timeout tunnel 1h\n/m, ''));
  expect((await told(less, `lb1 ${path}`))?.detail).toMatch(/from line \d+; generated: timeout tunnel 1h$/);
  const same = fileWith('lb1', path, (text) => `# mine\n${text.replace('    mode tcp', '\tmode   tcp # so')}\n\n`);
  expect((await told(same, `lb1 ${path}`))?.state).toBe('ok');
  const zone = site.hosts
    .flatMap(({ name, configs }) => configs.map((each) => ({ name, ...each })))
    .find(({ kind }) => kind === 'bind-zone');
  const risen = fileWith(zone?.name ?? '', zone?.path ?? '', (text) => text.replace(/1 ; serial/, '77 ; serial'));
  expect((await told(risen, `${zone?.name} ${zone?.path}`))?.state).toBe('ok');
  const absent = { files: async () => ({ state: 'seen' as const, texts: [] }) };
  expect((await told(absent, `lb1 ${path}`))?.state).toBe('unknown');
});

test('the balancer is compared with the stage that it is in: once the bootstrap node is removed, nobody misses it', async () => {
  const later = siteOf(design, exampleImages, { ...HERE, stage: 'infra-added' });
  expect(await wrongOf({ ...RIGHT, members: async () => membersOf(later) }, later)).toEqual([]);
  const left = await wrongOf(RIGHT, later);
  expect(left).toContain('lb-members failed lb1 api');
  expect(left.filter((each) => each.startsWith('lb-bootstrap-present'))).toEqual([]);
});
