import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { MINUTE } from '../../platform/clock.ts';

/** A line with the file, or the machine, that it was read from. */
type SourcedLine = EvidenceLine & { readonly path: string };

/**
 * A problem that persists is logged again within this time: image pulls wait five minutes at most, everything else
 * retries more often.
 */
const REPEAT_WINDOW = 15 * MINUTE;
/**
 * Journals and records end at different times: a unit that ran once stays as it ended, and a machine with a wrong clock
 * writes wrong times.
 */
const OWN_END_PATHS = /\/(?:journals|unit-status|services|network|serial)\//;

/**
 * Drops all but the last minutes of each machine: a problem that is not logged again is over. Clocks of machines may
 * differ, so each machine has its own end, and each journal.
 * @param end the common end, if one machine gathered everything; null: each has its own
 */
export function dropStaleLines<Each extends SourcedLine>(lines: readonly Each[], end: number | null): Each[] {
  const ends = new Map<string | null, number>();
  for (const { host, at } of lines) if (at !== null) ends.set(host, Math.max(ends.get(host) ?? 0, at));
  return lines.filter(({ host, at, path }) => {
    if (at === null || (end === null && OWN_END_PATHS.test(path))) return true;
    return at >= Math.min(end ?? Number.POSITIVE_INFINITY, ends.get(host) ?? at) - REPEAT_WINDOW;
  });
}

/** Success messages of programs that retry: they resolve earlier messages in the same file. */
const SUCCESS_MESSAGES: readonly { readonly success: RegExp; readonly resolves: RegExp | null }[] = [
  {
    success:
      /^(?:(?:Finished|Started) (?:release-image\.service - )?Download the OpenShift Release Image|[0-9a-f]{64}$)/,
    resolves: null,
  },
  {
    success: /^bootkube\.service complete|^Finished (?:bootkube\.service - )?Bootstrap a Kubernetes cluster/,
    resolves: null,
  },
  // The end of a unit itself; its scopes (crio-….scope) end without this message.
  { success: /^(?!crio-|libpod-)[\w-]+\.service: (?:Succeeded|Deactivated successfully)\.?$/, resolves: null },
  // Ignition retries forever until it has its configuration.
  { success: /GET result: OK|Ignition finished successfully/, resolves: /GET |:22623\/config\// },
  // bootstrap-verify-api-server-urls.sh
  { success: /^Successfully (?:resolved|reached) API_(?:INT_)?URL/, resolves: /^Unable to (?:resolve|reach) API_/ },
];
const PULLED_IMAGE = /Pulled image: (\S+?)"?$/;
const IMAGE = /[\w.-]+(?::\d+)?(?:\/[\w.-]+)+@sha256:[0-9a-f]+/;

/** Drops the lines of problems that were resolved when the lines were read: a retry succeeded. */
export function dropResolvedLines<Each extends SourcedLine>(lines: readonly Each[]): Each[] {
  const resolvedByPath = new Map<string, Set<RegExp | null>>();
  const pulled = new Set<string>();
  const unresolved = lines.toReversed().filter(({ path, host, text }) => {
    const patterns = resolvedByPath.get(path) ?? new Set();
    const image = IMAGE.exec(text)?.[0];
    const isResolved =
      [...patterns].some((pattern) => pattern === null || pattern.test(text)) || pulled.has(`${host} ${image}`);
    for (const each of SUCCESS_MESSAGES) if (each.success.test(text)) patterns.add(each.resolves);
    if (patterns.size > 0) resolvedByPath.set(path, patterns);
    const whole = PULLED_IMAGE.exec(text)?.[1];
    if (whole !== undefined) pulled.add(`${host} ${IMAGE.exec(whole)?.[0] ?? whole}`);
    return !isResolved;
  });
  return unresolved.toReversed();
}
