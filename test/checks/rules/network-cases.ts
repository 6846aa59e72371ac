import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import { generateFileText } from '../../support/example-design.ts';
import {
  BOOTSTRAP,
  booting,
  bootstrapping,
  complete,
  design,
  failedCheck,
  fqdn,
  MASTERS,
  member,
  node,
  operator,
  port,
  times,
  WORKERS,
  withCluster,
} from './base-evidence.ts';
import type { RuleCase } from './rule-case.ts';
import { dhcpd, haproxy, operators, withLines } from './scene.ts';

const [M1 = ''] = MASTERS;
const [W1 = ''] = WORKERS;
const withReverseNames = (...names: readonly string[]): Evidence => ({
  ...booting,
  checks: [...booting.checks, { ...failedCheck('dns-reverse', '172.16.0.21'), names }],
});
const KEEPALIVED = '/etc/keepalived/keepalived.conf';
/** Evidence with keepalived.conf of two load balancers. */
const keepalivedPair = (change: (text: string, host: string) => string): Evidence => {
  const text = generateFileText(design, `lb1${KEEPALIVED}`);
  const files = ['lb1', 'lb2'].map((host) => {
    return { host, kind: 'keepalived' as const, path: KEEPALIVED, text: change(text, host), plannedText: text };
  });
  return { ...complete, files: [...complete.files, ...files] };
};
const externalBalancer: typeof design = {
  ...design,
  services: { ...design.services, loadBalancer: { kind: 'external', servers: [] } },
};
const withClosedBalancer = (base: Evidence): Evidence => ({
  ...base,
  design: externalBalancer,
  files: [],
  balancerMembers: [],
  ports: [
    ...base.ports.filter(({ kind, port: number }) => kind !== 'api' || number !== 6443),
    port('api', 6443, 'refused'),
  ],
});
const withIngressCheck = (check: string): Evidence => ({
  ...complete,
  balancerMembers: complete.balancerMembers.map((each) =>
    each.pool === 'ingress-https' && each.name === W1 ? { ...each, status: 'DOWN', check } : each,
  ),
});
const withApiError = (code: string, expiresAt: number): Evidence => ({
  ...complete,
  ignition: { expiresAt, problems: [], unusableFiles: [], server: null },
  api: { isUp: false, code, detail: 'certificate has expired', skewMs: null },
});
const KUBELET_UNREACHABLE =
  'Get "https://172.16.0.31:10250/containerLogs/x": dial tcp 172.16.0.31:10250: connect: no route to host';
const POD_TIMEOUT =
  'apiservices.apps.openshift.io/v1: not available: failing or missing response from https://10.128.0.17:8443/apis/apps.openshift.io/v1: context deadline exceeded';
const CHECK_OPTIONS = / check check-ssl verify none .*? shutdown-sessions/g;

