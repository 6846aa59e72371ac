import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { diagnose } from '../../checks/rules/diagnose.ts';
import { type Evidence, NO_EVIDENCE } from '../../checks/rules/evidence.ts';
import type { Diagnosis } from '../../checks/rules/index.ts';
import { listNormalSigns, type NormalSign } from '../../checks/rules/normal-signs.ts';
import { getNodeFqdn } from '../../design/derived-facts.ts';
import type { Design } from '../../design/model.ts';
import { readDirectoryTree } from '../../host/mirror-dir.ts';
import { type ArchiveFile, NotAnArchiveError, readArchive } from '../../host/tar.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { describeSystemError, UserErrorException } from '../../i18n/user-error.ts';
import { parseNode } from '../../openshift/node.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';
import { quoteShellCommand } from '../../platform/shell-quoting.ts';
import { type BundleLine, extractLines, findNodeName, shortenPath } from './bundle-lines.ts';
import {
  type BundleObject,
  deriveObservedCluster,
  findLastHeartbeat,
  isRelevantObject,
  listOperatorLines,
  parseObjects,
} from './bundle-objects.ts';
import { findFileKind, isGzipped, MAX_UNPACKED_SIZE, selectExcerpt } from './bundle-paths.ts';
import { dropResolvedLines, dropStaleLines, parseLogTime } from './log-lines.ts';
import { extractHaproxyConfig, isObjectText, readTextFile } from './pasted-text.ts';
import { derivePrintedObjects } from './printed-objects.ts';

const HAPROXY_PATH = '/etc/haproxy/haproxy.cfg';

type BundleForm = 'archive' | 'directory' | 'text';

/** The content of a bundle that was read, and its location. */
interface LoadedBundle {
  readonly bundlePath: string;
  readonly form: BundleForm;
  readonly lines: readonly BundleLine[];
  readonly objects: readonly BundleObject[];
}

/**
 * Builds a complete command that shows the symptom of a diagnosis in the bundle; null if no single file of it has the
 * symptom.
 */
