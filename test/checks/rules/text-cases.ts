import type { Evidence } from '../../../src/checks/rules/evidence.ts';
import type { DiagnosticRuleId } from '../../../src/checks/rules/index.ts';
import { SCENES } from './all-scenes.ts';
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
} from './base-evidence.ts';
import type { RuleCase } from './rule-case.ts';

const [M1 = ''] = MASTERS;
const withLines = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
const CANNOT_BIND = '[ALERT] (12) : Starting frontend api: cannot bind socket (Address already in use) [0.0.0.0:6443]';
const ANONYMOUS =
  '"Unable to register node with API server" err="nodes is forbidden: User \\"system:anonymous\\" cannot create resource \\"nodes\\" in API group"';
const NO_SERVING_CERTIFICATE =
  'http: TLS handshake error from 10.130.2.5:59: no serving certificate available for the kubelet';
const CURL_REFUSED = "curl: (7) Couldn't connect to server";
const NOT_UNPACKED = "Couldn't fetch, verify, and unpack image specified by coreos.live.rootfs_url=";
const PLAIN_HTTP = 'http: server gave HTTP response to HTTPS client';
/** Evidence with an unrelated service on the same HAProxy. */
const withOtherListener = (...added: readonly string[]): Evidence => ({
  ...complete,
  files: complete.files.map((file) =>
    file.kind === 'haproxy' ? { ...file, text: `${file.text}\nlisten other\n${added.join('\n')}\n` } : file,
  ),
});
const withNotReadyNode = (minutes: number, message: string) =>
  withCluster(complete, { nodes: [node(fqdn(M1), { isReady: false, notReadySince: ago(minutes), message })] });
const withKeaConfig = (text: string): Evidence => ({
  ...booting,
  files: [{ host: 'ns1', kind: 'kea-dhcp4', path: '/etc/kea/kea-dhcp4.conf', text, plannedText: '{"Dhcp4":{}}' }],
});
/** Evidence of the scenes whose first rule is this one, with the likelihood. */
const listSceneEvidence = (id: DiagnosticRuleId, ...changes: readonly Evidence[]): RuleCase[1] =>
  [...SCENES.filter(([, [first]]) => first === id).map(([, , evidence]) => evidence), ...changes].map((evidence) => [
    evidence,
    LIKELY_RULES.has(id) ||
    (id === 'balancer-proxy-protocol' && evidence.stage !== 'install') ||
    isOnlyLikely(id, evidence)
      ? 'likely'
      : 'certain',
  ]);
const LIKELY_RULES: ReadonlySet<DiagnosticRuleId> = new Set([
  ...(['balancer-limits', 'balancer-member-off', 'vrrp-id-shared', 'resolver-fails'] as const),
  ...(['node-runtime-down', 'networks-overlap'] as const),
]);
/**
 * A program's message about its file may concern an earlier file, unless it is the last message of a service host. An
 * operator's message about capacity may be out of date.
 */
const isOnlyLikely = (id: DiagnosticRuleId, { lines: all }: Evidence) =>
  (id === 'service-file-broken' && all.some(({ host }) => host !== 'ns1')) ||
  (id === 'machine-too-weak' && all.length === 0);

const unusableIgnition = {
  ...booting,
  ignition: { expiresAt: null, problems: [], unusableFiles: ['master.ign is not an ignition file.'], server: null },
};

