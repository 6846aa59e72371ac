import { expect, test } from 'vitest';
import { listVirtualAddresses } from '../../src/artifacts/network/firewall.ts';
import { getNetworkBoot } from '../../src/checks/site/boot-files.ts';
import { planOffers } from '../../src/checks/site/dhcp.ts';
import { listPlannedNames, listReverseNames } from '../../src/checks/site/dns.ts';
import { generateServiceConfigs } from '../../src/checks/site/hosts.ts';
import { SITE_CHECKS, type SiteCheckId } from '../../src/checks/site/index.ts';
import { formatMemberAddress, listListeners, listPlannedPools } from '../../src/checks/site/load-balancer.ts';
import type { Probes, SiteCheckContext } from '../../src/checks/site/site.ts';
import { listServiceHosts } from '../../src/design/derived-facts.ts';
import type { Design } from '../../src/design/model.ts';
import { HOUR, MINUTE } from '../../src/platform/clock.ts';
import type {
  DhcpClient,
  DhcpOffer,
  LocalNetworkSettings,
  PrivilegedHostState,
  ProbeAnswer,
  ProbeKind,
  ProbeQuery,
  ServedCertificate,
  ServiceProcess,
} from '../../src/probes/probe-types.ts';
import { exampleImages, exampleSite, generateFileText } from '../support/example-design.ts';

const design = exampleSite({
  openshift: { ...exampleSite().openshift, version: '4.22' },
  imageDigestSources: [
    { source: 'quay.io/openshift-release-dev/ocp-release', mirrors: ['mirror.example.com:5000/ocp/release'] },
  ],
  proxy: { httpProxy: '', httpsProxy: 'http://proxy.example.com:3128', noProxy: '' },
});
const configs = generateServiceConfigs(design, exampleImages);
const names = new Map(listPlannedNames(design).map(({ name, type, addresses }) => [`${type} ${name}`, addresses]));
const reverse = new Map(
  [true, false].flatMap((isOfNode) => listReverseNames(design, isOfNode)).map((each) => [each.address, each.names]),
);

const MACHINE: LocalNetworkSettings = {
  resolver: {
    servers: ['172.16.0.102'],
    search: ['example.localdomain'],
    ndots: 1,
    isRotationEnabled: false,
    writer: 'other',
  },
  resolvedServers: null,
  hosts: [{ line: 1, text: '127.0.0.1 localhost', address: '127.0.0.1', names: ['localhost'] }],
  lookupSources: 'files dns',
  proxies: [],
  noProxy: '',
  proxyFile: null,
  defaultRoutes: [{ device: 'eth0', gateway: '172.16.0.254', metric: 100 }],
};

const TWO_ROUTES = [
  { device: 'eth1', gateway: '172.16.0.253', metric: 10 },
  { device: 'eth0', gateway: '172.16.0.254', metric: 100 },
];

const HEALTHY_HOST = { state: 'known', offsetMs: 20, isRoot: true, hasSudo: true, firewall: [], selinux: [] } as const;
const BALANCER_MAC = '52:54:00:00:01:12';
const VIRTUAL = listVirtualAddresses(design);

/** The inside of a host of the site as designed. */
function createInside(name: string, changes: Partial<PrivilegedHostState> = {}): PrivilegedHostState {
  const host = listServiceHosts(design).find((each) => each.name === name);
  const isBalancer = name === 'lb1';
  const addresses = [
    ...(host?.ip ?? []).map((address) => `${address}/24`),
    ...(isBalancer ? VIRTUAL : []).map((each) => `${each}/32`),
  ];
  return {
    filter: { nft: { json: '{"nftables": []}', listing: '' }, tables: [], isComplete: true },
    interfaces: [{ name: 'lan0', mac: isBalancer ? BALANCER_MAC : '52:54:00:00:00:01', addresses }],
    defaultInterface: 'lan0',
    keepalived: { isRunning: isBalancer, journal: [] },
    configs: { nginx: null, named: null, haproxy: null },
    ...{ dhcpd: null, web: null, tftp: [] },
    ...changes,
  };
}

/** Host probe of a site where the inside of one host differs. */
function withInside(host: string, changes: Partial<PrivilegedHostState>): Pick<Probes, 'host'> {
  return {
    host: async ({ name }) => ({ ...HEALTHY_HOST, networkState: createInside(name, name === host ? changes : {}) }),
  };
}

/** Returns the text of a file after its last stage; null: the host has no such file. */
function findPlannedText(host: string, path: string): string | null {
  return (
    configs
      .get(host)
      ?.find((each) => each.path === path)
      ?.plannedTexts.at(-1) ?? null
  );
}

/** Probes of a site on which one file differs. */
function withChangedFile(host: string, path: string, change: (text: string) => string): Pick<Probes, 'files'> {
  return {
    files: async ({ name, paths }) => ({
      state: 'known',
      texts: paths.map((each) => {
        const text = findPlannedText(name, each);
        return name === host && each === path && text !== null ? change(text) : text;
      }),
    }),
  };
}

/** Probes of a site on which one service differs. */
function withService(
  host: string,
  program: string,
  change: (found: ServiceProcess) => ServiceProcess,
): Pick<Probes, 'services'> {
  return {
    services: async (query) => {
      const answer = await MATCHING_PROBES.services(query);
      if (query.name !== host || answer.state !== 'known') return answer;
      const services = answer.services.map((found, index) =>
        query.services[index]?.process === program ? change(found) : found,
      );
      return { ...answer, services };
    },
  };
}

/** Lists the members of the pools as designed. */
function listDesignedMembers(planned: Pick<SiteCheckContext, 'design' | 'stage'>) {
  return listPlannedPools(planned).flatMap((pool) =>
    pool.nodes.map((node) => {
      const mode = pool.port === 80 ? ('http' as const) : ('tcp' as const);
      return { pool: pool.pool, name: node.name, status: 'UP', address: formatMemberAddress(node, pool), mode };
    }),
  );
}

/** Lists the members of the pools as designed, with one that does not answer. */
const listMembersWithSilentM2 = () =>
  listDesignedMembers(site).map((each) => (each.name === 'm2' ? { ...each, status: 'DOWN', check: 'L4TOUT' } : each));

