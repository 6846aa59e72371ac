/** The machines start. */
import { plural } from '../plural.ts';

export const bootWords = {
  boot: {
    stages: {
      off: 'no sign yet',
      lease: 'address given',
      script: 'boot script',
      kernel: 'kernel',
      rootfs: 'system image',
      ignition: 'ignition',
      answering: 'answers',
      ready: 'Ready',
    },
    needed: (count: number) => `${plural(count, 'machine')} to power on`,
    serverGone: 'the boot server no longer runs, and machines still need it',
    allThere: (count: number) =>
      count === 1 ? 'the machine fetched its ignition' : `all ${plural(count, 'machine')} fetched their ignition`,
    waiting: (have: number, of: number) => `${have} of ${of} machines fetched their ignition`,
    powerOn: (node: string) => `power on ${node}`,
    poweredOn: 'powered on; it boots from the network',
    byHand: (names: string) =>
      `Power on ${names}: from the network, one time. Set the boot order to disk first, network second.`,
  },
} as const;
