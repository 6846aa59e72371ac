import { expect, test } from 'vitest';
import type { ExpectedSite } from '../../src/checks/site/expected-site.ts';
import { SITE_CHECKS } from '../../src/checks/site/index.ts';
import type { Probes } from '../../src/checks/site/query.ts';
import { HOUR } from '../../src/platform/clock.ts';
import type { DhcpOffer, ProbeAnswer, ProbeKind, ProbeQuestion } from '../../src/probes/probe-types.ts';
import { deriveExpectedSite } from '../../src/steps/check/expected-site.ts';
import { generateConfigs } from '../../src/steps/check/index.ts';
import { exampleImages, exampleSite, generateFileText } from '../support/example-design.ts';

const design = exampleSite({ openshift: { ...exampleSite().openshift, version: '4.22' } });
const CONTEXT = {
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
  configs: generateConfigs(design, exampleImages),
};
const site = deriveExpectedSite(design, exampleImages, CONTEXT);
const names = new Map(site.names.map(({ name, type, addresses }) => [`${type} ${name}`, addresses]));
const reverse = new Map(site.reverse.map((each) => [each.address, each.names]));

const HEALTHY_HOST = { state: 'seen', offsetMs: 20, isRoot: true, hasSudo: true, firewall: [], selinux: [] } as const;

/** Returns the text of a file after its last stage; null: the host has no such file. */
function findPlannedText(host: string, path: string): string | null {
  const { configs } = site.hosts.find(({ name }) => name === host) ?? { configs: [] };
  return configs.find((each) => each.path === path)?.planned.at(-1) ?? null;
}

/** Probes of a site on which one file differs. */
function withChangedFile(host: string, path: string, change: (text: string) => string): Pick<Probes, 'files'> {
  return {
    files: async ({ name, paths }) => ({
      state: 'seen',
      texts: paths.map((each) => {
        const text = findPlannedText(name, each);
        return name === host && each === path && text !== null ? change(text) : text;
      }),
    }),
  };
}

/** Lists the members of the pools as designed. */
function listDesignedMembers({ pools }: Pick<typeof site, 'pools'>) {
  return pools.flatMap(({ pool, members, places, isOpaque }) =>
    members.map((name, index) => {
      const mode = isOpaque ? ('tcp' as const) : ('http' as const);
      return { pool, name, status: 'DOWN', address: places[index] ?? '', mode };
    }),
  );
}

/** Probes of a site that matches its design. */
const MATCHING_PROBES: { readonly [K in ProbeKind]: (question: ProbeQuestion<K>) => Promise<ProbeAnswer<K>> } = {
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
    text: generateFileText(design, `bastion/var/www/upi-wizard${new URL(url).pathname}`),
    detail: '200',
  }),
  tftp: async () => ({ state: 'fetched', bytes: 70_000, head: 'MZ', detail: '' }),
  members: async () => listDesignedMembers(site),
  neighbour: async () => ({ isLocal: true, mac: null }),
  time: async () => ({ offsetMs: 3, detail: '' }),
  dhcp: async ({ server, machines }) => ({
    relay: 'asked',
    broadcast: 'asked',
    offers: machines.map(({ mac }) => createOffer(mac, server)),
  }),
  host: async () => HEALTHY_HOST,
  files: async ({ name, paths }) => ({ state: 'seen', texts: paths.map((path) => findPlannedText(name, path)) }),
  ignition: async ({ files }) => ({
    expiresAt: 23 * HOUR,
    now: 0,
    files: files.map(({ name }) => ({ name, isThere: true, problem: null, served: 'same', servedBy: '' })),
  }),
  images: async ({ files }) => files.map((name) => ({ name, state: 'ok' })),
  registry: async () => ({ state: 'accepted', via: 'the proxy', detail: '' }),
  date: async () => ({ offsetMs: 400, isThere: true, detail: '' }),
};

/** Ignition probe that deviates in one property. */
function withChangedIgnition(change: {
  readonly expiresAt?: number | null;
  readonly file?: Partial<ProbeAnswer<'ignition'>['files'][number]>;
}): Pick<Probes, 'ignition'> {
  return {
    ignition: async (question) => {
      const answer = await MATCHING_PROBES.ignition(question);
      const files = answer.files.map((file) => ({ ...file, ...change.file }));
      return { ...answer, expiresAt: change.expiresAt === undefined ? answer.expiresAt : change.expiresAt, files };
    },
  };
}

