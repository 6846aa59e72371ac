import type { FoundFile } from '../../bastion/untar.ts';
import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import type { Line } from '../../diagnosis/causes/evidence.ts';
import { parseLogLine } from '../../installer/log-line.ts';
import { parseServiceRecord } from '../../installer/service-record.ts';
import { MINUTE } from '../../ports/clock.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { BundleFile } from './bundle-paths.ts';
import { journalLines, timeOf } from './log-lines.ts';

/** A line of a bundle, with the whole path of its file there. */
export type BundleLine = Line & { readonly path: string };

/** The last of each log: what was said long before its end is over, or is said again. */
export const LAST = 30 * MINUTE;
const LONGEST = 600;
/** Of what is said again and again the latest are kept, and one of each minute before. */
const MOST_ALIKE = 20;
const MOST_LINES = 4000;

/** The machine that a path is of, as the bundle calls it: `bootstrap`, or the address of a control plane node; null: it is of none. */
export function hostOf(path: string): string | null {
  const address = /(?:^|\/)control-plane\/([^/]+)\//.exec(path)?.[1];
  if (address !== undefined) return sanitizeLine(address, 80);
  return /(?:^|\/)(?:bootstrap\/|unit-status\/|failed-units\.txt$)/.test(path) ? 'bootstrap' : null;
}

/** The node of the design that a bundle calls by its address or one of its names. */
export function namedBy(called: string | null, design: Design | null): string | null {
  if (called === null || design === null) return called;
  if (called === 'bootstrap') return nodesWithRole(design, 'bootstrap')[0]?.name ?? called;
  return design.nodes.find(({ ip, name }) => ip.includes(called) || name === called.split('.')[0])?.name ?? called;
}

/** What of a path says where it is: without the folders that carry the date or the image. */
export function shortPath(path: string): string {
  const known =
    /(?:^|\/)((?:bootstrap|control-plane|namespaces|host_service_logs|unit-status|serial|network|resources|cluster-scoped-resources)\/.*|[^/]+)$/;
  return sanitizeLine(known.exec(path)?.[1] ?? path, 200);
}

/** The lines of a file of a bundle that matter: of its last half hour, and each as often as it has to be counted. */
export function linesOf(kind: BundleFile, file: FoundFile, now: number): BundleLine[] {
  const { path, content } = file;
  const [host, source] = [hostOf(path), shortPath(path)];
  const line = (text: string, at: number | null = null): BundleLine => ({ source, host, text, at, path });
  const text = content.toString('utf8');
  switch (kind) {
    case 'record':
      return recordLines(text).map((each) => line(each));
    case 'host-name':
      return /^localhost(?:\.|$)/.test(text.trim()) ? [line(`hostname: ${sanitizeLine(text.trim(), 80)}`)] : [];
    case 'routes':
      return isWithoutDefault(text) ? [line('ip route: no default route')] : [];
    case 'addresses':
      return addressesIn(text).map((each) => line(`ip addr: ${each}`));
    case 'gather':
      return gatherLines(text).map(({ node, said }) => ({ ...line(said), host: node }));
    case 'installer':
      return installerLines(text).map((each) => ({ ...each, path }));
    case 'journal':
    case 'container': {
      const isJournal = kind === 'journal';
      const raw = latest(text.split('\n').slice(-MOST_LINES), (each) => timeIn(each, isJournal, now));
      return raw.flatMap(({ raw: each, at }) => {
        if (isJournal) return journalLines(each, host, now, { source }).map((read) => ({ ...read, source, path }));
        return line(sanitizeLine(redact(withoutTime(each)), LONGEST), at);
      });
    }
    case 'objects':
    case 'timestamp':
      return [];
  }
}

interface Raw {
  readonly raw: string;
  readonly at: number | null;
}

