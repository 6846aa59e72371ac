import type { Awaited } from '../../boot/timeline.ts';
import type { CauseId } from '../index.ts';

/** The likeliest cause of what did not happen, by the rule of `diagnose` that proves it. */
export const FIRST_MISSING: Readonly<Record<Awaited, CauseId>> = {
  lease: 'node-never-boots',
  // With the generated DHCP files it was told where to ask: nobody heard it.
  tftp: 'tftp-silent',
  // Its program was asked for, and then nothing: what is not there is the program; a script that is missing is asked for.
  script: 'boot-program-missing',
  kernel: 'boot-file-missing',
  rootfs: 'gateway-wrong',
  ignition: 'boot-file-forbidden',
  ssh: 'boots-old-disk',
  config: 'registry-unreachable',
  kubelet: 'api-int-missing',
  node: 'requests-wait',
  ready: 'network-not-ready',
};
