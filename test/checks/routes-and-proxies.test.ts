import { expect, test } from 'vitest';
import { RESOLVER_CHECKS } from '../../src/checks/site/resolver.ts';
import { ROUTE_AND_PROXY_CHECKS } from '../../src/checks/site/routes-and-proxies.ts';
import type { Probes, SiteCheckContext } from '../../src/checks/site/site.ts';
import { probeLocalNetwork } from '../../src/probes/local-network-probe.ts';
import { exampleImages, exampleSite } from '../support/example-design.ts';

const NAME_SERVER = '172.16.0.102';
const RIGHT: Readonly<Record<string, string>> = {
  'api.ocp45.example.localdomain': '172.16.0.110',
  'console-openshift-console.apps.ocp45.example.localdomain': '172.16.0.111',
};
const design = exampleSite();
const findPlanned = (name: string) => {
  const { api, ingress } = design.endpoints;
  if (!(name in RIGHT)) return [];
  return name.startsWith('api.') ? api : ingress;
};

/** Differences of this machine: its files, its environment, other name servers, and what programs get. */
interface Machine {
  readonly files?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  /** Answers of other name servers; a server that is missing is silent. */
  readonly servers?: Readonly<Record<string, (name: string) => readonly string[]>>;
  readonly lookup?: (name: string) => readonly string[];
  readonly seconds?: number;
  readonly deadAddresses?: readonly string[];
}

const NO_NAMES = () => [];

/** Lists the failed findings on this machine, in their order: id, title, evidence and remedy. */
async function listFailures({
  files = {},
  env = {},
  servers = {},
  lookup = findPlanned,
  seconds = 0,
  ...other
}: Machine) {
  const texts: Readonly<Record<string, string>> = {
    '/etc/resolv.conf': `nameserver ${NAME_SERVER}\n`,
    '/etc/nsswitch.conf': 'hosts:      files dns myhostname\n',
    ...files,
  };
  const answering = { [NAME_SERVER]: findPlanned, ...servers };
  const probes = {
    machine: () => probeLocalNetwork(async (path) => texts[path] ?? null, env),
    lookup: async ({ name }) => {
      const addresses = lookup(name);
      return { state: addresses.length > 0 ? 'answered' : 'no-name', addresses, seconds };
    },
    dns: async ({ server, name }) => {
      const answer = Object.entries(answering).find(([address]) => address === server)?.[1];
      if (answer === undefined) return { state: 'timeout', answers: [], detail: 'silent' };
      const answers = answer(name);
      return { state: answers.length > 0 ? 'answered' : 'no-name', answers, detail: 'no such name' };
    },
    neighbour: async ({ address }) => ({
      isLocal: true,
      mac: other.deadAddresses?.includes(address) ? null : '02:00:00:00:00:fe',
    }),
    host: async () => ({ state: 'unknown', detail: '' }),
  } satisfies Partial<Probes> as unknown as Probes;
  const site = {
    ...{ design, images: exampleImages, stage: 'install', imagesDir: '', imageSizes: {}, dir: '', onlyHost: null },
    ...{ pullSecret: { file: null, registries: null }, bmcs: [], localAddresses: new Set(['172.16.0.101']), probes },
  } satisfies SiteCheckContext;
  const checks = [...ROUTE_AND_PROXY_CHECKS, ...RESOLVER_CHECKS].filter(({ id }) => id !== 'dns-resolver-nodes');
  const results = await Promise.all(
    checks.flatMap(({ id, run }) => run(site).map(async (result) => ({ id, ...(await result) }))),
  );
  return results
    .filter(({ state }) => state === 'failed')
    .map(({ id, title = '', evidence, remedy = '' }) => [id, title, evidence.join(), remedy].join(' | '));
}

const ROUTES =
  'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n' +
  'lan0\t00000000\tFE0010AC\t0003\t0\t0\t100\t00000000\n' +
  'lan0\t00000000\tFD0010AC\t0003\t0\t0\t10\t00000000\n' +
  'lan0\t000010AC\t00000000\t0001\t0\t0\t0\t00FFFFFF\n';

