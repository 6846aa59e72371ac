import { getVersionProfile } from '../../design/versions.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatUtc, HOUR, MINUTE } from '../../platform/clock.ts';
import { listFailuresByCause } from '../causes/explain.ts';
import { CHECK_PHASES, type CheckPhase, createCheckFactory, type Finding } from '../check.ts';
import type { ImageEvidence, JoinPrepareEvidence, PrepareEvidence } from './evidence.ts';
import { findOverride, type Override } from './overrides.ts';

const check = createCheckFactory<PrepareEvidence>('ignition');

const diagnosisWords = () => catalogue().diagnosis.prepare;

/**
 * The documentation recommends to use ignition files within 12 hours. Their 24-hour certificates rotate 16 to 22 hours
 * after the installation of the cluster.
 */
const SHORT_LIFETIME = 12 * HOUR;

/**
 * Classifies ignition files by the remaining lifetime of their certificates.
 * @param remainingMs milliseconds
 */
export function classifyLifetime(remainingMs: number): 'fresh' | 'old' | 'expired' {
  return remainingMs <= 0 ? 'expired' : remainingMs < SHORT_LIFETIME ? 'old' : 'fresh';
}

/** The certificates in the ignition files have expired; the nodes of a running cluster got them in time. */
export const ignitionExpired = check(
  'ignition-expired',
  'warning',
  ({ installDirStatus: { expiresAt }, isClusterUp, now }) => {
    if (expiresAt === null || classifyLifetime(expiresAt - now) !== 'expired') return [];
    const { title, remedy, remedyClusterUp } = diagnosisWords()['ignition-expired'];
    const base = { state: 'failed' as const, title, evidence: [`${formatUtc(expiresAt, 'second')} UTC`] };
    return [isClusterUp ? { ...base, severity: 'note', remedy: remedyClusterUp } : { ...base, remedy }];
  },
);

/** The certificates in the ignition files may expire before the last machine is up. */
export const ignitionExpires = check('ignition-expires', 'warning', ({ installDirStatus: { expiresAt }, now }) => {
  if (expiresAt === null || classifyLifetime(expiresAt - now) !== 'old') return [];
  const remainingMs = expiresAt - now;
  const { title, cause, remedy } = diagnosisWords()['ignition-expires'];
  return [{ state: 'failed', title: title(formatRemainingTime(remainingMs)), evidence: [cause], remedy }];
});

/**
 * Formats the remaining time; a negative one as zero.
 * @param remainingMs milliseconds
 */
export function formatRemainingTime(remainingMs: number): string {
  return catalogue().steps.prepare.minutes(Math.max(0, Math.floor(remainingMs / MINUTE)));
}

const words = () => catalogue().steps.prepare;

/** Everything that has to exist before the first power-on, in order of creation. */
export interface PrepareView {
  readonly items: readonly PrepareItem[];
  /** Expiry of the certificates in the ignition files, ms; null before they are created. */
  readonly expiresAt: number | null;
  /** The site checks by phase, in their order; empty if they have not run. */
  readonly phases: readonly PhaseResults[];
}

/** The results of the checks of one phase. */
export interface PhaseResults {
  readonly phase: CheckPhase;
  readonly okCount: number;
  readonly pendingCount: number;
  readonly unknownCount: number;
  /** Fatal ones first; a consequence follows its cause. */
  readonly failedFindings: readonly Finding[];
}

/** Groups the findings of checks by phase and counts their states. */
export function groupFindingsByPhase(
  results: readonly { readonly phase: CheckPhase; readonly finding: Finding }[],
): readonly PhaseResults[] {
  return CHECK_PHASES.flatMap((phase) => {
    const phaseFindings = results.filter((result) => result.phase === phase).map(({ finding }) => finding);
    const countFindings = (state: Finding['state']) =>
      phaseFindings.filter((phaseFinding) => phaseFinding.state === state).length;
    const counts = {
      okCount: countFindings('ok'),
      pendingCount: countFindings('pending'),
      unknownCount: countFindings('unknown'),
    };
    return phaseFindings.length === 0 ? [] : [{ phase, ...counts, failedFindings: listFailuresByCause(phaseFindings) }];
  });
}

