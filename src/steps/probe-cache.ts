import type { BootActivity } from '../checks/boot/boot-activity.ts';
import type { BootStage } from '../checks/boot/checks.ts';
import type { TimelineEvidence } from '../checks/boot/timeline.ts';
import type { CheckPhase, Finding } from '../checks/check.ts';
import type { NodeMembership } from '../csr/node-membership.ts';
import type { FloodEvidence } from '../csr/review-requests.ts';
import type { KubeletVerdict } from '../csr/served-certificate.ts';
import type { Design } from '../design/model.ts';
import type { BootRequest } from '../host/boot-server/boot-log.ts';
import type { InfraCache } from '../infra/context.ts';
import type { MoveName, ObservedMove } from '../infra/moves.ts';
import type { ServiceEvidence } from '../installer/bootstrap-services.ts';
import type { LogBuffer, LogFollower } from '../installer/log.ts';
import type { ApiHealth } from '../kube/api-health.ts';
import type { PodView } from '../openshift/pod.ts';

/**
 * Results of earlier probes, so that the next probe reads only what is new and has something to show while the API is
 * down. Never the truth, and never saved: a process that starts without them probes again and finds the same. An event
 * that no process watched (an outage, a flood of CSRs) counts from its first detection. The code that creates a context
 * creates one cache for each installation that a process works on.
 */
export interface ProbeCache extends InfraCache {
  /** API health, with how long the API has been down, by the requested parts of the snapshot. */
  readonly apiHealth: Map<string, ApiHealth>;
  /** How far each log of a boot server was read, by its file or its inode. */
  readonly bootLogs: Map<string, ParsedBootLog>;
  /** Verdicts on the kubelets, by the full names of their nodes. */
  readonly kubeletVerdicts: Map<string, { readonly at: number; readonly verdict: KubeletVerdict }>;
  /**
   * This process is creating the installer's files: the directory holds only some of them, which is no sign of a second
   * run.
   */
  isCreatingIgnition: boolean;
  installerLog: InstallerLog | null;
  /** The bootstrap step is also probed while another page is shown. False: only while its own page is shown. */
  isBootstrapWatched: boolean;
  /** When this process probed the bootstrap last, ms of the clock; null: it has not. */
  bootstrapProbedAt: number | null;
  /** State of reading the bootstrap node over SSH. */
  sshRead: SshReadCursor | null;
  /** The nodes of the certificates step when the API listed them last, ms of the clock; null: not yet. */
  joinedNodes: {
    readonly at: number;
    readonly nodes: readonly (NodeMembership & { readonly stage: BootStage | null })[];
  } | null;
  /** Why and when following the CSRs ended before all nodes had joined (ms of the clock); null: it did not. */
  followEnd: { readonly why: 'settled' | 'idle'; readonly at: number } | null;
  /** The last detected flood of CSRs. */
  flood: FloodEvidence | null;
  /** The unhealthy pods of these namespaces, and when they were read. */
  unhealthyPods: { readonly at: number; readonly namespacesKey: string; readonly pods: readonly PodView[] } | null;
  /** The infra moves at the last probe that the API answered. */
  infraMoves: readonly ObservedMove[] | null;
  /** The moves that were done when no move was last running; null: one has run since this process began. */
  movesDoneBeforeRun: readonly MoveName[] | null;
  /** The request of the job that ran last, while one of the moves is still in progress; null: none is. */
  lastMoveRequest: { readonly action: string; readonly moves: readonly string[] } | null;
  /**
   * Results of the site checks, for which design and when (ms of the clock); null: not checked yet, or something has
   * changed since.
   */
  siteChecks: { readonly at: number; readonly design: Design; readonly results: readonly PhaseFinding[] } | null;
  /**
   * Failed checks of DHCP and TFTP by host, and when (ms of the clock); null: not checked yet, or files were put in
   * place since.
   */
  bootServiceChecks: {
    readonly at: number;
    readonly results: ReadonlyMap<string, readonly Finding[]>;
  } | null;
  /** State of the last run on each service host, by its short name. */
  readonly hostRuns: Map<string, HostRun>;
  /** The services of each service host when they were last probed, by its short name; missing: not probed. */
  readonly hostUnits: Map<string, HostUnits>;
  /**
   * The changes of a run on a service host that the user was shown, by `plan` or `undo-plan` and the host's short name.
   */
  readonly shownChanges: Map<string, string>;
  /**
   * Boot activity that service hosts recorded, by their names; `reason`: why it cannot be read. Times in ms of the
   * clock.
   */
  readonly serviceProbes: Map<
    string,
    {
      readonly activity: BootActivity | null;
      readonly reason: string | null;
      readonly nextAt: number;
      readonly isRunning: boolean;
    }
  >;
  /** Output read on service hosts over SSH, by host and command, and when. */
  readonly hostOutputs: Map<string, { readonly at: number; readonly text: Promise<string | null> }>;
  /** The open ports of machines that were installed, by the names of their nodes, and when to probe again. */
  readonly nodePorts: Map<string, { readonly ports: TimelineEvidence['ports']; readonly nextAt: number }>;
  /**
   * When the rehearsal rebooted the machines that had not joined, by their names (ms of the clock): earlier signs do not
   * show where they are now.
   */
  readonly reboots: Map<string, number>;
}

