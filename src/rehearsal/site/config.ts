import type { CloudName } from '../../design/example-cloud.ts';
import type { Design } from '../../design/model.ts';
import type { FaultId } from './faults.ts';

/** What a site is made of; in SITE_DIR/config.json. */
export interface SiteConfig {
  /** Tells which machines physically exist and what they are; everything else comes from the files put in place. */
  readonly design: Design;
  /** The cloud on which the cluster of the design runs already; left out: the machines stand in a rack, switched off. */
  readonly cloud?: CloudName | null;
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  /** The program file of the stand-in openshift-install. */
  readonly standInProgram: string;
}

/** SITE_DIR/running.json: which process the site is and where it is spoken to. */
export interface RunningFile {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat: tells our process from a later one with the same number. */
  readonly processStart: string;
  readonly controlSocket: string;
  /** Which directory it is the site of; a copy of the directory has none. */
  readonly home?: string | null;
}

/** How the site is, for people and tests. Times are milliseconds of the site's clock. */
export interface SiteStatus {
  readonly now: number;
  /** 0: its time stands still. */
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  readonly machines: readonly MachineStatus[];
  readonly hosts: readonly HostStatus[];
  readonly api: { readonly isUp: boolean; readonly since: number | null };
  readonly isBootstrapComplete: boolean;
  /** Since when the world cannot be saved (a full disk), and why; null while it can. */
  readonly unsaved: { readonly since: number; readonly detail: string } | null;
}

export interface MachineStatus {
  readonly name: string;
  readonly mac: string;
  readonly isOn: boolean;
  readonly stage: string;
  readonly since: number;
  /** The last line of its console. */
  readonly console: string;
}

export interface HostStatus {
  readonly name: string;
  readonly services: readonly { readonly name: string; readonly isRunning: boolean; readonly detail: string }[];
}