/** Probes of a site that matches its design. */
const MATCHING_PROBES: { readonly [K in ProbeKind]: (query: ProbeQuery<K>) => Promise<ProbeAnswer<K>> } = {
  dns: async ({ name, type }) => {
    const wildcard = name.replace(/^[^.]+/, '*');
    const found =
      type === 'PTR' ? reverse.get(name) : (names.get(`${type} ${name}`) ?? names.get(`${type} ${wildcard}`));
    const answers = name === 'quay.io' ? ['192.0.2.1'] : (found ?? []);
    return answers.length > 0
      ? { state: 'answered', answers: [...answers].sort(), detail: '' }
      : { state: 'no-name', answers: [], detail: `no ${name}` };
  },
  machine: async () => MACHINE,
  lookup: async ({ name }) => ({
    ...{ state: 'answered', seconds: 0.01 },
    addresses: names.get(`A ${name}`) ?? names.get(`A ${name.replace(/^[^.]+/, '*')}`) ?? [],
  }),
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
  sample: async () => ({ state: 'same', isFullyCompared: false }),
  tftp: async () => ({ state: 'fetched', bytes: 70_000, head: 'MZ', detail: '' }),
  members: async () => listDesignedMembers(site),
  packets: async () => ({ state: 'passed' }),
  neighbour: async ({ address }) => ({ isLocal: true, mac: VIRTUAL.includes(address) ? BALANCER_MAC : null }),
  time: async () => ({ offsetMs: 3, detail: '' }),
  dhcp: async ({ server, machines }) => ({
    relay: 'queried',
    broadcast: 'queried',
    offers: machines.map(({ mac, client }) => createOffer(mac, server, client)),
  }),
  host: async ({ name }) => ({ ...HEALTHY_HOST, networkState: createInside(name) }),
  files: async ({ name, paths }) => ({ state: 'known', texts: paths.map((path) => findPlannedText(name, path)) }),
  reach: async ({ targets }) => ({ state: 'known', results: targets.map(() => ({ state: 'open' })) }),
  services: async ({ services }) => ({
    state: 'known',
    services: services.map(({ paths }) => ({
      ...{ isRunning: true, unitState: 'active', log: [] },
      files: paths.map((path) => ({ path, changedAt: 100, readAt: 101 })),
    })),
  }),
  ignition: async ({ files }) => ({
    expiresAt: 23 * HOUR,
    now: 0,
    files: files.map(({ name }) => ({ name, isPresent: true, problem: null, content: 'same', servedDetail: '' })),
  }),
  machines: async ({ names }) => names.map((name) => ({ name, ageMs: MINUTE, problems: [] })),
  images: async ({ files }) => files.map((name) => ({ name, state: 'ok' })),
  registry: async () => ({ state: 'accepted', proxy: 'the proxy', detail: '' }),
  date: async () => ({ offsetMs: 400, isPresent: true, detail: '' }),
  certificate: async (query) => ({ state: 'tls', detail: '', certificate: createCertificate(query), now: 0 }),
};

/** Creates the certificate of this cluster for a query. */
function createCertificate({ name, authority }: ProbeQuery<'certificate'>): ServedCertificate {
  return {
    ...{
      fingerprint: `of ${name}`,
      subject: name,
      issuer: 'lb-signer',
      isSelfSigned: false,
      names: [name],
      isValidForName: true,
    },
    ...{ validFrom: -HOUR, validUntil: HOUR, trust: authority === 'none' ? 'unknown' : 'trusted' },
  };
}

/** Certificate probe of a site on which some servers present another certificate. */
function withChangedCertificate(
  isChanged: (query: ProbeQuery<'certificate'>) => boolean,
  change: Partial<ServedCertificate>,
): Pick<Probes, 'certificate'> {
  return {
    certificate: async (query) => {
      const certificate = { ...createCertificate(query), ...(isChanged(query) ? change : {}) };
      return { state: 'tls', detail: '', certificate, now: 0 };
    },
  };
}

const site: SiteCheckContext = {
  design,
  stage: 'install',
  images: exampleImages,
  imagesDir: '/root/upi-cluster/images',
  imageSizes: {},
  dir: '/root/upi-cluster',
  pullSecret: {
    file: '/root/pull-secret.txt',
    registries: ['cloud.openshift.com', 'mirror.example.com:5000', 'registry.redhat.io'],
  },
  bmcs: [],
  localAddresses: new Set(),
  onlyHost: null,
  probes: MATCHING_PROBES,
};
const BMCS = [
  { node: 'm1', host: '192.0.2.11', port: 443, isCertificateVerified: true },
  { node: 'm2', host: '192.0.2.12', port: 8443, isCertificateVerified: false },
];
const withDesign = (changes: Partial<Design>): SiteCheckContext => ({ ...site, design: { ...design, ...changes } });
const CONNECTED = withDesign({ proxy: null, imageDigestSources: [] });

/** Ignition probe that deviates in one property. */
function withChangedIgnition(change: {
  readonly expiresAt?: number | null;
  readonly file?: Partial<ProbeAnswer<'ignition'>['files'][number]>;
}): Pick<Probes, 'ignition'> {
  return {
    ignition: async (query) => {
      const answer = await MATCHING_PROBES.ignition(query);
      const files = answer.files.map((file) => ({ ...file, ...change.file }));
      return { ...answer, expiresAt: change.expiresAt === undefined ? answer.expiresAt : change.expiresAt, files };
    },
  };
}

/** Creates the offer of the planned server to a planned machine. */
function createOffer(mac: string, server: string, client?: DhcpClient): DhcpOffer {
  const plan = planOffers(design);
  if (plan === null) throw new Error('the example has a DHCP server');
  const { nameServers, timeServers, domain, machines, firmwareQueries } = plan;
  const planned = machines.find((machine) => machine.mac === mac);
  const asked = firmwareQueries.find(
    (each) => each.mac === mac && JSON.stringify(each.client) === JSON.stringify(client),
  );
  return {
    mac,
    server,
    ...(client === undefined ? {} : { client }),
    ...{ netmask: planned?.netmask ?? null, timeServers, hostName: planned?.fqdn ?? null, domain },
    ...{ searchDomains: [domain], mtu: null, leaseSeconds: 86_400 },
    vendorClass: client?.kind === 'http' ? 'HTTPClient' : null,
    address: planned?.address ?? '',
    gateways: [planned?.gateway ?? ''],
    nameServers,
    file: (client === undefined ? planned?.file : asked?.file) ?? null,
    nextServer: getNetworkBoot(design)?.tftpServer ?? '',
  };
}

/** Probe of boot scripts that deviate in one text. */
function withChangedScript(change: (text: string) => string): Pick<Probes, 'text'> {
  return {
    text: async (query) => {
      const answer = await MATCHING_PROBES.text(query);
      return { ...answer, text: change(answer.text ?? '') };
    },
  };
}

/** DHCP probe whose offers deviate in one property. */
function withChangedOffers(change: Partial<DhcpOffer>): Pick<Probes, 'dhcp'> {
  return {
    dhcp: async (query) => {
      const answer = await MATCHING_PROBES.dhcp(query);
      return { ...answer, offers: answer.offers.map((offer) => ({ ...offer, ...change })) };
    },
  };
}

function findMac(name: string): string {
  return design.nodes.find((node) => node.name === name)?.mac ?? '';
}

async function runCheck(id: SiteCheckId, queriedSite: SiteCheckContext) {
  return await Promise.all(SITE_CHECKS.filter((check) => check.id === id).flatMap((check) => check.run(queriedSite)));
}

async function listDeviations(probes: Probes, queriedSite: SiteCheckContext = site): Promise<string[]> {
  const found = SITE_CHECKS.flatMap((check) =>
    check.run({ ...queriedSite, probes }).map(async (result) => {
      const { state, subject } = await result;
      return state === 'ok' ? [] : [`${check.id} ${state} ${subject}`];
    }),
  );
  return (await Promise.all(found)).flat();
}

test('a site as designed is in order, with one name server and with two, and each check has a query', async () => {
  expect(await listDeviations(MATCHING_PROBES)).toEqual([]);
  const { services } = design;
  const dns = { ...services.dns, kind: 'external' as const, forwarders: ['172.16.0.102', '172.16.0.103'] };
  // named.conf lists the forwarders.
  expect(await listDeviations(MATCHING_PROBES, withDesign({ services: { ...services, dns } }))).toEqual([
    'host-files failed ns1 /etc/named.conf',
  ]);
  for (const { id } of SITE_CHECKS)
    expect(
      (await Promise.all([{ ...site, bmcs: BMCS }, CONNECTED].map((each) => runCheck(id, each)))).flat(),
      id,
    ).not.toEqual([]);
});