/** Creates an empty cache. */
export function createProbeCache(): ProbeCache {
  return {
    apiHealth: new Map(),
    bootLogs: new Map(),
    kubeletVerdicts: new Map(),
    isCreatingIgnition: false,
    installerLog: null,
    isBootstrapWatched: false,
    bootstrapProbedAt: null,
    sshRead: null,
    joinedNodes: null,
    followEnd: null,
    flood: null,
    unhealthyPods: null,
    infraMoves: null,
    movesDoneBeforeRun: null,
    lastMoveRequest: null,
    siteChecks: null,
    bootServiceChecks: null,
    hostRuns: new Map(),
    hostUnits: new Map(),
    shownChanges: new Map(),
    serviceProbes: new Map(),
    hostOutputs: new Map(),
    nodePorts: new Map(),
    reboots: new Map(),
    preflight: null,
    traffic: null,
  };
}

/** A run of `install.sh` on a service host, as far as known. */
export interface HostRun {
  /** `running`: it runs there. `open`: done, and reverted unless it is confirmed. `ended`: `statusText` says how. */
  readonly state: 'running' | 'open' | 'ended';
  /** The run ended, and the files that it was to put in place are missing. */
  readonly areFilesMissing: boolean;
  /** This process follows the run. */
  readonly isFollowed: boolean;
  /** The status of the run in a few words. */
  readonly statusText: string;
  /** When it is reverted unless it is confirmed, ms of the clock; null: never, or unknown. */
  readonly revertsAt: number | null;
}

/** The services (units) of a host, as systemd reported them there. */
export interface HostUnits {
  /** Ms of the clock. */
  readonly at: number;
  readonly units: readonly { readonly name: string; readonly isActive: boolean }[];
}

/** The finding of a site check, and the phase in which the check runs. */
interface PhaseFinding {
  readonly phase: CheckPhase;
  readonly finding: Finding;
}

/** The content of a boot log that was read so far: the next probe reads only what is new. */
interface ParsedBootLog {
  readonly requests: readonly BootRequest[];
  readonly offset: number;
}

/** The log of one install directory as far as it was read: each probe reads only what is new. */
export interface InstallerLog {
  readonly buffer: LogBuffer;
  readonly follower: LogFollower;
  pendingRead: Promise<void> | null;
}

/** The state of the services that the bootstrap node itself reports, read over SSH. */
export interface BootstrapNodeReport {
  readonly releaseImage: ServiceEvidence | null;
  readonly bootkube: ServiceEvidence | null;
}

/** State of the repeated reads of the bootstrap node. */
export interface SshReadCursor {
  nodeServices: BootstrapNodeReport | null;
  /** The journal cursor to continue from. */
  cursor: string | null;
  /** Time of the next read, ms of the clock. */
  nextAt: number;
  isRunning: boolean;
  /** Why the bootstrap node could not be read, as last reported; null: no failure. */
  lastFailure: string | null;
}
