import type { RhcosImageNames } from '../../artifacts/boot/images.ts';
import type { Stage } from '../../design/choices.ts';
import type { Design, ServiceHost } from '../../design/model.ts';
import {
  isUnmeasurable,
  type PrivilegedHostState,
  type ProbeAnswer,
  type ProbeKind,
  type ProbeQuery,
  type Unmeasurable,
} from '../../probes/probe-types.ts';
import type { Check, CheckPhase, CheckResult, Severity } from '../check.ts';

/** The BMC of a node with fencing. */
export interface SiteBmc {
  readonly node: string;
  readonly host: string;
  readonly port: number;
  /** Whether nodes verify its certificate. */
  readonly isCertificateVerified: boolean;
}

/** The site of a design, and how its checks query it. */
export interface SiteCheckContext {
  readonly design: Design;
  /** The stage of the load balancer files. */
  readonly stage: Stage;
  readonly images: RhcosImageNames;
  /** The directory of the images, and the sizes of those that are there, in bytes by name. */
  readonly imagesDir: string;
  readonly imageSizes: Readonly<Partial<Record<string, number | null>>>;
  /** The install directory. */
  readonly dir: string;
  /** Path of the pull secret, and the registries in it; null: none is readable. */
  readonly pullSecret: { readonly file: string | null; readonly registries: readonly string[] | null };
  /** The BMCs of nodes with fencing; empty without fencing, and if the file that lists them is unreadable. */
  readonly bmcs: readonly SiteBmc[];
  /** Addresses of this machine. */
  readonly localAddresses: ReadonlySet<string>;
  /** The only service host to check; null: all of them. */
  readonly onlyHost: ServiceHost | null;
  readonly probes: Probes;
}

/** Whether a service host is this machine. */
export function isLocalHost(
  { localAddresses }: Pick<SiteCheckContext, 'localAddresses'>,
  { ip }: ServiceHost,
): boolean {
  return ip.some((address) => localAddresses.has(address));
}

/**
 * Returns a command that runs on a service host: as it is on this machine, else over SSH.
 * @param quotedCommand the command as the shell on the other host has to read it
 */
export const formatHostCommand = (
  site: Pick<SiteCheckContext, 'localAddresses'>,
  host: ServiceHost,
  command: string,
  quotedCommand = command,
): string => (isLocalHost(site, host) ? command : `ssh -t ${host.ip[0]} ${quotedCommand}`);

/**
 * Reads the network state of a service host on the host itself; null: the host cannot be reached, or only root can read
 * the state.
 */
export async function readHostNetworkState(
  site: SiteCheckContext,
  host: ServiceHost,
): Promise<PrivilegedHostState | null> {
  const query = { name: host.name, address: host.ip[0], isSelf: isLocalHost(site, host) };
  const answer = await site.probes.host(query);
  return isUnmeasurable(answer) || answer.state !== 'known' ? null : (answer.networkState ?? null);
}

/** The functions that send each kind of query. A failure is an answer: none of them throws. */
export type Probes = {
  readonly [K in ProbeKind]: (query: ProbeQuery<K>) => Promise<ProbeAnswer<K> | Unmeasurable>;
};

/** The result of one query to the site. */
export interface SiteResult extends CheckResult {
  /** A name, an address, a file. */
  readonly subject: string;
  readonly evidence: readonly string[];
  /** The equivalent command to run by hand. */
  readonly command: string;
  /** The HTTP status, if it is not 200. */
  readonly status?: number;
  /** The names in a wrong answer to a reverse query. */
  readonly names?: readonly string[];
}

/** The subject of a query, and the equivalent command. */
export type QuerySubject = Pick<SiteResult, 'subject' | 'command'>;

/** The verdict on an answer; `unknown` if it proves nothing. */
export interface Verdict
  extends Pick<SiteResult, 'state' | 'severity' | 'title' | 'remedy' | 'status' | 'names' | 'mentions'> {
  /** The observation. */
  readonly detail: string;
}

/** A phase of the checks of the site. */
export type SiteCheckPhase = Exclude<CheckPhase, 'start'>;

/** A check of the site: its queries run concurrently, and change nothing. It sends no query if it does not apply. */
interface SiteCheck<Id extends string = string> extends Check<SiteCheckContext, Id, readonly Promise<SiteResult>[]> {
  readonly phase: SiteCheckPhase;
}

/** Creates a function that creates the checks of a phase, for a table of checks. */
export function createSiteCheckFactory(phase: SiteCheckPhase) {
  return <const Id extends string>(id: Id, severity: Severity, run: SiteCheck['run']): SiteCheck<Id> => ({
    id,
    phase,
    severity,
    run,
  });
}

/** Sends a query to the site and evaluates the answer. A query that did not reach the site proves nothing. */
export async function querySite<K extends ProbeKind>(
  { probes }: Pick<SiteCheckContext, 'probes'>,
  kind: K,
  query: ProbeQuery<K>,
  querySubject: QuerySubject,
  evaluate: (answer: ProbeAnswer<K>) => Verdict | Promise<Verdict>,
): Promise<SiteResult> {
  const answer: ProbeAnswer<K> | Unmeasurable = await probes[kind](query);
  return isUnmeasurable(answer)
    ? { ...querySubject, state: 'unknown', evidence: [answer.detail] }
    : toSiteResult(querySubject, await evaluate(answer));
}

/** Converts a verdict to a result. The verdict is about an answer, or about the design itself. */
export function toSiteResult(querySubject: QuerySubject, { detail, ...verdict }: Verdict): SiteResult {
  return { ...querySubject, ...verdict, evidence: [detail] };
}
