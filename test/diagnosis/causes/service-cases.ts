import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import type { Case } from './case.ts';
import {
  BOOTSTRAP,
  booting,
  bootstrapping,
  complete,
  design,
  failing,
  fetched,
  fqdn,
  lines,
  MASTERS,
  machine,
  member,
  node,
  operator,
  pools,
  port,
  right,
  router,
  times,
  WORKERS,
  withCluster,
} from './healthy.ts';

const checked = (code: Parameters<typeof failing>[0], base: Evidence = bootstrapping): Evidence => ({
  ...base,
  checks: [...base.checks, failing(code, 'x')],
});
const NO_ZONE = [failing('dns-api', 'api'), failing('dns-api-int', 'api-int'), failing('dns-apps-wildcard', '*.apps')];
const FORBIDDEN = { ...failing('http-artifacts', 'rootfs', 'rootfs: HTTP 403'), status: 403 };
const CUT_OFF = failing('http-artifacts', 'rootfs', 'rootfs: 403 bytes instead of 1200');
const said = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
const haproxy = (from: string | RegExp, to: string): Evidence => ({
  ...complete,
  files: complete.files.map((file) =>
    file.kind === 'haproxy' ? { ...file, text: file.text.replace(from, to) } : file,
  ),
});
const dhcp = (from: string | RegExp, to: string): Evidence => ({
  ...booting,
  files: booting.files.map((file) =>
    file.kind === 'isc-dhcpd' ? { ...file, text: file.text.replace(from, to) } : file,
  ),
});
const again = (base: Evidence, count: number): Evidence => ({
  ...base,
  machines: base.machines.map((each) => {
    const requests = times(count, '/images/live-kernel').map((path) => fetched(path));
    return each.name === BOOTSTRAP ? machine(each.name, { stage: 'kernel', requests }) : each;
  }),
});
const ports = (base: Evidence, ...changed: readonly Evidence['ports'][number][]): Evidence => ({
  ...base,
  ports: [
    ...base.ports.filter(
      ({ host, port: number }) => !changed.some((each) => each.host === host && each.port === number),
    ),
    ...changed,
  ],
});
const down = (check: string): Evidence => ({
  ...bootstrapping,
  ports: ports(bootstrapping, port('api', 6443, 'closed-at-once'), port('api-int', 6443, 'closed-at-once')).ports,
  pools: bootstrapping.pools.map((each) =>
    each.pool === 'api' && each.name === BOOTSTRAP ? { ...each, status: 'DOWN', check } : each,
  ),
});
const PULL = 'Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: connect: network is unreachable';
const LOOP = 'GET https://api-int.ocp45.example.localdomain:22623/config/master: attempt #14: EOF';
const kept: Evidence = { ...complete, ports: complete.ports.map((seen) => ({ ...seen, state: 'unsent' })) };
const gone = (name: string) => complete.pools.filter((each) => each.name !== name);

