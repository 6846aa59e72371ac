import type { Evidence, MachineSeen } from '../../../src/diagnosis/causes/evidence.ts';
import type { Case } from './case.ts';
import {
  ago,
  BOOTSTRAP,
  booting,
  bootstrapping,
  complete,
  design,
  fetched,
  lines,
  MASTERS,
  machine,
  NOW,
  operator,
  port,
  times,
  withCluster,
} from './healthy.ts';

export const said = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
export const only = (base: Evidence, name: string, changes: Partial<MachineSeen> = {}): Evidence => ({
  ...base,
  machines: base.machines.map((each) => (each.name === name ? machine(name, changes) : each)),
});
const api = (code: string, skew: number | null = null): Evidence => ({
  ...booting,
  api: { isUp: false, code, line: code, skew },
});
const ENDED =
  'x509: certificate has expired or is not yet valid: current time 2026-11-23T13:00:00Z is after 2026-11-23T12:00:00Z';
const EARLY =
  'x509: certificate has expired or is not yet valid: current time 2026-11-22T03:00:00Z is before 2026-11-22T12:00:00Z';
const [M1 = '', M2 = ''] = MASTERS;
export const stopped = only(bootstrapping, M1, {
  stage: 'ignition',
  poweredOnAt: ago(35),
  awaitedSince: ago(35),
  lastRequest: fetched('/ignition/master.ign', 200, 30),
  requests: [fetched('/ignition/master.ign', 200, 30)],
});
export const inLive: Partial<MachineSeen> = {
  stage: 'rootfs',
  poweredOnAt: ago(20),
  lastRequest: fetched('/images/live-rootfs.img', 200, 14),
  requests: [fetched('/images/live-rootfs.img', 200, 14)],
};
export const leased = (name: string, at: number) => ({
  source: 'dhcp',
  host: null,
  at,
  text: `DHCPACK on ${machine(name).address} to ${machine(name).mac} via eth0`,
});
const UNAUTHORIZED = (registry: string) =>
  `Error: initializing source docker://${registry}/openshift-release-dev/ocp-release@sha256:ab: reading manifest: unauthorized: authentication required`;
const TIMEOUT =
  'pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: i/o timeout';
const mirrored = {
  ...design,
  imageDigestSources: [{ source: 'quay.io/ocp', mirrors: ['mirror.example.localdomain:5000/ocp'] }],
};
const STRANGER = '00:50:56:96:e5:2f';