/** Summarizes the failed checks that block a step in one finding; empty if there are none. */
export function summarizeBlockingChecks(blockingFindings: readonly Finding[]): Finding[] {
  return summarizeChecks(blockingFindings, blockingFindings.length, 'fatal');
}

/**
 * Summarizes all failed site checks in one finding; empty if none failed. Unknown results do not count. Fatal checks
 * without an override make it a warning, else it is a note.
 */
export function summarizeSiteChecks(phases: readonly PhaseResults[], overrides: readonly Override[] = []): Finding[] {
  const failedFindings = phases.flatMap((phase) => phase.failedFindings);
  const blockingCount = failedFindings.filter(
    (finding) => finding.severity === 'fatal' && findOverride(finding, overrides) === null,
  ).length;
  return summarizeChecks(failedFindings, blockingCount, blockingCount > 0 ? 'warning' : 'note');
}

function summarizeChecks(
  failedFindings: readonly Finding[],
  blockingCount: number,
  severity: Finding['severity'],
): Finding[] {
  const [worstFinding] = listFailuresByCause(failedFindings);
  if (worstFinding === undefined) return [];
  const { title, cause } = catalogue().diagnosis.prepare['site-checks'];
  return [
    {
      code: 'site-checks',
      state: 'failed',
      severity,
      subject: null,
      title: title(failedFindings.length, blockingCount),
      cause: cause(worstFinding.title, worstFinding.cause, failedFindings.length),
      remedy: worstFinding.remedy,
      ...(worstFinding.command === undefined ? {} : { command: worstFinding.command }),
    },
  ];
}

interface PrepareItem {
  readonly id: 'installer' | 'oc' | 'images' | 'directory' | 'expiry' | 'worker-ignition' | 'server';
  readonly state: 'ok' | 'pending' | 'failed';
  readonly detail: string;
  /** The ids of the equivalent checks: "upi-wizard check --only" repeats them. */
  readonly checks: readonly string[];
}

/** The checks of Prepare by item. */
const ITEM_CHECKS = {
  installer: ['installer-missing', 'installer-version', 'installer-architecture', 'installer-architecture-unknown'],
  images: ['images-wrong', 'images-missing', 'images-unchecked'],
  directory: ['install-config-changed', 'install-dir-alive', 'install-dir-used'],
  expiry: ['ignition-expired', 'ignition-expires'],
  server: ['boot-files-missing'],
} as const;

/** The checks of Prepare by item, for nodes that join a running cluster. */
const JOIN_ITEM_CHECKS = {
  images: ['images-missing', 'images-older'],
  'worker-ignition': ['worker-ignition'],
} as const;

/** The answer at the boot server's address, as the nodes use it. */
interface ServerEvidence {
  readonly isServing: boolean;
  /** The answer in one line. */
  readonly serverDetail: string;
}

interface ItemEvidence extends PrepareEvidence, ServerEvidence {
  readonly oc: string | null;
  /** Whether the files in the install directory are no longer usable. */
  readonly areFilesUnusable: boolean;
  /** Whether the user needs oc: not on a simulated site. */
  readonly needsOc: boolean;
}

interface JoinItemEvidence extends JoinPrepareEvidence, ServerEvidence {
  /** Whether every node that still has to join may fetch its files. */
  readonly isServingAllNodes: boolean;
}

/** Lists the images that have to be downloaded. */
export function listImagesToFetch(images: ImageEvidence['images']): string[] {
  return images.filter(({ state }) => state === 'missing' || state === 'wrong').map(({ name }) => name);
}

/** Whether the files are no longer usable and no running cluster depends on them. */
export function mustStartOver({
  areFilesUnusable,
  isClusterUp,
}: Pick<ItemEvidence, 'areFilesUnusable' | 'isClusterUp'>): boolean {
  return areFilesUnusable && !isClusterUp;
}