export const SERVICE_CASES: readonly Case[] = [
  [
    'no-way-from-here',
    [[kept, 'certain']],
    // One of the endpoint's two addresses is of a family that this machine does not have.
    [{ ...complete, ports: [...complete.ports, { ...port('api', 6443, 'unsent'), address: 'fd00::111' }] }],
  ],
  ['dns-server-silent', [[checked('dns-server'), 'certain']], [checked('dns-upstream')]],
  ['api-name-wrong', [[checked('dns-api'), 'certain']], [checked('dns-nodes')]],
  [
    'zone-not-served',
    [[{ ...bootstrapping, checks: NO_ZONE }, 'certain']],
    [
      { ...bootstrapping, checks: NO_ZONE.slice(1) },
      { ...bootstrapping, checks: [...NO_ZONE, failing('dns-server', '172.16.0.102')] },
      { ...bootstrapping, checks: [...NO_ZONE, right('dns-api')] },
    ],
  ],
  [
    'api-int-missing',
    [
      [checked('dns-api-int'), 'certain'],
      [
        said(booting, 'kubelet', 'dial tcp: lookup api-int.ocp45.example.localdomain on 172.16.0.1:53: no such host'),
        'likely',
      ],
    ],
    [said(booting, 'openshift-install', 'dial tcp: lookup quay.io on 172.16.0.1:53: no such host')],
  ],
  [
    'apps-wildcard-missing',
    [
      [checked('dns-apps-wildcard'), 'certain'],
      [
        withCluster(complete, {
          operators: [operator('console', 'name', 'lookup console.apps.ocp45.example.localdomain: no such host')],
        }),
        'likely',
      ],
      [
        said(
          bootstrapping,
          'authentication',
          'lookup oauth-openshift.apps.ocp45.example.localdomain on 172.30.0.10:53: no such host',
        ),
        'likely',
      ],
    ],
    [withCluster(complete, { operators: [operator('insights', 'name', 'lookup console.redhat.com: no such host')] })],
  ],
  ['wildcard-too-wide', [[checked('dns-no-cluster-wildcard'), 'certain']], [checked('dns-apps-wildcard')]],
  ['ptr-missing', [[checked('dns-reverse'), 'certain']], [checked('dns-nodes')]],
  ['node-name-missing', [[checked('dns-nodes'), 'certain']], [checked('dns-reverse')]],
  ['outside-names-missing', [[checked('dns-upstream'), 'likely']], [checked('dns-upstream', complete)]],
  [
    'resolver-elsewhere',
    [
      [
        { ...booting, api: { isUp: false, code: 'cluster-name', line: 'getaddrinfo ENOTFOUND api', skew: null } },
        'certain',
      ],
      [
        said(
          booting,
          'openshift-install',
          'dial tcp: lookup api.ocp45.example.localdomain on 8.8.8.8:53: no such host',
        ),
        'likely',
      ],
    ],
    [
      {
        ...checked('dns-api', booting),
        checks: [],
        api: { isUp: false, code: 'cluster-name', line: 'ENOTFOUND', skew: null },
      },
    ],
  ],
  [
    'bootstrap-not-in-balancer',
    [[{ ...bootstrapping, pools: pools(MASTERS, WORKERS) }, 'certain']],
    [complete, { ...bootstrapping, pools: [] }],
  ],
  [
    'config-server-closed',
    [
      [ports(bootstrapping, port('api-int', 22623, 'closed-at-once')), 'certain'],
      [ports(bootstrapping, port('api-int', 22623, 'refused')), 'certain'],
      [ports(complete, port('api-int', 22623, 'timeout')), 'certain'],
      [ports(booting, port('api-int', 22623, 'refused')), 'certain'],
      [{ ...bootstrapping, pools: pools([BOOTSTRAP, ...MASTERS], WORKERS, MASTERS) }, 'certain'],
      [{ ...booting, design: null, ports: [], pools: [], lines: lines('console', ...times(3, LOOP)) }, 'likely'],
    ],
    [
      said(bootstrapping, 'console', ...times(5, LOOP)),
      { ...booting, lines: lines('console', LOOP, LOOP) },
      ports(booting, port('api-int', 22623, 'refused'), port('api-int', 6443, 'refused')),
    ],
  ],
  [
    'api-health-check-wrong',
    [
      [down('L7STS/404 Not Found'), 'certain'],
      [{ ...down('L6RSP invalid response'), ready: [] }, 'certain'],
      [haproxy(/GET \/readyz/, 'GET /index.html'), 'certain'],
    ],
    [
      { ...down('L7STS/500'), ready: [] },
      { ...down('L4CON'), ports: booting.ports, ready: [] },
      haproxy(/GET \/readyz/, 'GET /healthz'),
    ],
  ],
  [
    'bootstrap-left-in-balancer',
    [
      [{ ...complete, pools: pools([BOOTSTRAP, ...MASTERS], WORKERS) }, 'certain'],
      [{ ...complete, stage: 'install', pools: pools([BOOTSTRAP, ...MASTERS], WORKERS) }, 'certain'],
    ],
    [
      {
        ...withCluster(complete, { isEtcdAlone: false }),
        stage: 'install',
        pools: pools([BOOTSTRAP, ...MASTERS], WORKERS),
      },
    ],
  ],
  [
    'balancer-member-missing',
    [[{ ...complete, pools: gone(MASTERS[1] ?? '') }, 'certain']],
    [{ ...complete, pools: [member('api', 'other')] }],
  ],
  [
    'balancer-member-unreachable',
    [
      [{ ...down('L4CON Connection refused'), ports: bootstrapping.ports }, 'likely'],
      [haproxy(/server m2 172\.16\.0\.22:6443/, 'server m2 172.16.0.22:6444'), 'certain'],
      [haproxy(/server w1 172\.16\.0\.31:443/, 'server w1 172.16.0.32:443'), 'certain'],
      [{ ...complete, pools: [{ ...member('api', 'm2'), address: '172.16.0.32:6443', mode: 'tcp' }] }, 'certain'],
    ],
    [
      { ...down('L4CON Connection refused'), ports: booting.ports, ready: [] },
      haproxy(/ +server m2 172\.16\.0\.22:6443.*\n/, ''),
      { ...complete, pools: [{ ...member('api', 'm2'), address: '172.16.0.22:6443', mode: 'tcp' }] },
    ],
  ],
  [
    'balancer-closed',
    [
      [ports(bootstrapping, port('api', 6443, 'refused')), 'certain'],
      [{ ...booting, checks: [failing('lb-listens', '172.16.0.111:443', 'timed out')] }, 'certain'],
    ],
    [
      { ...booting, checks: [failing('lb-listens', '172.16.0.110:22623')] },
      {
        ...ports(booting, port('api', 6443, 'refused')),
        design: { ...design, services: { ...design.services, loadBalancer: { kind: 'external', servers: [] } } },
      },
    ],
  ],
  [
    'balancer-http-mode',
    [
      [
        { ...booting, api: { isUp: false, code: 'cluster-not-tls', line: 'wrong version number', skew: null } },
        'certain',
      ],
      [said(booting, 'openshift-install', ...times(3, 'http: server gave HTTP response to HTTPS client')), 'likely'],
      [haproxy('mode tcp', 'mode http'), 'certain'],
      [{ ...complete, pools: [{ ...member('ingress-https', 'w1'), mode: 'http' }] }, 'certain'],
    ],
    [said(booting, 'openshift-install', 'http: server gave HTTP response to HTTPS client'), haproxy('mode tcp', '')],
  ],
  [
    'balancer-timeout-short',
    [
      [haproxy(/timeout client 1m/, 'timeout client 10s'), 'likely'],
      [
        {
          ...haproxy(/timeout server 1m/, 'timeout server 5000'),
          lines: lines('kubelet', ...times(10, 'very short watch')),
        },
        'certain',
      ],
      [said(complete, 'openshift-install', ...times(10, 'Unexpected watch close')), 'possible'],
    ],
    [
      said(complete, 'openshift-install', ...times(9, 'Unexpected watch close')),
      haproxy(/timeout client 1m/, 'timeout client 60s'),
    ],
  ],
  [
    'routers-outside-pool',
    [
      [withCluster(complete, { routers: MASTERS.slice(0, 2).map((name) => router(name, fqdn(name))) }), 'certain'],
      [
        withCluster(complete, {
          routers: [...WORKERS.slice(0, 1), ...MASTERS.slice(0, 1)].map((name) => router(name, fqdn(name))),
        }),
        'likely',
      ],
    ],
    [
      withCluster(complete, { routers: [{ ...router('r', fqdn('m1')), phase: 'Pending' }] }),
      { ...complete, pools: [] },
    ],
  ],
  [
    'selinux-denies',
    [
      [
        said(booting, 'haproxy', 'Starting frontend api: cannot bind socket (Permission denied) [0.0.0.0:6443]'),
        'certain',
      ],
    ],
    [said(booting, 'haproxy', 'cannot bind socket (Address already in use) [0.0.0.0:6443]')],
  ],
  [
    'gateway-wrong',
    [
      [dhcp(/routers [\d.]+/, 'routers 172.16.0.1'), 'certain'],
      [said(booting, 'release-image', PULL), 'likely'],
    ],
    [
      said(booting, 'kubelet', 'dial tcp 172.16.0.110:6443: connect: no route to host'),
      dhcp(/routers [\d.]+/, 'routers 172.16.0.254'),
    ],
  ],
  [
    'mtu-too-small',
    [
      [dhcp(/option routers/, 'option interface-mtu 1280;\n option routers'), 'certain'],
      [said(booting, 'kubelet', 'sendto: message too long'), 'likely'],
      [said(booting, 'kubelet', ...times(3, 'net/http: TLS handshake timeout')), 'possible'],
      [again(booting, 4), 'possible'],
    ],
    [
      said(booting, 'kubelet', 'net/http: TLS handshake timeout'),
      dhcp(/option routers/, 'option interface-mtu 9000;\n option routers'),
      again(booting, 2),
    ],
  ],
  [
    'foreign-dhcp',
    [
      [
        said(
          booting,
          'dhcp',
          'DHCPREQUEST for 172.16.0.205 (172.16.0.1) from 00:50:56:96:11:c2 via ens192: wrong network.',
        ),
        'certain',
      ],
      [
        { ...booting, misplaced: [{ node: 'm1', from: '172.16.0.205', path: '/ipxe/00-50-56-96-11-c2.ipxe' }] },
        'likely',
      ],
    ],
    [
      said(booting, 'dhcp', 'DHCPREQUEST for 172.16.0.11 (172.16.0.102) from 00:50:56:96:11:c2 via ens192'),
      // It was stopped, and the machine started again.
      said(
        booting,
        'dhcp',
        'DHCPREQUEST for 172.16.0.205 (172.16.0.1) from 00:50:56:96:11:c2 via ens192: wrong network.',
        'DHCPACK on 172.16.0.21 to 00:50:56:96:11:c2 via ens192',
      ),
    ],
  ],
  [
    'address-taken-twice',
    [
      [checked('ip-conflict'), 'certain'],
      [said(booting, 'dhcp', 'DHCPDECLINE of 172.16.0.21 from 00:50:56:96:11:c2 via ens192: abandoned'), 'certain'],
      [
        withCluster(complete, {
          nodes: [...(complete.cluster?.nodes ?? []), node('stranger', { addresses: [machine('m1').address] })],
        }),
        'certain',
      ],
    ],
    [
      said(booting, 'dhcp', 'DHCPACK on 172.16.0.21 to 00:50:56:96:11:c2 via ens192'),
      // The other one was stopped.
      said(
        booting,
        'dhcp',
        'DHCPDECLINE of 172.16.0.21 from 00:50:56:96:11:c2 via ens192: abandoned',
        'DHCPACK on 172.16.0.21 to 00:50:56:96:11:c2 via ens192',
      ),
    ],
  ],
  [
    'proxy-without-no-proxy',
    [
      [
        said(
          booting,
          'kubelet',
          'proxyconnect tcp: dial tcp 10.0.0.1:3128: Get "https://api-int.ocp45.example.localdomain:22623/config": Forbidden',
        ),
        'certain',
      ],
      [
        {
          ...withCluster(complete, {
            operators: [operator('authentication', 'routes-closed', 'oauth-openshift.apps.ocp45: EOF')],
          }),
          design: { ...design, proxy: { httpProxy: 'http://10.0.0.1:3128', httpsProxy: '', noProxy: '172.16.0.0/24' } },
        },
        'likely',
      ],
    ],
    [
      said(booting, 'kubelet', 'proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: refused for quay.io'),
      {
        ...withCluster(complete, { operators: [operator('authentication', 'routes-closed', 'oauth: EOF')] }),
        design: {
          ...design,
          proxy: { httpProxy: 'http://10.0.0.1:3128', httpsProxy: '', noProxy: '.example.localdomain' },
        },
      },
    ],
  ],
  [
    'boot-server-silent',
    [
      [
        checked('boot-server', {
          ...booting,
          machines: booting.machines.map((each) => ({ ...each, lastRequest: null })),
        }),
        'certain',
      ],
    ],
    [{ ...booting, checks: [right('boot-server')] }, checked('boot-server', booting)],
  ],
  [
    'boot-file-missing',
    [
      [checked('http-artifacts', booting), 'certain'],
      [{ ...booting, checks: [CUT_OFF] }, 'certain'],
      [
        { ...booting, machines: [machine('m1', { stage: 'script', lastRequest: fetched('/images/rootfs.img', 404) })] },
        'certain',
      ],
    ],
    [{ ...booting, checks: [FORBIDDEN] }],
  ],
  [
    'boot-file-forbidden',
    [
      [{ ...booting, checks: [FORBIDDEN] }, 'certain'],
      [
        {
          ...booting,
          machines: [machine('m1', { stage: 'rootfs', lastRequest: fetched('/ignition/master.ign', 403) })],
        },
        'certain',
      ],
    ],
    [
      {
        ...booting,
        machines: [
          machine('m1', { stage: 'ready', hasJoined: true, lastRequest: fetched('/ignition/master.ign', 403) }),
        ],
      },
    ],
  ],
];
