import type { CloudName } from '../../design/example.ts';
import type { Design } from '../../design/model.ts';
import type { FaultId } from './faults.ts';

/** Configuration of a site, in SITE_DIR/config.json. */
export interface SiteConfig {
  /** Defines the physical machines; everything else comes from the installed files. */
  readonly design: Design;
  /** Cloud on which the cluster of the design runs already; omitted: the machines stand in a rack, switched off. */
  readonly cloud?: CloudName | null;
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  /** Whether a new site has openshift-install and the images. Missing: true. */
  readonly hasDownloads?: boolean;
  /** The program file of the stand-in openshift-install. */
  readonly standInProgram: string;
}

/** SITE_DIR/running.json: the process of the site, and its control socket. */
export interface SiteProcess {
  readonly pid: number;
  /** Field 22 of /proc/<pid>/stat. It distinguishes this process from a later process with the same PID. */
  readonly processStart: string;
  readonly controlSocket: string;
  /** Identity of the site's directory; a copy of the directory does not match it. */
  readonly home?: string | null;
}

/** Status of the site, for users and tests. Times are milliseconds of the site's clock. */
export interface SiteStatus {
  readonly now: number;
  /** Multiple of real time. While a wizard halts the time, the speed after that. 0: the user has paused the time. */
  readonly speed: number;
  readonly seed: number;
  readonly faults: readonly FaultId[];
  readonly machines: readonly MachineStatus[];
  readonly hosts: readonly HostStatus[];
  readonly api: { readonly isUp: boolean; readonly since: number | null };
  readonly isBootstrapComplete: boolean;
  /** Since when and why the world cannot be saved, for example on a full disk; null while it can. */
  readonly unsaved: { readonly since: number; readonly detail: string } | null;
}

interface MachineStatus {
  readonly name: string;
  readonly mac: string;
  readonly isOn: boolean;
  readonly stage: string;
  readonly since: number;
  /** The last line on the console of the machine. */
  readonly console: string;
}

export interface HostStatus {
  readonly name: string;
  readonly services: readonly { readonly name: string; readonly isRunning: boolean; readonly detail: string }[];
}
