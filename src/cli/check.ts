import { dirname, resolve } from 'node:path';
import { explainFindings, orderByCause } from '../checks/causes/explain.ts';
import { buildCheckDocument, type CheckPhase, type Finding } from '../checks/check.ts';
import { MACHINE_CHECK_IDS } from '../checks/machine/checks.ts';
import { findOverride, type Override } from '../checks/prepare/overrides.ts';
import { catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { formatJson } from '../platform/sanitize.ts';
import { type CheckFinding, type CheckSelection, checkSite, listCheckIds } from '../steps/check/index.ts';
import type { StepContext } from '../steps/contract.ts';
import { inspectMachine } from '../steps/doctor.ts';
import { formatFindings } from '../steps/doctor-lines.ts';
import { runPrepareChecks } from '../steps/prepare/checks.ts';
import { needsOc } from '../steps/prepare/facts.ts';
import { createProbeCache } from '../steps/probe-cache.ts';
import { resolveCredentialFiles } from '../steps/shared/files/design-paths.ts';
import {
  type BootServerNeed,
  deferBootServerCheck,
  getBootServerNeed,
} from '../steps/shared/machines/boot-server-job.ts';
import { readOverrides } from '../steps/shared/overrides.ts';
import { createStepState } from '../steps/step-state.ts';
import type { Arguments } from './commands.ts';
import { formatRehearsalLine, readDesignFile, withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { UsageError, writeLines } from './shared/io.ts';
import { getTerminalProperties, type ProcessIo, wrapLine } from './shared/process-io.ts';
import { createRuntime, createStepContext, type Programs } from './shared/runtime.ts';

const words = () => catalogue().check;

/** The context of the site checks. */
type CheckCommandContext = StepContext & { readonly isOnline: boolean };

/**
 * `upi-wizard check [FILE | --dir D] [--phase P] [--only ID,…] [--online] [--json]`: queries the site of a design as
 * its machines will, and compares the answers. Without FILE, it is the site of the install directory. Changes nothing;
 * registries and time servers on the internet are queried only with `--online`.
 * @returns 3 the design has errors; 4 a check failed that blocks the installation
 */
export async function checkCommand(
  { options, operand: file }: Arguments<'check'>,
  { openIo, launcher: { programs } }: CommandContext,
): Promise<number> {
  const io = await openIo();
  const { dir, phase, only, all: isAll, online: isOnline, json } = options;
  if (file !== undefined && dir !== undefined) throw new UsageError(words().fileAndDirectory);
  if (phase !== undefined && only?.some((id) => listCheckIds(phase).includes(id)) === false)
    throw new UsageError(words().emptySelection(phase));
  const selection = { ...(phase === undefined ? {} : { phase }), ...(only === undefined ? {} : { only }) };
  if (file === undefined) {
    return await withClusterTarget({ dir, isDirectoryOnly: true }, io, programs, async ({ session }) =>
      session === null
        ? 3
        : await runAndReportChecks({ ...session.context, isOnline }, selection, { isJson: json, isAll }, io, {
            overrides: readOverrides(session.context),
            wizardCommand: formatCommandLine('--dir', session.context.dir),
            bootServerNeed: await getBootServerNeed(session.context),
          }),
    );
  }
  const context = createFileContext(resolve(io.cwd, file), io, programs);
  return context === null
    ? 3
    : await runAndReportChecks({ ...context, isOnline }, selection, { isJson: json, isAll }, io);
}

/** Creates the context of a design file, with real probes. Null: the design has errors, which were reported. */
function createFileContext(file: string, io: ProcessIo, programs: Programs): StepContext | null {
  const design = readDesignFile(file, io);
  if (design === null) return null;
  const dir = dirname(file);
  const context = createStepContext({
    runtime: createRuntime(dir),
    programs,
    dir,
    base: dir,
    design,
    // A design file records no progress of an installation.
    stepState: createStepState({}),
    probeCache: createProbeCache(),
    signal: io.signal,
  });
  return { ...context, credentials: resolveCredentialFiles(design, dir, io.env.HOME) };
}

/** Facts about the installation in a directory, for `check`; a design file has none. */
interface InstallationFacts {
  readonly overrides: readonly Override[];
  readonly wizardCommand: string;
  readonly bootServerNeed: BootServerNeed;
}

async function runAndReportChecks(
  context: CheckCommandContext,
  selection: CheckSelection,
  { isJson, isAll }: { readonly isJson: boolean; readonly isAll: boolean },
  io: ProcessIo,
  { overrides, wizardCommand, bootServerNeed }: InstallationFacts = {
    overrides: [],
    wizardCommand: formatCommandLine(),
    bootServerNeed: 'now',
  },
): Promise<number> {
  if (io.canRedraw && !isJson) io.stderr(`${words().waiting}\n`);
  // The groups of checks run in parallel, because each one waits for other systems.
  const parts = await Promise.all([
    runMachineChecks(context, selection, io),
    checkPreparation(context, selection),
    runSiteChecks(context, selection, io),
  ]);
  const checkFindings = parts.flat();
  const explainedFindings = explainFindings(
    context.design,
    checkFindings.map(({ finding }) => finding),
  );
  const explainedResults = checkFindings.flatMap(({ phase }, index) =>
    explainedFindings[index] === undefined ? [] : { phase, finding: explainedFindings[index] },
  );
  const neededResults = explainedResults.flatMap(({ phase, finding }) => {
    const neededFinding = deferBootServerCheck(finding, bootServerNeed);
    return neededFinding === null ? [] : { phase, finding: neededFinding };
  });
  const unneededCount = explainedResults.length - neededResults.length;
  const results = orderByCause(neededResults, ({ finding }) => finding);
  const findings = results.map(({ finding }) => finding);
  const blockingFindings = findings.filter(({ state, severity }) => state === 'failed' && severity === 'fatal');
  if (isJson)
    io.stdout(
      formatJson({
        checks: results.flatMap(({ phase, finding }) => createFindingDocuments(phase, finding, overrides)),
      }),
    );
  else {
    const isShort = !isAll && selection.only === undefined;
    writeLines(io, formatRehearsalLine(context));
    io.stdout(
      formatReport(dropRepeatedFindings(findings), {
        ...{ blockingCount: blockingFindings.length, columns: io.columns, wizardCommand, isShort, unneededCount },
      }),
    );
  }
  return blockingFindings.length === 0 ? 0 : 4;
}

/** The checks of Prepare that repeat the check of this machine. */
const INSTALLER_CHECKS = ['installer-missing', 'installer-version', 'installer-architecture'];

/** Leaves out the checks of Prepare about an openshift-install that the check of this machine reports already. */
function dropRepeatedFindings(findings: readonly Finding[]): readonly Finding[] {
  const isReported = findings.some(({ code, state }) => code === 'openshift-install' && state === 'failed');
  return isReported ? findings.filter(({ code }) => !INSTALLER_CHECKS.includes(code)) : findings;
}

/** Creates the documents of a finding. `override` is the reason that a failed check was overridden; null otherwise. */
function createFindingDocuments(phase: CheckPhase, finding: Finding, overrides: readonly Override[]) {
  const matchingOverride = finding.state === 'failed' ? findOverride(finding, overrides) : null;
  const override = matchingOverride && {
    reason: matchingOverride.reason,
    by: matchingOverride.by,
    at: matchingOverride.at,
  };
  return buildCheckDocument([finding], phase).checks.map((document) => ({ ...document, override }));
}

async function runMachineChecks(
  context: CheckCommandContext,
  { phase, only }: CheckSelection,
  io: ProcessIo,
): Promise<readonly CheckFinding[]> {
  // These are the checks of `doctor`. They belong to the phase `start`: any other phase leaves them out.
  if (phase !== undefined && phase !== 'start') return [];
  // Skipped if `--only` names none of them: lookups of internet names take long if no name server answers.
  if (only !== undefined && !only.some((id) => MACHINE_CHECK_IDS.includes(id))) return [];
  const { dir, design, programDirectories, credentials, isOnline } = context;
  const options = {
    dir,
    design,
    hasSavedDesign: true,
    isOnline,
    programDirectories,
    credentials,
    terminal: getTerminalProperties(io.env),
  };
  const { findings } = await inspectMachine(options);
  const isUnneeded = ({ code, state }: Finding) => code === 'oc' && state !== 'ok' && !needsOc(context);
  return findings
    .filter((finding) => (only === undefined || only.includes(finding.code)) && !isUnneeded(finding))
    .map((finding) => ({ phase: 'start' as const, finding }));
}

/** Runs the checks of Prepare. Their findings belong to the phase `ignition`. */
async function checkPreparation(
  context: CheckCommandContext,
  { phase, only }: CheckSelection,
): Promise<readonly CheckFinding[]> {
  if (phase !== undefined && phase !== 'ignition') return [];
  const findings = await runPrepareChecks(context, only);
  return findings.map((finding) => ({ phase: 'ignition' as const, finding }));
}

async function runSiteChecks(
  context: CheckCommandContext,
  selection: CheckSelection,
  io: ProcessIo,
): Promise<readonly CheckFinding[]> {
  return await checkSite({ ...context, signal: io.signal }, selection);
}

interface ReportOptions {
  readonly blockingCount: number;
  readonly columns: number;
  readonly wizardCommand: string;
  readonly isShort: boolean;
  /** The number of results that were left out, because no machine needs the boot server any more. */
  readonly unneededCount: number;
}

function formatReport(
  findings: readonly Finding[],
  { blockingCount, columns, wizardCommand, isShort, unneededCount }: ReportOptions,
): string {
  const unneededLines = unneededCount === 0 ? [] : [words().bootServer.over(unneededCount)];
  if (findings.length === 0) return `${unneededLines[0] ?? words().noChecks}\n`;
  const count = (state: Finding['state']) => findings.filter((finding) => finding.state === state).length;
  const counts = { ok: count('ok'), failed: count('failed'), pending: count('pending'), unknown: count('unknown') };
  const list = formatFindings(mergeUndecidedFindings(findings), { headings: words().groups, isShort });
  const lines = [
    ...list,
    ...(list.length === 0 ? [] : ['']),
    ...unneededLines,
    words().verdict({ ...counts, blocking: blockingCount }),
    ...(isShort && counts.ok > 0 ? [words().allHint] : []),
    ...(findings.some(namesStep) ? [words().wizardStepsHint(wizardCommand)] : []),
  ];
  return lines.map((line) => wrapLine(line, columns)).join('');
}

/** Whether a remedy names a step of the wizard, by its title. */
function namesStep({ state, remedy }: Finding): boolean {
  if (state !== 'failed') return false;
  const titles = Object.values(catalogue().screens.sidebar);
  return titles.some((title) => new RegExp(`(?<![\\p{L}/])${title}(?!\\p{L})`, 'u').test(remedy));
}

/**
 * Merges three or more unknown or pending results with the same cause: a name server that does not answer is listed
 * once, not with each of its names.
 */
function mergeUndecidedFindings(findings: readonly Finding[]): Finding[] {
  const isUndecided = ({ state, causedBy }: Finding) =>
    (state === 'unknown' || state === 'pending') && causedBy === undefined;
  const undecidedFindings = findings.filter(isUndecided);
  return findings.flatMap((finding): Finding[] => {
    if (!isUndecided(finding)) return [finding];
    const sameCauseFindings = undecidedFindings.filter(
      ({ state, cause }) => state === finding.state && cause === finding.cause,
    );
    if (sameCauseFindings.length < 3) return [finding];
    return sameCauseFindings[0] === finding
      ? [{ ...finding, title: words().dependentChecks(finding.cause, sameCauseFindings.length), cause: '' }]
      : [];
  });
}
