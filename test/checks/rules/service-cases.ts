import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import {
  BOOTSTRAP,
  booting,
  bootRequest,
  bootstrapping,
  complete,
  design,
  failedCheck,
  fqdn,
  lines,
  MASTERS,
  machine,
  member,
  node,
  operator,
  passedCheck,
  pools,
  port,
  router,
  times,
  WORKERS,
  withCluster,
} from './base-evidence.ts';
import type { RuleCase } from './rule-case.ts';

const withFailedCheck = (code: Parameters<typeof failedCheck>[0], base: Evidence = bootstrapping): Evidence => ({
  ...base,
  checks: [...base.checks, failedCheck(code, 'x')],
});
const NO_ZONE = [
  failedCheck('dns-api', 'api'),
  failedCheck('dns-api-int', 'api-int'),
  failedCheck('dns-apps-wildcard', '*.apps'),
];
const FORBIDDEN = { ...failedCheck('http-artifacts', 'rootfs', 'rootfs: HTTP 403'), status: 403 };
const TRUNCATED = failedCheck('http-artifacts', 'rootfs', 'rootfs: 403 bytes instead of 1200');
const withLines = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
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
const withRepeatedRequests = (base: Evidence, count: number, file = '/images/live-kernel'): Evidence => ({
  ...base,
  machines: base.machines.map((each) => {
    const requests = times(count, file).map((path) => bootRequest(path));
    return each.name === BOOTSTRAP ? machine(each.name, { stage: 'kernel', requests }) : each;
  }),
});
const withPorts = (base: Evidence, ...changed: readonly Evidence['ports'][number][]): Evidence => ({
  ...base,
  ports: [
    ...base.ports.filter(
      ({ host, port: number }) => !changed.some((each) => each.host === host && each.port === number),
    ),
    ...changed,
  ],
});
const withMemberDown = (check: string): Evidence => ({
  ...bootstrapping,
  ports: withPorts(bootstrapping, port('api', 6443, 'closed-at-once'), port('api-int', 6443, 'closed-at-once')).ports,
  balancerMembers: bootstrapping.balancerMembers.map((each) =>
    each.pool === 'api' && each.name === BOOTSTRAP ? { ...each, status: 'DOWN', check } : each,
  ),
});
const PULL_UNREACHABLE = 'Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: connect: network is unreachable';
const CONFIG_SERVER_EOF = 'GET https://api-int.ocp45.example.localdomain:22623/config/master: attempt #14: EOF';
const noRoute: Evidence = { ...complete, ports: complete.ports.map((each) => ({ ...each, state: 'unsent' })) };
const poolsWithout = (name: string) => complete.balancerMembers.filter((each) => each.name !== name);

