import { resolve } from 'node:path';
import type { Diagnosis } from '../checks/rules/index.ts';
import type { NormalSign } from '../checks/rules/normal-signs.ts';
import { addInstallDirectories, addInstallDirectory, catalogue, formatCommandLine } from '../i18n/catalogue.ts';
import { UserErrorException } from '../i18n/user-error.ts';
import { systemClock } from '../platform/clock.ts';
import { formatJson, sanitizeLine } from '../platform/sanitize.ts';
import {
  diagnoseBundle,
  diagnoseInstallation,
  formatDiagnoses,
  formatKubeconfigHint,
  formatNormalSigns,
  withRepairCommands,
} from '../steps/diagnose/index.ts';
import type { Arguments } from './commands.ts';
import { getDesignInForce } from './session/design-in-force.ts';
import { readSavedSession, requireSession } from './session/open-session.ts';
import { formatRehearsalLine, withClusterTarget } from './shared/cluster-target.ts';
import type { CommandContext } from './shared/context.ts';
import { formatUserError, UsageError, writeLines } from './shared/io.ts';
import { type ProcessIo, wrapLine } from './shared/process-io.ts';

const words = () => catalogue().diagnose;

/**
 * `upi-wizard diagnose [--dir D] [--bundle FILE | --online] [--json]`: finds what is wrong with an installation, or was
 * when its logs were gathered. The most likely cause comes first. Changes nothing; time servers on the internet are
 * queried only with `--online`.
 * @returns 3 the design has errors; 4 something was found
 */
export async function diagnoseCommand(
  { options }: Arguments<'diagnose'>,
  { openIo, launcher }: CommandContext,
): Promise<number> {
  const io = await openIo();
  const { dir, bundle, online: isOnline, json } = options;
  if (bundle !== undefined && isOnline) throw new UsageError(words().bundleOnline);
  if (bundle !== undefined) return await diagnoseFromBundle(resolve(io.cwd, bundle), dir, json, io);
  return await withClusterTarget({ dir, isDirectoryOnly: true }, io, launcher.programs, async ({ session }) => {
    if (session === null) return 3;
    const context = { ...session.context, isOnline };
    const { diagnoses, normalSigns, nextText } = await diagnoseInstallation(context, (line) => io.stderr(`${line}\n`));
    const findings = withRepairCommands(context, diagnoses);
    const result = { findings, normalSigns };
    if (!json) writeLines(io, formatRehearsalLine(session.context));
    const kubeconfigHint = formatKubeconfigHint(session.context);
    const emptyLines = formatDiagnoses([], true, nextText);
    const command = formatCommandLine('--dir', session.context.dir);
    return printDiagnoses(result, json, io, command, { emptyLines, kubeconfigHint });
  });
}

/** Diagnoses a log bundle. The design of the install directory, if there is one, names the machines. */
async function diagnoseFromBundle(
  file: string,
  dir: string | undefined,
  isJson: boolean,
  io: ProcessIo,
): Promise<number> {
  const { findInstallDirectory } = await import('../session/install-directories.ts');
  const installDir = findInstallDirectory(dir, io);
  const session = dir === undefined ? readSavedSession(installDir) : requireSession(installDir);
  const design = session === null ? null : getDesignInForce(session).design;
  try {
    const result = await diagnoseBundle(file, design, systemClock.now());
    const { fileCount, form, isCut, isOtherInstallation } = result;
    const isText = form === 'text';
    io.stderr(`${isText ? words().bundle.text(isCut) : words().bundle.read(fileCount, isCut)}\n`);
    if (isOtherInstallation) io.stderr(`${words().bundle.otherInstallation(sanitizeLine(installDir))}\n`);
    const { nothing, nothingNext, nothingInText, nothingInTextNext } = words().bundle;
    const emptyLines = isText ? [nothingInText, nothingInTextNext] : [nothing, nothingNext];
    return printDiagnoses(result, isJson, io, formatCommandLine(), { emptyLines });
  } catch (error) {
    if (!(error instanceof UserErrorException)) throw error;
    io.stderr(formatUserError(error.userError));
    return 2;
  }
}

/** Returns a diagnosis as shown in `--json` output. `bundleCommand`: only for the diagnosis of a bundle. */
function toFindingDocument(diagnosis: Diagnosis & { readonly bundleCommand?: string | null }) {
  const { rule, likelihood, title, cause, remedy, subjects, symptom, confirmCommand, evidence } = diagnosis;
  return {
    ...{ rule, likelihood, title, cause, whatToDo: addInstallDirectories(remedy), subjects, symptom },
    ...{ howToBeSure: addInstallDirectory(confirmCommand), evidence },
    explained: diagnosis.documentationUrl,
    ...(diagnosis.bundleCommand === undefined ? {} : { seeInBundle: diagnosis.bundleCommand }),
  };
}

/**
 * Prints the diagnoses.
 * @param emptyLines the lines if nothing was found
 * @param kubeconfigHint the lines about how oc reaches the cluster; empty if it needs no hint
 */
function printDiagnoses(
  { findings, normalSigns }: { readonly findings: readonly Diagnosis[]; readonly normalSigns: readonly NormalSign[] },
  isJson: boolean,
  io: ProcessIo,
  wizardCommand: string,
  {
    emptyLines,
    kubeconfigHint = [],
  }: { readonly emptyLines: readonly string[]; readonly kubeconfigHint?: readonly string[] },
): number {
  const closingLines = [
    ...kubeconfigHint,
    '',
    words().verdict(findings.length),
    catalogue().check.wizardStepsHint(wizardCommand),
  ];
  const normalSignLines = formatNormalSigns(normalSigns);
  const lines =
    findings.length === 0
      ? [...emptyLines, ...normalSignLines]
      : [...formatDiagnoses(findings), ...normalSignLines, ...closingLines];
  io.stdout(
    isJson
      ? formatJson({ findings: findings.map(toFindingDocument), normal: normalSigns })
      : lines.map((line) => wrapLine(line, io.columns)).join(''),
  );
  return findings.length === 0 ? 0 : 4;
}
