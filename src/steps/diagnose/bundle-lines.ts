import type { EvidenceLine } from '../../checks/rules/evidence.ts';
import { listNodesWithRole } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import type { ArchiveFile } from '../../host/tar.ts';
import { parseServiceRecord } from '../../installer/bootstrap-services.ts';
import { parseLogLine } from '../../installer/log.ts';
import { MINUTE } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { redact } from '../../platform/secrets.ts';
import type { BundleFileKind } from './bundle-paths.ts';
import { parseJournalLines, parseLogTime } from './log-lines.ts';
import { extractPastedLines } from './pasted-text.ts';

/** A line of a bundle, with the full path of its file in the bundle. */
export type BundleLine = EvidenceLine & { readonly path: string };

/** Length of the evaluated end of a log (ms): older messages are outdated or repeated. */
const LOG_WINDOW = 30 * MINUTE;
const MAX_LINE_LENGTH = 600;
/**
 * Number of occurrences kept of a repeated message: the latest; of the occurrences before them, one per minute is kept.
 */
const MAX_SIMILAR_LINES = 20;
const MAX_LINES = 4000;

/**
 * Finds the machine of a path, as the bundle names it: `bootstrap`, or the address of a control plane node; null if the
 * path belongs to none.
 */
function parseHost(path: string): string | null {
  const address = /(?:^|\/)control-plane\/([^/]+)\//.exec(path)?.[1];
  if (address !== undefined) return sanitizeLine(address, 80);
  return /(?:^|\/)(?:bootstrap\/|unit-status\/|failed-units\.txt$)/.test(path) ? 'bootstrap' : null;
}

/** Finds the node of the design for an address or a name in a bundle; returns the input if there is none. */
export function findNodeName(bundleName: string | null, design: Design | null): string | null {
  if (bundleName === null || design === null) return bundleName;
  if (bundleName === 'bootstrap') return listNodesWithRole(design, 'bootstrap')[0]?.name ?? bundleName;
  return (
    design.nodes.find(({ ip, name }) => ip.includes(bundleName) || name === bundleName.split('.')[0])?.name ??
    bundleName
  );
}

/** Shortens a path to the part that identifies the file, without the folders whose names hold the date or the image. */
export function shortenPath(path: string): string {
  const identifyingPart =
    /(?:^|\/)((?:bootstrap|control-plane|namespaces|host_service_logs|unit-status|serial|network|resources|cluster-scoped-resources)\/.*|[^/]+)$/;
  return sanitizeLine(identifyingPart.exec(path)?.[1] ?? path, 200);
}

/**
 * Extracts the relevant lines of a bundle file; of logs, those of the last half hour, with few repetitions.
 * @param endTime a time after everything in the file (ms), for times without a year
 */
export function extractLines(kind: BundleFileKind, file: ArchiveFile, endTime: number): BundleLine[] {
  const { path, content } = file;
  const [host, source] = [parseHost(path), shortenPath(path)];
  const createLine = (text: string, at: number | null = null): BundleLine => ({ source, host, text, at, path });
  const text = content.toString('utf8');
  switch (kind) {
    case 'record':
      return extractRecordLines(text).map((line) => createLine(line));
    case 'host-name':
      return text.trim() === '' ? [] : [createLine(`hostname: ${sanitizeLine(text.trim(), 80)}`)];
    case 'resolver':
      return [createLine(formatResolver(text))];
    case 'routes':
      return lacksDefaultRoute(text) ? [createLine('ip route: no default route')] : [];
    case 'addresses':
      return extractAddresses(text).map((list) => createLine(`ip addr: ${list}`));
    case 'gather':
      return extractLoginFailures(text).map(({ node, message }) => ({ ...createLine(message), host: node }));
    case 'pasted':
      return extractPastedLines(text, source, endTime).map((line) => ({ ...line, path }));
    case 'installer':
      return extractInstallerLines(text).map((line) => ({ ...line, path }));
    case 'journal':
    case 'container': {
      const isJournal = kind === 'journal';
      const rawLines = selectRecentLines(text.split('\n').slice(-MAX_LINES), (rawLine) =>
        extractTime(rawLine, isJournal, endTime),
      );
      return rawLines.flatMap(({ raw: rawLine, at }) => {
        if (isJournal)
          return parseJournalLines(rawLine, host, endTime, { source }).map((parsedLine) => ({
            ...parsedLine,
            source,
            path,
          }));
        return createLine(sanitizeLine(redact(stripTime(rawLine)), MAX_LINE_LENGTH), at);
      });
    }
    case 'objects':
    case 'timestamp':
      return [];
  }
}

interface RawLine {
  readonly raw: string;
  readonly at: number | null;
}

/**
 * Selects the lines of the last half hour. Of a repeated message, the latest MAX_SIMILAR_LINES stay, and one of each
 * minute before. A line without a time has the time of the line before it.
 */