test.each<[string, Machine]>([
  ['a machine that asks the name server of the cluster', {}],
  [
    'a second name server that knows nothing',
    { files: { '/etc/resolv.conf': `nameserver ${NAME_SERVER}\nnameserver 1.1.1.1\n` } },
  ],
  [
    'its own name at a loopback address',
    { files: { '/etc/hosts': '127.0.1.1 bastion.example.localdomain bastion\n' } },
  ],
  [
    'a proxy and a no_proxy with the domain',
    { env: { https_proxy: 'http://proxy:3128', no_proxy: 'localhost,.example.localdomain' } },
  ],
])('%s is in order', async (_, machine) => {
  expect(await listFailures(machine)).toEqual([]);
});

test.each<[string, Machine, readonly RegExp[]]>([
  [
    'a line of /etc/hosts',
    {
      files: { '/etc/hosts': '127.0.0.1 localhost\n172.16.0.99 api.ocp45.example.localdomain\n' },
      lookup: (name) => (name.startsWith('api.') ? ['172.16.0.99'] : findPlanned(name)),
    },
    [/^resolver-hosts-file .* line 2: "172\.16\.0\.99 api\..*sed -i --follow-symlinks -e '2s/, /^dns-resolver /],
  ],
  [
    'a dead first name server',
    { files: { '/etc/resolv.conf': `nameserver 172.16.0.99\nnameserver ${NAME_SERVER}\n` }, seconds: 5 },
    [/^resolver-servers .*172\.16\.0\.99.*does not answer.*waits 5 s.*172\[\.\]16\[\.\]0\[\.\]99.*\/d/],
  ],
  [
    'a first name server that does not know the cluster',
    {
      files: { '/etc/resolv.conf': `nameserver 192.168.124.1\nnameserver ${NAME_SERVER}\n` },
      servers: { '192.168.124.1': NO_NAMES },
      lookup: NO_NAMES,
    },
    [
      /^resolver-servers .*192\.168\.124\.1.*does not resolve.*1i nameserver 172\.16\.0\.102/,
      /^dns-resolver/,
      /^dns-resolver/,
    ],
  ],
  [
    'systemd-resolved with another name server',
    {
      files: {
        '/etc/resolv.conf': 'nameserver 127.0.0.53\n',
        '/run/systemd/resolve/resolv.conf': 'nameserver 192.168.124.1\n',
      },
      servers: { '127.0.0.53': NO_NAMES, '192.168.124.1': NO_NAMES },
      lookup: NO_NAMES,
    },
    [/^resolver-servers .*systemd-resolved.*resolved\.conf\.d/, /^dns-resolver/, /^dns-resolver/],
  ],
  [
    'nsswitch.conf without dns',
    { files: { '/etc/nsswitch.conf': 'hosts: files\n' }, lookup: NO_NAMES },
    [/^resolver-servers .*nsswitch.*"hosts: files"/, /^dns-resolver/, /^dns-resolver/],
  ],
  [
    'a wildcard in the search domain',
    {
      files: { '/etc/resolv.conf': `search corp.example\noptions ndots:5\nnameserver ${NAME_SERVER}\n` },
      servers: { [NAME_SERVER]: (name) => (name.endsWith('.corp.example') ? ['192.0.2.80'] : findPlanned(name)) },
      lookup: (name) => (name.startsWith('api.') ? ['192.0.2.80'] : findPlanned(name)),
    },
    [/^resolver-search .*corp\.example.*ndots:5/, /^dns-resolver/],
  ],
  [
    'a proxy without no_proxy',
    { env: { HTTPS_PROXY: 'http://user:pass@proxy.example.com:3128', NO_PROXY: 'localhost' } },
    [
      /^proxy-environment \| HTTPS_PROXY is set, and no_proxy.*proxy\.example\.com:3128.*api\.ocp45.*export no_proxy=localhost,\.ocp45\.example\.localdomain,172\.16\.0\.0\/24 NO_PROXY=/,
    ],
  ],
  [
    'two default routes, and the used one is dead',
    { files: { '/proc/net/route': ROUTES }, deadAddresses: ['172.16.0.253'] },
    [
      /^default-routes .*172\.16\.0\.253 on lan0, where no machine answers.*ip route del default via 172\.16\.0\.253 dev lan0 metric 10`/,
    ],
  ],
])('%s is named first', async (_, machine, expected) => {
  const failures = await listFailures(machine);
  expect(failures).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(failures[index]).toMatch(pattern);
  expect(failures.join()).not.toContain('user:pass');
});
