import { catalogue } from '../../text/catalogue.ts';
import { type Finding, PHASES, type Phase, problems } from '../finding.ts';
import type { ImageEvidence, LaterEvidence, PrepareEvidence } from './evidence.ts';
import { lifeOf } from './expiry.ts';
import { type Override, overrideOf } from './gate.ts';

const words = () => catalogue().steps.prepare;

/** What has to exist before a machine is powered on, in the order in which it is made. */
export interface PrepareView {
  readonly items: readonly PrepareItem[];
  /** When the certificates in the ignition files expire, ms; null before they are made. */
  readonly expiresAt: number | null;
  /** The checks of the site by phase, in their order; empty where nobody asked. */
  readonly phases: readonly CheckedPhase[];
}

/** What the checks of one phase found. */
export interface CheckedPhase {
  readonly phase: Phase;
  readonly ok: number;
  readonly pending: number;
  readonly unknown: number;
  /** Those that block first. */
  readonly failed: readonly Finding[];
}

/** The findings of checks, counted by phase. */
export function byPhase(
  checked: readonly { readonly phase: Phase; readonly finding: Finding }[],
): readonly CheckedPhase[] {
  return PHASES.flatMap((phase) => {
    const found = checked.filter((each) => each.phase === phase).map(({ finding }) => finding);
    const count = (state: Finding['state']) => found.filter((each) => each.state === state).length;
    const counts = { ok: count('ok'), pending: count('pending'), unknown: count('unknown') };
    return found.length === 0 ? [] : [{ phase, ...counts, failed: problems(found) }];
  });
}

/** One finding for the failed checks that keep a step from going on; nothing where there are none. */
export function gateFindings(closed: readonly Finding[]): Finding[] {
  return about(closed, closed.length, 'fatal');
}

/**
 * One finding for all checks of the site that failed; nothing where none did. What is unknown is no failure. Those that block warn,
 * unless somebody went past them knowingly.
 */
export function siteFindings(phases: readonly CheckedPhase[], overrides: readonly Override[] = []): Finding[] {
  const failed = phases.flatMap((each) => each.failed);
  const blocking = failed.filter((found) => found.severity === 'fatal' && overrideOf(found, overrides) === null).length;
  return about(failed, blocking, blocking > 0 ? 'warning' : 'note');
}

function about(failed: readonly Finding[], blocking: number, severity: Finding['severity']): Finding[] {
  const [worst] = problems(failed);
  if (worst === undefined) return [];
  const { title, cause } = catalogue().diagnosis.prepare['site-checks'];
  return [
    {
      code: 'site-checks',
      state: 'failed',
      severity,
      subject: null,
      title: title(failed.length, blocking),
      cause: cause(worst.title, worst.cause, failed.length),
      whatToDo: worst.whatToDo,
      ...(worst.command === undefined ? {} : { command: worst.command }),
    },
  ];
}

interface PrepareItem {
  readonly id: 'installer' | 'oc' | 'images' | 'directory' | 'expiry' | 'worker-ignition' | 'server';
  readonly state: 'ok' | 'pending' | 'failed';
  readonly detail: string;
  /** The ids of the checks that say the same: "upi-wizard check --only" repeats them. */
  readonly checks: readonly string[];
}

/** The rules of Prepare by what they are about: each is a check of its own too. */
export const PREPARE_CHECKS = {
  installer: ['installer-missing', 'installer-version', 'installer-architecture', 'installer-architecture-unknown'],
  images: ['images-wrong', 'images-missing', 'images-unchecked'],
  directory: ['install-config-changed', 'install-dir-alive', 'install-dir-used'],
  expiry: ['ignition-expired', 'ignition-expires'],
  server: ['boot-files-missing'],
} as const;

/** The same for nodes that join a running cluster. */
export const LATER_CHECKS = {
  images: ['images-missing', 'images-older'],
  'worker-ignition': ['worker-ignition'],
} as const;

/** The answer at the address that the nodes use. */
interface ServerEvidence {
  readonly isServing: boolean;
  /** The answer in a line. */
  readonly serverDetail: string;
}

