import type { Case } from './case.ts';
import {
  ago,
  booting,
  bootstrapping,
  complete,
  fetched,
  fqdn,
  MASTERS,
  machine,
  node,
  port,
  withCluster,
} from './healthy.ts';
import { inLive, leased, only, said, stopped } from './machine-cases.ts';

const [M1 = '', M2 = ''] = MASTERS;
const twoInstalled = only(stopped, M2, {
  ...stopped.machines.find(({ name }) => name === M1),
  name: M2,
  address: machine(M2).address,
  mac: machine(M2).mac,
  hasJoined: true,
});

/** What is written on a disk, and where it cannot be. */
export const DISK_CASES: readonly Case[] = [
  [
    'ignition-of-another-role',
    [
      [only(booting, M1, { requests: [fetched('/ignition/worker.ign')] }), 'certain'],
      [only(complete, 'w1', { hasJoined: true, requests: [fetched('/ignition/master.ign')] }), 'certain'],
      [
        { ...booting, ignition: { expiresAt: null, problems: [], unusable: [], otherRole: ['x'], server: null } },
        'certain',
      ],
    ],
    [
      only(booting, M1, { requests: [fetched('/ignition/worker.ign', 403)], poweredOnAt: ago(4) }),
      only(booting, M1, { requests: [fetched('/ignition/worker.ign', 200, 9), fetched('/ignition/master.ign')] }),
      only(complete, 'w1', { hasJoined: true, requests: [fetched('/ignition/worker.ign')] }),
    ],
  ],
  [
    'install-disk-wrong',
    [
      [
        said(
          booting,
          'coreos-installer',
          'coreos-installer: Error: opening /dev/sda: No such file or directory (os error 2)',
        ),
        'certain',
      ],
      [stopped, 'possible'],
      [{ ...stopped, lines: [leased(M1, ago(32)), leased(M2, ago(20))] }, 'possible'],
      [{ ...twoInstalled, lines: [leased(M1, ago(32)), leased(M2, ago(20))] }, 'likely'],
      [only(booting, M1, inLive), 'possible'],
      [
        only(only(booting, M1, inLive), M2, {
          stage: 'ignition',
          requests: [fetched('/images/live-rootfs.img'), fetched('/ignition/master.ign')],
        }),
        'likely',
      ],
    ],
    [
      { ...stopped, ports: [...stopped.ports, port(M1, 22, 'open')] },
      { ...stopped, ports: booting.ports },
      { ...stopped, lines: [leased(M1, ago(20))] },
      only(bootstrapping, M1, { stage: 'ignition', lastRequest: fetched('/ignition/master.ign', 200, 20) }),
    ],
  ],
  [
    'disk-too-small',
    [
      [withCluster(complete, { nodes: [node(fqdn(M1), { diskGiB: 40 })] }), 'certain'],
      [withCluster(complete, { nodes: [node(fqdn(M1), { hasDiskPressure: true })] }), 'certain'],
      [said(booting, 'coreos-installer', 'write error: No space left on device'), 'certain'],
    ],
    [
      withCluster(complete, { nodes: [node(fqdn(M1), { diskGiB: null })] }),
      said(complete, 'openshift-install', 'Cluster operator insights Degraded is True with X: no space left on device'),
    ],
  ],
];
