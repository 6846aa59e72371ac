import type { Likelihood } from '../../../src/checks/check.ts';
import { type Diagnosis, isFindingOfFault } from '../../../src/checks/rules/index.ts';
import type { Design } from '../../../src/design/model.ts';
import type { FaultId } from '../../../src/rehearsal/site/faults.ts';
import { type GuidedSite, startGuidedSite } from './guided-site.ts';
import { matchHivePattern } from './hive.ts';
import type { Schedule, Variation } from './variations.ts';

/** Diagnoses at one moment of an installation. */
interface DiagnosisSnapshot {
  /** Progress of the installation: `10 min`, `complete`, `+45 min`. */
  readonly when: string;
  readonly diagnoses: readonly Pick<Diagnosis, 'rule' | 'likelihood' | 'symptom'>[];
}

/** How well the diagnosis names the planted cause. */
export type Verdict = 'first' | 'named' | 'missed' | 'not playable';

/** Result of playing one fault. */
export interface Score {
  readonly fault: FaultId;
  readonly site: string;
  readonly verdict: Verdict;
  /** When the diagnosis first named the planted cause; null: never. `likelihood` is that of the last time. */
  readonly since: string | null;
  readonly likelihood: Likelihood | null;
  /** Other findings of the last time, with their likelihood. */
  readonly otherFindings: readonly string[];
  readonly snapshots: readonly DiagnosisSnapshot[];
  /** Hive's pattern that matches openshift-install's final log; null: none. */
  readonly hive: string | null;
}

/** Faults of a cloud's machines, which cannot occur on own hardware. */
const CLOUD_FAULTS: ReadonlySet<FaultId> = new Set(['machine-fails']);

/** Minutes after which a compute node that has not joined will not join any more. */
const JOIN_TIMEOUT = 45;

/** Plays an installation by a user who follows the wizard, and diagnoses it on the way. */
async function playInstallation(
  design: Design,
  faults: readonly FaultId[],
  seed: number,
  schedule: Schedule,
): Promise<{ snapshots: DiagnosisSnapshot[]; log: string }> {
  const guidedSite = await startGuidedSite(design, faults, seed);
  const snapshots: DiagnosisSnapshot[] = [];
  const takeSnapshot = async (when: string) => {
    const found = await guidedSite.diagnose();
    snapshots.push({ when, diagnoses: found.map(({ rule, likelihood, symptom }) => ({ rule, likelihood, symptom })) });
  };
  try {
    await takeSnapshot('before');
    await SCHEDULES[schedule](guidedSite, takeSnapshot);
    return { snapshots, log: guidedSite.installerLog() };
  } finally {
    await guidedSite.close();
  }
}

type ScheduleScript = (guidedSite: GuidedSite, takeSnapshot: (when: string) => Promise<void>) => Promise<void>;

async function playToEnd(guidedSite: GuidedSite, takeSnapshot: (when: string) => Promise<void>): Promise<void> {
  const isComplete = () => guidedSite.rehearsal.site.getStatus().isBootstrapComplete;
  await guidedSite.pass(25, isComplete);
  await takeSnapshot(isComplete() ? 'complete' : '35 min');
  if (!isComplete()) {
    await guidedSite.pass(25, isComplete);
    await takeSnapshot(isComplete() ? 'complete' : '60 min');
  }
  if (!isComplete()) return;
  await guidedSite.continueInstall();
  await guidedSite.pass(15);
  await takeSnapshot('+15 min');
  await guidedSite.pass(JOIN_TIMEOUT - 15);
  await takeSnapshot(`+${JOIN_TIMEOUT} min`);
}

const SCHEDULES: Readonly<Record<Schedule, ScheduleScript>> = {
  async whole(guidedSite, takeSnapshot) {
    guidedSite.boot();
    await guidedSite.pass(10);
    await takeSnapshot('10 min');
    await playToEnd(guidedSite, takeSnapshot);
  },
  async middle(guidedSite, takeSnapshot) {
    guidedSite.boot();
    for (let minutes = 4; minutes <= 24; minutes += 4) {
      await guidedSite.pass(4);
      await takeSnapshot(`${minutes} min`);
    }
  },
  async left(guidedSite, takeSnapshot) {
    guidedSite.boot();
    await guidedSite.pass(60, () => guidedSite.rehearsal.site.getStatus().isBootstrapComplete);
    for (const hours of [1, 2]) {
      await guidedSite.pass(60);
      await takeSnapshot(`complete, and ${hours} h`);
    }
  },
  async late(guidedSite, takeSnapshot) {
    guidedSite.boot(['bootstrap']);
    await guidedSite.pass(20);
    await takeSnapshot('the bootstrap alone, 20 min');
    await guidedSite.pass(10);
    guidedSite.boot(['control-plane']);
    await guidedSite.pass(12);
    await takeSnapshot('12 min');
    await playToEnd(guidedSite, takeSnapshot);
  },
  async old(guidedSite, takeSnapshot) {
    await guidedSite.skip(22.5 * 60);
    await takeSnapshot('22 h');
    guidedSite.boot();
    await playToEnd(guidedSite, takeSnapshot);
  },
};

/** Plants a fault, plays the installation and scores the diagnosis. */
export async function scoreFault(
  fault: FaultId,
  { name, design, seed }: { readonly name: string; readonly design: () => Design; readonly seed: number },
): Promise<Score> {
  const none = { fault, site: name, since: null, likelihood: null, otherFindings: [], snapshots: [], hive: null };
  if (CLOUD_FAULTS.has(fault)) return { ...none, verdict: 'not playable' };
  const { snapshots, log } = await playInstallation(design(), [fault], seed, 'whole');
  const hive = matchHivePattern(log);
  const withFault = snapshots.filter(({ diagnoses: found }) => found.some(({ rule }) => rule === fault));
  const last = withFault.at(-1);
  const faultDiagnosis = last?.diagnoses.find(({ rule }) => rule === fault);
  if (last === undefined || faultDiagnosis === undefined) {
    const otherFindings = (snapshots.at(-1)?.diagnoses ?? []).map(formatDiagnosis);
    return { ...none, snapshots, hive, otherFindings, verdict: 'missed' };
  }
  // A user who reads from the top finds the cause first, each time that a finding is more than a mere guess.
  const isFirst = snapshots.every(
    ({ diagnoses: [top] }) =>
      top === undefined ||
      isFindingOfFault(fault, top.rule) ||
      (top.likelihood === 'possible' && last.diagnoses[0] === faultDiagnosis),
  );
  const otherFindings = last.diagnoses.filter((each) => each !== faultDiagnosis).map(formatDiagnosis);
  const verdict = isFirst ? 'first' : 'named';
  return {
    ...none,
    verdict,
    since: withFault[0]?.when ?? null,
    likelihood: faultDiagnosis.likelihood,
    otherFindings,
    snapshots,
    hive,
  };
}

/** Diagnoses a site without faults: a line for each finding, with its moment. Empty: no false alarm. */
export async function listFalseAlarms({
  design,
  seed,
  schedule,
}: Variation): Promise<{ moments: number; alarms: string[] }> {
  const { snapshots } = await playInstallation(design(), [], seed, schedule);
  const alarms = snapshots.flatMap(({ when, diagnoses }) =>
    diagnoses.map((each) => `${when}: ${formatDiagnosis(each)} ${each.symptom}`),
  );
  return { moments: snapshots.length, alarms };
}

function formatDiagnosis({ rule, likelihood }: Pick<Diagnosis, 'rule' | 'likelihood'>): string {
  return `${rule} (${likelihood})`;
}
