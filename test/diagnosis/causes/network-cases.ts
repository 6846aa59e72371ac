import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import { generated } from '../../support/example-design.ts';
import type { Case } from './case.ts';
import {
  BOOTSTRAP,
  booting,
  bootstrapping,
  complete,
  design,
  failing,
  fqdn,
  MASTERS,
  member,
  node,
  operator,
  port,
  times,
  WORKERS,
  withCluster,
} from './healthy.ts';
import { dhcpd, haproxy, operators, said } from './scene.ts';

const [M1 = ''] = MASTERS;
const [W1 = ''] = WORKERS;
const reverse = (...names: readonly string[]): Evidence => ({
  ...booting,
  checks: [...booting.checks, { ...failing('dns-reverse', '172.16.0.21'), names }],
});
const KEEPALIVED = '/etc/keepalived/keepalived.conf';
/** keepalived.conf of two load balancers. */
const pair = (change: (text: string, host: string) => string): Evidence => {
  const text = generated(design, `lb1${KEEPALIVED}`);
  const files = ['lb1', 'lb2'].map((host) => {
    return { host, kind: 'keepalived' as const, path: KEEPALIVED, text: change(text, host), planned: text };
  });
  return { ...complete, files: [...complete.files, ...files] };
};
const external: typeof design = {
  ...design,
  services: { ...design.services, loadBalancer: { kind: 'external', servers: [] } },
};
const closed = (base: Evidence): Evidence => ({
  ...base,
  design: external,
  files: [],
  pools: [],
  ports: [
    ...base.ports.filter(({ kind, port: number }) => kind !== 'api' || number !== 6443),
    port('api', 6443, 'refused'),
  ],
});
const ingress = (check: string): Evidence => ({
  ...complete,
  pools: complete.pools.map((each) =>
    each.pool === 'ingress-https' && each.name === W1 ? { ...each, status: 'DOWN', check } : each,
  ),
});
const api = (code: string, expiresAt: number): Evidence => ({
  ...complete,
  ignition: { expiresAt, problems: [], unusable: [], server: null },
  api: { isUp: false, code, line: 'certificate has expired', skew: null },
});
const KUBELET =
  'Get "https://172.16.0.31:10250/containerLogs/x": dial tcp 172.16.0.31:10250: connect: no route to host';
const POD =
  'apiservices.apps.openshift.io/v1: not available: failing or missing response from https://10.128.0.17:8443/apis/apps.openshift.io/v1: context deadline exceeded';
const UNCHECKED = / check check-ssl verify none inter 10s fall 3 rise 2/g;

