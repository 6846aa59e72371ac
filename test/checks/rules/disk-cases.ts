import {
  ago,
  booting,
  bootRequest,
  bootstrapping,
  complete,
  fqdn,
  MASTERS,
  machine,
  node,
  port,
  request,
  withCluster,
} from './base-evidence.ts';
import { leaseLine, liveSystem, stalledInstall, withLines, withMachine } from './machine-cases.ts';
import type { RuleCase } from './rule-case.ts';

const [M1 = '', M2 = ''] = MASTERS;
/** The machine that shows no restart has requested its certificate, as its last act or before it fetched its file. */
const withRequestAt = (minutes: number) =>
  withCluster(stalledInstall, {
    requests: [request({ node: fqdn(M1), verdict: 'decided', requestedAt: ago(minutes) })],
  });
const stalledWithJoinedPeer = withMachine(stalledInstall, M2, {
  ...stalledInstall.machines.find(({ name }) => name === M1),
  name: M2,
  address: machine(M2).address,
  mac: machine(M2).mac,
  hasJoined: true,
});

/** Cases about the installation disk and the ignition file of a node. */
export const DISK_CASES: readonly RuleCase[] = [
  [
    'ignition-of-another-role',
    [
      [withMachine(booting, M1, { requests: [bootRequest('/ignition/worker.ign')] }), 'certain'],
      [withMachine(booting, M1, { role: 'arbiter', requests: [bootRequest('/ignition/master.ign')] }), 'certain'],
      [withMachine(booting, M1, { requests: [bootRequest('/ignition/arbiter.ign')] }), 'certain'],
      [withMachine(complete, 'w1', { hasJoined: true, requests: [bootRequest('/ignition/master.ign')] }), 'certain'],
      [
        {
          ...booting,
          ignition: { expiresAt: null, problems: [], unusableFiles: [], swappedRoleFiles: ['x'], server: null },
        },
        'certain',
      ],
    ],
    [
      withMachine(booting, M1, { requests: [bootRequest('/ignition/worker.ign', 403)], poweredOnAt: ago(4) }),
      withMachine(booting, M1, {
        requests: [bootRequest('/ignition/worker.ign', 200, 9), bootRequest('/ignition/master.ign')],
      }),
      withMachine(complete, 'w1', { hasJoined: true, requests: [bootRequest('/ignition/worker.ign')] }),
      withMachine(booting, M1, { role: 'arbiter', requests: [bootRequest('/ignition/arbiter.ign')] }),
    ],
  ],
  [
    'install-disk-wrong',
    [
      [
        withLines(
          booting,
          'coreos-installer',
          'coreos-installer: Error: opening /dev/sda: No such file or directory (os error 2)',
        ),
        'certain',
      ],
      [stalledInstall, 'possible'],
      [withRequestAt(50), 'possible'],
      [{ ...stalledInstall, lines: [leaseLine(M1, ago(32)), leaseLine(M2, ago(20))] }, 'possible'],
      [{ ...stalledWithJoinedPeer, lines: [leaseLine(M1, ago(32)), leaseLine(M2, ago(20))] }, 'likely'],
      [withMachine(booting, M1, liveSystem), 'possible'],
      [
        withMachine(withMachine(booting, M1, liveSystem), M2, {
          stage: 'ignition',
          requests: [bootRequest('/images/live-rootfs.img'), bootRequest('/ignition/master.ign')],
        }),
        'likely',
      ],
    ],
    [
      { ...stalledInstall, ports: [...stalledInstall.ports, port(M1, 22, 'open')] },
      { ...stalledInstall, ports: booting.ports },
      withRequestAt(5),
      { ...stalledInstall, lines: [leaseLine(M1, ago(20))] },
      withMachine(bootstrapping, M1, { stage: 'ignition', lastRequest: bootRequest('/ignition/master.ign', 200, 20) }),
    ],
  ],
  [
    'disk-too-small',
    [
      [withCluster(complete, { nodes: [node(fqdn(M1), { diskGiB: 40 })] }), 'certain'],
      [withCluster(complete, { nodes: [node(fqdn(M1), { hasDiskPressure: true })] }), 'certain'],
      [withLines(booting, 'coreos-installer', 'write error: No space left on device'), 'certain'],
    ],
    [
      withCluster(complete, { nodes: [node(fqdn(M1), { diskGiB: null })] }),
      withRequestAt(5),
      withLines(
        complete,
        'openshift-install',
        'Cluster operator insights Degraded is True with X: no space left on device',
      ),
    ],
  ],
];
