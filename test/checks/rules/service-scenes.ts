import {
  BOOTSTRAP,
  booting,
  bootstrapping,
  complete,
  failedCheck,
  fqdn,
  MASTERS,
  member,
  passedCheck,
  pools,
  times,
} from './base-evidence.ts';
import { DOMAIN, haproxy, M2, type Scene, withChecks, withLines } from './scene.ts';

/** Mistakes of names and the load balancer. */
export const SERVICE_SCENES: readonly Scene[] = [
  // Names.
  [
    'api-int on one of two name servers only',
    ['api-int-missing'],
    withChecks(
      bootstrapping,
      passedCheck('dns-api'),
      failedCheck('dns-api-int', `api-int.${DOMAIN} @172.16.0.103`),
      passedCheck('dns-api-int'),
    ),
  ],
  [
    '*.apps leads to the API',
    ['apps-wildcard-missing'],
    withChecks(
      bootstrapping,
      failedCheck('dns-apps-wildcard', `x.apps.${DOMAIN}`, 'expected 172.16.0.111, got 172.16.0.21'),
    ),
  ],
  [
    '*.apps leads to the bootstrap: routes refuse',
    ['apps-wildcard-missing'],
    withChecks(complete, failedCheck('dns-apps-wildcard', `x.apps.${DOMAIN}`, 'got 172.16.0.11')),
  ],
  [
    'the PTR of a worker has the name of another node',
    ['ptr-missing'],
    withChecks(booting, { ...failedCheck('dns-reverse', '172.16.0.31', 'got w2'), names: [fqdn('w2')] }),
  ],
  [
    'the zone answers SERVFAIL',
    ['resolver-fails'],
    withLines(
      booting,
      'kubelet',
      ...times(3, `dial tcp: lookup api-int.${DOMAIN} on 172.16.0.102:53: server misbehaving`),
    ),
  ],
  [
    'nodes time out at their name server',
    ['resolver-fails'],
    withLines(booting, 'machine-config-daemon', ...times(3, `dial tcp: lookup api-int.${DOMAIN}: i/o timeout`)),
  ],
  [
    'a node uses a foreign name server',
    ['resolver-elsewhere'],
    withLines(
      booting,
      'ignition',
      `GET error: Get "https://api-int.${DOMAIN}:22623/config/master": dial tcp: lookup api-int.${DOMAIN} on 8.8.8.8:53: no such host`,
    ),
  ],
  [
    'named refuses a zone, and is down',
    ['service-file-broken'],
    withChecks(
      {
        ...booting,
        lines: [
          {
            source: 'named',
            host: 'ns1',
            text: "zone example.localdomain/IN: loading from file /var/named/x.zone failed: line 12: near '172.16.0.101.': bad dotted quad",
            at: null,
          },
        ],
      },
      failedCheck('dns-server', '172.16.0.102'),
    ),
  ],
  // The load balancer.
  ['one member with another port', ['balancer-member-unreachable'], haproxy('172.16.0.22:22623', '172.16.0.22:22624')],
  [
    'TLS ends at the load balancer on 22623',
    ['balancer-tls-ends'],
    haproxy('bind 172.16.0.110:22623', 'bind 172.16.0.110:22623 ssl crt /etc/haproxy/lb.pem'),
  ],
  [
    'TLS ends at the load balancer on 6443, and begins again',
    ['balancer-tls-ends'],
    haproxy(/(server m\d \S+:6443 .*?)check-ssl/g, '$1ssl'),
  ],
  ['the PROXY protocol on the API', ['balancer-proxy-protocol'], haproxy(/(server m1 \S+:6443) /, '$1 send-proxy ')],
  [
    'the PROXY protocol to routers',
    ['balancer-proxy-protocol'],
    haproxy(/(server w1 \S+:443) /, '$1 send-proxy-v2 ', complete),
  ],
  [
    '22623 in HTTP mode',
    ['balancer-http-mode'],
    haproxy('\nbackend machine-config\n', '\nbackend machine-config\n    mode http\n'),
  ],
  [
    'a check with ssl-hello-chk',
    ['api-health-check-wrong'],
    haproxy('option httpchk GET /readyz\n    http-check expect status 200', 'option ssl-hello-chk'),
  ],
  [
    'the check of 22623 asks for a file that is not there',
    ['config-server-closed'],
    haproxy('\nbackend machine-config\n', '\nbackend machine-config\n    option httpchk GET /\n'),
  ],
  [
    'the load balancer listens on loopback',
    ['balancer-closed'],
    {
      ...bootstrapping,
      ports: bootstrapping.ports.map((each) => (each.kind === 'api' ? { ...each, state: 'refused' as const } : each)),
    },
  ],
  [
    'the frontend of 22623 leads to the API',
    ['balancer-port-mixed'],
    haproxy(/default_backend machine-config/, 'default_backend api'),
  ],
  [
    'the frontend of 443 leads to port 80',
    ['balancer-port-mixed'],
    haproxy(/default_backend ingress-https/, 'default_backend ingress-http', complete),
  ],
  ['at most 20 connections', ['balancer-limits'], haproxy(/maxconn 8000/g, 'maxconn 20')],
  [
    '22623 is open to a few addresses only',
    ['balancer-limits'],
    haproxy(
      'bind 172.16.0.110:22623',
      'bind 172.16.0.110:22623\n    tcp-request connection reject if !{ src 10.0.0.0/8 }',
    ),
  ],
  [
    'ingress has the control plane only',
    ['routers-outside-pool'],
    { ...complete, balancerMembers: pools(MASTERS, MASTERS) },
  ],
  [
    'a member in maintenance',
    ['balancer-member-off'],
    {
      ...complete,
      balancerMembers: [
        ...complete.balancerMembers.filter(({ pool, name }) => !(pool === 'api' && name === M2)),
        member('api', M2, 'MAINT', ''),
      ],
    },
  ],
  [
    'the firewall of a node closes 22623 to the balancer',
    ['balancer-member-unreachable', 'config-server-closed'],
    {
      ...bootstrapping,
      balancerMembers: bootstrapping.balancerMembers.map((each) =>
        each.pool === 'machine-config' && each.name === BOOTSTRAP ? { ...each, status: 'DOWN', check: 'L4TOUT' } : each,
      ),
    },
  ],
];