export const SERVICE_CASES: readonly RuleCase[] = [
  [
    'no-way-from-here',
    [[noRoute, 'certain']],
    // One of the endpoint's two addresses is of a family that this machine does not have.
    [{ ...complete, ports: [...complete.ports, { ...port('api', 6443, 'unsent'), address: 'fd00::111' }] }],
  ],
  ['dns-server-silent', [[withFailedCheck('dns-server'), 'certain']], [withFailedCheck('dns-upstream')]],
  ['api-name-wrong', [[withFailedCheck('dns-api'), 'certain']], [withFailedCheck('dns-nodes')]],
  [
    'zone-not-served',
    [[{ ...bootstrapping, checks: NO_ZONE }, 'certain']],
    [
      { ...bootstrapping, checks: NO_ZONE.slice(1) },
      { ...bootstrapping, checks: [...NO_ZONE, failedCheck('dns-server', '172.16.0.102')] },
      { ...bootstrapping, checks: [...NO_ZONE, passedCheck('dns-api')] },
    ],
  ],
  [
    'api-int-missing',
    [
      [withFailedCheck('dns-api-int'), 'certain'],
      [
        withLines(
          booting,
          'kubelet',
          'dial tcp: lookup api-int.ocp45.example.localdomain on 172.16.0.102:53: no such host',
        ),
        'likely',
      ],
    ],
    [withLines(booting, 'openshift-install', 'dial tcp: lookup quay.io on 172.16.0.1:53: no such host')],
  ],
  [
    'apps-wildcard-missing',
    [
      [withFailedCheck('dns-apps-wildcard'), 'certain'],
      [
        withCluster(complete, {
          operators: [operator('console', 'name', 'lookup console.apps.ocp45.example.localdomain: no such host')],
        }),
        'likely',
      ],
      [
        withLines(
          bootstrapping,
          'authentication',
          'lookup oauth-openshift.apps.ocp45.example.localdomain on 172.30.0.10:53: no such host',
        ),
        'likely',
      ],
    ],
    [withCluster(complete, { operators: [operator('insights', 'name', 'lookup console.redhat.com: no such host')] })],
  ],
  [
    'wildcard-too-wide',
    [[withFailedCheck('dns-no-cluster-wildcard'), 'certain']],
    [withFailedCheck('dns-apps-wildcard')],
  ],
  ['ptr-missing', [[withFailedCheck('dns-reverse'), 'certain']], [withFailedCheck('dns-nodes')]],
  ['node-name-missing', [[withFailedCheck('dns-nodes'), 'certain']], [withFailedCheck('dns-reverse')]],
  ['outside-names-missing', [[withFailedCheck('dns-upstream'), 'likely']], [withFailedCheck('dns-upstream', complete)]],
  [
    'resolver-elsewhere',
    [
      [
        { ...booting, api: { isUp: false, code: 'cluster-name', detail: 'getaddrinfo ENOTFOUND api', skewMs: null } },
        'certain',
      ],
      [
        withLines(
          booting,
          'openshift-install',
          'dial tcp: lookup api.ocp45.example.localdomain on 8.8.8.8:53: no such host',
        ),
        'likely',
      ],
    ],
    [
      {
        ...withFailedCheck('dns-api', booting),
        checks: [],
        api: { isUp: false, code: 'cluster-name', detail: 'ENOTFOUND', skewMs: null },
      },
    ],
  ],
  [
    'bootstrap-not-in-balancer',
    [[{ ...bootstrapping, balancerMembers: pools(MASTERS, WORKERS) }, 'certain']],
    [complete, { ...bootstrapping, balancerMembers: [] }],
  ],
  [
    'config-server-closed',
    [
      [withPorts(bootstrapping, port('api-int', 22623, 'closed-at-once')), 'certain'],
      [withPorts(bootstrapping, port('api-int', 22623, 'refused')), 'certain'],
      [withPorts(complete, port('api-int', 22623, 'timeout')), 'certain'],
      [withPorts(booting, port('api-int', 22623, 'refused')), 'certain'],
      [{ ...bootstrapping, balancerMembers: pools([BOOTSTRAP, ...MASTERS], WORKERS, MASTERS) }, 'certain'],
      [
        {
          ...booting,
          design: null,
          ports: [],
          balancerMembers: [],
          lines: lines('console', ...times(3, CONFIG_SERVER_EOF)),
        },
        'likely',
      ],
    ],
    [
      withLines(bootstrapping, 'console', ...times(5, CONFIG_SERVER_EOF)),
      { ...booting, lines: lines('console', CONFIG_SERVER_EOF, CONFIG_SERVER_EOF) },
      withPorts(booting, port('api-int', 22623, 'refused'), port('api-int', 6443, 'refused')),
    ],
  ],
  [
    'api-health-check-wrong',
    [
      [withMemberDown('L7STS/404 Not Found'), 'certain'],
      [{ ...withMemberDown('L6RSP invalid response'), readyHosts: [] }, 'certain'],
      [haproxy(/GET \/readyz/, 'GET /index.html'), 'certain'],
    ],
    [
      { ...withMemberDown('L7STS/500'), readyHosts: [] },
      { ...withMemberDown('L4CON'), ports: booting.ports, readyHosts: [] },
      haproxy(/GET \/readyz/, 'GET /healthz'),
    ],
  ],
  [
    'bootstrap-left-in-balancer',
    [
      [{ ...complete, balancerMembers: pools([BOOTSTRAP, ...MASTERS], WORKERS) }, 'certain'],
      [{ ...complete, stage: 'install', balancerMembers: pools([BOOTSTRAP, ...MASTERS], WORKERS) }, 'certain'],
    ],
    [
      {
        ...withCluster(complete, { isBootstrapMemberRemoved: false }),
        stage: 'install',
        balancerMembers: pools([BOOTSTRAP, ...MASTERS], WORKERS),
      },
    ],
  ],
  [
    'balancer-member-missing',
    [[{ ...complete, balancerMembers: poolsWithout(MASTERS[1] ?? '') }, 'certain']],
    [{ ...complete, balancerMembers: [member('api', 'other')] }],
  ],
  [
    'balancer-member-unreachable',
    [
      [{ ...withMemberDown('L4CON Connection refused'), ports: bootstrapping.ports }, 'likely'],
      [haproxy(/server m2 172\.16\.0\.22:6443/, 'server m2 172.16.0.22:6444'), 'certain'],
      [haproxy(/server w1 172\.16\.0\.31:443/, 'server w1 172.16.0.32:443'), 'certain'],
      [
        { ...complete, balancerMembers: [{ ...member('api', 'm2'), address: '172.16.0.32:6443', mode: 'tcp' }] },
        'certain',
      ],
    ],
    [
      { ...withMemberDown('L4CON Connection refused'), ports: booting.ports, readyHosts: [] },
      haproxy(/ +server m2 172\.16\.0\.22:6443.*\n/, ''),
      { ...complete, balancerMembers: [{ ...member('api', 'm2'), address: '172.16.0.22:6443', mode: 'tcp' }] },
    ],
  ],
  [
    'balancer-closed',
    [
      [withPorts(bootstrapping, port('api', 6443, 'refused')), 'certain'],
      [{ ...booting, checks: [failedCheck('lb-listens', '172.16.0.111:443', 'timed out')] }, 'certain'],
    ],
    [
      { ...booting, checks: [failedCheck('lb-listens', '172.16.0.110:22623')] },
      {
        ...withPorts(booting, port('api', 6443, 'refused')),
        design: { ...design, services: { ...design.services, loadBalancer: { kind: 'external', servers: [] } } },
      },
    ],
  ],
  [
    'balancer-http-mode',
    [
      [
        { ...booting, api: { isUp: false, code: 'cluster-not-tls', detail: 'wrong version number', skewMs: null } },
        'certain',
      ],
      [
        withLines(booting, 'openshift-install', ...times(3, 'http: server gave HTTP response to HTTPS client')),
        'likely',
      ],
      [haproxy('mode tcp', 'mode http'), 'certain'],
      [{ ...complete, balancerMembers: [{ ...member('ingress-https', 'w1'), mode: 'http' }] }, 'certain'],
    ],
    [
      withLines(booting, 'openshift-install', 'http: server gave HTTP response to HTTPS client'),
      haproxy('mode tcp', ''),
    ],
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
      [withLines(complete, 'openshift-install', ...times(10, 'Unexpected watch close')), 'possible'],
    ],
    [
      withLines(complete, 'openshift-install', ...times(9, 'Unexpected watch close')),
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
      { ...complete, balancerMembers: [] },
    ],
  ],
  [
    'selinux-denies',
    [
      [
        withLines(booting, 'haproxy', 'Starting frontend api: cannot bind socket (Permission denied) [0.0.0.0:6443]'),
        'certain',
      ],
    ],
    [withLines(booting, 'haproxy', 'cannot bind socket (Address already in use) [0.0.0.0:6443]')],
  ],
  [
    'gateway-wrong',
    [
      [dhcp(/routers [\d.]+/, 'routers 172.16.0.1'), 'certain'],
      [withLines(booting, 'release-image', PULL_UNREACHABLE), 'likely'],
    ],
    [
      withLines(booting, 'kubelet', 'dial tcp 172.16.0.110:6443: connect: no route to host'),
      dhcp(/routers [\d.]+/, 'routers 172.16.0.254'),
    ],
  ],
  [
    'mtu-too-small',
    [
      [dhcp(/option routers/, 'option interface-mtu 1280;\n option routers'), 'certain'],
      [withLines(booting, 'kubelet', 'sendto: message too long'), 'likely'],
      [withLines(booting, 'kubelet', ...times(3, 'net/http: TLS handshake timeout')), 'possible'],
      [withRepeatedRequests(booting, 4), 'possible'],
      [withRepeatedRequests(booting, 4, '/boot.ipxe'), 'possible'],
    ],
    [
      withLines(booting, 'kubelet', 'net/http: TLS handshake timeout'),
      dhcp(/option routers/, 'option interface-mtu 9000;\n option routers'),
      withRepeatedRequests(booting, 2),
    ],
  ],
  [
    'foreign-dhcp',
    [
      [
        withLines(
          booting,
          'dhcp',
          'DHCPREQUEST for 172.16.0.205 (172.16.0.1) from 00:50:56:96:11:c2 via ens192: wrong network.',
        ),
        'certain',
      ],
      [
        {
          ...booting,
          mismatchedRequests: [{ node: 'm1', clientAddress: '172.16.0.205', path: '/ipxe/00-50-56-96-11-c2.ipxe' }],
        },
        'likely',
      ],
    ],
    [
      withLines(booting, 'dhcp', 'DHCPREQUEST for 172.16.0.11 (172.16.0.102) from 00:50:56:96:11:c2 via ens192'),
      // The other DHCP server was stopped, and the machine started again.
      withLines(
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
      [withFailedCheck('ip-conflict'), 'certain'],
      [
        withLines(booting, 'dhcp', 'DHCPDECLINE of 172.16.0.21 from 00:50:56:96:11:c2 via ens192: abandoned'),
        'certain',
      ],
      [
        withCluster(complete, {
          nodes: [...(complete.cluster?.nodes ?? []), node('stranger', { addresses: [machine('m1').address] })],
        }),
        'certain',
      ],
    ],
    [
      withLines(booting, 'dhcp', 'DHCPACK on 172.16.0.21 to 00:50:56:96:11:c2 via ens192'),
      // The other machine was stopped.
      withLines(
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
        withLines(
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
      withLines(booting, 'kubelet', 'proxyconnect tcp: dial tcp 10.0.0.1:3128: connect: refused for quay.io'),
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
        withFailedCheck('boot-server', {
          ...booting,
          machines: booting.machines.map((each) => ({ ...each, lastRequest: null })),
        }),
        'certain',
      ],
    ],
    [{ ...booting, checks: [passedCheck('boot-server')] }, withFailedCheck('boot-server', booting)],
  ],
  [
    'boot-file-missing',
    [
      [withFailedCheck('http-artifacts', booting), 'certain'],
      [{ ...booting, checks: [TRUNCATED] }, 'certain'],
      [
        {
          ...booting,
          machines: [machine('m1', { stage: 'script', lastRequest: bootRequest('/images/rootfs.img', 404) })],
        },
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
          machines: [machine('m1', { stage: 'rootfs', lastRequest: bootRequest('/ignition/master.ign', 403) })],
        },
        'certain',
      ],
    ],
    [
      {
        ...booting,
        machines: [
          machine('m1', { stage: 'ready', hasJoined: true, lastRequest: bootRequest('/ignition/master.ign', 403) }),
        ],
      },
    ],
  ],
];