interface ItemEvidence extends PrepareEvidence, ServerEvidence {
  readonly oc: string | null;
  /** The files in the install directory are of no use any more. */
  readonly isSpent: boolean;
}

interface LaterItemEvidence extends LaterEvidence, ServerEvidence {
  /** Every node that has still to join may fetch what it needs. */
  readonly isServerCurrent: boolean;
}

/** The images that have to be fetched. */
export function openImages(images: ImageEvidence['images']): string[] {
  return images.filter(({ state }) => state === 'missing' || state === 'wrong').map(({ name }) => name);
}

/** The files are of no use, and no cluster lives from them. */
export function mustBeginAnew({ isSpent, isAlive }: Pick<ItemEvidence, 'isSpent' | 'isAlive'>): boolean {
  return isSpent && !isAlive;
}

/**
 * What Prepare makes for a new cluster, in the order in which it is made.
 * @param found what its rules found on the same evidence: nothing is judged twice
 */
export function prepareItems(evidence: ItemEvidence, found: readonly Finding[]): readonly PrepareItem[] {
  const { program, version, oc, images, directory, isServing, serverDetail, server } = evidence;
  const hasFailed = (id: keyof typeof PREPARE_CHECKS) =>
    found.some(({ code, severity }) => severity !== 'note' && PREPARE_CHECKS[id].some((each) => each === code));
  const isReady = directory.state === 'ignition' && !mustBeginAnew(evidence);
  const open = openImages(images);
  const isChecked = images.every(({ state }) => state === 'ok');
  const left = (directory.expiresAt ?? 0) - evidence.now;
  return [
    {
      id: 'installer',
      checks: PREPARE_CHECKS.installer,
      state: hasFailed('installer') ? 'failed' : 'ok',
      detail:
        program === null
          ? catalogue().diagnosis.prepare['installer-missing'].title
          : `${program} ${version?.version ?? words().noVersion}`,
    },
    { id: 'oc', checks: ['oc'], state: oc === null ? 'pending' : 'ok', detail: oc ?? words().noOc },
    {
      id: 'images',
      checks: PREPARE_CHECKS.images,
      state: hasFailed('images') ? 'failed' : 'ok',
      detail: open.join(', ') || (isChecked ? words().images.ok(images.length) : words().images.unchecked),
    },
    {
      id: 'directory',
      checks: PREPARE_CHECKS.directory,
      state: isReady ? 'ok' : hasFailed('directory') ? 'failed' : 'pending',
      detail: `${evidence.dir}: ${directory.state}`,
    },
    {
      id: 'expiry',
      checks: PREPARE_CHECKS.expiry,
      state: directory.expiresAt === null ? 'pending' : hasFailed('expiry') ? 'failed' : 'ok',
      detail: directory.expiresAt === null ? words().notMade : lifeOf(left),
    },
    {
      id: 'server',
      checks: [...PREPARE_CHECKS.server, 'boot-server'],
      state: hasFailed('server') ? 'failed' : isServing ? 'ok' : 'pending',
      detail: server === 'other' ? words().otherServer(serverDetail) : serverDetail,
    },
  ];
}

/** The same for nodes that join a running cluster. */
export function laterItems(evidence: LaterItemEvidence): readonly PrepareItem[] {
  const { images, imagesDir, ignition, isServing, isServerCurrent, serverDetail } = evidence;
  const missing = openImages(images);
  const { from, untrusted } = catalogue().steps.workerIgnition;
  const said = ignition.isFromCluster ? from.cluster : from.installer;
  return [
    {
      id: 'images',
      checks: LATER_CHECKS.images,
      state: missing.length > 0 ? 'failed' : 'ok',
      detail: missing.join(', ') || imagesDir,
    },
    {
      id: 'worker-ignition',
      checks: LATER_CHECKS['worker-ignition'],
      state: evidence.mustFetchIgnition ? 'pending' : 'ok',
      detail: ignition.problems[0]?.title ?? (ignition.server?.state === 'untrusted' ? untrusted : said),
    },
    {
      id: 'server',
      checks: ['boot-server'],
      state: isServing && isServerCurrent ? 'ok' : 'pending',
      detail: serverDetail,
    },
  ];
}
