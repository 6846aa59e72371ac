import type { Sign } from '../../boot/timeline.ts';
import type { CauseId } from '../index.ts';

/** The likeliest cause of what did not happen, by the rule of `diagnose` that proves it. */
export const FIRST_MISSING: Readonly<Record<Exclude<Sign, 'power'>, CauseId>> = {
  lease: 'node-never-boots',
  tftp: 'dhcp-boot-wrong',
  script: 'boot-file-missing',
  kernel: 'boot-file-missing',
  rootfs: 'gateway-wrong',
  ignition: 'boot-file-forbidden',
  ssh: 'boots-old-disk',
  config: 'registry-unreachable',
  kubelet: 'api-int-missing',
  node: 'requests-wait',
  ready: 'network-not-ready',
};
