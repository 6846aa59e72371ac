import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import type { CauseId } from '../../../src/diagnosis/causes/index.ts';
import {
  ago,
  BOOTSTRAP,
  booting,
  bootstrapping,
  complete,
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
  request,
  right,
  times,
  WORKERS,
  withCluster,
} from './healthy.ts';

/** A mistake that no rehearsal plants, the rules that may be told first of it, and what it looks like from here. */
export type Scene = readonly [string, readonly CauseId[], Evidence];

const [M1 = '', M2 = '', M3 = ''] = MASTERS;
const [W1 = ''] = WORKERS;
const DOMAIN = 'ocp45.example.localdomain';

const said = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
const checked = (base: Evidence, ...checks: Evidence['checks']): Evidence => ({
  ...base,
  checks: [...base.checks.filter(({ code }) => !checks.some((each) => each.code === code)), ...checks],
});
const file = (kind: 'haproxy' | 'isc-dhcpd', base: Evidence, from: string | RegExp, to: string): Evidence => ({
  ...base,
  files: base.files.map((each) => (each.kind === kind ? { ...each, text: each.text.replace(from, to) } : each)),
});
const haproxy = (from: string | RegExp, to: string, base = bootstrapping) => file('haproxy', base, from, to);
const dhcpd = (from: string | RegExp, to: string, base = booting) => file('isc-dhcpd', base, from, to);
const operators = (...all: readonly ReturnType<typeof operator>[]) => withCluster(complete, { operators: all });
const unready = (message: string) =>
  withCluster(complete, { nodes: [node(fqdn(M1), { isReady: false, goneSince: ago(20), message })] });
const stages = (stage: Evidence['machines'][number]['stage'], path: string, status: number): Evidence => ({
  ...booting,
  machines: booting.machines.map((each) =>
    each.name === M1
      ? machine(M1, { stage, lastRequest: fetched(path, status), requests: [fetched(path, status)] })
      : each,
  ),
});

