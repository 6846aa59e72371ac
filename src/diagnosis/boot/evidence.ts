/** The stages of a machine from power-on to the cluster, in order. */
export const BOOT_STAGES = ['off', 'lease', 'script', 'kernel', 'rootfs', 'ignition', 'ready'] as const;
export type BootStage = (typeof BOOT_STAGES)[number];

/** Evidence about one machine. Times in ms of the clock. */
export interface MachineEvidence {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  readonly stage: BootStage;
  readonly poweredOnAt: number | null;
  /** Since when a request is expected from it; null while it is not due for power-on. */
  readonly awaitedSince: number | null;
  /** MAC address of another machine that answers ARP at its address; null if none is visible. */
  readonly conflictingMac: string | null;
  readonly lastRequest: { readonly path: string; readonly status: number; readonly at: number } | null;
}

/** Evidence of the boot server and the DHCP server about machines that should boot. */
export interface BootEvidence {
  readonly now: number;
  /** How the machines boot. Over the network, all of them send requests. */
  readonly boot: 'ipxe' | 'iso';
  readonly machines: readonly MachineEvidence[];
  /** MAC addresses that requested an address and are in none of our files. */
  readonly unknownMacs: readonly string[];
}