/** Rules of the ways between machines. */
export const NETWORK_CASES: readonly Case[] = [
  ['ptr-dot-missing', [[reverse(`${fqdn(M1)}.0.16.172.in-addr.arpa`), 'certain']], [reverse(fqdn('m2')), reverse()]],
  [
    'dhcp-pool-overlaps',
    [
      [dhcpd(/^subnet .*\{$/m, '$&\n    range 172.16.0.20 172.16.0.60;'), 'likely'],
      [said(booting, 'dhcp', 'Dynamic and static leases present for 172.16.0.21.'), 'certain'],
      [
        {
          ...booting,
          files: [
            {
              host: 'ns1',
              kind: 'kea-dhcp4',
              path: '/etc/kea/kea-dhcp4.conf',
              text: '{ "Dhcp4": { "subnet4": [ { "pools": [ { "pool": "172.16.0.0/25" } ] } ] } }',
              planned: '{ "Dhcp4": {} }',
            },
          ],
        },
        'likely',
      ],
    ],
    [
      dhcpd(/^subnet .*\{$/m, '$&\n    range 172.16.0.200 172.16.0.220;'),
      dhcpd(/^subnet .*\{$/m, '$&\n    # range 172.16.0.20 172.16.0.60;'),
    ],
  ],
  [
    'ingress-health-check-wrong',
    [
      [ingress('L7STS/503'), 'certain'],
      [haproxy('\nbackend ingress-http\n', '\nbackend ingress-http\n    option httpchk GET /\n', complete), 'likely'],
    ],
    [
      ingress('L4CON'),
      { ...complete, pools: [...complete.pools, member('ingress-https', 'w3', 'DOWN', 'L7STS/503')] },
      haproxy(
        /(\nbackend ingress-http\n)([\s\S]*)/,
        '$1    option httpchk GET /healthz/ready\n    default-server port 1936\n$2',
        complete,
      ),
    ],
  ],
  [
    'balancer-members-unchecked',
    [[haproxy(UNCHECKED, ''), 'likely']],
    [haproxy(UNCHECKED, '', haproxy(/(\nbackend api\n)/, '$1    default-server check\n'))],
  ],
  [
    'vrrp-split',
    [
      [
        pair((text, host) => (host === 'lb2' ? text.replace(/virtual_router_id \d+/, 'virtual_router_id 99') : text)),
        'certain',
      ],
      [pair((text) => text.replaceAll('172.16.0.110', '172.16.0.119')), 'certain'],
    ],
    [
      pair((text) => text),
      pair((text) => text.replace(/virtual_router_id \d+/, 'virtual_router_id 99')),
      pair((text) => text.replace('priority', '# virtual_router_id 4\n    priority')),
    ],
  ],
  [
    'node-address-unexpected',
    [[withCluster(complete, { nodes: [node(fqdn(W1), { addresses: ['10.0.2.15'] })] }), 'certain']],
    [
      withCluster(complete, { nodes: [node(fqdn(W1), { addresses: ['10.0.2.15', '172.16.0.31'] })] }),
      withCluster(complete, { nodes: [node('stranger.example', { addresses: ['10.0.2.15'] })] }),
    ],
  ],
  [
    'node-port-closed',
    [[said(complete, 'kube-apiserver', ...times(3, KUBELET)), 'likely']],
    [
      said(complete, 'kube-apiserver', KUBELET),
      said(withCluster(complete, { nodes: [] }), 'kube-apiserver', ...times(3, KUBELET)),
      // Its machine started a moment ago.
      said(
        withCluster(complete, { nodes: [node(fqdn(W1), { readySince: complete.now - 120_000 })] }),
        'kube-apiserver',
        ...times(3, KUBELET),
      ),
      said(complete, 'kube-apiserver', ...times(3, KUBELET.replace('no route to host', 'connection refused'))),
    ],
  ],
  [
    'pod-network-blocked',
    [
      [
        operators(operator('openshift-apiserver', 'image-pull', POD), operator('authentication', 'image-pull', POD)),
        'likely',
      ],
      [said(complete, 'kube-apiserver', ...times(3, 'dial tcp 172.30.14.7:443: i/o timeout')), 'possible'],
    ],
    [
      said(complete, 'kube-apiserver', ...times(2, 'dial tcp 172.30.14.7:443: i/o timeout')),
      said(bootstrapping, 'kube-apiserver', ...times(3, 'dial tcp 172.30.14.7:443: i/o timeout')),
      said(complete, 'kube-apiserver', ...times(3, 'dial tcp 34.224.196.162:443: i/o timeout')),
    ],
  ],
  [
    'image-architecture',
    [
      [said(bootstrapping, 'release-image', 'exec /usr/bin/cluster-version-operator: exec format error'), 'certain'],
      [
        said(
          bootstrapping,
          'crio',
          'choosing image instance: no image found in manifest list for architecture "arm64", OS "linux"',
        ),
        'certain',
      ],
    ],
    [said(bootstrapping, 'crio', 'manifest unknown')],
  ],
  [
    'network-type-unsupported',
    [
      [
        said(
          booting,
          'openshift-install',
          'networking.networkType: Invalid value: "OpenShiftSDN": networkType OpenShiftSDN is not supported',
        ),
        'certain',
      ],
    ],
    [said(booting, 'openshift-install', 'networking.networkType: OVNKubernetes')],
  ],
  [
    'api-certificate-expired',
    [[api('cluster-certificate-expired', complete.now + 1), 'likely']],
    [api('cluster-certificate-expired', complete.now - 1), api('cluster-certificate-early', complete.now + 1)],
  ],
  [
    'balancer-closed',
    [[closed(bootstrapping), 'certain']],
    [closed({ ...bootstrapping, ready: [] }), { ...closed(bootstrapping), ports: bootstrapping.ports }],
  ],
  [
    'dhcp-options-wrong',
    [[dhcpd('default-lease-time 86400', 'default-lease-time 300'), 'possible']],
    [dhcpd('default-lease-time 86400', 'default-lease-time 43200')],
  ],
  [
    'routers-outside-pool',
    [[haproxy(/server w\d 172\.16\.0\.3(\d):(443|80)/g, 'server m$1 172.16.0.2$1:$2'), 'likely']],
    [
      haproxy(/ +server w1 \S+:443.*\n/, ''),
      { ...bootstrapping, pools: bootstrapping.pools.filter(({ name }) => name === BOOTSTRAP) },
    ],
  ],
  ['gateway-wrong', [], [said(complete, 'kube-apiserver', ...times(3, KUBELET))]],
];
