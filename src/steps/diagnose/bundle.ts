import { parse } from 'yaml';
import { type Archive, NotAnArchive, readArchive } from '../../bastion/untar.ts';
import type { Design } from '../../design/model.ts';
import { nodesWithRole } from '../../design/names.ts';
import { type Diagnosis, diagnose } from '../../diagnosis/causes/diagnose.ts';
import type { ClusterSeen, Evidence, Line } from '../../diagnosis/causes/evidence.ts';
import { operatorStates } from '../../diagnosis/operators/states.ts';
import { parseServiceRecord } from '../../installer/service-record.ts';
import { nodeView } from '../../objects/node.ts';
import { type KubeObject, listAt } from '../../objects/object.ts';
import { operatorView } from '../../objects/operator.ts';
import { parseSafely, wrongField } from '../../objects/received.ts';
import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import { redact } from '../../text/redact.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { systemReason } from '../../text/system-reason.ts';
import { TroubleError } from '../../text/trouble.ts';
import { nodeSeen } from './cluster.ts';
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
const RESOURCES =
  /(?:^|\/)resources\/(?:nodes|clusteroperators)\.json$|(?:^|\/)cluster-scoped-resources\/(?:config\.openshift\.io\/clusteroperators|core\/nodes)(?:\/[^/]+)?\.yaml$/;

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
  const objects = texts.filter(({ path }) => RESOURCES.test(path)).flatMap(({ path, text }) => objectsOf(path, text));
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
  const isWanted = (path: string) => LOGS.test(path) || RECORDS.test(path) || RESOURCES.test(path);
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

/** The objects of a JSON list or a YAML document; what is none is left out. */
function objectsOf(path: string, text: string): KubeObject[] {
  try {
    const value: unknown = path.endsWith('.json') ? parseSafely(text) : parseSafely(JSON.stringify(parse(text)));
    const items = listAt(value, 'items');
    return (items.length > 0 ? items : [value]).filter(isObject);
  } catch {
    // The end of a file that was too long, or one that was cut: the others are read.
    return [];
  }
}

function isObject(value: unknown): value is KubeObject {
  return wrongField(value) === null;
}

const isOperator = ({ kind, apiVersion }: KubeObject) =>
  kind === 'ClusterOperator' || /^config\.openshift\.io\//.test(apiVersion ?? '');

/** What operators that are not well say, as lines: the same patterns fit them. */
function operatorLines(objects: readonly KubeObject[]): Line[] {
  const operators = objects.filter(isOperator).map(operatorView);
  return operators
    .filter(({ available, degraded }) => !available || degraded)
    .map(({ name, message }) => ({
      source: `clusteroperators/${name}`,
      host: null,
      text: redact(message).slice(0, 2000),
      at: null,
    }));
}

function clusterOf(design: Design, objects: readonly KubeObject[], now: number): ClusterSeen {
  const nodes = objects.filter(({ kind }) => kind === 'Node');
  const operators = objects.filter(isOperator).map(operatorView);
  const unknown = { bootstrapStatus: null, isEtcdAlone: null, version: null, requests: null, routers: null };
  return {
    ...unknown,
    proxy: null,
    storageClasses: null,
    pendingClaims: null,
    nodes: nodes.length === 0 ? null : nodes.map(nodeSeen),
    operators: operators.length === 0 ? null : operatorStates(design, operators, nodes.map(nodeView), [], now),
  };
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