/** Cases of rules about the network between machines. */
export const NETWORK_CASES: readonly RuleCase[] = [
  [
    'ptr-dot-missing',
    [[withReverseNames(`${fqdn(M1)}.0.16.172.in-addr.arpa`), 'certain']],
    [withReverseNames(fqdn('m2')), withReverseNames()],
  ],
  [
    'dhcp-pool-overlaps',
    [
      [dhcpd(/^subnet .*\{$/m, '$&\n    range 172.16.0.20 172.16.0.60;'), 'likely'],
      [withLines(booting, 'dhcp', 'Dynamic and static leases present for 172.16.0.21.'), 'certain'],
      [
        {
          ...booting,
          files: [
            {
              host: 'ns1',
              kind: 'kea-dhcp4',
              path: '/etc/kea/kea-dhcp4.conf',
              text: '{ "Dhcp4": { "subnet4": [ { "pools": [ { "pool": "172.16.0.0/25" } ] } ] } }',
              plannedText: '{ "Dhcp4": {} }',
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
      [withIngressCheck('L7STS/503'), 'certain'],
      [haproxy('\nbackend ingress-http\n', '\nbackend ingress-http\n    option httpchk GET /\n', complete), 'likely'],
    ],
    [
      withIngressCheck('L4CON'),
      {
        ...complete,
        balancerMembers: [...complete.balancerMembers, member('ingress-https', 'w3', 'DOWN', 'L7STS/503')],
      },
      haproxy(
        /(\nbackend ingress-http\n)([\s\S]*)/,
        '$1    option httpchk GET /healthz/ready\n    default-server port 1936\n$2',
        complete,
      ),
    ],
  ],
  [
    'balancer-members-unchecked',
    [[haproxy(CHECK_OPTIONS, ''), 'likely']],
    [haproxy(CHECK_OPTIONS, '', haproxy(/(\nbackend api\n)/, '$1    default-server check\n'))],
  ],
  [
    'vrrp-split',
    [
      [
        keepalivedPair((text, host) =>
          host === 'lb2' ? text.replace(/virtual_router_id \d+/, 'virtual_router_id 99') : text,
        ),
        'certain',
      ],
      [keepalivedPair((text) => text.replaceAll('172.16.0.110', '172.16.0.119')), 'certain'],
    ],
    [
      keepalivedPair((text) => text),
      keepalivedPair((text) => text.replace(/virtual_router_id \d+/, 'virtual_router_id 99')),
      keepalivedPair((text) => text.replace('priority', '# virtual_router_id 4\n    priority')),
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
    [[withLines(complete, 'kube-apiserver', ...times(3, KUBELET_UNREACHABLE)), 'likely']],
    [
      withLines(complete, 'kube-apiserver', KUBELET_UNREACHABLE),
      withLines(withCluster(complete, { nodes: [] }), 'kube-apiserver', ...times(3, KUBELET_UNREACHABLE)),
      // The node became Ready two minutes ago.
      withLines(
        withCluster(complete, { nodes: [node(fqdn(W1), { readySince: complete.now - 120_000 })] }),
        'kube-apiserver',
        ...times(3, KUBELET_UNREACHABLE),
      ),
      withLines(
        complete,
        'kube-apiserver',
        ...times(3, KUBELET_UNREACHABLE.replace('no route to host', 'connection refused')),
      ),
    ],
  ],
  [
    'pod-network-blocked',
    [
      [
        operators(
          operator('openshift-apiserver', 'image-pull', POD_TIMEOUT),
          operator('authentication', 'image-pull', POD_TIMEOUT),
        ),
        'likely',
      ],
      [withLines(complete, 'kube-apiserver', ...times(3, 'dial tcp 172.30.14.7:443: i/o timeout')), 'possible'],
    ],
    [
      withLines(complete, 'kube-apiserver', ...times(2, 'dial tcp 172.30.14.7:443: i/o timeout')),
      withLines(bootstrapping, 'kube-apiserver', ...times(3, 'dial tcp 172.30.14.7:443: i/o timeout')),
      withLines(complete, 'kube-apiserver', ...times(3, 'dial tcp 34.224.196.162:443: i/o timeout')),
    ],
  ],
  [
    'image-architecture',
    [
      [
        withLines(bootstrapping, 'release-image', 'exec /usr/bin/cluster-version-operator: exec format error'),
        'certain',
      ],
      [
        withLines(
          bootstrapping,
          'crio',
          'choosing image instance: no image found in manifest list for architecture "arm64", OS "linux"',
        ),
        'certain',
      ],
    ],
    [withLines(bootstrapping, 'crio', 'manifest unknown')],
  ],
  [
    'network-type-unsupported',
    [
      [
        withLines(
          booting,
          'openshift-install',
          'networking.networkType: Invalid value: "OpenShiftSDN": networkType OpenShiftSDN is not supported',
        ),
        'certain',
      ],
    ],
    [withLines(booting, 'openshift-install', 'networking.networkType: OVNKubernetes')],
  ],
  [
    'api-certificate-expired',
    [[withApiError('cluster-certificate-expired', complete.now + 1), 'likely']],
    [
      withApiError('cluster-certificate-expired', complete.now - 1),
      withApiError('cluster-certificate-early', complete.now + 1),
    ],
  ],
  [
    'balancer-closed',
    [[withClosedBalancer(bootstrapping), 'certain']],
    [
      withClosedBalancer({ ...bootstrapping, readyHosts: [] }),
      { ...withClosedBalancer(bootstrapping), ports: bootstrapping.ports },
    ],
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
      { ...bootstrapping, balancerMembers: bootstrapping.balancerMembers.filter(({ name }) => name === BOOTSTRAP) },
    ],
  ],
  ['gateway-wrong', [], [withLines(complete, 'kube-apiserver', ...times(3, KUBELET_UNREACHABLE))]],
];