/** Cases of rules that read configuration files and lines of programs. */
export const TEXT_CASES: readonly RuleCase[] = [
  [
    'balancer-tls-ends',
    listSceneEvidence('balancer-tls-ends'),
    [complete, withOtherListener('bind *:8443 ssl crt /x.pem', 'server a 10.0.0.1:8080 check')],
  ],
  [
    'balancer-proxy-protocol',
    listSceneEvidence('balancer-proxy-protocol'),
    [complete, withOtherListener('bind *:25', 'server a 10.0.0.1:25 send-proxy')],
  ],
  [
    'balancer-port-mixed',
    listSceneEvidence('balancer-port-mixed'),
    [complete, withOtherListener('bind *:8080', 'default_backend ingress-http')],
  ],
  [
    'balancer-limits',
    listSceneEvidence('balancer-limits'),
    [complete, withOtherListener('bind *:8080', 'maxconn 10', 'tcp-request connection reject')],
  ],
  [
    'balancer-member-off',
    listSceneEvidence('balancer-member-off'),
    [{ ...complete, balancerMembers: [...complete.balancerMembers, member('other', 'x', 'DOWN')] }],
  ],
  [
    'vrrp-id-shared',
    listSceneEvidence('vrrp-id-shared'),
    [withLines(complete, 'Keepalived_vrrp', 'bogus VRRP packet received on eth0 !!!')],
  ],
  [
    'service-file-broken',
    listSceneEvidence('service-file-broken', withKeaConfig('{ "Dhcp4": { }'), {
      ...booting,
      files: booting.files.map((file) => ({ ...file, text: file.text.replace(/\}\s*$/, '') })),
    }),
    [
      withKeaConfig('// ours\n{ "Dhcp4": { "comment": "no // comment", /* two */ "option-data": [ ], } } # end'),
      withLines(booting, 'dhcp', 'dhcpd: Wrote 0 leases to leases file.'),
    ],
  ],
  [
    'ignition-broken',
    [...listSceneEvidence('ignition-broken'), [unusableIgnition, 'certain']],
    [withLines(booting, 'kubelet', 'unexpected end of JSON input')],
  ],
  [
    'node-credentials-expired',
    listSceneEvidence('node-credentials-expired'),
    [withLines(bootstrapping, 'kubelet', 'x509: certificate has expired')],
  ],
  [
    'registry-untrusted',
    listSceneEvidence('registry-untrusted'),
    [
      withLines(
        booting,
        'ignition',
        'Get "https://api-int.x.example:22623/config/master": x509: certificate signed by unknown authority',
      ),
    ],
  ],
  [
    'proxy-fails',
    listSceneEvidence('proxy-fails'),
    [
      withLines(
        booting,
        'release-image',
        'Get "https://quay.io/v2/": dial tcp 1.2.3.4:443: connect: connection refused',
      ),
    ],
  ],
  ['image-policy-refuses', listSceneEvidence('image-policy-refuses'), [withLines(booting, 'crio', 'manifest unknown')]],
  ['registry-limits', listSceneEvidence('registry-limits'), [withLines(booting, 'crio', 'too many open files')]],
  [
    'resolver-fails',
    listSceneEvidence('resolver-fails'),
    [
      withLines(booting, 'kubelet', ...times(2, 'lookup quay.io on 172.16.0.102:53: server misbehaving')),
      withLines(booting, 'openshift-install', ...times(3, 'lookup api.x.example: i/o timeout')),
    ],
  ],
  [
    'node-runtime-down',
    listSceneEvidence('node-runtime-down'),
    [withNotReadyNode(2, 'container runtime is down'), withNotReadyNode(20, 'Kubelet stopped posting node status.')],
  ],
  [
    'machine-too-weak',
    listSceneEvidence('machine-too-weak'),
    [withLines(complete, 'kernel', 'Memory cgroup out of memory: Killed process 4211 (java)')],
  ],
  // Of messages that several threads report (test/diagnosis/field/cases/frequent.ts), what is over or of another kind.
  [
    'balancer-closed',
    [[{ ...withLines(booting, 'haproxy', CANNOT_BIND), ports: [] }, 'likely']],
    [
      { ...withLines(booting, 'haproxy', CANNOT_BIND, '[NOTICE] (1300) : Loading success.'), ports: [] },
      { ...withLines(booting, 'openshift-ingress/router-default', CANNOT_BIND), ports: [] },
      withLines(complete, 'haproxy', CANNOT_BIND),
    ],
  ],
  [
    'requests-wait',
    [[withCluster(withLines(complete, 'kubelet', ...times(3, ANONYMOUS)), { requests: [] }), 'likely']],
    [
      withCluster(withLines(complete, 'kubelet', ...times(2, ANONYMOUS)), { requests: [] }),
      withCluster(withLines(complete, 'kubelet', ...times(3, ANONYMOUS), '"Successfully registered node" node="w1"'), {
        requests: [],
      }),
      withLines(complete, 'kubelet', ...times(3, ANONYMOUS)),
    ],
  ],
  [
    'serving-requests-wait',
    [[withLines(complete, 'kubelet', ...times(3, NO_SERVING_CERTIFICATE)), 'possible']],
    [withLines(complete, 'kubelet', ...times(2, NO_SERVING_CERTIFICATE))],
  ],
  ['boot-server-silent', [[withLines(booting, 'coreos-livepxe-rootfs', CURL_REFUSED), 'likely']], []],
  ['boot-server-silent', [], [withLines(booting, 'podman', CURL_REFUSED)]],
  [
    'boot-file-missing',
    [[withLines(booting, 'coreos-livepxe-rootfs', 'curl: (22) The requested URL returned error: 404'), 'likely']],
    [withLines(booting, 'coreos-livepxe-rootfs', 'curl: (22) The requested URL returned error: 503')],
  ],
  [
    'rhcos-mixed',
    [[withLines(booting, 'coreos-livepxe-rootfs', NOT_UNPACKED), 'likely']],
    [
      withLines(booting, 'coreos-livepxe-rootfs', CURL_REFUSED, NOT_UNPACKED),
      withLines(booting, 'coreos-livepxe-rootfs', 'bsdtar: No space left on device', NOT_UNPACKED),
    ],
  ],
  [
    'disk-too-small',
    [[withLines(booting, 'coreos-installer', 'Error: No space left on device'), 'certain']],
    [withLines(booting, 'coreos-livepxe-rootfs', 'bsdtar: No space left on device')],
  ],
  [
    'registry-untrusted',
    [
      [
        withLines(booting, 'release-image', `pull: Get "https://mirror.example.com:5000/v2/": ${PLAIN_HTTP}`),
        'certain',
      ],
    ],
    [withLines(booting, 'bootkube', `Get "https://api-int.ocp45.example.localdomain:6443/v2/": ${PLAIN_HTTP}`)],
  ],
  ['fips-mismatch', listSceneEvidence('fips-mismatch'), [withLines(booting, 'kernel', 'fips mode: enabled')]],
  ['networks-overlap', listSceneEvidence('networks-overlap'), [withLines(booting, 'kubelet', 'two watches overlap')]],
];
