/** How far a machine got on its way from power-on to the cluster, in order. */
export const BOOT_STAGES = ['off', 'lease', 'script', 'kernel', 'rootfs', 'ignition', 'ready'] as const;
export type BootStage = (typeof BOOT_STAGES)[number];

/** What we saw of one machine. Times in ms of the clock. */
export interface MachineEvidence {
  readonly name: string;
  readonly address: string;
  readonly mac: string;
  readonly stage: BootStage;
  readonly poweredOnAt: number | null;
  /** Since when we expect a request from it; null while it is not due for power-on. */
  readonly awaitedSince: number | null;
  /** The MAC address, not its own, that answers ARP at its address; null: none that can be seen. */
  readonly takenBy: string | null;
  readonly lastRequest: { readonly path: string; readonly status: number; readonly at: number } | null;
}

/** What the boot server and the DHCP server saw of machines that should boot. */
export interface BootEvidence {
  readonly now: number;
  /** What the machines boot from: over the network, all of them send requests. */
  readonly boot: 'ipxe' | 'iso';
  readonly machines: readonly MachineEvidence[];
  /** MAC addresses that requested an address and are in none of our files. */
  readonly strangers: readonly string[];
}