/** Creates the offer of the planned server to a planned machine. */
function createOffer(mac: string, server: string): DhcpOffer {
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

/** DHCP probe whose offers deviate in one property. */
function withChangedOffers(change: Partial<DhcpOffer>): Pick<Probes, 'dhcp'> {
  return {
    dhcp: async (question) => {
      const answer = await MATCHING_PROBES.dhcp(question);
      return { ...answer, offers: answer.offers.map((offer) => ({ ...offer, ...change })) };
    },
  };
}

function findMac(name: string): string {
  return design.nodes.find((node) => node.name === name)?.mac ?? '';
}

async function listDeviations(probes: Probes, expectedSite: ExpectedSite = site): Promise<string[]> {
  const all = SITE_CHECKS.flatMap((check) => check.listQueries(expectedSite).map((ask) => ({ check, ask })));
  const verdicts = await Promise.all(all.map(({ ask }) => ask.run(probes)));
  return all.flatMap(({ check, ask }, index) => {
    const state = verdicts[index]?.state;
    return state === 'ok' ? [] : [`${check.code} ${state} ${ask.subject}`];
  });
}

test('a site as designed is in order, with one name server and with two, and each check has a query', async () => {
  expect(await listDeviations(MATCHING_PROBES)).toEqual([]);
  expect(await listDeviations(MATCHING_PROBES, { ...site, nameServers: ['172.16.0.102', '172.16.0.103'] })).toEqual([]);
  const withoutProxy = { ...site, registries: { ...site.registries, proxy: null } };
  for (const check of SITE_CHECKS)
    expect([...check.listQueries(site), ...check.listQueries(withoutProxy)].length, check.code).toBeGreaterThan(0);
});

test('a site where nothing answers fails once for each server, and the rest is unknown', async () => {
  const silent: Probes = {
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
  const failed = (await listDeviations(silent)).filter((each) => each.includes(' failed '));
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

test('every query that this machine could not send is unknown', async () => {
  const measureNothing = async () => ({ isUnmeasured: true as const, detail: 'no way' });
  const unmeasurableProbes: Probes = {
    dns: measureNothing,
    tcp: measureNothing,
    head: measureNothing,
    text: measureNothing,
    tftp: measureNothing,
    members: measureNothing,
    neighbour: measureNothing,
    dhcp: measureNothing,
    host: measureNothing,
    files: measureNothing,
    ignition: measureNothing,
    images: measureNothing,
    registry: measureNothing,
    date: measureNothing,
    time: measureNothing,
  };
  const states = (await listDeviations(unmeasurableProbes)).map((each) => each.split(' ')[1]);
  expect(new Set(states)).toEqual(new Set(['unknown']));
});

test.each<[string, Partial<Probes>, string]>([
  [
    'a wildcard for all names',
    { dns: async () => ({ state: 'answered', answers: ['192.0.2.9'], detail: '' }) },
    'dns-no-cluster-wildcard failed *.ocp45.example.localdomain',
  ],
  [
    'a second PTR record',
    {
      dns: async (question) => {
        const answer = await MATCHING_PROBES.dns(question);
        return question.type === 'PTR' ? { ...answer, answers: [...answer.answers, 'localhost'] } : answer;
      },
    },
    'dns-reverse failed 172.16.0.21',
  ],
  [
    'the bootstrap left out of the balancer',
    {
      members: async (question) =>
        (await MATCHING_PROBES.members(question))?.filter(({ name }) => name !== 'bs') ?? null,
    },
    'lb-bootstrap-present failed lb1 machine-config',
  ],
  [
    'an unplanned member',
    {
      members: async (question) => [
        ...((await MATCHING_PROBES.members(question)) ?? []),
        { pool: 'ingress-http', name: 'old', status: 'UP' },
      ],
    },
    'lb-members failed lb1 ingress-http',
  ],
  [
    'a changed line of the load balancer',
    withChangedFile('lb1', '/etc/haproxy/haproxy.cfg', (text) =>
      text.replace('m3 172.16.0.23:22623', 'm3 172.16.0.23:22624'),
    ),
    'host-files failed lb1 /etc/haproxy/haproxy.cfg',
  ],
  [
    'TCP of the name server closed',
    {
      tcp: async (question) =>
        question.port === 53 ? { state: 'timeout', detail: 'silent' } : await MATCHING_PROBES.tcp(question),
    },
    'dns-tcp failed 172.16.0.102',
  ],
  [
    'an IPv6 address beside the planned one',
    {
      dns: async (question) =>
        question.type === 'AAAA' && question.name.startsWith('m1.')
          ? { state: 'answered', answers: ['fd00::1'], detail: '' }
          : await MATCHING_PROBES.dns(question),
    },
    'dns-family failed m1.ocp45.example.localdomain',
  ],
  [
    'a member at the address of another',
    {
      members: async (question) =>
        (await MATCHING_PROBES.members(question))?.map((each) =>
          each.name === 'm2' && each.pool === 'api' ? { ...each, address: '172.16.0.32:6443' } : each,
        ) ?? null,
    },
    'lb-members failed lb1 api',
  ],
  [
    'a pool that terminates TLS',
    {
      members: async (question) =>
        (await MATCHING_PROBES.members(question))?.map((each) =>
          each.pool === 'machine-config' ? { ...each, mode: 'http' as const } : each,
        ) ?? null,
    },
    'lb-members failed lb1 machine-config',
  ],
  [
    'an image that is empty',
    { head: async (question) => ({ ...(await MATCHING_PROBES.head(question)), length: 0 }) },
    `http-artifacts failed ${exampleImages.kernel}`,
  ],
  [
    'ignition for all nodes that is not served yet',
    { head: async () => ({ status: 404, length: null, detail: '404' }) },
    'ignition-served pending master.ign',
  ],
  [
    'a script of another node',
    {
      text: async () => ({
        status: 200,
        text: generateFileText(design, 'bastion/var/www/upi-wizard/ipxe/00-50-56-96-11-c2.ipxe'),
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
    'a time server on the internet that is not queried',
    { time: async () => ({ offsetMs: null, detail: '', isNotQueried: true }) },
    'ntp-servers unknown 192.168.124.1',
  ],
  [
    'an address of another machine',
    withChangedOffers({ address: '172.16.0.200' }),
    `dhcp-leases failed m1 ${findMac('m1')}`,
  ],
  ['a missing gateway', withChangedOffers({ gateways: [] }), `dhcp-gateway failed m1 ${findMac('m1')}`],
  ['foreign name servers', withChangedOffers({ nameServers: ['8.8.8.8'] }), `dhcp-leases failed m1 ${findMac('m1')}`],
  ['another boot program', withChangedOffers({ file: 'pxelinux.0' }), `dhcp-boot failed m1 ${findMac('m1')}`],
  [
    'a second DHCP server',
    {
      dhcp: async (question) => {
        const answer = await MATCHING_PROBES.dhcp(question);
        return { ...answer, offers: [...answer.offers, createOffer(findMac('m1'), '172.16.0.1')] };
      },
    },
    'dhcp-foreign failed all machines on this network',
  ],
  [
    'a MAC address that the server does not know',
    {
      dhcp: async (question) => {
        const answer = await MATCHING_PROBES.dhcp(question);
        return { ...answer, offers: answer.offers.filter(({ mac }) => mac !== findMac('m1')) };
      },
    },
    `dhcp-leases failed m1 ${findMac('m1')}`,
  ],
  [
    'DHCP that cannot be queried',
    { dhcp: async () => ({ relay: 'same-host', broadcast: 'port-taken', offers: [] }) },
    `dhcp-leases unknown m1 ${findMac('m1')}`,
  ],
  [
    'a host that refuses the login',
    { host: async () => ({ state: 'refused', detail: 'Permission denied', remedy: 'ssh-copy-id' }) },
    'host-login failed lb1',
  ],
  [
    'sudo that needs a password',
    { host: async () => ({ ...HEALTHY_HOST, isRoot: false, firewall: null }) },
    'host-rights failed ns1',
  ],
  [
    'no sudo',
    { host: async () => ({ ...HEALTHY_HOST, isRoot: false, hasSudo: false, firewall: null }) },
    'host-rights failed ns1',
  ],
  ['a script that fails', { host: async () => ({ ...HEALTHY_HOST, firewall: 'broken' }) }, 'host-firewall unknown ns1'],
  [
    'a firewall that only root can read',
    { host: async () => ({ ...HEALTHY_HOST, firewall: null }) },
    'host-firewall unknown ns1',
  ],
  ['a clock that is fast', { host: async () => ({ ...HEALTHY_HOST, offsetMs: 8_000 }) }, 'host-clock failed ns1'],
  [
    'a closed port',
    { host: async () => ({ ...HEALTHY_HOST, firewall: ['Would open: port=53/udp'] }) },
    'host-firewall failed ns1',
  ],
  [
    'a missing SELinux setting',
    { host: async () => ({ ...HEALTHY_HOST, selinux: ['Would set: x'] }) },
    'host-selinux failed lb1',
  ],
  ['expired files', withChangedIgnition({ expiresAt: -HOUR }), 'ignition-age failed bootstrap.ign'],
  ['files that are not created yet', withChangedIgnition({ expiresAt: null }), 'ignition-age pending bootstrap.ign'],
  ['a pointer of another run', withChangedIgnition({ file: { problem: 'foreign' } }), 'ignition-run failed master.ign'],
  [
    'an old copy on the web server',
    withChangedIgnition({ file: { served: 'other' } }),
    'ignition-same failed worker.ign',
  ],
  [
    'a web server that does not show its files',
    withChangedIgnition({ file: { served: 'unseen' } }),
    'ignition-same unknown worker.ign',
  ],
  [
    'an image of another build',
    { images: async ({ files }) => files.map((name) => ({ name, state: 'wrong' })) },
    `rhcos-sums failed ${exampleImages.rootfs}`,
  ],
  [
    'an API with a wrong clock',
    { date: async () => ({ offsetMs: 60_000, isThere: true, detail: '' }) },
    'api-clock failed API',
  ],
  [
    'an API that is not up yet',
    { date: async () => ({ offsetMs: null, isThere: false, detail: '' }) },
    'api-clock pending API',
  ],
  [
    'a closed port 8091',
    { tcp: async ({ port }) => ({ state: port === 8091 ? 'refused' : 'open', detail: '' }) },
    'bootstrap-8091 unknown bs',
  ],
])('%s is found', async (_, broken, expected) => {
  expect(await listDeviations({ ...MATCHING_PROBES, ...broken })).toContain(expected);
});

test('images of several builds, of a later release or truncated, and a network without a route are found in the expected site alone', async () => {
  const createImages = (...files: readonly string[]) =>
    files.map((file) => ({ file, url: `http://b/${file}`, bytes: null }));
  const { kernel, rootfs } = exampleImages;
  const mixedBuilds = createImages(kernel, rootfs.replace('418.94.202410090804', '418.94.202501010000'));
  expect(await listDeviations(MATCHING_PROBES, { ...site, images: mixedBuilds })).toEqual([
    'rhcos-build failed 418.94.202410090804-0, 418.94.202501010000-0',
  ]);
  const build = 'rhcos-build failed 418.94.202410090804-0';
  expect(await listDeviations(MATCHING_PROBES, { ...site, version: '4.17.3' })).toEqual([build]);
  // From 4.19 on builds carry the version of RHEL, which says nothing of the release.
  expect(
    await listDeviations(MATCHING_PROBES, { ...site, images: createImages('rhcos-9.6.20250523-0-live-kernel.x86_64') }),
  ).toEqual([]);
  const [image] = site.images;
  if (image === undefined || site.konnectivity === null) throw new Error('no image, or no konnectivity');
  expect(await listDeviations(MATCHING_PROBES, { ...site, images: [{ ...image, bytes: 99 }] })).toEqual([
    `http-artifacts failed ${kernel}`,
  ]);
  const withoutRoute = { ...site, konnectivity: { ...site.konnectivity, hasRoute: false } };
  expect(await listDeviations(MATCHING_PROBES, withoutRoute)).toEqual(['bootstrap-route failed bs']);
});

test('with a proxy, names of the internet are looked up by the proxy', () => {
  const listUpstreamQueries = (expectedSite: ExpectedSite) =>
    SITE_CHECKS.filter(({ code }) => code === 'dns-upstream').flatMap((check) => check.listQueries(expectedSite));
  expect(listUpstreamQueries({ ...site, isConnected: true })).toEqual([]);
  expect(
    listUpstreamQueries({ ...site, isConnected: true, registries: { ...site.registries, proxy: null } }),
  ).not.toEqual([]);
});

test('a name server that knows the cluster and refuses names of the internet fails for a host of the site and is unknown elsewhere', async () => {
  const connected = { ...site, isConnected: true, registries: { ...site.registries, proxy: null } };
  const refusedAnswer = { state: 'refused', answers: [], detail: 'refused' } as const;
  const createRefusingDns: Probes['dns'] = async (question) =>
    question.name === 'quay.io' ? refusedAnswer : await MATCHING_PROBES.dns(question);
  const runUpstreamCheck = async (isSelf: boolean, dns: Probes['dns']) => {
    const [check] = SITE_CHECKS.filter(({ code }) => code === 'dns-upstream');
    const hosts = site.hosts.map((host) => ({ ...host, isSelf: isSelf && host.name === 'bastion' }));
    return await check?.listQueries({ ...connected, hosts })[0]?.run({ ...MATCHING_PROBES, dns });
  };
  expect(await runUpstreamCheck(true, createRefusingDns)).toEqual({
    state: 'failed',
    detail: expect.stringMatching(/recursion/),
  });
  expect((await runUpstreamCheck(false, createRefusingDns))?.state).toBe('unknown');
  expect((await runUpstreamCheck(true, async () => refusedAnswer))?.state).toBe('unknown');
  expect((await runUpstreamCheck(true, MATCHING_PROBES.dns))?.state).toBe('ok');
});

test('a machine that is powered on is no conflict at its own address', async () => {
  const macs = new Map(design.nodes.map(({ ip, mac }) => [ip[0], mac.toUpperCase()]));
  const neighbour: Probes['neighbour'] = async ({ address }) => ({ isLocal: true, mac: macs.get(address) ?? null });
  expect(await listDeviations({ ...MATCHING_PROBES, neighbour })).toEqual([]);
});

test('of a changed file the first line that differs is reported; comments, blanks, serials and stages are ignored', async () => {
  const path = '/etc/haproxy/haproxy.cfg';
  const runFileCheck = async (probes: Pick<Probes, 'files'>, subject: string) => {
    const [check] = SITE_CHECKS.filter(({ code }) => code === 'host-files');
    const query = check?.listQueries(site).find((each) => each.subject === subject);
    return await query?.run({ ...MATCHING_PROBES, ...probes });
  };
  const changed = withChangedFile('lb1', path, (text) =>
    text.replace('timeout tunnel 1h', 'timeout tunnel 5s').replace(/^.*stats refresh 10s/m, '    stats refresh 9s'),
  );
  expect(await runFileCheck(changed, `lb1 ${path}`)).toEqual({
    state: 'failed',
    detail: expect.stringMatching(
      /^2 lines differ, from line \d+; there: timeout tunnel 5s; generated: timeout tunnel 1h$/,
    ),
  });
  const withExtraLine = withChangedFile('lb1', path, (text) =>
    text.replace('timeout tunnel 1h', 'timeout tunnel 1h\n  nbthread 2'),
  );
  expect((await runFileCheck(withExtraLine, `lb1 ${path}`))?.detail).toMatch(
    /there: nbthread 2; no such line was generated$/,
  );
  const withoutLine = withChangedFile('lb1', path, (text) => text.replace(/^.*timeout tunnel 1h\n/m, ''));
  expect((await runFileCheck(withoutLine, `lb1 ${path}`))?.detail).toMatch(
    /from line \d+; generated: timeout tunnel 1h$/,
  );
  const withEqualMeaning = withChangedFile(
    'lb1',
    path,
    (text) => `# mine\n${text.replace('    mode tcp', '\tmode   tcp # so')}\n\n`,
  );
  expect((await runFileCheck(withEqualMeaning, `lb1 ${path}`))?.state).toBe('ok');
  const zone = site.hosts
    .flatMap(({ name, configs }) => configs.map((each) => ({ name, ...each })))
    .find(({ kind }) => kind === 'bind-zone');
  const withHigherSerial = withChangedFile(zone?.name ?? '', zone?.path ?? '', (text) =>
    text.replace(/1 ; serial/, '77 ; serial'),
  );
  expect((await runFileCheck(withHigherSerial, `${zone?.name} ${zone?.path}`))?.state).toBe('ok');
  const withoutFiles = { files: async () => ({ state: 'seen' as const, texts: [] }) };
  expect((await runFileCheck(withoutFiles, `lb1 ${path}`))?.state).toBe('unknown');
});

test('the load balancer is compared with its current stage: a removed bootstrap node is not missing', async () => {
  const laterSite = deriveExpectedSite(design, exampleImages, { ...CONTEXT, stage: 'infra-added' });
  expect(
    await listDeviations({ ...MATCHING_PROBES, members: async () => listDesignedMembers(laterSite) }, laterSite),
  ).toEqual([]);
  const deviations = await listDeviations(MATCHING_PROBES, laterSite);
  expect(deviations).toContain('lb-members failed lb1 api');
  expect(deviations.filter((each) => each.startsWith('lb-bootstrap-present'))).toEqual([]);
});
