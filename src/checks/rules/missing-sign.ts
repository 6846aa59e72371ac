import type { ExpectedSign } from '../boot/timeline.ts';
import type { DiagnosticRuleId } from './index.ts';

/** The most likely rule, by the first missing sign of a machine. */
export const RULE_BY_MISSING_SIGN: Readonly<Record<ExpectedSign, DiagnosticRuleId>> = {
  lease: 'node-never-boots',
  // With the generated DHCP files the machine knows the TFTP server: its request got no answer.
  tftp: 'tftp-silent',
  // The machine requested its boot program, and then nothing: the program is missing. A missing script would have been
  // requested.
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
