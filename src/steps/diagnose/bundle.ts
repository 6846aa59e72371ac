import { type Archive, NotAnArchive, readArchive } from '../../bastion/untar.ts';
import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { type Diagnosis, diagnose } from '../../diagnosis/causes/diagnose.ts';
import type { Evidence, Line } from '../../diagnosis/causes/evidence.ts';
import { parseServiceRecord } from '../../installer/service-record.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { systemReason } from '../../text/system-reason.ts';
import { TroubleError } from '../../text/trouble.ts';
import { clusterOf, holdsObjects, objectsOf, operatorLines } from './bundle-cluster.ts';
import { journalLines } from './log-lines.ts';

const words = () => catalogue().diagnose.bundle;

const MIB = 1024 * 1024;
const LIMITS = { perFile: MIB, kept: 128 * MIB, unpacked: 8192 * MIB, entries: 200_000 };
/** The last of each log: what was said long before its end is over, or is said again. */
const LAST = 30 * MINUTE;
const LINES = 4000;

/** Journals and logs of containers: of openshift-install's bundle, and of a must-gather. Never keys, ignition files or rendered assets. */
const LOGS =
  /(?:^|\/)(?:bootstrap|control-plane\/[^/]+)\/(?:journals|containers)\/[^/]+\.log$|(?:^|\/)failed-units\.txt$|(?:^|\/)unit-status\/[^/]+$|(?:^|\/)serial\/[^/]+\.log$|(?:^|\/)host_service_logs\/[^/]+\/[^/]+\.log$|(?:^|\/)namespaces\/[^/]+\/pods\/.*\/logs\/current\.log$/;
const RECORDS = /(?:^|\/)bootstrap\/services\/(release-image|bootkube)\.json$/;

/** What a bundle says is wrong. `isCut`: not all of it was read. */
export interface BundleDiagnosis {
  readonly found: readonly Diagnosis[];
  readonly files: number;
  readonly isCut: boolean;
}

/**
 * Judges the logs and objects of a log bundle (`openshift-install gather bootstrap`) or of a must-gather, by the same rules as a running
 * installation. Nothing is unpacked to the disk.
 * @param design what it is of, where known
 * @throws TroubleError `bundle-unreadable`
 */
export async function diagnoseBundle(file: string, design: Design | null, now: number): Promise<BundleDiagnosis> {
  const { files, isCut } = await archiveOf(file);
  const texts = files.map(({ path, content }) => ({ path, text: content.toString('utf8') }));
  const objects = texts.filter(({ path }) => holdsObjects(path)).flatMap(({ path, text }) => objectsOf(path, text));
  const lines = [
    ...texts
      .filter(({ path }) => LOGS.test(path))
      .flatMap(({ path, text }) => latest(linesOf(path, text, design, now))),
    ...texts.flatMap(({ path, text }) => recordLines(path, text, design)),
    ...operatorLines(objects),
  ];
  const times = lines.flatMap(({ at }) => at ?? []);
  // It tells of the moment when it was gathered.
  const end = times.length === 0 ? now : times.reduce((last, time) => Math.max(last, time), 0);
  const cluster = design === null || objects.length === 0 ? null : clusterOf(design, objects, end);
  return { found: diagnose({ ...NOTHING, now: end, design, lines, cluster }), files: files.length, isCut };
}

async function archiveOf(file: string): Promise<Archive> {
  const isWanted = (path: string) => LOGS.test(path) || RECORDS.test(path) || holdsObjects(path);
  const trouble = (cause: string) =>
    new TroubleError({ code: 'bundle-unreadable', title: words().title, cause, whatToDo: words().whatToDo });
  try {
    const archive = await readArchive(file, isWanted, LIMITS);
    if (archive.files.length === 0) throw trouble(words().nothingKnown(sanitizeLine(file)));
    return archive;
  } catch (error) {
    if (error instanceof TroubleError) throw error;
    if (error instanceof NotAnArchive) throw trouble(words().noArchive(sanitizeLine(file)));
    throw trouble(words().unreadable(sanitizeLine(file), sanitizeLine(systemReason(error, 'read'))));
  }
}

/** The machine that a path is of: by its address in the design, or that address. */
function hostOf(path: string, design: Design | null): string | null {
  if (/(?:^|\/)bootstrap\//.test(path)) {
    return design === null ? 'bootstrap' : (nodesWithRole(design, 'bootstrap')[0]?.name ?? 'bootstrap');
  }
  const address = /(?:^|\/)control-plane\/([^/]+)\//.exec(path)?.[1];
  if (address === undefined) return null;
  return (
    design?.nodes.find(({ ip, name }) => ip.includes(address) || name === address)?.name ?? sanitizeLine(address, 80)
  );
}

function linesOf(path: string, text: string, design: Design | null, now: number): Line[] {
  const source = sanitizeLine(path.split('/').slice(-2).join('/'), 120);
  const last = text.split('\n').slice(-LINES).join('\n');
  return journalLines(last, hostOf(path, design), now, { source }).map((line) => ({ ...line, source }));
}

function latest(lines: readonly Line[]): Line[] {
  const end = lines.reduce((last, { at }) => Math.max(last, at ?? 0), 0);
  return lines.filter(({ at }) => at === null || at >= end - LAST);
}

/** What a service of the bootstrap failed with, by its own record. */
function recordLines(path: string, text: string, design: Design | null): Line[] {
  const service = RECORDS.exec(path)?.[1];
  const record = service === undefined ? null : parseServiceRecord(text);
  if (service === undefined || record === null || record.lastError === null || record.state === 'succeeded') return [];
  return [{ source: `services/${service}.json`, host: hostOf(path, design), text: record.lastError, at: null }];
}

/** What nobody can ask of a bundle. */
const NOTHING: Omit<Evidence, 'now' | 'design' | 'lines' | 'cluster'> = {
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
