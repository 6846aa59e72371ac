import type { LogMark, LogSource } from '../diagnosis/bootstrap/evidence.ts';
import { MINUTE } from '../ports/clock.ts';
import type { LogLine } from './log-line.ts';

interface MarkRule {
  readonly pattern: RegExp;
  readonly mark: Extract<LogMark, 'noise' | 'trouble'>;
  /** Normal for this long since the wait (or the unit) began, in milliseconds; trouble after that. For ever by default. */
  readonly until?: number;
  readonly source?: LogSource;
}

/** An API that is not up: normal while the bootstrap starts; the installer itself gives up after 20 minutes. */
const API_YOUNG = 20 * MINUTE;

// The first that fits decides. Sources: messages of openshift/installer waitfor.go, cluster-bootstrap (asset apply loop) and
// etcd as they are seen during installations; troubleshootingbootstrap.md of openshift/installer.
const RULES: readonly MarkRule[] = [
  { pattern: /unauthorized: |authentication required|manifest unknown/i, mark: 'trouble' },
  { pattern: /certificate has expired or is not yet valid/, mark: 'trouble' },
  { pattern: /certificate signed by unknown authority/, mark: 'trouble', source: 'installer' },
  { pattern: /no such host|no space left on device/i, mark: 'trouble' },
  { pattern: /etcdserver: (?:request timed out|leader changed)|slow fdatasync/, mark: 'trouble' },
  { pattern: /Tearing down temporary bootstrap control plane/, mark: 'trouble' },
  { pattern: /(?:bootkube|release-image)\.service: (?:Failed with result|Main process exited)/, mark: 'trouble' },
  { pattern: /server gave HTTP response to HTTPS client/, mark: 'noise', until: 2 * MINUTE },
  { pattern: /has asked for the client to provide credentials/, mark: 'noise', until: 2 * MINUTE },
  { pattern: /Unexpected watch close|[Ff]ailed to (?:watch|list) \*|watch of \*\S+ ended with/, mark: 'noise' },
  { pattern: /error parsing profile: invalid organization/, mark: 'noise' },
  {
    pattern: /failed to create|unable to get REST mapping|no matches for kind|namespaces "[^"]*" not found/i,
    mark: 'noise',
    until: API_YOUNG,
    source: 'bootkube',
  },
  {
    pattern:
      /\bEOF$|connection (?:refused|reset)|could not find the requested resource|[Ss]ervice [Uu]navailable|\b503\b|TLS handshake timeout|context deadline exceeded|Client\.Timeout|i\/o timeout/,
    mark: 'noise',
    until: API_YOUNG,
  },
];

/** A wait or a unit begins: what is young is counted from here. */
const BEGINNING = /^(?:Waiting up to \S+ |Starting |Started |Rendering |Pulling )/;
const FAILED_ON = /^(?:Failed to create )?"([^"]+)"(?:: (?:failed to create|unable to get REST mapping)| )/;
const WENT_WELL = /^(?:Created|Updated|Skipped) "([^"]+)"/;

/** Marks lines in their order. */
export interface Marker {
  /** @returns the mark, and the numbers of earlier lines that are solved by this one */
  mark(
    line: LogLine,
    source: LogSource,
    number: number,
  ): { readonly mark: LogMark; readonly solves: readonly number[] };
}

/** A marker that has seen nothing yet; lines have to come to it in the order in which they were said. */
export function createMarker(): Marker {
  const began: Partial<Record<LogSource, number>> = {};
  const failed = new Map<string, number[]>();
  return {
    mark(line, source, number) {
      const { at, text } = line;
      if (at !== null && BEGINNING.test(text))
        began[source] = began[source] === undefined || source === 'installer' ? at : began[source];
      const well = source === 'installer' ? null : WENT_WELL.exec(text);
      if (well) {
        const name = well[1] ?? '';
        const solves = failed.get(name) ?? [];
        failed.delete(name);
        return { mark: null, solves };
      }
      const age = at === null ? 0 : at - (began[source] ?? at);
      const rule = RULES.find((each) => (each.source ?? source) === source && each.pattern.test(text));
      if (rule === undefined) return { mark: null, solves: [] };
      const name = source === 'installer' ? undefined : FAILED_ON.exec(text)?.[1];
      if (name !== undefined) failed.set(name, [...(failed.get(name) ?? []).slice(-MOST_FAILURES), number]);
      return { mark: rule.until !== undefined && age > rule.until ? 'trouble' : rule.mark, solves: [] };
    },
  };
}

/** A manifest may fail hundreds of times; so many of them are taken back when it went well. */
const MOST_FAILURES = 1000;
