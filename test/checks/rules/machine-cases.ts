import type { Evidence, ObservedMachine } from '../../../src/checks/rules/evidence.ts';
import {
  ago,
  BOOTSTRAP,
  booting,
  bootRequest,
  bootstrapping,
  complete,
  design,
  lines,
  MASTERS,
  machine,
  NOW,
  operator,
  port,
  times,
  withCluster,
} from './base-evidence.ts';
import type { RuleCase } from './rule-case.ts';

export const withLines = (base: Evidence, source: string, ...texts: readonly string[]): Evidence => ({
  ...base,
  lines: lines(source, ...texts),
});
export const withMachine = (base: Evidence, name: string, changes: Partial<ObservedMachine> = {}): Evidence => ({
  ...base,
  machines: base.machines.map((each) => (each.name === name ? machine(name, changes) : each)),
});
const withApiError = (code: string, skewMs: number | null = null): Evidence => ({
  ...booting,
  api: { isUp: false, code, detail: code, skewMs },
});
const CERTIFICATE_EXPIRED =
  'x509: certificate has expired or is not yet valid: current time 2026-11-23T13:00:00Z is after 2026-11-23T12:00:00Z';
const CERTIFICATE_EARLY =
  'x509: certificate has expired or is not yet valid: current time 2026-11-22T03:00:00Z is before 2026-11-22T12:00:00Z';
const [M1 = '', M2 = ''] = MASTERS;
export const stalledInstall = withMachine(bootstrapping, M1, {
  stage: 'ignition',
  poweredOnAt: ago(35),
  requestExpectedSince: ago(35),
  lastRequest: bootRequest('/ignition/master.ign', 200, 30),
  requests: [bootRequest('/ignition/master.ign', 200, 30)],
});
export const liveSystem: Partial<ObservedMachine> = {
  stage: 'rootfs',
  poweredOnAt: ago(20),
  lastRequest: bootRequest('/images/live-rootfs.img', 200, 14),
  requests: [bootRequest('/images/live-rootfs.img', 200, 14)],
};
export const leaseLine = (name: string, at: number) => ({
  source: 'dhcp',
  host: null,
  at,
  text: `DHCPACK on ${machine(name).address} to ${machine(name).mac} via eth0`,
});
const formatUnauthorized = (registry: string) =>
  `Error: initializing source docker://${registry}/openshift-release-dev/ocp-release@sha256:ab: reading manifest: unauthorized: authentication required`;
const TIMEOUT =
  'pinging container registry quay.io: Get "https://quay.io/v2/": dial tcp 34.224.196.162:443: i/o timeout';
const mirrorDesign = {
  ...design,
  imageDigestSources: [{ source: 'quay.io/ocp', mirrors: ['mirror.example.localdomain:5000/ocp'] }],
};
const UNKNOWN_MAC = '00:50:56:96:e5:2f';