test('a site where nothing answers fails once for each server, and the rest is unknown', async () => {
  const silent: Probes = {
    dns: async () => ({ state: 'timeout', answers: [], detail: 'silent' }),
    machine: async () => MACHINE,
    lookup: async () => ({ state: 'timeout', addresses: [], seconds: 8 }),
    tcp: async () => ({ state: 'timeout', detail: 'silent' }),
    head: async () => ({ status: null, length: null, detail: 'silent' }),
    text: async () => ({ status: null, text: null, detail: 'silent' }),
    sample: async () => ({ state: 'unknown' }),
    tftp: async () => ({ state: 'timeout', bytes: null, detail: 'silent' }),
    members: async () => null,
    packets: async () => ({ state: 'silent' }),
    neighbour: async () => ({ isLocal: false, mac: null }),
    time: async () => ({ offsetMs: null, detail: 'silent' }),
    dhcp: async () => ({ relay: 'queried', broadcast: 'queried', offers: [] }),
    host: async () => ({ state: 'unknown', detail: 'silent' }),
    files: async () => ({ state: 'unknown', detail: 'silent' }),
    services: async () => ({ state: 'unknown', detail: 'silent' }),
    reach: async () => ({ state: 'unknown', detail: 'silent' }),
    ignition: async () => ({ expiresAt: null, now: 0, files: [] }),
    machines: async () => [],
    images: async () => [],
    registry: async () => ({ state: 'unreachable', proxy: null, detail: 'silent' }),
    date: async () => ({ offsetMs: null, isPresent: false, detail: 'silent' }),
    certificate: async () => ({ state: 'closed', detail: 'silent' }),
  };
  const failed = (await listDeviations(silent)).filter((each) => each.includes(' failed '));
  expect(failed.map((each) => each.split(' ')[0])).toEqual([
    ...listServiceHosts(design).map(() => 'ssh-hosts'),
    'dns-server',
    'dhcp-server',
    ...listListeners(design).map(() => 'lb-listens'),
    'boot-server',
    'tftp-server',
    'ntp-servers',
  ]);
});

