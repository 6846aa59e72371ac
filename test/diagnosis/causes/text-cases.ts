import type { Evidence } from '../../../src/diagnosis/causes/evidence.ts';
import type { CauseId } from '../../../src/diagnosis/causes/index.ts';
import type { Case } from './case.ts';
import {
  ago,
  booting,
  bootstrapping,
  complete,
  fqdn,
  lines,
  MASTERS,
  member,
  node,
  times,
  withCluster,
} from './healthy.ts';
import { SCENES } from './unplanted.ts';

const [M1 = ''] = MASTERS;
const said = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
/** A service of somebody else on the same HAProxy. */
const beside = (...added: readonly string[]): Evidence => ({
  ...complete,
  files: complete.files.map((file) =>
    file.kind === 'haproxy' ? { ...file, text: `${file.text}\nlisten other\n${added.join('\n')}\n` } : file,
  ),
});
const unready = (minutes: number, message: string) =>
  withCluster(complete, { nodes: [node(fqdn(M1), { isReady: false, goneSince: ago(minutes), message })] });
const kea = (text: string): Evidence => ({
  ...booting,
  files: [{ host: 'ns1', kind: 'kea-dhcp4', path: '/etc/kea/kea-dhcp4.conf', text, planned: '{"Dhcp4":{}}' }],
});
/** The scenes that a rule may be told first of. */
const shown = (id: CauseId, ...changes: readonly Evidence[]): Case[1] =>
  [...SCENES.filter(([, [first]]) => first === id).map(([, , evidence]) => evidence), ...changes].map((evidence) => [
    evidence,
    LIKELY.has(id) || (id === 'balancer-proxy-protocol' && evidence.stage !== 'install') || isSaid(id, evidence)
      ? 'likely'
      : 'certain',
  ]);
const LIKELY: ReadonlySet<CauseId> = new Set([
  ...(['balancer-limits', 'balancer-member-off', 'vrrp-id-shared', 'resolver-fails'] as const),
  ...(['node-runtime-down', 'networks-overlap'] as const),
]);
/** What a program says of its file, unless it is known to be the last word of a service host, may be of an earlier one; what an operator says of room, of another moment. */
const isSaid = (id: CauseId, { lines: all }: Evidence) =>
  (id === 'service-file-broken' && all.some(({ host }) => host !== 'ns1')) ||
  (id === 'machine-too-weak' && all.length === 0);

/** Rules that read configuration files and lines of programs. */
const unusable = {
  ...booting,
  ignition: { expiresAt: null, problems: [], unusable: ['master.ign is not an ignition file.'], server: null },
};

export const TEXT_CASES: readonly Case[] = [
  [
    'balancer-tls-ends',
    shown('balancer-tls-ends'),
    [complete, beside('bind *:8443 ssl crt /x.pem', 'server a 10.0.0.1:8080 check')],
  ],
  [
    'balancer-proxy-protocol',
    shown('balancer-proxy-protocol'),
    [complete, beside('bind *:25', 'server a 10.0.0.1:25 send-proxy')],
  ],
  [
    'balancer-port-mixed',
    shown('balancer-port-mixed'),
    [complete, beside('bind *:8080', 'default_backend ingress-http')],
  ],
  [
    'balancer-limits',
    shown('balancer-limits'),
    [complete, beside('bind *:8080', 'maxconn 10', 'tcp-request connection reject')],
  ],
  [
    'balancer-member-off',
    shown('balancer-member-off'),
    [{ ...complete, pools: [...complete.pools, member('other', 'x', 'DOWN')] }],
  ],
  [
    'vrrp-id-shared',
    shown('vrrp-id-shared'),
    [said(complete, 'Keepalived_vrrp', 'bogus VRRP packet received on eth0 !!!')],
  ],
  [
    'service-file-broken',
    shown('service-file-broken', kea('{ "Dhcp4": { }'), {
      ...booting,
      files: booting.files.map((file) => ({ ...file, text: file.text.replace(/\}\s*$/, '') })),
    }),
    [
      kea('// ours\n{ "Dhcp4": { "comment": "no // comment", /* two */ "option-data": [ ], } } # end'),
      said(booting, 'dhcp', 'dhcpd: Wrote 0 leases to leases file.'),
    ],
  ],
  [
    'ignition-broken',
    [...shown('ignition-broken'), [unusable, 'certain']],
    [said(booting, 'kubelet', 'unexpected end of JSON input')],
  ],
  [
    'node-credentials-expired',
    shown('node-credentials-expired'),
    [said(bootstrapping, 'kubelet', 'x509: certificate has expired')],
  ],
  [
    'registry-untrusted',
    shown('registry-untrusted'),
    [
      said(
        booting,
        'ignition',
        'Get "https://api-int.x.example:22623/config/master": x509: certificate signed by unknown authority',
      ),
    ],
  ],
  [
    'proxy-fails',
    shown('proxy-fails'),
    [said(booting, 'release-image', 'Get "https://quay.io/v2/": dial tcp 1.2.3.4:443: connect: connection refused')],
  ],
  ['image-policy-refuses', shown('image-policy-refuses'), [said(booting, 'crio', 'manifest unknown')]],
  ['registry-limits', shown('registry-limits'), [said(booting, 'crio', 'too many open files')]],
  [
    'resolver-fails',
    shown('resolver-fails'),
    [
      said(booting, 'kubelet', ...times(2, 'lookup quay.io on 172.16.0.102:53: server misbehaving')),
      said(booting, 'openshift-install', ...times(3, 'lookup api.x.example: i/o timeout')),
    ],
  ],
  [
    'node-runtime-down',
    shown('node-runtime-down'),
    [unready(2, 'container runtime is down'), unready(20, 'Kubelet stopped posting node status.')],
  ],
  [
    'machine-too-weak',
    shown('machine-too-weak'),
    [said(complete, 'kernel', 'Memory cgroup out of memory: Killed process 4211 (java)')],
  ],
  ['fips-mismatch', shown('fips-mismatch'), [said(booting, 'kernel', 'fips mode: enabled')]],
  ['networks-overlap', shown('networks-overlap'), [said(booting, 'kubelet', 'two watches overlap')]],
];