function buildBundleCommand(diagnosis: Diagnosis, { bundlePath, form, lines, objects }: LoadedBundle): string | null {
  const line = lines.find(({ source, text }) => diagnosis.symptom === `${source}: ${text}`);
  const path = line?.path ?? findObject(diagnosis, objects)?.path;
  // A path that cannot be typed as it is displayed is not offered.
  if (path === undefined || sanitizeLine(path, 1000) !== path) return null;
  const searchText = line === undefined ? null : extractSearchText(line.text);
  if (path.endsWith('.gz')) return null;
  const fullPath = form === 'directory' ? join(bundlePath, path) : bundlePath;
  if (form !== 'archive')
    return searchText === null
      ? quoteShellCommand`less ${fullPath}`
      : quoteShellCommand`grep -nF ${searchText} ${fullPath}`;
  const shortPath = `*/${shortenPath(path)}`;
  // The short path omits the folder that is named after the date or the digest of an image.
  const canUseShortPath = shortPath.length < path.length && !/[*?[\\]/.test(path);
  const unpackCommand = canUseShortPath
    ? quoteShellCommand`tar -xOf ${bundlePath} --wildcards ${shortPath}`
    : quoteShellCommand`tar -xOf ${bundlePath} ${path}`;
  return searchText === null
    ? `${unpackCommand} | less`
    : `${unpackCommand} | ${quoteShellCommand`grep -nF ${searchText}`}`;
}

/** Finds the object that a diagnosis is about: by its name, among the kinds that rules cover. */
function findObject({ subjects, symptom }: Diagnosis, objects: readonly BundleObject[]): BundleObject | undefined {
  const [subject = ''] = subjects;
  const names = subject === '' ? ['version'] : [subject, subject.split('/').at(-1) ?? ''];
  const candidates = objects.filter(({ object: { kind } }) => kind !== 'Pod');
  return (
    candidates.find(({ object: { metadata } }) => names.includes(metadata.name)) ??
    candidates.find(({ object: { metadata } }) => metadata.name.split('.')[0] === subject) ??
    candidates.find(({ object: { kind, metadata } }) => kind !== 'Namespace' && symptom.startsWith(`${metadata.name} `))
  );
}

/**
 * Finds the longest part of a line that its file holds verbatim: without redacted or marked text. At most half a line
 * of a terminal.
 */
function extractSearchText(text: string): string {
  const parts = text.split(/[^\x20-\x7e]+|\*{3,}|<[^>]*>|"|'|\\/).map((part) => part.trim());
  const longestPart = parts.toSorted((a, b) => b.length - a.length)[0] ?? '';
  return longestPart.slice(0, 40).trimEnd();
}

const words = () => catalogue().diagnose.bundle;

const GIB = 1024 ** 3;
const LIMITS = { contentBytes: 2 * GIB, unpackedBytes: 64 * GIB, entryCount: 500_000 };
/** Names of archives: of a log bundle (`gather bootstrap`), or of a directory of `oc adm must-gather`. */
const ARCHIVE_NAME = /^(?:log-bundle|must-gather).*\.(?:tar|tgz|tar\.gz)$/;

const createUnreadableError = (cause: string) =>
  new UserErrorException({ code: 'bundle-unreadable', title: words().title, cause, remedy: words().remedy });

/**
 * Reads the known files of an archive or a directory, and passes them to `onFile` one after the other.
 * @throws UserErrorException `bundle-unreadable`
 */
async function readBundle(bundlePath: string, onFile: (file: ArchiveFile) => void) {
  let fileCount = 0;
  let isDamaged = false;
  const visitor = {
    selectPart: selectExcerpt,
    onFile(file: ArchiveFile) {
      const unpackedFile = isGzipped(file.path) ? unpackGzip(file) : file;
      fileCount += 1;
      if (unpackedFile === null) isDamaged = true;
      else onFile(unpackedFile);
    },
  };
  const name = sanitizeLine(bundlePath);
  try {
    const form = (await stat(bundlePath)).isDirectory() ? 'directory' : 'archive';
    const { isCut } =
      form === 'directory'
        ? await readDirectoryTree(bundlePath, visitor, LIMITS)
        : await readArchive(bundlePath, visitor, LIMITS);
    if (fileCount > 0) return { fileCount, isCut: isCut || isDamaged, form } as const;
    const archives =
      form === 'directory' ? (await readdir(bundlePath)).filter((name) => ARCHIVE_NAME.test(name)).toSorted() : [];
    const [latestArchive] = archives.toReversed();
    throw createUnreadableError(
      latestArchive === undefined
        ? words().nothingUsable(name)
        : words().holdsArchive(name, sanitizeLine(join(bundlePath, latestArchive))),
    );
  } catch (error) {
    if (error instanceof UserErrorException) throw error;
    const textFile =
      error instanceof NotAnArchiveError && error.format === null ? await readTextFile(bundlePath) : null;
    if (textFile !== null) {
      onFile(textFile);
      return { fileCount: 1, isCut: !textFile.isComplete, form: 'text' } as const;
    }
    if (error instanceof NotAnArchiveError)
      throw createUnreadableError(
        error.format === null
          ? words().noText(name)
          : words().otherFormats[error.format](name, sanitizeLine(quoteShellCommand`${bundlePath}`)),
      );
    throw createUnreadableError(words().unreadable(name, sanitizeLine(describeSystemError(error, 'read'))));
  }
}

/** Unpacks a gzipped file; null if it is damaged, or larger than the limit. */
function unpackGzip(file: ArchiveFile): ArchiveFile | null {
  try {
    return { ...file, content: gunzipSync(file.content, { maxOutputLength: MAX_UNPACKED_SIZE }) };
  } catch (error) {
    if (error instanceof Error && 'code' in error) return null;
    throw error;
  }
}

/** Maximum number of lines that are kept: even the bundle of a large cluster has fewer without repetitions. */
const MAX_LINES = 400_000;

interface BundleFinding extends Diagnosis {
  /** A complete command that shows the first symptom in the bundle; null if no single file of it has the symptom. */
  readonly bundleCommand: string | null;
}

/** Result of the diagnosis of a bundle. `isCut`: not all of it was read. */
interface BundleDiagnosis {
  readonly findings: readonly BundleFinding[];
  readonly normalSigns: readonly NormalSign[];
  readonly fileCount: number;
  readonly isCut: boolean;
  readonly form: BundleForm;
  /** The bundle names other machines than the design, so the design was ignored. */
  readonly isOtherInstallation: boolean;
}

/**
 * Evaluates the logs and objects of a log bundle (`openshift-install gather bootstrap`) or of a must-gather by the
 * rules for a running installation. Nothing is unpacked to the disk, and only one file at a time is in memory.
 * @param bundlePath an archive, or the directory of an unpacked one
 * @param candidateDesign the design of the installation that the bundle may belong to, if there is one
 * @throws UserErrorException `bundle-unreadable`
 */
export async function diagnoseBundle(
  bundlePath: string,
  candidateDesign: Design | null,
  now: number,
): Promise<BundleDiagnosis> {
  const content = await readBundleContent(bundlePath, now);
  const isOtherInstallation = candidateDesign !== null && !matchesDesign(candidateDesign, content);
  const design = isOtherInstallation ? null : candidateDesign;
  const lines = content.lines.map((line) => ({ ...line, host: findNodeName(line.host, design) }));
  const bundleTime = findBundleTime(content, now);
  const recentLines = content.form === 'text' ? lines : dropStaleLines(lines, content.isMustGather ? bundleTime : null);
  const hasObjects = content.objects.length > 0;
  const objects = hasObjects
    ? content.objects.map(({ object }) => object)
    : derivePrintedObjects(recentLines, bundleTime);
  const cluster =
    objects.length === 0
      ? null
      : deriveObservedCluster(design, objects, { now: bundleTime, isRunning: content.isMustGather || !hasObjects });
  const allLines = [...dropResolvedLines(recentLines), ...listOperatorLines(objects)];
  const { configFiles } = content;
  const evidence = {
    ...NO_EVIDENCE,
    isBundle: true,
    now: bundleTime,
    design,
    lines: allLines,
    cluster,
    files: configFiles,
  };
  const diagnoses = diagnose(evidence);
  const rules = diagnoses.map(({ rule }) => rule);
  if (content.form !== 'text' && !content.hasLogs && !content.isCut && diagnoses.length === 0)
    throw createUnreadableError(words().nothingUsable(sanitizeLine(bundlePath)));
  return {
    findings: diagnoses.map((diagnosis) => ({
      ...diagnosis,
      bundleCommand: buildBundleCommand(diagnosis, { ...content, bundlePath, lines }),
    })),
    normalSigns: listNormalSigns({ ...evidence, lines: recentLines }, rules),
    fileCount: content.fileCount,
    form: content.form,
    isCut: content.isCut,
    isOtherInstallation,
  };
}

interface BundleContent {
  readonly lines: readonly BundleLine[];
  readonly objects: readonly BundleObject[];
  /** Configuration files that were saved by hand. */
  readonly configFiles: Evidence['files'];
  /** Whether it has files besides configuration files. */
  readonly hasLogs: boolean;
  /** Number of files that were read. */
  readonly fileCount: number;
  readonly isCut: boolean;
  readonly form: BundleForm;
  readonly isMustGather: boolean;
  /** Time when the bundle was gathered, ms, from its own records; null: not recorded. */
  readonly gatheredAt: number | null;
  /** Names of the control plane nodes in the bundle. */
  readonly controlPlaneNames: ReadonlySet<string>;
}

async function readBundleContent(bundlePath: string, now: number): Promise<BundleContent> {
  const lines: BundleLine[] = [];
  const objects: BundleObject[] = [];
  const configFiles: Evidence['files'][number][] = [];
  const controlPlaneNames = new Set<string>();
  let hasLogs = false;
  let [isCut, isMustGather, gatheredAt]: [boolean, boolean, number | null] = [false, false, null];
  const addFile = (file: ArchiveFile) => {
    const pathKind = findFileKind(file.path) ?? 'pasted';
    const kind = pathKind === 'pasted' && isObjectText(file.content) ? 'objects' : pathKind;
    hasLogs ||= !/\.(?:cfg|conf)$/.test(file.path);
    isMustGather ||= /(?:^|\/)(?:cluster-scoped-resources|namespaces|host_service_logs)\//.test(file.path);
    const controlPlaneName = /(?:^|\/)control-plane\/([^/]+)\//.exec(file.path)?.[1];
    if (controlPlaneName !== undefined) controlPlaneNames.add(controlPlaneName);
    const config = kind === 'pasted' ? extractHaproxyConfig(file.content.toString('utf8')) : null;
    if (config !== null)
      configFiles.push({
        host: 'LOAD-BALANCER',
        kind: 'haproxy',
        path: HAPROXY_PATH,
        text: config,
        plannedText: config,
      });
    if (kind === 'timestamp') gatheredAt = parseGatherTime(file.content.toString('utf8')) ?? gatheredAt;
    if (kind === 'objects') {
      const parsedFile = parseObjects(file);
      objects.push(...parsedFile.objects.filter(({ object }) => isRelevantObject(object)));
      isCut ||= parsedFile.isCut;
    } else if (lines.length < MAX_LINES) lines.push(...extractLines(kind, file, estimateEndTime(file, now)));
    else isCut = true;
  };
  const { fileCount, ...result } = await readBundle(bundlePath, addFile);
  return {
    lines,
    objects,
    configFiles,
    hasLogs,
    fileCount,
    controlPlaneNames,
    isMustGather,
    gatheredAt,
    ...result,
    isCut: isCut || result.isCut,
  };
}

/**
 * Estimates a time after everything in the file, because journals omit the year: from the name of a log bundle, or the
 * time of the file, where these are plausible.
 */
function estimateEndTime({ path, modifiedAt }: ArchiveFile, now: number): number {
  const [, year, month, day] = /(?:^|\/)log-bundle-(\d{4})(\d\d)(\d\d)\d{6}/.exec(path) ?? [];
  const namedTime = Date.parse(`${year}-${month}-${day}T23:59:59Z`);
  return [namedTime, modifiedAt].find((time) => time > 0 && time <= now) ?? now;
}

/**
 * Parses `timestamp` of a must-gather: its start and end, as Go prints times ("2026-11-22 11:58:00.123 +0000 UTC
 * m=+0.1"). Returns the end in ms; null for any other text.
 */
function parseGatherTime(text: string): number | null {
  const [, day, time, zone] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)[.\d]* ([+-]\d{4})(?!.*\d{4}-\d\d-)/s.exec(text) ?? [];
  return day === undefined ? null : parseLogTime(`${day}T${time}${zone}`, 0, 'UTC');
}

/**
 * Finds the time that the bundle describes. The clock of a node may be wrong; the bootstrap wrote the bundle by its own
 * clock.
 */
function findBundleTime({ gatheredAt, lines, objects }: BundleContent, now: number): number {
  if (gatheredAt !== null) return gatheredAt;
  const findLatestTime = (bundleLines: readonly BundleLine[]) =>
    bundleLines.reduce<number | null>((last, { at }) => (at === null ? last : Math.max(last ?? at, at)), null);
  const bootstrapTime = findLatestTime(lines.filter(({ host }) => host === 'bootstrap'));
  return bootstrapTime ?? findLatestTime(lines) ?? findLastHeartbeat(objects.map(({ object }) => object)) ?? now;
}

/**
 * Whether a bundle may belong to a design: one of its control plane nodes is among those of the design, or the bundle
 * names none.
 */
function matchesDesign(design: Design, { controlPlaneNames, objects }: BundleContent): boolean {
  const nodes = objects.map(({ object }) => object).filter(({ kind }) => kind === 'Node');
  const nodeNames = [
    ...controlPlaneNames,
    ...nodes.flatMap((node) => [node.metadata.name, ...parseNode(node).addresses.map(({ address }) => address)]),
  ];
  const designNames = new Set(design.nodes.flatMap((node) => [node.name, getNodeFqdn(design, node), ...node.ip]));
  return nodeNames.length === 0 || nodeNames.some((name) => designNames.has(name) || /^localhost/.test(name));
}