test('every query that this machine could not send is unknown', async () => {
  const measureNothing = async () => ({ isUnmeasured: true as const, detail: 'no way' });
  const unmeasurableProbes: Probes = {
    dns: measureNothing,
    machine: measureNothing,
    lookup: measureNothing,
    tcp: measureNothing,
    head: measureNothing,
    text: measureNothing,
    sample: measureNothing,
    tftp: measureNothing,
    machines: measureNothing,
    members: measureNothing,
    packets: measureNothing,
    neighbour: measureNothing,
    dhcp: measureNothing,
    host: measureNothing,
    files: measureNothing,
    services: measureNothing,
    reach: measureNothing,
    ignition: measureNothing,
    images: measureNothing,
    registry: measureNothing,
    date: measureNothing,
    certificate: measureNothing,
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
      dns: async (query) => {
        const answer = await MATCHING_PROBES.dns(query);
        return query.type === 'PTR' ? { ...answer, answers: [...answer.answers, 'localhost'] } : answer;
      },
    },
    'dns-reverse failed 172.16.0.21',
  ],
  [
    'another name of a service host',
    {
      dns: async (query) =>
        query.name === '172.16.0.112'
          ? { state: 'answered', answers: ['other.example'], detail: '' }
          : await MATCHING_PROBES.dns(query),
    },
    'dns-reverse-others failed 172.16.0.112',
  ],
  [
    'the bootstrap left out of the balancer',
    {
      members: async (query) => (await MATCHING_PROBES.members(query))?.filter(({ name }) => name !== 'bs') ?? null,
    },
    'lb-bootstrap-present failed lb1 machine-config',
  ],
  [
    'an unplanned member',
    {
      members: async (query) => [
        ...((await MATCHING_PROBES.members(query)) ?? []),
        { pool: 'ingress-http', name: 'old', status: 'UP' },
      ],
    },
    'lb-members failed lb1 ingress-http',
  ],
  [
    'a line of /etc/hosts',
    {
      machine: async () => {
        const text = '172.16.0.99 api.ocp45.example.localdomain';
        const line = { line: 2, text, address: '172.16.0.99', names: ['api.ocp45.example.localdomain'] };
        return { ...MACHINE, hosts: [line] };
      },
    },
    'resolver-hosts-file failed /etc/hosts',
  ],
  [
    'a nsswitch.conf without dns',
    {
      machine: async () => ({ ...MACHINE, lookupSources: 'files' }),
      lookup: async () => ({ state: 'no-name', addresses: [], seconds: 0 }),
    },
    'resolver-servers failed /etc/resolv.conf',
  ],
  [
    'a search domain with a wildcard',
    {
      machine: async () => ({
        ...MACHINE,
        resolver: { ...MACHINE.resolver, search: ['corp.example'], ndots: 5 },
      }),
      lookup: async () => ({ state: 'answered', addresses: ['192.0.2.80'], seconds: 0 }),
      dns: async (query) =>
        query.name.endsWith('.corp.example')
          ? { state: 'answered', answers: ['192.0.2.80'], detail: '' }
          : await MATCHING_PROBES.dns(query),
    },
    'resolver-search failed /etc/resolv.conf',
  ],
  [
    'a proxy of the environment',
    { machine: async () => ({ ...MACHINE, proxies: [{ name: 'HTTPS_PROXY', value: 'proxy:3128' }] }) },
    'proxy-environment failed this machine',
  ],
  [
    'two default routes',
    { machine: async () => ({ ...MACHINE, defaultRoutes: TWO_ROUTES }) },
    'default-routes failed this machine',
  ],
  [
    'two default routes of a host',
    { host: async () => ({ ...HEALTHY_HOST, defaultRoutes: TWO_ROUTES }) },
    'host-routes failed ns1',
  ],
  [
    'programs of this machine that find no name of the cluster',
    { lookup: async () => ({ state: 'no-name', addresses: [], seconds: 0 }) },
    'dns-resolver failed api.ocp45.example.localdomain',
  ],
  [
    'a resolver of this machine that knows no node',
    {
      dns: async (query) =>
        query.server === null ? { state: 'no-name', answers: [], detail: 'no name' } : await MATCHING_PROBES.dns(query),
    },
    'dns-resolver-nodes failed m1.ocp45.example.localdomain',
  ],
  [
    'a first script that jumps to no label',
    { text: async () => ({ status: 200, text: '#!ipxe\ngoto nowhere\n', detail: '' }) },
    'ipxe-script failed http://172.16.0.101:8080/boot.ipxe',
  ],
  [
    'a boot program that is not served over HTTP',
    { head: async () => ({ status: 404, length: null, detail: '404' }) },
    'http-boot-program failed ipxe.efi',
  ],
  [
    'a name server with an older zone than the one in its file',
    withService('ns1', 'named', ({ files, ...found }) => ({
      ...found,
      files: files.map((file) => (file.path.includes('example') ? { ...file, changedAt: 160 } : file)),
    })),
    'host-service-current failed ns1 named',
  ],
  [
    'a load balancer that runs with another file',
    withService('lb1', 'haproxy', (found) => ({ ...found, configFiles: ['/etc/haproxy/try.cfg'] })),
    'host-service-current failed lb1 haproxy',
  ],
  [
    'a load balancer that does not run',
    withService('lb1', 'haproxy', ({ files }) => ({
      ...{ isRunning: false, unitState: 'failed', files },
      log: ['parsing [/etc/haproxy/haproxy.cfg:12]: unknown keyword', 'Stopped.'],
    })),
    'host-service-runs failed lb1 haproxy',
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
      tcp: async (query) =>
        query.port === 53 ? { state: 'timeout', detail: 'silent' } : await MATCHING_PROBES.tcp(query),
    },
    'dns-tcp failed 172.16.0.102',
  ],
  [
    'an IPv6 address beside the planned one',
    {
      dns: async (query) =>
        query.type === 'AAAA' && query.name.startsWith('m1.')
          ? { state: 'answered', answers: ['fd00::1'], detail: '' }
          : await MATCHING_PROBES.dns(query),
    },
    'dns-family failed m1.ocp45.example.localdomain',
  ],
  [
    'a member at the address of another',
    {
      members: async (query) =>
        (await MATCHING_PROBES.members(query))?.map((each) =>
          each.name === 'm2' && each.pool === 'api' ? { ...each, address: '172.16.0.32:6443' } : each,
        ) ?? null,
    },
    'lb-members failed lb1 api',
  ],
  [
    'a pool that terminates TLS',
    {
      members: async (query) =>
        (await MATCHING_PROBES.members(query))?.map((each) =>
          each.pool === 'machine-config' ? { ...each, mode: 'http' as const } : each,
        ) ?? null,
    },
    'lb-members failed lb1 machine-config',
  ],
  [
    'an image that is empty',
    { head: async (query) => ({ ...(await MATCHING_PROBES.head(query)), length: 0 }) },
    `http-artifacts failed ${exampleImages.kernel}`,
  ],
  [
    'an image that is compressed on its way',
    { head: async (query) => ({ ...(await MATCHING_PROBES.head(query)), encoding: 'gzip' }) },
    `http-artifacts failed ${exampleImages.initramfs}`,
  ],
  [
    'an HTML page in place of an image',
    { head: async (query) => ({ ...(await MATCHING_PROBES.head(query)), type: 'text/html; charset=utf-8' }) },
    `http-artifacts failed ${exampleImages.initramfs}`,
  ],
  [
    'an image that moved',
    { head: async () => ({ status: 301, length: 0, detail: '301', location: 'https://mirror.example/kernel' }) },
    `http-artifacts failed ${exampleImages.kernel}`,
  ],
  [
    'an image with other content',
    { sample: async () => ({ state: 'other', at: 65_536, path: null }) },
    `http-artifacts failed ${exampleImages.rootfs}`,
  ],
  [
    'an image that hangs',
    { sample: async () => ({ state: 'stalled', bytes: 0 }) },
    `http-artifacts failed ${exampleImages.rootfs}`,
  ],
  [
    'a first script that leads to another server',
    withChangedScript((text) => text.replace('set base http://172.16.0.101:8080', 'set base http://172.16.0.9:8080')),
    'ipxe-script failed http://172.16.0.101:8080/boot.ipxe',
  ],
  [
    'a node script with another root file system',
    withChangedScript((text) =>
      text.replace('coreos.live.rootfs_url=http://172.16.0.101', 'coreos.live.rootfs_url=http://172.16.0.9'),
    ),
    'ipxe-nodes failed m1',
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
  [
    'a third name server that knows nothing of the cluster',
    withChangedOffers({ nameServers: ['172.16.0.102', '8.8.8.8'] }),
    `dhcp-leases failed m1 ${findMac('m1')}`,
  ],
  ['another netmask', withChangedOffers({ netmask: '255.255.0.0' }), `dhcp-options failed m1 ${findMac('m1')}`],
  ['a short host name', withChangedOffers({ hostName: 'm1' }), `dhcp-options failed m1 ${findMac('m1')}`],
  ['another domain', withChangedOffers({ domain: 'example.com' }), `dhcp-options failed m1 ${findMac('m1')}`],
  [
    'another search list',
    withChangedOffers({ searchDomains: ['example.com'] }),
    `dhcp-options failed m1 ${findMac('m1')}`,
  ],
  ['a lease of a minute', withChangedOffers({ leaseSeconds: 60 }), `dhcp-options failed m1 ${findMac('m1')}`],
  ['an MTU of a tunnel', withChangedOffers({ mtu: 1400 }), `dhcp-options failed m1 ${findMac('m1')}`],
  ['another time server', withChangedOffers({ timeServers: ['192.0.2.1'] }), `dhcp-options failed m1 ${findMac('m1')}`],
  ['no script for iPXE', withChangedOffers({ file: 'ipxe.efi' }), 'dhcp-firmware failed bs iPXE'],
  [
    'no HTTPClient',
    withChangedOffers({ vendorClass: null }),
    'dhcp-firmware failed bs UEFI over HTTP (architecture 16)',
  ],
  ['another boot program', withChangedOffers({ file: 'pxelinux.0' }), `dhcp-boot failed m1 ${findMac('m1')}`],
  [
    'a second DHCP server',
    {
      dhcp: async (query) => {
        const answer = await MATCHING_PROBES.dhcp(query);
        return { ...answer, offers: [...answer.offers, createOffer(findMac('m1'), '172.16.0.1')] };
      },
    },
    'dhcp-foreign failed all machines on this network',
  ],
  [
    'a MAC address that the server does not know',
    {
      dhcp: async (query) => {
        const answer = await MATCHING_PROBES.dhcp(query);
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
  [
    'a clock that is fast',
    { host: async ({ name }) => ({ ...HEALTHY_HOST, offsetMs: name === 'ns1' ? 8_000 : 0 }) },
    'host-clock failed ns1',
  ],
  [
    'a clock of this machine that is slow',
    {
      time: async () => ({ offsetMs: 90_000, detail: '' }),
      date: async () => ({ offsetMs: 90_000, isPresent: true, detail: '' }),
      host: async () => ({ ...HEALTHY_HOST, offsetMs: 90_000 }),
    },
    'machine-clock failed this machine',
  ],
  [
    'a closed port',
    { host: async () => ({ ...HEALTHY_HOST, firewall: ['Would open: port=53/udp'] }) },
    'host-firewall failed ns1',
  ],
  [
    'a packet filter that lets nothing out to a member',
    withInside('lb1', {
      filter: {
        nft: null,
        tables: [
          {
            tool: 'iptables',
            text: '*filter\n:INPUT ACCEPT [0:0]\n:OUTPUT ACCEPT [0:0]\n-A OUTPUT -d 172.16.0.23/32 -p tcp -m tcp --dport 6443 -j DROP\n',
          },
        ],
        isComplete: true,
      },
    }),
    'host-firewall failed lb1',
  ],
  [
    'a packet filter that lets only the bastion in',
    withInside('lb1', {
      filter: {
        nft: null,
        tables: [
          {
            tool: 'iptables',
            text: '*filter\n:INPUT ACCEPT [0:0]\n-A INPUT ! -s 172.16.0.101/32 -p tcp -m tcp --dport 22623 -j DROP\n',
          },
        ],
        isComplete: true,
      },
    }),
    'host-firewall failed lb1',
  ],
  [
    'keepalived that does not run',
    withInside('lb1', { keepalived: { isRunning: false, journal: [] } }),
    'vip-keepalived failed lb1',
  ],
  [
    'a virtual address that another router took',
    withInside('lb1', {
      interfaces: [{ name: 'lan0', mac: BALANCER_MAC, addresses: ['172.16.0.112/24'] }],
      keepalived: {
        isRunning: true,
        journal: ['(endpoints4) Master received advert from 172.16.0.9 with higher priority 250, ours 150'],
      },
    }),
    `vip-holder failed ${VIRTUAL[0]}`,
  ],
  [
    'a virtual address of a stranger',
    { neighbour: async () => ({ isLocal: true, mac: '02:00:00:00:00:09' }) },
    `vip-owner failed ${VIRTUAL[0]}`,
  ],
  [
    'a virtual address that a stranger has, too',
    { neighbour: async () => ({ isLocal: true, mac: BALANCER_MAC, otherMacs: ['02:00:00:00:00:09'] }) },
    `vip-owner failed ${VIRTUAL[0]}`,
  ],
  [
    'named that refuses nodes',
    withInside('ns1', {
      configs: {
        nginx: null,
        haproxy: null,
        named:
          'acl "few" { 172.16.0.101; !172.16.0.21; localhost; };\noptions { allow-query { "few"; }; };\nzone "example.localdomain" IN { type primary; };\n',
      },
    }),
    'dns-clients failed ns1 named.conf',
  ],
  [
    'a zone file that named cannot read',
    withInside('ns1', {
      unreadableZones: {
        user: 'named',
        files: [{ path: '/var/named/example.localdomain.zone', isFolder: false, mode: 0o600, owner: 'root' }],
      },
    }),
    'dns-readable failed ns1 example.localdomain.zone',
  ],
  [
    'a keepalived without its interface',
    withInside('lb1', {
      keepalived: {
        isRunning: true,
        journal: ["Keepalived_vrrp: WARNING - interface ens9 for vrrp_instance endpoints4 doesn't exist"],
      },
      interfaces: [{ name: 'lan0', mac: '52:54:00:00:00:01', addresses: ['172.16.0.112/24'] }],
    }),
    `vip-holder failed ${VIRTUAL[0]}`,
  ],
  [
    'a member that only this machine reaches',
    {
      tcp: async () => ({ state: 'open', detail: '' }),
      reach: async ({ targets }) => ({
        state: 'known',
        results: targets.map(({ host }) => ({ state: host === '172.16.0.23' ? 'refused' : 'open' })),
      }),
    },
    'lb-reaches failed lb1',
  ],
  [
    'a name server that only this machine reaches',
    {
      tcp: async () => ({ state: 'open', detail: '' }),
      reach: async ({ targets }) => ({
        state: 'known',
        results: targets.map(({ request }) => ({
          state: request !== undefined && 'dnsName' in request ? 'silent' : 'open',
        })),
      }),
    },
    'dns-from-hosts failed 172.16.0.102',
  ],
  [
    'virtual addresses that only this machine reaches',
    {
      tcp: async () => ({ state: 'open', detail: '' }),
      reach: async ({ targets }) => ({
        state: 'known',
        results: targets.map(({ host }) => ({ state: host === '172.16.0.111' ? 'refused' : 'open' })),
      }),
    },
    'lb-from-hosts failed 172.16.0.111:6443',
  ],
  [
    'a boot server that only this machine reaches',
    {
      tcp: async () => ({ state: 'open', detail: '' }),
      reach: async ({ targets }) => ({
        state: 'known',
        results: targets.map(({ request }) => ({
          state: request !== undefined && 'httpPath' in request ? 'silent' : 'open',
        })),
      }),
    },
    'http-from-hosts failed 172.16.0.101:8080',
  ],
  [
    'HAProxy that rejects nodes',
    withInside('lb1', {
      configs: {
        nginx: null,
        named: null,
        haproxy:
          'frontend api\n  bind 172.16.0.111:6443\n  acl here src 172.16.0.101\n  tcp-request connection reject unless here\n',
      },
    }),
    'lb-clients failed lb1 haproxy.cfg',
  ],
  [
    'dhcpd at another interface',
    withInside('ns1', {
      dhcpd: '/usr/sbin/dhcpd -4 -q -cf /etc/dhcp/dhcpd.conf wan0',
      interfaces: [
        { name: 'lan0', mac: '52:54:00:00:00:01', addresses: ['172.16.0.102/24'] },
        { name: 'wan0', mac: '52:54:00:00:00:02', addresses: ['192.0.2.1/24'] },
      ],
    }),
    'dhcp-interface failed ns1 dhcpd',
  ],
  [
    'nginx that refuses its ignition file to a node',
    withInside('bastion', {
      configs: {
        named: null,
        haproxy: null,
        nginx: 'http { server { location = /ignition/master.ign { # m1\n allow 172.16.0.22; deny all; } } }',
      },
    }),
    'ignition-clients failed bastion master.ign',
  ],
  [
    'nginx that gives the images to this machine alone',
    withInside('bastion', {
      configs: {
        named: null,
        haproxy: null,
        nginx:
          'http { server { location = /boot.ipxe { } location ~ ^/(ipxe|images)/[^/.][^/]*$ { allow 172.16.0.101; deny all; } } }',
      },
    }),
    `boot-clients failed bastion ${design.nodes[0]?.mac.replaceAll(':', '-')}.ipxe`,
  ],
  [
    'an image that nginx cannot read',
    withInside('bastion', {
      web: {
        user: 'www-data',
        files: [
          { path: '/var/www', isFolder: true, mode: 0o755, owner: 'root' },
          { path: '/var/www/upi-wizard/images/rootfs.img', isFolder: false, mode: 0o600, owner: 'root' },
        ],
        readable: [],
      },
    }),
    'boot-readable failed bastion rootfs.img',
  ],
  [
    'a boot program that in.tftpd may not send',
    withInside('bastion', { tftp: [{ path: '/srv/tftp/ipxe.efi', isFolder: false, mode: 0o640, owner: 'root' }] }),
    'tftp-readable failed bastion ipxe.efi',
  ],
  [
    'a missing SELinux setting',
    { host: async () => ({ ...HEALTHY_HOST, selinux: ['Would set: x'] }) },
    'host-selinux failed lb1',
  ],
  [
    'a machine that its boot server has stopped',
    { machines: async () => [{ name: 'w1', ageMs: MINUTE, problems: ['CPU level x86-64-v1, needs x86-64-v2'] }] },
    'machine-reports failed iPXE of the machines',
  ],
  [
    'a machine that was stopped and is off now',
    { machines: async () => [{ name: 'w1', ageMs: HOUR, problems: ['CPU level x86-64-v1, needs x86-64-v2'] }] },
    'machine-reports pending iPXE of the machines',
  ],
  ['expired files', withChangedIgnition({ expiresAt: -HOUR }), 'ignition-age failed bootstrap.ign'],
  ['files that are not created yet', withChangedIgnition({ expiresAt: null }), 'ignition-age pending bootstrap.ign'],
  ['a pointer of another run', withChangedIgnition({ file: { problem: 'foreign' } }), 'ignition-run failed master.ign'],
  [
    'an old copy on the web server',
    withChangedIgnition({ file: { content: 'other' } }),
    'ignition-same failed worker.ign',
  ],
  [
    'a web server that does not show its files',
    withChangedIgnition({ file: { content: 'unknown' } }),
    'ignition-same unknown worker.ign',
  ],
  [
    'an image of another build',
    { images: async ({ files }) => files.map((name) => ({ name, state: 'wrong' })) },
    `rhcos-sums failed ${exampleImages.rootfs}`,
  ],
  [
    'a load balancer that ends TLS itself',
    withChangedCertificate(({ host, port }) => host === '172.16.0.110' && port === 6443, {
      ...{ fingerprint: 'own', issuer: 'lb1', trust: 'foreign' },
    }),
    'api-certificate failed 172.16.0.110:6443',
  ],
  [
    'an API with a certificate that has expired on every machine',
    withChangedCertificate(({ port }) => port === 6443, { validUntil: -1 }),
    'api-certificate failed bs, m1, m2, m3 port 6443',
  ],
  [
    'a Machine Config Server of another run',
    withChangedCertificate(({ port }) => port === 22_623, { trust: 'other-run' }),
    'machine-config-certificate failed bs, m1, m2, m3 port 22623',
  ],
  [
    'routes with a certificate for other names',
    withChangedCertificate(({ port }) => port === 443, { names: ['*.apps.old.example'], isValidForName: false }),
    'ingress-certificate failed w1, w2, w3 port 443',
  ],
  [
    'plain HTTP at the port of the API',
    {
      certificate: async ({ host }) => ({ state: host === '172.16.0.110' ? 'not-tls' : 'closed', detail: 'HTTP/1.1' }),
    },
    'api-certificate failed 172.16.0.110:6443',
  ],
  [
    'a network that loses large packets',
    { packets: async () => ({ state: 'lost', size: 1500, passingSize: 1400, isPageStalled: true }) },
    'packet-size failed lb1 172.16.0.112',
  ],
  [
    'a control plane node that is silent while its peers serve',
    {
      members: async () => listMembersWithSilentM2(),
    },
    'lb-member-silent failed m2',
  ],
  [
    'control plane nodes that start one after the other',
    {
      members: async (query) =>
        (await MATCHING_PROBES.members(query))?.map((each) =>
          each.name === 'm2' || each.name === 'm3' ? { ...each, status: 'DOWN', check: 'L4TOUT' } : each,
        ) ?? null,
    },
    'lb-member-silent pending m2',
  ],
  [
    'a control plane node that its load balancer cannot reach',
    {
      reach: async ({ targets }) => ({ state: 'known', results: targets.map(() => ({ state: 'silent' })) }),
      members: async (query) => {
        if (query.attempt !== undefined) throw new Error('a second reading would say the same');
        return listMembersWithSilentM2();
      },
    },
    'lb-member-silent failed m2',
  ],
  [
    'a control plane node that has just started to serve',
    {
      members: async ({ attempt = 0 }) => {
        if (attempt > 3) throw new Error('the third reading has shown that the node is UP');
        return attempt === 3 ? listDesignedMembers(site) : listMembersWithSilentM2();
      },
    },
    'lb-member-silent pending m2',
  ],
  [
    'an API with a wrong clock',
    { date: async () => ({ offsetMs: 60_000, isPresent: true, detail: '' }) },
    'api-clock failed API',
  ],
  [
    'an API that is not up yet',
    { date: async () => ({ offsetMs: null, isPresent: false, detail: '' }) },
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

test('a pool without the bootstrap node names the members that it has', async () => {
  const members: typeof MATCHING_PROBES.members = async (query) =>
    (await MATCHING_PROBES.members(query))?.filter(({ name }) => name !== 'bs') ?? null;
  const results = await runCheck('lb-bootstrap-present', { ...site, probes: { ...MATCHING_PROBES, members } });
  expect(results[0]).toMatchObject({ state: 'failed', evidence: ['its pool has only m1, m2, m3'] });
});

test('expired ignition files of a cluster that has left its bootstrap are no failure', async () => {
  const probes = { ...MATCHING_PROBES, ...withChangedIgnition({ expiresAt: -HOUR }) };
  for (const stage of ['bootstrap-removed', 'infra-added'] as const)
    expect(await runCheck('ignition-age', { ...site, stage, probes })).toMatchObject([
      { state: 'ok', evidence: [expect.stringContaining('not needed any more')] },
    ]);
});

test('images of several builds, of a later release or truncated, and a network without a route are found by the design alone', async () => {
  const { kernel, rootfs } = exampleImages;
  const otherRootfs = rootfs?.replace('418.94.202410090804', '418.94.202501010000') ?? null;
  const list = async (changed: SiteCheckContext) =>
    (await listDeviations(MATCHING_PROBES, changed)).filter((each) => !each.startsWith('ipxe-nodes'));
  expect(await list({ ...site, images: { ...exampleImages, rootfs: otherRootfs } })).toEqual([
    'rhcos-build failed 418.94.202410090804-0, 418.94.202501010000-0',
  ]);
  const build = 'rhcos-build failed 418.94.202410090804-0';
  const older = await list(withDesign({ openshift: { ...design.openshift, version: '4.17.3' } }));
  expect(older.filter((each) => each.startsWith('rhcos-build'))).toEqual([build]);
  // From 4.19 on builds carry the version of RHEL, which says nothing of the release.
  const file = 'rhcos-9.6.20250523-0-live-kernel.x86_64';
  expect(await list({ ...site, images: { ...exampleImages, kernel: file, initramfs: file, rootfs: file } })).toEqual(
    [],
  );
  expect(await list({ ...site, imageSizes: { [kernel]: 99 } })).toEqual([`http-artifacts failed ${kernel}`]);
  const machine = design.networks.machine.map((network) => ({ ...network, gateway: null }));
  const withoutRoute = await list(withDesign({ networks: { ...design.networks, machine } }));
  expect(withoutRoute.filter((each) => each.startsWith('bootstrap-'))).toEqual(['bootstrap-route failed bs']);
});

test('with a proxy, public names are looked up by the proxy', async () => {
  expect(await runCheck('dns-upstream', withDesign({ imageDigestSources: [] }))).toEqual([]);
  expect(await runCheck('dns-upstream', CONNECTED)).not.toEqual([]);
});

test('a name server that knows the cluster and refuses public names fails for a host of the site and is unknown elsewhere', async () => {
  const refusedAnswer = { state: 'refused', answers: [], detail: 'refused' } as const;
  const createRefusingDns: Probes['dns'] = async (query) =>
    query.name === 'quay.io' ? refusedAnswer : await MATCHING_PROBES.dns(query);
  const runUpstreamCheck = async (isSelf: boolean, dns: Probes['dns']) => {
    const localAddresses = new Set(isSelf ? design.services.bastion.ip : []);
    const probes = { ...MATCHING_PROBES, dns };
    return (await runCheck('dns-upstream', { ...CONNECTED, localAddresses, probes }))[0];
  };
  expect(await runUpstreamCheck(true, createRefusingDns)).toMatchObject({
    state: 'failed',
    evidence: [expect.stringMatching(/recursion/)],
  });
  expect((await runUpstreamCheck(false, createRefusingDns))?.state).toBe('unknown');
  expect((await runUpstreamCheck(true, async () => refusedAnswer))?.state).toBe('unknown');
  expect((await runUpstreamCheck(true, MATCHING_PROBES.dns))?.state).toBe('ok');
});

test('a machine that is powered on is no conflict at its own address', async () => {
  const macs = new Map(design.nodes.map(({ ip, mac }) => [ip[0], mac.toUpperCase()]));
  const neighbour: Probes['neighbour'] = async ({ address }) => ({
    isLocal: true,
    mac: macs.get(address) ?? (VIRTUAL.includes(address) ? BALANCER_MAC : null),
  });
  expect(await listDeviations({ ...MATCHING_PROBES, neighbour })).toEqual([]);
});

test('of a changed file the first line that differs is reported; comments, blanks, serials and stages are ignored', async () => {
  const path = '/etc/haproxy/haproxy.cfg';
  const runFileCheck = async (probes: Pick<Probes, 'files'>, subject: string) => {
    const results = await runCheck('host-files', { ...site, probes: { ...MATCHING_PROBES, ...probes } });
    const { state, evidence } = results.find((each) => each.subject === subject) ?? { evidence: [] };
    return { state, detail: evidence.join('; ') };
  };
  const changed = withChangedFile('lb1', path, (text) =>
    text.replace('timeout tunnel 1h', 'timeout tunnel 5s').replace(/^.*stats refresh 10s/m, '    stats refresh 9s'),
  );
  expect(await runFileCheck(changed, `lb1 ${path}`)).toEqual({
    state: 'failed',
    detail: expect.stringMatching(
      /^2 lines differ, from line \d+; there: "timeout tunnel 5s"; generated: "timeout tunnel 1h"$/,
    ),
  });
  const withExtraLine = withChangedFile('lb1', path, (text) =>
    text.replace('timeout tunnel 1h', 'timeout tunnel 1h\n  nbthread 2'),
  );
  expect((await runFileCheck(withExtraLine, `lb1 ${path}`)).detail).toMatch(
    /there: "nbthread 2"; no such line was generated$/,
  );
  const withoutLine = withChangedFile('lb1', path, (text) => text.replace(/^.*timeout tunnel 1h\n/m, ''));
  expect((await runFileCheck(withoutLine, `lb1 ${path}`)).detail).toMatch(
    /from line \d+; generated: "timeout tunnel 1h"$/,
  );
  const withEqualMeaning = withChangedFile(
    'lb1',
    path,
    (text) => `# mine\n${text.replace('    mode tcp', '\tmode   tcp # so')}\n\n`,
  );
  expect((await runFileCheck(withEqualMeaning, `lb1 ${path}`)).state).toBe('ok');
  const zone = [...configs]
    .flatMap(([name, own]) => own.map((each) => ({ name, ...each })))
    .find(({ kind }) => kind === 'bind-zone');
  const withHigherSerial = withChangedFile(zone?.name ?? '', zone?.path ?? '', (text) =>
    text.replace(/1 ; serial/, '77 ; serial'),
  );
  expect((await runFileCheck(withHigherSerial, `${zone?.name} ${zone?.path}`)).state).toBe('ok');
  const withoutFiles = { files: async () => ({ state: 'known' as const, texts: [] }) };
  expect((await runFileCheck(withoutFiles, `lb1 ${path}`)).state).toBe('unknown');
});

test('a section of the user in haproxy.cfg is no difference, unless it has a port of the cluster', async () => {
  const path = '/etc/haproxy/haproxy.cfg';
  const compare = async (port: number) => {
    const section = `listen own\n    bind 172.16.0.112:${port}\n    server own 127.0.0.1:1\n`;
    const probes = { ...MATCHING_PROBES, ...withChangedFile('lb1', path, (text) => `${text}\n${section}`) };
    const results = await runCheck('host-files', { ...site, probes });
    return results.find(({ subject }) => subject === `lb1 ${path}`)?.state;
  };
  expect(await compare(8404)).toBe('ok');
  expect(await compare(6443)).toBe('failed');
});

test('two default routes are right if the planned one is used, and a configuration file that is given', async () => {
  const routes = [
    { device: 'eth0', gateway: '172.16.0.254', metric: 100 },
    { device: 'eth1', gateway: '172.16.0.253', metric: 200 },
  ];
  const probes: Probes = {
    ...MATCHING_PROBES,
    machine: async () => ({ ...MACHINE, defaultRoutes: routes }),
    neighbour: async ({ address }) => ({ isLocal: true, mac: address === '172.16.0.254' ? '52:54:00:00:00:99' : null }),
    ...withService('lb1', 'haproxy', (found) => ({ ...found, configFiles: ['/etc/haproxy/haproxy.cfg'] })),
  };
  for (const id of ['default-routes', 'host-service-current'] as const)
    for (const { state } of await runCheck(id, { ...site, probes })) expect(state, id).not.toBe('failed');
});

test('routers that run on infra nodes alone are found, while the load balancer still has the compute nodes', async () => {
  const routerAddresses = site.design.nodes.filter(({ role }) => role === 'infra').map(({ ip: [address] }) => address);
  const probes: SiteCheckContext['probes'] = {
    ...MATCHING_PROBES,
    certificate: async (query) =>
      query.port === 443 && query.host !== '172.16.0.111' && !routerAddresses.includes(query.host)
        ? { state: 'closed', detail: 'refused' }
        : await MATCHING_PROBES.certificate(query),
  };
  expect(await runCheck('ingress-certificate', { ...site, stage: 'infra-added', probes })).toMatchObject([
    { state: 'ok', subject: '172.16.0.111:443' },
    { state: 'ok', evidence: ['i1, i2, i3'] },
  ]);
});

test('the load balancer is compared with its current stage: a removed bootstrap node is not missing', async () => {
  const laterSite: SiteCheckContext = { ...site, stage: 'infra-added' };
  expect(
    await listDeviations({ ...MATCHING_PROBES, members: async () => listDesignedMembers(laterSite) }, laterSite),
  ).toEqual([]);
  const deviations = await listDeviations(MATCHING_PROBES, laterSite);
  expect(deviations).toContain('lb-members failed lb1 api');
  expect(deviations.filter((each) => each.startsWith('lb-bootstrap-present'))).toEqual([]);
});

test('what a service does not report is no failure, and neither is a host without its files', async () => {
  const runBoth = async (change: (found: ServiceProcess) => ServiceProcess) => {
    const changed = { ...site, probes: { ...MATCHING_PROBES, ...withService('ns1', 'named', change) } };
    const ids = ['host-service-runs', 'host-service-current'] as const;
    const results = await Promise.all(ids.map((id) => runCheck(id, changed)));
    return results.flat().filter(({ subject }) => subject === 'ns1 named');
  };
  const listStates = async (change: (found: ServiceProcess) => ServiceProcess) =>
    (await runBoth(change)).map(({ state }) => state);
  const outdated = { path: '/etc/named.conf', changedAt: 100, readAt: null };
  expect(await listStates((found) => ({ ...found, files: [outdated] }))).toEqual(['ok', 'unknown']);
  expect(await listStates((found) => ({ ...found, files: [] }))).toEqual(['unknown', 'unknown']);
  const hidden = { isRunning: false, unitState: '', log: [] };
  expect(await listStates((found) => ({ ...found, ...hidden }))).toEqual(['unknown', 'unknown']);
  expect(await listStates((found) => ({ ...found, ...hidden, unitState: 'active' }))).toEqual(['ok', 'unknown']);
  const [stopped] = await runBoth((found) => ({
    ...found,
    ...hidden,
    unitState: 'failed',
    log: ['/etc/named.conf:12: unknown option', 'bye'],
  }));
  expect(stopped?.evidence).toEqual(['systemd reports that named is failed; /etc/named.conf:12: unknown option']);
  expect(stopped?.remedy).toContain('systemctl restart named');
});

test('a name server whose forwarder is dead answers, and its forwarder is said not to', async () => {
  const [forwarder] = CONNECTED.design.services.dns.forwarders;
  const silent = { state: 'timeout', answers: [], detail: 'silent' } as const;
  const runUpstream = async (isForwarderSilent: boolean) => {
    const dns: Probes['dns'] = async (query) => {
      if (query.server === forwarder && !isForwarderSilent)
        return { ...silent, state: 'answered', answers: ['192.0.2.1'] };
      return query.name === 'quay.io' ? silent : await MATCHING_PROBES.dns(query);
    };
    return (await runCheck('dns-upstream', { ...CONNECTED, probes: { ...MATCHING_PROBES, dns } }))[0];
  };
  const dead = await runUpstream(true);
  expect(dead).toMatchObject({ state: 'failed' });
  expect(dead?.evidence.join()).toMatch(
    /172\.16\.0\.102 answers for its own zone, but its forwarder 192\.168\.124\.1 answers neither/,
  );
  const slow = await runUpstream(false);
  expect(slow?.state).toBe('unknown');
  expect(slow?.evidence.join()).toContain('answers for its own zone');
});

test('an alias without an address of the other IP version is no failure', async () => {
  const dns: Probes['dns'] = async (query) =>
    query.type === 'AAAA' ? { state: 'answered', answers: [], detail: 'alias' } : await MATCHING_PROBES.dns(query);
  const results = await runCheck('dns-family', { ...site, probes: { ...MATCHING_PROBES, dns } });
  expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['ok']));
});

test('a keepalived that may have been reloaded since is outdated only if one of its addresses does not answer', async () => {
  const change = (found: ServiceProcess): ServiceProcess => ({
    ...found,
    files: found.files.map((file) => ({ ...file, changedAt: 160, readAt: null, startedAt: 100 })),
  });
  const runCurrent = async (isSilent: boolean) => {
    const tcp: Probes['tcp'] = async (query) =>
      isSilent && query.host === '172.16.0.110'
        ? { state: 'timeout', detail: 'silent' }
        : await MATCHING_PROBES.tcp(query);
    const probes = { ...MATCHING_PROBES, ...withService('lb1', 'keepalived', change), tcp };
    const results = await runCheck('host-service-current', { ...site, probes });
    return results.find(({ subject }) => subject === 'lb1 keepalived');
  };
  expect((await runCurrent(false))?.state).toBe('unknown');
  expect(await runCurrent(true)).toMatchObject({
    state: 'failed',
    remedy: expect.stringContaining('systemctl reload-or-restart keepalived'),
  });
});

test('addresses are queried only for a keepalived whose reload is unknown', async () => {
  const tcp: Probes['tcp'] = () => Promise.reject(new Error('no address is queried'));
  const results = await runCheck('host-service-current', { ...site, probes: { ...MATCHING_PROBES, tcp } });
  expect(new Set(results.map(({ state }) => state))).toEqual(new Set(['ok']));
});

test('the command of a member that a load balancer does not reach names that member and port', async () => {
  const results = await runCheck('lb-reaches', {
    ...site,
    probes: {
      ...site.probes,
      tcp: async () => ({ state: 'open', detail: '' }),
      reach: async ({ targets }) => ({
        state: 'known',
        results: targets.map(({ host, port }) => ({
          state: host === '172.16.0.31' && port === 443 ? 'refused' : 'open',
        })),
      }),
    },
  });
  expect(results.map(({ state, command }) => [state, command])).toEqual([
    ['failed', "ssh 172.16.0.112 'nc -vz -w 3 172.16.0.31 443'"],
  ]);
});

test('files that a closed folder hides from the web server are one failure with one command', async () => {
  const folder = '/var/www/upi-wizard/ignition';
  const files = ['worker', 'master', 'bootstrap'].map((name) => ({ path: `${folder}/${name}.ign` }));
  const inside = withInside('bastion', {
    web: {
      user: 'www-data',
      files: [
        { path: folder, isFolder: true, mode: 0o700, owner: 'root' },
        ...files.map((file) => ({ ...file, isFolder: false, mode: 0o644, owner: 'root' })),
      ],
      readable: [],
    },
  });
  const failed = (await runCheck('boot-readable', { ...site, probes: { ...MATCHING_PROBES, ...inside } })).filter(
    ({ state }) => state === 'failed',
  );
  expect(failed).toMatchObject([{ remedy: `Run on bastion as root: \`chmod o+rx ${folder}\`` }]);
  for (const { path } of files) expect(failed[0]?.evidence.join(' ')).toContain(path);
});

test('a small MTU of the host itself is named, with the command that raises it', async () => {
  const interfaces = [{ name: 'ens3', mac: BALANCER_MAC, mtu: 1400, addresses: ['172.16.0.112/24'] }];
  const probes: Probes = {
    ...MATCHING_PROBES,
    packets: async () => ({ state: 'lost', size: 1500, passingSize: 1400, isPageStalled: true }),
    ...withInside('lb1', { interfaces }),
  };
  const results = await runCheck('packet-size', { ...site, probes });
  const [m1, lb1] = ['m1', 'lb1'].map((name) => results.find(({ subject }) => subject.startsWith(`${name} `)));
  expect(lb1?.evidence.join()).toContain('ens3 of lb1 has an MTU of 1400');
  expect(lb1?.remedy).toContain('Run on lb1 as root: `ip link set ens3 mtu 1500`');
  expect(m1).toMatchObject({ state: 'failed' });
  expect(m1?.remedy).toBeUndefined();
});

test('the commands that set a clock name the unit of chronyd of the host', async () => {
  const { bastion } = design.services;
  const host: Probes['host'] = async () => ({ ...HEALTHY_HOST, offsetMs: 90_000 });
  const probes: Probes = {
    ...MATCHING_PROBES,
    host,
    time: async () => ({ offsetMs: 90_000, detail: '' }),
    date: async () => ({ offsetMs: 90_000, isPresent: true, detail: '' }),
  };
  const readRemedy = async (os: typeof bastion.os) => {
    const services = { ...design.services, bastion: { ...bastion, os } };
    const [result] = await runCheck('machine-clock', { ...site, design: { ...design, services }, probes });
    return result?.remedy;
  };
  expect(await readRemedy('debian')).toMatch(/tee -a \/etc\/chrony\/chrony\.conf;.*enable --now chrony`/);
  expect(await readRemedy('rhel9')).toMatch(/tee -a \/etc\/chrony\.conf;.*enable --now chronyd`/);
});

test('an address that a stranger’s keepalived takes is given back only when that keepalived stops', async () => {
  const journal = ['(endpoints4) Master received advert from 172.16.0.9 with higher priority 250, ours 150'];
  const neighbour: Probes['neighbour'] = async () => ({ isLocal: true, mac: '02:00:00:00:00:09' });
  const readRemedy = async (lines: readonly string[]) => {
    const { host } = withInside('lb1', { keepalived: { isRunning: true, journal: lines } });
    const [result] = await runCheck('vip-owner', { ...site, probes: { ...MATCHING_PROBES, neighbour, host } });
    return result?.remedy;
  };
  expect(await readRemedy(journal)).toMatch(/^172\.16\.0\.9 runs keepalived.*`systemctl disable --now keepalived`/);
  expect(await readRemedy([])).toContain(`ip -o addr show to ${VIRTUAL[0]} |`);
});

test('a BMC that does not answer is a warning; a certificate that nodes refuse is fatal, unless its verification is off', async () => {
  const list = async (certificate: Probes['certificate'] = MATCHING_PROBES.certificate) =>
    await runCheck('bmc', { ...site, bmcs: BMCS, probes: { ...MATCHING_PROBES, certificate } });
  const summarize = async (certificate?: Probes['certificate']) =>
    (await list(certificate)).map(({ subject, state, severity = 'fatal' }) => `${subject} ${state} ${severity}`);
  expect(await runCheck('bmc', site)).toEqual([]);
  expect(await summarize()).toEqual(['m1 192.0.2.11:443 ok fatal', 'm2 192.0.2.12:8443 ok fatal']);
  expect(await summarize(async () => ({ state: 'refused', detail: 'refused' }))).toEqual([
    'm1 192.0.2.11:443 failed warning',
    'm2 192.0.2.12:8443 failed warning',
  ]);
  for (const change of [{ trust: 'foreign' }, { validUntil: -1 }, { isValidForName: false, names: ['x'] }] as const) {
    const { certificate } = withChangedCertificate(() => true, change);
    expect(await summarize(certificate)).toEqual(['m1 192.0.2.11:443 failed fatal', 'm2 192.0.2.12:8443 ok fatal']);
  }
  const [verified, unverified] = await list();
  expect(verified?.command).toBe('curl -sSI https://192.0.2.11:443/redfish/v1/');
  expect(unverified).toMatchObject({
    command: 'curl -sSIk https://192.0.2.12:8443/redfish/v1/',
    evidence: [expect.stringContaining('accept any certificate')],
  });
});
