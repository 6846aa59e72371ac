import type { Line } from '../../diagnosis/causes/evidence.ts';
import { MINUTE } from '../../ports/clock.ts';

/** A line with the file, or the machine, that it was read from. */
type Read = Line & { readonly path: string };

/** Who is still in trouble says so again in less: image pulls wait five minutes at most, all else tries more often. */
const AGAIN = 15 * MINUTE;
/** Journals and records: a unit that ran once stays as it ended, and what a machine with a wrong clock wrote has its own end. */
const OWN_END = /\/(?:journals|unit-status|services|network|serial)\//;

/**
 * Lines of the last minutes of each machine: what was said before, and not again, is over. Clocks of machines may
 * differ, so each has its own end, and each journal.
 * @param end the end of all, where one machine gathered it all; null: of each its own
 */
export function stillSaid<Each extends Read>(lines: readonly Each[], end: number | null): Each[] {
  const ends = new Map<string | null, number>();
  for (const { host, at } of lines) if (at !== null) ends.set(host, Math.max(ends.get(host) ?? 0, at));
  return lines.filter(({ host, at, path }) => {
    if (at === null || (end === null && OWN_END.test(path))) return true;
    return at >= Math.min(end ?? Number.POSITIVE_INFINITY, ends.get(host) ?? at) - AGAIN;
  });
}

/** What a program that goes on trying says when it went well: what it said before, in the same file, is over. */
const ENDS: readonly { readonly said: RegExp; readonly ended: RegExp | null }[] = [
  {
    said: /^(?:(?:Finished|Started) (?:release-image\.service - )?Download the OpenShift Release Image|[0-9a-f]{64}$)/,
    ended: null,
  },
  {
    said: /^bootkube\.service complete|^Finished (?:bootkube\.service - )?Bootstrap a Kubernetes cluster/,
    ended: null,
  },
  // A unit's own end; what it starts (crio-….scope) ends without that.
  { said: /^(?!crio-|libpod-)[\w-]+\.service: (?:Succeeded|Deactivated successfully)\.?$/, ended: null },
  // Ignition tries for ever until it has its configuration.
  { said: /GET result: OK|Ignition finished successfully/, ended: /GET |:22623\/config\// },
  // bootstrap-verify-api-server-urls.sh
  { said: /^Successfully (?:resolved|reached) API_(?:INT_)?URL/, ended: /^Unable to (?:resolve|reach) API_/ },
];
const PULLED = /Pulled image: (\S+?)"?$/;
const IMAGE = /[\w.-]+(?::\d+)?(?:\/[\w.-]+)+@sha256:[0-9a-f]+/;

/** Lines without the troubles that were over when they were read: what was tried again, and went well. */
export function withoutOver<Each extends Read>(lines: readonly Each[]): Each[] {
  const ended = new Map<string, Set<RegExp | null>>();
  const pulled = new Set<string>();
  const kept = lines.toReversed().filter(({ path, host, text }) => {
    const over = ended.get(path) ?? new Set();
    const image = IMAGE.exec(text)?.[0];
    const isOver =
      [...over].some((pattern) => pattern === null || pattern.test(text)) || pulled.has(`${host} ${image}`);
    for (const each of ENDS) if (each.said.test(text)) over.add(each.ended);
    if (over.size > 0) ended.set(path, over);
    const whole = PULLED.exec(text)?.[1];
    if (whole !== undefined) pulled.add(`${host} ${IMAGE.exec(whole)?.[0] ?? whole}`);
    return !isOver;
  });
  return kept.toReversed();
}