function selectRecentLines(lines: readonly string[], getLineTime: (line: string) => number | null): RawLine[] {
  let at: number | null = null;
  const timedLines = lines
    .filter((raw) => raw.trim() !== '' && !/^-- /.test(raw))
    .map((raw): RawLine => {
      at = getLineTime(raw) ?? at;
      return { raw, at };
    });
  const end = timedLines.reduce((last, line) => Math.max(last, line.at ?? 0), 0);
  const countsByShape = new Map<string, { count: number; minute: number }>();
  const selectedLines: RawLine[] = [];
  for (const line of timedLines.toReversed()) {
    if (line.at !== null && line.at < end - LOG_WINDOW) continue;
    const shape = line.raw.slice(0, 400).replace(/[0-9a-f]*\d[0-9a-f]*/g, '#');
    const minute = Math.floor((line.at ?? 0) / MINUTE);
    const previousCount = countsByShape.get(shape);
    if (previousCount !== undefined && previousCount.count >= MAX_SIMILAR_LINES && previousCount.minute === minute)
      continue;
    countsByShape.set(shape, { count: (previousCount?.count ?? 0) + 1, minute });
    selectedLines.push(line);
  }
  return selectedLines.toReversed();
}

const RUNTIME_TIME = /^(\d{4}-\d\d-\d\dT[\d:.]+(?:Z|[+-]\d\d:\d\d))\s/;

/**
 * Extracts the time of a line: of journalctl, of the container runtime, or of the program that wrote the line; null
 * without a known time.
 */
function extractTime(line: string, isJournal: boolean, endTime: number): number | null {
  const runtimeTime = RUNTIME_TIME.exec(line)?.[1];
  if (runtimeTime !== undefined) return parseLogTime(runtimeTime, endTime, 'UTC');
  const journalTime = /^(?:[\w.-]+ )?([A-Z][a-z]{2} +\d+ \d\d:\d\d:\d\d(?:\.\d+)?) /.exec(line)?.[1];
  if (isJournal || journalTime !== undefined)
    return journalTime === undefined ? null : parseLogTime(journalTime, endTime, 'UTC');
  // klog: "E1122 11:59:00.123456"; JSON of zap; logrus; and Go's own log.
  const klog = /^[IWEF](\d\d)(\d\d) (\d\d:\d\d:\d\d)/.exec(line);
  if (klog !== null) return parseLogTime(`${MONTHS[Number(klog[1]) - 1]} ${klog[2]} ${klog[3]}`, endTime, 'UTC');
  const loggedTime = /"(?:ts|time)":"(\d{4}-[^"]+)"|^time="?(\d{4}-[^"\s]+)/.exec(line);
  if (loggedTime !== null) return parseLogTime(loggedTime[1] ?? loggedTime[2] ?? '', endTime, 'UTC');
  const goTime = /^(\d{4})\/(\d\d)\/(\d\d) (\d\d:\d\d:\d\d)/.exec(line);
  return goTime === null ? null : parseLogTime(`${goTime[1]}-${goTime[2]}-${goTime[3]}T${goTime[4]}Z`, endTime, 'UTC');
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

const stripTime = (line: string) => line.replace(RUNTIME_TIME, '');

/** Extracts the error of a bootstrap service from its record. */
function extractRecordLines(text: string): string[] {
  const record = parseServiceRecord(text);
  return record === null || record.lastError === null || record.state === 'succeeded' ? [] : [record.lastError];
}

/** Formats the name servers of a machine in one line. */
function formatResolver(text: string): string {
  const servers = [...text.matchAll(/^\s*nameserver\s+([0-9a-f.:]+)/gm)].map(([, server = '']) => server);
  return servers.length === 0 ? 'resolv.conf: no name server' : `resolv.conf: nameserver ${servers.join(', ')}`;
}

/** Whether a machine has routes to its own networks only. The output of a failed `ip route` proves nothing. */
function lacksDefaultRoute(text: string): boolean {
  return /^\d[\d.]+\/\d+ /m.test(text) && !/^default /m.test(text);
}

/** Lists the global addresses of a machine in one line; none if `ip addr` failed. */
function extractAddresses(text: string): string[] {
  const addresses = [...text.matchAll(/^ +inet6? ([0-9a-f.:]+)\/\d+ .*scope global/gm)].map(
    ([, address = '']) => address,
  );
  return addresses.length === 0 ? [] : [addresses.slice(0, 20).join(', ')];
}

/** Extracts the failed logins of the bootstrap to other machines, in the order of "Collecting info from NODE". */
function extractLoginFailures(text: string): { readonly node: string | null; readonly message: string }[] {
  let node: string | null = null;
  return text.split('\n').flatMap((line) => {
    const gatheredNode = /Collecting info from (\S+)/.exec(line)?.[1];
    if (gatheredNode !== undefined) node = sanitizeLine(gatheredNode, 80);
    const failurePattern =
      /^(?:ssh: |.*: Permission denied|No masters found|Connection (?:closed|timed out)|kex_exchange)/;
    if (!failurePattern.test(line)) return [];
    return [{ node: /^No masters/.test(line) ? null : node, message: sanitizeLine(line, MAX_LINE_LENGTH) }];
  });
}

/** Extracts the latest warnings and errors of openshift-install. */
function extractInstallerLines(text: string): EvidenceLine[] {
  const logLines = text.split('\n').slice(-MAX_LINES).map(parseLogLine);
  const end = logLines.reduce((last, { at }) => Math.max(last, at ?? 0), 0);
  return logLines
    .filter(({ at, level }) => at !== null && at >= end - LOG_WINDOW && level !== 'unknown')
    .filter(
      ({ level, text: message }) => /^(?:error|fatal|warning)$/.test(level) || /^Still waiting for /.test(message),
    )
    .slice(-200)
    .map(({ at, text: message }) => ({
      source: 'openshift-install',
      host: null,
      text: sanitizeLine(message.replaceAll('\n', ' '), MAX_LINE_LENGTH),
      at,
    }));
}
