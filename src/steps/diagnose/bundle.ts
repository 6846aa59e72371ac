import type { FoundFile } from '../../bastion/untar.ts';
import type { Design } from '../../design/model.ts';
import { nodeFqdn } from '../../design/names.ts';
import { type Diagnosis, diagnose } from '../../diagnosis/causes/diagnose.ts';
import type { Evidence } from '../../diagnosis/causes/evidence.ts';
import { nodeView } from '../../objects/node.ts';
import { clusterOf, isTelling, lastHeartbeat, operatorLines } from './bundle-cluster.ts';
import { type BundleLine, linesOf, namedBy } from './bundle-lines.ts';
import { type BundleObject, objectsOf } from './bundle-objects.ts';
import { kindOf } from './bundle-paths.ts';
import { readBundle } from './bundle-source.ts';
import { seeInBundle } from './bundle-where.ts';
import { timeOf } from './log-lines.ts';
import { stillSaid, withoutOver } from './over.ts';

/** More than a bundle of a large cluster has, without what is said again and again. */
const MOST_LINES = 400_000;

/** A cause that a bundle shows. */
export interface BundleFinding extends Diagnosis {
  /** A whole command that shows the first symptom in the bundle; null where it is in none of its files alone. */
  readonly seeInBundle: string | null;
}

/** What a bundle says is wrong. `isCut`: not all of it was read. */
export interface BundleDiagnosis {
  readonly found: readonly BundleFinding[];
  readonly files: number;
  readonly isCut: boolean;
  /** The bundle names other machines than the design: it was read without it. */
  readonly isOfAnother: boolean;
}

/**
 * Judges the logs and objects of a log bundle (`openshift-install gather bootstrap`) or of a must-gather, by the same rules as a running
 * installation. Nothing is unpacked to the disk, and only one file at a time is in memory.
 * @param place an archive, or the directory of one that was unpacked
 * @param own the design of the installation that it may be of, where there is one
 * @throws TroubleError `bundle-unreadable`
 */
export async function diagnoseBundle(place: string, own: Design | null, now: number): Promise<BundleDiagnosis> {
  const kept = await contentOf(place, now);
  const isOfAnother = own !== null && !isOf(own, kept);
  const design = isOfAnother ? null : own;
  const lines = kept.lines.map((line) => ({ ...line, host: namedBy(line.host, design) }));
  const end = endOf(kept, now);
  const recent = stillSaid(lines, kept.isMustGather ? end : null);
  const objects = kept.objects.map(({ object }) => object);
  const cluster =
    objects.length === 0 ? null : clusterOf(design, kept.objects, { now: end, isRunning: kept.isMustGather });
  const said = [...withoutOver(recent), ...operatorLines(objects)];
  const found = diagnose({ ...NOTHING, now: end, design, lines: said, cluster });
  return {
    found: found.map((each) => ({ ...each, seeInBundle: seeInBundle(each, { ...kept, place, lines }) })),
    files: kept.files,
    isCut: kept.isCut,
    isOfAnother,
  };
}

interface Content {
  readonly lines: readonly BundleLine[];
  readonly objects: readonly BundleObject[];
  readonly files: number;
  readonly isCut: boolean;
  readonly isDirectory: boolean;
  readonly isMustGather: boolean;
  /** When it was gathered, ms, by its own words. */
  readonly gatheredAt: number | null;
  /** What control plane nodes are called in it. */
  readonly masters: ReadonlySet<string>;
}

async function contentOf(place: string, now: number): Promise<Content> {
  const lines: BundleLine[] = [];
  const objects: BundleObject[] = [];
  const masters = new Set<string>();
  let [isCut, isMustGather, gatheredAt]: [boolean, boolean, number | null] = [false, false, null];
  const take = (file: FoundFile) => {
    const kind = kindOf(file.path);
    if (kind === null) return;
    isMustGather ||= /(?:^|\/)(?:cluster-scoped-resources|namespaces|host_service_logs)\//.test(file.path);
    const master = /(?:^|\/)control-plane\/([^/]+)\//.exec(file.path)?.[1];
    if (master !== undefined) masters.add(master);
    if (kind === 'timestamp') gatheredAt = timestampIn(file.content.toString('utf8')) ?? gatheredAt;
    if (kind === 'objects') {
      const read = objectsOf(file);
      objects.push(...read.objects.filter(({ object }) => isTelling(object)));
      isCut ||= read.isCut;
    } else if (lines.length < MOST_LINES) lines.push(...linesOf(kind, file, writtenBy(file, now)));
    else isCut = true;
  };
  const read = await readBundle(place, take);
  return { lines, objects, masters, isMustGather, gatheredAt, ...read, isCut: isCut || read.isCut };
}

/** A moment after all that a file tells: journals leave out the year. By the name of a log bundle, or the time of the file, where they can be. */
function writtenBy({ path, modifiedAt }: FoundFile, now: number): number {
  const [, year, month, day] = /(?:^|\/)log-bundle-(\d{4})(\d\d)(\d\d)\d{6}/.exec(path) ?? [];
  const named = Date.parse(`${year}-${month}-${day}T23:59:59Z`);
  return [named, modifiedAt].find((time) => time > 0 && time <= now) ?? now;
}

/** `timestamp` of a must-gather: its begin and its end, as Go prints times ("2026-11-22 11:58:00.123 +0000 UTC m=+0.1"). */
function timestampIn(text: string): number | null {
  const [, day, time, zone] = /(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)[.\d]* ([+-]\d{4})(?!.*\d{4}-\d\d-)/s.exec(text) ?? [];
  return day === undefined ? null : timeOf(`${day}T${time}${zone}`, 0, 'UTC');
}

/** The moment that it tells of. The clock of a node may be wrong, that of the bootstrap wrote the bundle. */
function endOf({ gatheredAt, lines, objects }: Content, now: number): number {
  if (gatheredAt !== null) return gatheredAt;
  const latest = (all: readonly BundleLine[]) =>
    all.reduce<number | null>((last, { at }) => (at === null ? last : Math.max(last ?? at, at)), null);
  const own = latest(lines.filter(({ host }) => host === 'bootstrap'));
  return own ?? latest(lines) ?? lastHeartbeat(objects.map(({ object }) => object)) ?? now;
}

/** Whether a bundle may be of a design: its control plane nodes are among those of the design, or it names none. */
function isOf(design: Design, { masters, objects }: Content): boolean {
  const nodes = objects.map(({ object }) => object).filter(({ kind }) => kind === 'Node');
  const called = [
    ...masters,
    ...nodes.flatMap((node) => [node.metadata.name, ...nodeView(node).addresses.map(({ address }) => address)]),
  ];
  const own = new Set(design.nodes.flatMap((node) => [node.name, nodeFqdn(design, node), ...node.ip]));
  return called.length === 0 || called.some((name) => own.has(name) || /^localhost/.test(name));
}

/** What nobody can ask of a bundle. */
const NOTHING: Omit<Evidence, 'now' | 'design' | 'lines' | 'cluster'> = {
  isBundle: true,
  stage: 'install',
  checks: [],
  pools: [],
  ports: [],
  ready: [],
  files: [],
  machines: [],
  strangers: [],
  misplaced: [],
  ignition: null,
  images: { names: [], wrong: [] },
  registries: null,
  api: null,
  clocks: [],
};