export const MACHINE_CASES: readonly RuleCase[] = [
  [
    'wrong-mac',
    [
      [
        {
          ...withMachine(booting, M1),
          unknownMacs: [UNKNOWN_MAC],
          lines: lines('dhcp', `DHCPDISCOVER from ${UNKNOWN_MAC} via ens192: network 172.16.0.0/24: no free leases`),
        },
        'likely',
      ],
    ],
    [{ ...booting, unknownMacs: [UNKNOWN_MAC] }, withMachine(booting, M1)],
  ],
  [
    'boots-old-disk',
    [[{ ...withMachine(booting, M1, { stage: 'lease' }), ports: [...booting.ports, port(M1, 22, 'open')] }, 'likely']],
    [
      { ...withMachine(booting, M1, { poweredOnAt: ago(2) }), ports: [...booting.ports, port(M1, 22, 'open')] },
      { ...withMachine(booting, M1, { hasJoined: true }), ports: [...booting.ports, port(M1, 22, 'open')] },
      // The log of another web server that cannot be read shows no request of any machine.
      {
        ...withMachine(booting, M1, { stage: 'lease' }),
        ports: [...booting.ports, port(M1, 22, 'open')],
        isRequestLogComplete: false,
      },
    ],
  ],
  [
    'node-never-boots',
    [
      [withMachine(booting, M1), 'certain'],
      [
        {
          ...withMachine(booting, M1),
          design: { ...design, services: { ...design.services, boot: { kind: 'iso', httpPort: 8080 } } },
        },
        'possible',
      ],
    ],
    [
      withMachine(booting, M1, { poweredOnAt: ago(9), requestExpectedSince: ago(9) }),
      withMachine(booting, M1, { stage: 'lease' }),
      { ...withMachine(booting, M1), isRequestLogComplete: false },
    ],
  ],
  [
    'rhcos-mixed',
    [
      [{ ...booting, machines: [M1, M2].map((name) => machine(name, liveSystem)) }, 'possible'],
      [
        {
          ...booting,
          images: {
            names: [
              'rhcos-418.94.202410090804-0-live-kernel-x86_64',
              'rhcos-417.94.202408081010-0-live-rootfs.x86_64.img',
            ],
            mismatchedNames: [],
          },
        },
        'certain',
      ],
      [{ ...booting, images: { names: [], mismatchedNames: ['rhcos-live-rootfs.x86_64.img'] } }, 'certain'],
      [
        withLines(
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
        images: {
          names: ['rhcos-418.94-0-live-kernel-x86_64', 'rhcos-418.94-0-live-rootfs.x86_64.img'],
          mismatchedNames: [],
        },
      },
    ],
  ],
  [
    'installs-again',
    [
      [
        withMachine(booting, M1, {
          stage: 'rootfs',
          requests: times(3, '/images/live-rootfs.img').map((path) => bootRequest(path)),
        }),
        'likely',
      ],
    ],
    [
      withMachine(booting, M1, {
        stage: 'rootfs',
        requests: times(2, '/images/live-rootfs.img').map((path) => bootRequest(path)),
      }),
    ],
  ],
  [
    'ignition-stale',
    [
      [{ ...booting, ignition: { expiresAt: ago(1), problems: [], unusableFiles: [], server: null } }, 'certain'],
      [withLines(booting, 'console', CERTIFICATE_EXPIRED), 'likely'],
    ],
    [
      { ...complete, ignition: { expiresAt: ago(600), problems: [], unusableFiles: [], server: null } },
      withLines(booting, 'console', CERTIFICATE_EARLY),
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
            unusableFiles: [],
            server: null,
          },
        },
        'certain',
      ],
      [
        { ...bootstrapping, ignition: { expiresAt: NOW * 2, problems: [], unusableFiles: [], server: 'untrusted' } },
        'certain',
      ],
      [withApiError('cluster-other-install'), 'likely'],
      [
        withLines(
          booting,
          'console',
          `GET https://api-int:22623/config/master: x509: certificate signed by unknown authority`,
        ),
        'likely',
      ],
    ],
    [
      withLines(booting, 'openshift-install', 'x509: certificate signed by unknown authority'),
      withApiError('cluster-closed'),
    ],
  ],
  [
    'kubeconfig-of-another-cluster',
    [[withLines(booting, 'openshift-install', ...times(3, 'x509: certificate signed by unknown authority')), 'likely']],
    [
      { ...withLines(complete, 'openshift-install', ...times(3, 'x509: certificate signed by unknown authority')) },
      withApiError('cluster-closed'),
    ],
  ],
  [
    'clock-skew',
    [
      [{ ...booting, timeServerOffsets: [{ server: '192.168.124.1', offsetMs: -7_200_000 }] }, 'certain'],
      [{ ...bootstrapping, api: { isUp: true, code: null, detail: '', skewMs: 3_600_000 } }, 'certain'],
      [withApiError('cluster-certificate-early'), 'likely'],
      [
        {
          ...stalledInstall,
          lines: [leaseLine(M1, ago(20))],
          machines: stalledInstall.machines.map((each) => (each.name === M2 ? { ...each, hasJoined: true } : each)),
        },
        'possible',
      ],
      [withLines(booting, 'console', CERTIFICATE_EARLY), 'likely'],
    ],
    [
      withLines(booting, 'console', CERTIFICATE_EXPIRED),
      { ...bootstrapping, api: { isUp: true, code: null, detail: '', skewMs: 2000 } },
    ],
  ],

  ['credentials-refused', [[withApiError('cluster-unauthorized'), 'likely']], [withApiError('cluster-forbidden')]],
  [
    'pull-secret-without-registry',
    [
      [{ ...booting, registries: ['registry.redhat.io'] }, 'certain'],
      [{ ...booting, design: mirrorDesign }, 'certain'],
      [withLines(booting, 'release-image', formatUnauthorized('registry.ci.openshift.org')), 'certain'],
    ],
    [{ ...booting, registries: null }, withLines(booting, 'release-image', formatUnauthorized('quay.io'))],
  ],
  [
    'pull-secret-rejected',
    [[withLines(booting, 'release-image', formatUnauthorized('quay.io')), 'likely']],
    [withLines(booting, 'kubelet', 'Unable to authenticate the request: Unauthorized')],
  ],
  [
    'registry-unreachable',
    [[withLines(booting, 'release-image', TIMEOUT), 'likely']],
    [
      withLines(booting, 'kubelet', 'Get "https://api-int.ocp45.example.localdomain:22623/v2": dial tcp: i/o timeout'),
      withCluster(complete, { operators: [operator('insights', 'upload', 'i/o timeout')] }),
    ],
  ],
  [
    'release-missing',
    [
      [
        withLines(booting, 'release-image', 'reading manifest sha256:ab in mirror:5000/ocp: manifest unknown'),
        'certain',
      ],
    ],
    [withLines(booting, 'release-image', TIMEOUT)],
  ],
  [
    'control-plane-absent',
    [
      [
        withMachine(bootstrapping, M1, {
          stage: 'ignition',
          poweredOnAt: ago(50),
          requestExpectedSince: ago(50),
          requests: [bootRequest('/ignition/master.ign', 200, 45)],
          lastRequest: bootRequest('/ipxe/x', 200, 2),
        }),
        'possible',
      ],
      [
        withMachine(bootstrapping, M1, {
          role: 'arbiter',
          stage: 'ignition',
          poweredOnAt: ago(50),
          requestExpectedSince: ago(50),
          requests: [bootRequest('/ignition/arbiter.ign', 200, 45)],
          lastRequest: bootRequest('/ipxe/x', 200, 2),
        }),
        'possible',
      ],
    ],
    [
      // A fault delayed it: it fetched its ignition file a moment ago.
      withMachine(bootstrapping, M1, {
        stage: 'ignition',
        poweredOnAt: ago(150),
        requestExpectedSince: ago(150),
        requests: [bootRequest('/ignition/master.ign', 200, 10)],
        lastRequest: bootRequest('/ignition/master.ign', 200, 10),
      }),
      withMachine(bootstrapping, BOOTSTRAP, {
        stage: 'ignition',
        poweredOnAt: ago(50),
        requests: [bootRequest('/ignition/bootstrap.ign')],
      }),
      withMachine(booting, M2, { stage: 'ignition', poweredOnAt: ago(50) }),
    ],
  ],
];