export const MACHINE_CASES: readonly Case[] = [
  [
    'wrong-mac',
    [
      [
        {
          ...only(booting, M1),
          strangers: [STRANGER],
          lines: lines('dhcp', `DHCPDISCOVER from ${STRANGER} via ens192: network 172.16.0.0/24: no free leases`),
        },
        'likely',
      ],
    ],
    [{ ...booting, strangers: [STRANGER] }, only(booting, M1)],
  ],
  [
    'boots-old-disk',
    [[{ ...only(booting, M1, { stage: 'lease' }), ports: [...booting.ports, port(M1, 22, 'open')] }, 'likely']],
    [
      { ...only(booting, M1, { poweredOnAt: ago(2) }), ports: [...booting.ports, port(M1, 22, 'open')] },
      { ...only(booting, M1, { hasJoined: true }), ports: [...booting.ports, port(M1, 22, 'open')] },
    ],
  ],
  [
    'node-never-boots',
    [
      [only(booting, M1), 'certain'],
      [
        {
          ...only(booting, M1),
          design: { ...design, services: { ...design.services, boot: { kind: 'iso', httpPort: 8080 } } },
        },
        'possible',
      ],
    ],
    [only(booting, M1, { poweredOnAt: ago(9), awaitedSince: ago(9) }), only(booting, M1, { stage: 'lease' })],
  ],
  [
    'rhcos-mixed',
    [
      [{ ...booting, machines: [M1, M2].map((name) => machine(name, inLive)) }, 'possible'],
      [
        {
          ...booting,
          images: {
            names: [
              'rhcos-418.94.202410090804-0-live-kernel-x86_64',
              'rhcos-417.94.202408081010-0-live-rootfs.x86_64.img',
            ],
            wrong: [],
          },
        },
        'certain',
      ],
      [{ ...booting, images: { names: [], wrong: ['rhcos-live-rootfs.x86_64.img'] } }, 'certain'],
      [
        said(
          booting,
          'console',
          'coreos-livepxe-rootfs: rootfs image version 417 does not match initramfs version 418',
        ),
        'likely',
      ],
    ],
    [
      {
        ...booting,
        images: { names: ['rhcos-418.94-0-live-kernel-x86_64', 'rhcos-418.94-0-live-rootfs.x86_64.img'], wrong: [] },
      },
    ],
  ],
  [
    'installs-again',
    [
      [
        only(booting, M1, {
          stage: 'rootfs',
          requests: times(3, '/images/live-rootfs.img').map((path) => fetched(path)),
        }),
        'likely',
      ],
    ],
    [
      only(booting, M1, {
        stage: 'rootfs',
        requests: times(2, '/images/live-rootfs.img').map((path) => fetched(path)),
      }),
    ],
  ],
  [
    'ignition-stale',
    [
      [{ ...booting, ignition: { expiresAt: ago(1), problems: [], unusable: [], server: null } }, 'certain'],
      [said(booting, 'console', ENDED), 'likely'],
    ],
    [
      { ...complete, ignition: { expiresAt: ago(600), problems: [], unusable: [], server: null } },
      said(booting, 'console', EARLY),
    ],
  ],
  [
    'ignition-of-another-cluster',
    [
      [
        {
          ...booting,
          ignition: {
            expiresAt: NOW * 2,
            problems: ['master.ign names an authority that bootstrap.ign does not have'],
            unusable: [],
            server: null,
          },
        },
        'certain',
      ],
      [
        { ...bootstrapping, ignition: { expiresAt: NOW * 2, problems: [], unusable: [], server: 'untrusted' } },
        'certain',
      ],
      [api('cluster-other-install'), 'likely'],
      [
        said(
          booting,
          'console',
          `GET https://api-int:22623/config/master: x509: certificate signed by unknown authority`,
        ),
        'likely',
      ],
    ],
    [said(booting, 'openshift-install', 'x509: certificate signed by unknown authority'), api('cluster-closed')],
  ],
  [
    'kubeconfig-of-another-cluster',
    [[said(booting, 'openshift-install', ...times(3, 'x509: certificate signed by unknown authority')), 'likely']],
    [
      { ...said(complete, 'openshift-install', ...times(3, 'x509: certificate signed by unknown authority')) },
      api('cluster-closed'),
    ],
  ],
  [
    'clock-skew',
    [
      [{ ...booting, clocks: [{ server: '192.168.124.1', offset: -7_200_000 }] }, 'certain'],
      [{ ...bootstrapping, api: { isUp: true, code: null, line: '', skew: 3_600_000 } }, 'certain'],
      [api('cluster-certificate-early'), 'likely'],
      [
        {
          ...stopped,
          lines: [leased(M1, ago(20))],
          machines: stopped.machines.map((each) => (each.name === M2 ? { ...each, hasJoined: true } : each)),
        },
        'possible',
      ],
      [said(booting, 'console', EARLY), 'likely'],
    ],
    [said(booting, 'console', ENDED), { ...bootstrapping, api: { isUp: true, code: null, line: '', skew: 2000 } }],
  ],

  ['credentials-refused', [[api('cluster-unauthorized'), 'likely']], [api('cluster-forbidden')]],
  [
    'pull-secret-without-registry',
    [
      [{ ...booting, registries: ['registry.redhat.io'] }, 'certain'],
      [{ ...booting, design: mirrored }, 'certain'],
      [said(booting, 'release-image', UNAUTHORIZED('registry.ci.openshift.org')), 'certain'],
    ],
    [{ ...booting, registries: null }, said(booting, 'release-image', UNAUTHORIZED('quay.io'))],
  ],
  [
    'pull-secret-rejected',
    [[said(booting, 'release-image', UNAUTHORIZED('quay.io')), 'likely']],
    [said(booting, 'kubelet', 'Unable to authenticate the request: Unauthorized')],
  ],
  [
    'registry-unreachable',
    [[said(booting, 'release-image', TIMEOUT), 'likely']],
    [
      said(booting, 'kubelet', 'Get "https://api-int.ocp45.example.localdomain:22623/v2": dial tcp: i/o timeout'),
      withCluster(complete, { operators: [operator('insights', 'upload', 'i/o timeout')] }),
    ],
  ],
  [
    'release-missing',
    [[said(booting, 'release-image', 'reading manifest sha256:ab in mirror:5000/ocp: manifest unknown'), 'certain']],
    [said(booting, 'release-image', TIMEOUT)],
  ],
  [
    'control-plane-absent',
    [
      [
        only(bootstrapping, M1, {
          stage: 'ignition',
          poweredOnAt: ago(50),
          awaitedSince: ago(50),
          requests: [fetched('/ignition/master.ign', 200, 45)],
          lastRequest: fetched('/ipxe/x', 200, 2),
        }),
        'possible',
      ],
    ],
    [
      only(bootstrapping, BOOTSTRAP, {
        stage: 'ignition',
        poweredOnAt: ago(50),
        requests: [fetched('/ignition/bootstrap.ign')],
      }),
      only(booting, M2, { stage: 'ignition', poweredOnAt: ago(50) }),
    ],
  ],
];