/** The lines of the last half hour without their repetitions. What has no time belongs to the line before it. */
function latest(all: readonly string[], timeOfLine: (line: string) => number | null): Raw[] {
  let at: number | null = null;
  const timed = all
    .filter((raw) => raw.trim() !== '' && !/^-- /.test(raw))
    .map((raw): Raw => {
      at = timeOfLine(raw) ?? at;
      return { raw, at };
    });
  const end = timed.reduce((last, each) => Math.max(last, each.at ?? 0), 0);
  const alike = new Map<string, { count: number; minute: number }>();
  const kept: Raw[] = [];
  for (const each of timed.toReversed()) {
    if (each.at !== null && each.at < end - LAST) continue;
    const shape = each.raw.slice(0, 400).replace(/[0-9a-f]*\d[0-9a-f]*/g, '#');
    const minute = Math.floor((each.at ?? 0) / MINUTE);
    const before = alike.get(shape);
    if (before !== undefined && before.count >= MOST_ALIKE && before.minute === minute) continue;
    alike.set(shape, { count: (before?.count ?? 0) + 1, minute });
    kept.push(each);
  }
  return kept.toReversed();
}

const RUNTIME = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))\s/;

/** The time of a line: of journalctl, of the container runtime, or of the program that wrote it. */
function timeIn(line: string, isJournal: boolean, now: number): number | null {
  const runtime = RUNTIME.exec(line)?.[1];
  if (runtime !== undefined) return timeOf(runtime, now, 'UTC');
  const journal = /^(?:[\w.-]+ )?([A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d(?:\.\d+)?) /.exec(line)?.[1];
  if (isJournal || journal !== undefined) return journal === undefined ? null : timeOf(journal, now, 'UTC');
  // klog: "E1122 11:59:00.123456"; JSON of zap; logrus; and Go's own log.
  const klog = /^[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d)/.exec(line);
  if (klog !== null) return timeOf(`${MONTHS[Number(klog[1]) - 1]} ${klog[2]} ${klog[3]}`, now, 'UTC');
  const written = /"(?:ts|time)":"(\d{4}-[^"]+)"|^time="?(\d{4}-[^"\s]+)/.exec(line);
  if (written !== null) return timeOf(written[1] ?? written[2] ?? '', now, 'UTC');
  const go = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)/.exec(line);
  return go === null ? null : timeOf(`${go[1]}-${go[2]}-${go[3]}T${go[4]}Z`, now, 'UTC');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const withoutTime = (line: string) => line.replace(RUNTIME, '');

/** What a service of the bootstrap failed with, by its own record. */
function recordLines(text: string): string[] {
  const record = parseServiceRecord(text);
  return record === null || record.lastError === null || record.state === 'succeeded' ? [] : [record.lastError];
}

/** What a machine without a default route has: its own networks alone. An `ip route` that failed says nothing of them. */
function isWithoutDefault(text: string): boolean {
  return /^\d[\d.]+\/\d+ /m.test(text) && !/^default /m.test(text);
}

/** The addresses of a machine that others can reach, in one line; of an `ip addr` that failed, none. */
function addressesIn(text: string): string[] {
  const all = [...text.matchAll(/^ +inet6? ([0-9a-f.:]+)\/\d+ .*scope global/gm)].map(([, address = '']) => address);
  return all.length === 0 ? [] : [all.slice(0, 20).join(', ')];
}

/** Whom the bootstrap could not log in to, in the order of "Collecting info from NODE". */
function gatherLines(text: string): { readonly node: string | null; readonly said: string }[] {
  let node: string | null = null;
  return text.split('\n').flatMap((line) => {
    const asked = /Collecting info from (\S+)/.exec(line)?.[1];
    if (asked !== undefined) node = sanitizeLine(asked, 80);
    const isRefusal = /^(?:ssh: |.*: Permission denied|No masters found|Connection (?:closed|timed out)|kex_exchange)/;
    if (!isRefusal.test(line)) return [];
    return [{ node: /^No masters/.test(line) ? null : node, said: sanitizeLine(line, LONGEST) }];
  });
}

/** What openshift-install warned of last. */
function installerLines(text: string): Line[] {
  const all = text.split('\n').slice(-MOST_LINES).map(parseLogLine);
  const end = all.reduce((last, { at }) => Math.max(last, at ?? 0), 0);
  return all
    .filter(({ at, level }) => at !== null && at >= end - LAST && level !== 'unknown')
    .filter(({ level, text: said }) => /^(?:error|fatal|warning)$/.test(level) || /^Still waiting for /.test(said))
    .slice(-200)
    .map(({ at, text: said }) => ({
      source: 'openshift-install',
      host: null,
      text: sanitizeLine(said.replaceAll('\n', ' '), LONGEST),
      at,
    }));
}