export const SCENES: readonly Scene[] = [
  // Names.
  [
    'api-int on one of two name servers only',
    ['api-int-missing'],
    checked(
      bootstrapping,
      right('dns-api'),
      failing('dns-api-int', `api-int.${DOMAIN} @172.16.0.103`),
      right('dns-api-int'),
    ),
  ],
  [
    '*.apps leads to the API',
    ['apps-wildcard-missing'],
    checked(bootstrapping, failing('dns-apps-wildcard', `x.apps.${DOMAIN}`, 'expected 172.16.0.111, got 172.16.0.21')),
  ],
  [
    '*.apps leads to the bootstrap: routes refuse',
    ['apps-wildcard-missing'],
    checked(complete, failing('dns-apps-wildcard', `x.apps.${DOMAIN}`, 'got 172.16.0.11')),
  ],
  [
    'the PTR of a worker has the name of another node',
    ['ptr-missing'],
    checked(booting, { ...failing('dns-reverse', '172.16.0.31', 'got w2'), names: [fqdn('w2')] }),
  ],
  [
    'the zone stops at SERVFAIL',
    ['resolver-fails'],
    said(booting, 'kubelet', ...times(3, `dial tcp: lookup api-int.${DOMAIN} on 172.16.0.102:53: server misbehaving`)),
  ],
  [
    'nodes time out at their name server',
    ['resolver-fails'],
    said(booting, 'machine-config-daemon', ...times(3, `dial tcp: lookup api-int.${DOMAIN}: i/o timeout`)),
  ],
  [
    'the name server of a node is not ours',
    ['api-int-missing', 'dhcp-options-wrong'],
    said(
      booting,
      'ignition',
      `GET error: Get "https://api-int.${DOMAIN}:22623/config/master": dial tcp: lookup api-int.${DOMAIN} on 8.8.8.8:53: no such host`,
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
    '22623 let in from a few addresses',
    ['balancer-limits'],
    haproxy(
      'bind 172.16.0.110:22623',
      'bind 172.16.0.110:22623\n    tcp-request connection reject if !{ src 10.0.0.0/8 }',
    ),
  ],
  ['ingress has the control plane only', ['routers-outside-pool'], { ...complete, pools: pools(MASTERS, MASTERS) }],
  [
    'a member in maintenance',
    ['balancer-member-off'],
    {
      ...complete,
      pools: [
        ...complete.pools.filter(({ pool, name }) => !(pool === 'api' && name === M2)),
        member('api', M2, 'MAINT', ''),
      ],
    },
  ],
  [
    'the firewall of a node closes 22623 to the balancer',
    ['balancer-member-unreachable', 'config-server-closed'],
    {
      ...bootstrapping,
      pools: bootstrapping.pools.map((each) =>
        each.pool === 'machine-config' && each.name === BOOTSTRAP ? { ...each, status: 'DOWN', check: 'L4TOUT' } : each,
      ),
    },
  ],
  // DHCP and boot.
  [
    'DHCP gives one node the name of another',
    ['dhcp-options-wrong'],
    dhcpd(`host-name "${fqdn(M2)}"`, `host-name "${fqdn(M1)}"`),
  ],
  [
    'DHCP gives another domain',
    ['dhcp-options-wrong'],
    dhcpd(`domain-name "${DOMAIN}"`, 'domain-name "example.localdomain"'),
  ],
  [
    'DHCP gives another time server',
    ['dhcp-options-wrong'],
    dhcpd('ntp-servers 192.168.124.1', 'ntp-servers 192.168.124.2'),
  ],
  [
    'the boot file of one firmware is that of another',
    ['dhcp-boot-wrong'],
    dhcpd('filename "ipxe.efi"', 'filename "undionly.kpxe"'),
  ],
  ['next-server is another', ['dhcp-boot-wrong'], dhcpd('next-server 172.16.0.101', 'next-server 172.16.0.1')],
  [
    'the script of iPXE is not offered: it loads itself for ever',
    ['dhcp-boot-wrong'],
    dhcpd(/if exists ipxe-encap[\s\S]*?\} elsif/, 'if'),
  ],
  [
    'a node is commented out',
    ['dhcp-options-wrong'],
    dhcpd(new RegExp(`host ${M3} \\{[^}]*\\}`), `# host ${M3}: later`),
  ],
  [
    'the design and DHCP have one MAC address twice',
    ['dhcp-options-wrong'],
    dhcpd(/(host m2 \{\s+hardware ethernet )[0-9a-f:]+/, '$100:50:56:96:37:c8'),
  ],
  ['another subnet mask', ['dhcp-options-wrong'], dhcpd('subnet-mask 255.255.255.0', 'subnet-mask 255.255.0.0')],
  [
    'dhcpd refuses its file',
    ['service-file-broken'],
    said(
      booting,
      'dhcp',
      '/etc/dhcp/dhcpd.conf line 31: semicolon expected.',
      'Configuration file errors encountered -- exiting',
    ),
  ],
  [
    'Kea refuses its file',
    ['service-file-broken'],
    said(
      booting,
      'dhcp',
      'ERROR DHCP4_CONFIG_LOAD_FAIL configuration error using file: /etc/kea/kea-dhcp4.conf, reason: syntax error, unexpected }',
    ),
  ],
  [
    'haproxy refuses its file',
    ['service-file-broken'],
    said(bootstrapping, 'haproxy', '[ALERT] (1211) : config : Fatal errors found in configuration.'),
  ],
  [
    'no lease left',
    ['dhcp-options-wrong'],
    {
      ...said(booting, 'dhcp', `DHCPDISCOVER from ${machine(M1).mac} via eth0: network 172.16.0.0/24: no free leases`),
      machines: booting.machines.map((each) => (each.name === M1 ? machine(M1) : each)),
    },
  ],
  [
    'the URL of the root file system is wrong',
    ['boot-file-missing'],
    stages('kernel', '/images/rhcos-live-rootfs.img', 404),
  ],
  [
    'an error page in place of an ignition file',
    ['ignition-broken'],
    said(
      booting,
      'ignition',
      'failed to fetch config: config is not valid JSON',
      "error at line 1 col 1: invalid character '<' looking for beginning of value",
    ),
  ],
  [
    'an ignition file of another format',
    ['ignition-broken'],
    said(booting, 'ignition', 'failed to fetch config: unsupported config version'),
  ],
  [
    'an ignition file that is cut',
    ['ignition-broken'],
    said(booting, 'ignition', 'failed to fetch config: unexpected end of JSON input'),
  ],
  // Time and trust.
  [
    'the clock of one node is a year behind',
    ['clock-skew'],
    said(
      bootstrapping,
      'ignition',
      'GET error: Get "https://api-int:22623/config/master": tls: failed to verify certificate: x509: certificate has expired or is not yet valid: current time 2025-11-22T12:00:00Z is before 2026-11-22T10:00:00Z',
    ),
  ],
  [
    'a node without any time server',
    ['clock-skew'],
    said(bootstrapping, 'chronyd', ...times(3, "Can't synchronise: no selectable sources")),
  ],
  [
    'machines come after 24 h',
    ['ignition-stale'],
    { ...booting, ignition: { expiresAt: ago(30), problems: [], server: 'silent' } },
  ],
  [
    'the kubelet of a node is refused after its certificate ran out',
    ['node-credentials-expired'],
    said(
      complete,
      'kubelet',
      'part of the existing bootstrap client certificate in /etc/kubernetes/kubeconfig is expired: 2026-11-21 10:00:00 +0000 UTC',
    ),
  ],
  [
    'a request of a node that is not in the design',
    ['hostile-csr'],
    withCluster(complete, {
      requests: [request({ node: 'w9.other.example', verdict: 'refused', reasons: ['NAME_UNKNOWN'] })],
    }),
  ],
  // Images.
  [
    'a proxy that breaks TLS open',
    ['registry-untrusted'],
    said(
      bootstrapping,
      'release-image',
      'error pinging docker registry quay.io: Get "https://quay.io/v2/": proxyconnect tcp: x509: certificate signed by unknown authority',
    ),
  ],
  [
    'somebody breaks TLS of the registry open',
    ['registry-untrusted'],
    said(
      bootstrapping,
      'release-image',
      'Error: initializing source docker://quay.io/openshift-release-dev/ocp-release@sha256:ab: pinging container registry quay.io: Get "https://quay.io/v2/": tls: failed to verify certificate: x509: certificate signed by unknown authority',
    ),
  ],
  [
    'the mirror has a certificate of nobody',
    ['registry-untrusted'],
    said(
      bootstrapping,
      'release-image',
      'pinging container registry mirror.example.com:5000: Get "https://mirror.example.com:5000/v2/": x509: certificate relies on legacy Common Name field, use SANs instead',
    ),
  ],
  [
    'the mirror lacks the release',
    ['release-missing'],
    said(
      bootstrapping,
      'release-image',
      'Error: reading manifest sha256:ab in mirror.example.com:5000/ocp/release: manifest unknown',
    ),
  ],
  [
    'the policy refuses images',
    ['image-policy-refuses'],
    said(bootstrapping, 'crio', 'Source image rejected: A signature was required, but no signature exists'),
  ],
  [
    'the policy refuses what is not allowed',
    ['image-policy-refuses'],
    said(
      bootstrapping,
      'release-image',
      'Error: copying system image from manifest list: Source image rejected: Running image docker://mirror.example.com:5000/ocp/release@sha256:ab is rejected by policy.',
    ),
  ],
  [
    'Docker Hub counts pulls',
    ['registry-limits'],
    said(bootstrapping, 'crio', 'pulling image: toomanyrequests: You have reached your pull rate limit.'),
  ],
  [
    'the proxy wants a login',
    ['proxy-fails'],
    said(bootstrapping, 'release-image', 'Get "https://quay.io/v2/": Proxy Authentication Required'),
  ],
  // Nodes and the cluster.
  [
    'the disk of etcd is slow',
    ['etcd-disk-slow'],
    said(bootstrapping, 'etcd', ...times(6, 'apply request took too long","took":"1.2s","expected-duration":"200ms"')),
  ],
  [
    'etcd waits for its disk, as etcd itself says',
    ['etcd-disk-slow'],
    said(
      bootstrapping,
      'etcd',
      ...times(6, '{"level":"warn","msg":"slow fdatasync","took":"2.3s","expected-duration":"1s"}'),
    ),
  ],
  [
    'the kubelet has too little memory',
    ['machine-too-weak'],
    said(bootstrapping, 'kernel', 'Out of memory: Killed process 4211 (kube-apiserver) total-vm:1534212kB'),
  ],
  [
    'pods do not fit',
    ['machine-too-weak'],
    operators(
      operator('console', null, '0/6 nodes are available: 6 Insufficient memory.', {
        degraded: true,
        state: 'degraded',
      }),
    ),
  ],
  [
    'the pod network overlaps the machine network',
    ['networks-overlap'],
    said(
      complete,
      'ovnkube-controller',
      'failed to start: IP address 172.16.0.21 of the node overlaps with the cluster network CIDR 172.16.0.0/14',
    ),
  ],
  ['a node stops', ['node-gone'], unready('Kubelet stopped posting node status.')],
  ['CRI-O is down', ['node-runtime-down'], unready('container runtime is down')],
  [
    'PLEG',
    ['node-runtime-down'],
    unready('PLEG is not healthy: pleg was last seen active 4m1s ago; threshold is 3m0s'),
  ],
  [
    'FIPS in the design and not on the node',
    ['fips-mismatch'],
    said(
      booting,
      'machine-config-daemon',
      'detected FIPS mode is not as expected: FIPS mode set to true, detected false',
    ),
  ],
  [
    'the CPU is too old',
    ['machine-too-weak'],
    said(booting, 'bootkube', 'Fatal glibc error: CPU does not support x86-64-v2'),
  ],
  [
    'two clusters share the VRRP id',
    ['vrrp-id-shared'],
    said(
      bootstrapping,
      'Keepalived_vrrp',
      '(api) received an invalid passwd!',
      'bogus VRRP packet received on eth0 !!!',
    ),
  ],
  [
    'W1 fetched master.ign',
    ['ignition-of-another-role'],
    {
      ...bootstrapping,
      machines: bootstrapping.machines.map((each) =>
        each.name === W1 ? machine(W1, { stage: 'ignition', requests: [fetched('/ignition/master.ign')] }) : each,
      ),
    },
  ],
];