/**
 * Builds the items that Prepare creates for a new cluster, in order of creation.
 * @param findings the findings of the checks of Prepare on this evidence, so that no check runs twice
 */
export function buildPrepareItems(evidence: ItemEvidence, findings: readonly Finding[]): readonly PrepareItem[] {
  const { installer, installerVersion, oc, needsOc, images, installDirStatus, isServing, serverDetail, server } =
    evidence;
  const hasFailed = (id: keyof typeof ITEM_CHECKS) =>
    findings.some(({ code, severity }) => severity !== 'note' && ITEM_CHECKS[id].some((checkId) => checkId === code));
  const isReady = installDirStatus.state === 'ignition' && !mustStartOver(evidence);
  const imagesToFetch = listImagesToFetch(images);
  const areImagesVerified = images.every(({ state }) => state === 'ok');
  const remainingMs = (installDirStatus.expiresAt ?? 0) - evidence.now;
  return [
    {
      id: 'installer',
      checks: ITEM_CHECKS.installer,
      state: hasFailed('installer') ? 'failed' : 'ok',
      detail:
        installer === null
          ? catalogue().diagnosis.prepare['installer-missing'].title
          : `${installerVersion?.version ?? words().noVersion} ${installer}`,
    },
    {
      id: 'oc',
      checks: ['oc'],
      state: oc === null && needsOc ? 'pending' : 'ok',
      detail: oc ?? (needsOc ? words().noOc : words().noOcSimulated),
    },
    {
      id: 'images',
      checks: ITEM_CHECKS.images,
      state: hasFailed('images') ? 'failed' : 'ok',
      detail:
        imagesToFetch.join(', ') || (areImagesVerified ? words().images.ok(images.length) : words().images.unchecked),
    },
    {
      id: 'directory',
      checks: ITEM_CHECKS.directory,
      state: hasFailed('directory') ? 'failed' : isReady ? 'ok' : 'pending',
      detail: words().directory(words().directoryStates[installDirStatus.state], evidence.dir),
    },
    {
      id: 'expiry',
      checks: ITEM_CHECKS.expiry,
      state: installDirStatus.expiresAt === null ? 'pending' : hasFailed('expiry') ? 'failed' : 'ok',
      detail: installDirStatus.expiresAt === null ? words().notCreated : formatRemainingTime(remainingMs),
    },
    {
      id: 'server',
      checks: [...ITEM_CHECKS.server, 'boot-server'],
      state: hasFailed('server') ? 'failed' : isServing ? 'ok' : 'pending',
      detail: server === 'other' ? words().otherServer(serverDetail) : serverDetail,
    },
  ];
}

/** Builds the items for nodes that join a running cluster. */
export function buildJoinItems(evidence: JoinItemEvidence): readonly PrepareItem[] {
  const { images, imagesDir, ignition, isServing, isServingAllNodes, serverDetail } = evidence;
  const missingImages = listImagesToFetch(images);
  const { from, untrusted, nodeImage } = catalogue().steps.nodeIgnition;
  const hasNodeImage = getVersionProfile(evidence.requirements.version).nodeImage !== 'no';
  const origin = `${ignition.isFromCluster ? from.cluster : from.installer}${hasNodeImage ? `. ${nodeImage}` : ''}`;
  return [
    {
      id: 'images',
      checks: JOIN_ITEM_CHECKS.images,
      state: missingImages.length > 0 ? 'failed' : 'ok',
      detail: missingImages.join(', ') || imagesDir,
    },
    {
      id: 'worker-ignition',
      checks: JOIN_ITEM_CHECKS['worker-ignition'],
      state: evidence.mustFetchIgnition ? 'pending' : 'ok',
      detail:
        ignition.problems[0]?.title ?? (ignition.server?.state === 'untrusted' ? untrusted(ignition.role) : origin),
    },
    {
      id: 'server',
      checks: ['boot-server'],
      state: isServing && isServingAllNodes ? 'ok' : 'pending',
      detail: serverDetail,
    },
  ];
}
