/** How far a machine got on its way from power-on to the cluster, in order. */
export const BOOT_STAGES = ['off', 'lease', 'script', 'kernel', 'rootfs', 'ignition', 'ready'] as const;
export type BootStage = (typeof BOOT_STAGES)[number];

/** What was seen of one machine. Times in ms of the clock. */
export interface MachineEvidence {
  readonly name: string;
  readonly mac: string;
  readonly stage: BootStage;
  readonly poweredOnAt: number | null;
  /** Since when it ought to have been heard of; null while its turn to be powered on has not come. */
  readonly awaitedSince: number | null;
  readonly lastRequest: { readonly path: string; readonly status: number; readonly at: number } | null;
}

/** What the boot server and the DHCP server saw of machines that are to come up. */
export interface BootEvidence {
  readonly now: number;
  /** What the machines boot from: over the network all of them are heard of. */
  readonly boot: 'ipxe' | 'iso';
  readonly machines: readonly MachineEvidence[];
  /** MAC addresses that asked for an address and are in no file of ours. */
  readonly strangers: readonly string[];
}
