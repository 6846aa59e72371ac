import type { BootRequest } from '../bastion/boot/boot-log.ts';
import type { KubeletVerdict } from '../cluster/csr/served.ts';
import type { ApiPast } from '../cluster/outage.ts';
import type { Design } from '../design/model.ts';
import type { ServiceSigns } from '../diagnosis/boot/service-signs.ts';
import type { TimelineEvidence } from '../diagnosis/boot/timeline.ts';
import type { ServiceEvidence } from '../diagnosis/bootstrap/evidence.ts';
import type { FloodEvidence } from '../diagnosis/certificates/evidence.ts';
import type { Finding, Phase } from '../diagnosis/finding.ts';
import type { LogFollower } from '../installer/log.ts';
import type { LogBook } from '../installer/log-book.ts';
import type { MoveState, Sight } from '../moves/move.ts';
import type { MoveName } from '../moves/table.ts';
import type { PodView } from '../objects/pod.ts';

/**
 * What earlier looks saw, so that the next one reads only what is new and has something to show while the API is away.
 * It is not the truth, and nobody saves it: a process that begins without it looks again and finds the same, and counts
 * what nobody watched (an outage, a flood of requests) from when it sees it. Whoever makes the context makes it, once
 * for each installation that a process works on; its parts belong to the steps that name them here.
 */
export interface Recollection {
  /** Since when the API has been away, by the parts that were asked for. */
  readonly apiPasts: Map<string, ApiPast>;
  /** How far we read each log of a boot server, by its file, or by its place in the file system. */
  readonly bootLogs: Map<string, ReadLog>;
  /** The kubelets' answers, by the full names of their nodes. */
  readonly kubelets: Map<string, { readonly at: number; readonly verdict: KubeletVerdict }>;
  /** This process makes the installer's files just now: what lies there is half of them, and no trace of other runs. */
  isMakingIgnition: boolean;
  installerLog: OpenLog | null;
  /** Reading the bootstrap node over SSH. */
  visit: Visit | null;
  /** The last flood of certificate requests that we saw. */
  flood: FloodEvidence | null;
  /** The unwell pods of these namespaces, and when we read them. */
  unwellPods: { readonly at: number; readonly namespaces: string; readonly pods: readonly PodView[] } | null;
  /** The infra moves at the last look that the API answered. */
  infra: readonly SeenMove[] | null;
  /** How users' requests go while an infra move is made, or went with the last one. */
  traffic: {
    readonly move: MoveName;
    readonly requests: number;
    readonly failed: number;
    readonly failure: string | null;
  } | null;
  /** What the checks of the site found, for which design and when (ms of the clock); null: nobody has asked, or something has changed since. */
  siteChecks: { readonly at: number; readonly design: Design; readonly checked: readonly CheckedFinding[] } | null;
  /** How the last run on each service host stands, by its short name. */
  readonly hostRuns: Map<string, HostRun>;
  /** What a person was shown that a run on a service host would change, by `plan` or `undo-plan` and its short name. */
  readonly shownChanges: Map<string, string>;
  /** What service hosts have of machines that boot, by their names; `why` they cannot be seen, in words. Times in ms of the clock. */
  readonly serviceLooks: Map<
    string,
    {
      readonly signs: ServiceSigns | null;
      readonly why: string | null;
      readonly nextAt: number;
      readonly isUnderWay: boolean;
    }
  >;
  /** What was read on service hosts over SSH, by host and command, and when. */
  readonly hostTexts: Map<string, { readonly at: number; readonly text: Promise<string | null> }>;
  /** The open ports of machines that were installed, by the names of their nodes, and when to look again. */
  readonly nodePorts: Map<string, { readonly ports: TimelineEvidence['ports']; readonly nextAt: number }>;
  /** What the last preflight of the infra moves read, and when (ms of the clock). */
  preflight: { readonly at: number; readonly sight: Sight } | null;
}

/** An empty recollection. */
export function newRecollection(): Recollection {
  return {
    apiPasts: new Map(),
    bootLogs: new Map(),
    kubelets: new Map(),
    isMakingIgnition: false,
    installerLog: null,
    visit: null,
    flood: null,
    unwellPods: null,
    infra: null,
    siteChecks: null,
    hostRuns: new Map(),
    shownChanges: new Map(),
    serviceLooks: new Map(),
    hostTexts: new Map(),
    nodePorts: new Map(),
    preflight: null,
    traffic: null,
  };
}

/** A run of `install.sh` on a service host, as far as we know. */
export interface HostRun {
  /** `running`: it runs there. `open`: done, and reverted unless it is confirmed. `ended`: `said` says how. */
  readonly state: 'running' | 'open' | 'ended';
  /** It ended, and what it was to put in place is not there. */
  readonly isMissing: boolean;
  /** This process follows it. */
  readonly isFollowed: boolean;
  /** Where it stands, in a few words. */
  readonly said: string;
  /** When it is reverted unless it is confirmed, ms of the clock; null: not, or not known. */
  readonly revertsAt: number | null;
}

/** What a check of the site found, and when the check is made. */
export interface CheckedFinding {
  readonly phase: Phase;
  readonly finding: Finding;
}

/** What we have read of a log: the next look reads only what is new. */
export interface ReadLog {
  readonly requests: readonly BootRequest[];
  readonly offset: number;
}

/** The log of one install directory, as far as we have read it: each look reads only what is new. */
export interface OpenLog {
  readonly book: LogBook;
  readonly follower: LogFollower;
  reading: Promise<void> | null;
}

/** The bootstrap node's own account, read over SSH. */
export interface Inside {
  readonly releaseImage: ServiceEvidence | null;
  readonly bootkube: ServiceEvidence | null;
}

/** Reading the bootstrap node, time and again. */
export interface Visit {
  inside: Inside | null;
  /** The place in the journal to read on from. */
  cursor: string | null;
  /** Ms of the clock. */
  nextAt: number;
  isUnderWay: boolean;
  /** Why it could not be read, as last reported. */
  said: string | null;
}

/** How one move stands. */
export interface SeenMove extends MoveState {
  readonly name: MoveName;
  /** What was looked at before it, right or wrong; left out where nothing was. */
  readonly preflight?: readonly Finding[];
  /** It wrote something that undo can still give back; left out: it did not. */
  readonly hasWritten?: boolean;
}
