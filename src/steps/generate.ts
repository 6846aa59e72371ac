import { basename, join } from 'node:path';
import { convertErrorToFinding, runChecks } from '../checks/check.ts';
import { FILE_CHECKS } from '../checks/files.ts';
import { checkFiles, type FileCheckResult } from '../host/file-checks.ts';
import { writeOutput } from '../host/output-dir.ts';
import { catalogue } from '../i18n/catalogue.ts';
import { formatHostFile, UserErrorException } from '../i18n/user-error.ts';
import type { PlannedChange, Probe, Step, StepContext } from './contract.ts';
import { generateStage, type StageOutput } from './shared/files/stage-output.ts';
import { getCurrentStage } from './shared/hosts/current-stage.ts';
import { listHostCommands } from './shared/hosts/host-command.ts';
import { type HostRole, listHostRoles, listHostsInSetupOrder } from './shared/hosts/host-roles.ts';
import { recordPlannedNodes } from './shared/machines/node-facts.ts';
import { workspace } from './shared/workspace.ts';

const words = () => catalogue().steps.generate;

/** One generated file as the generate screen shows it. */
export interface GeneratedFileView {
  /** Relative to the directory of the generated files: `ns1/etc/named.conf`. */
  readonly file: string;
  readonly state: 'new' | 'unchanged' | 'changed' | 'edited' | 'obsolete';
  readonly content: string;
  /** The text on disk; null where there is none. */
  readonly before: string | null;
  readonly isSecret: boolean;
  /** Report of the program that will read the file; null if none checks it, or the file is not on disk yet. */
  readonly check: Omit<FileCheckResult, 'file'> | null;
  /** Shell commands that check the file on its host, and load it there. */
  readonly commands: readonly string[];
}

/** Data for the generate screen: every file under its host, the hosts in the order in which they are set up. */
export interface GenerateView {
  readonly hosts: readonly {
    readonly name: string;
    readonly roles: readonly HostRole[];
    /** Commands that you type to put the host's files in place; empty if you do not have to. */
    readonly instructions: readonly string[];
    readonly files: readonly GeneratedFileView[];
  }[];
}

/**
 * Writes the files of the current stage. Shows your edits of a file first, and keeps the edited version beside the new
 * file.
 */
export const generateStep: Step<GenerateView> = {
  id: 'generate',
  probeIntervalMs: null,
  timeoutMs: 0,
  probe,
  async plan(context) {
    const output = await generateStage(context, getCurrentStage(context));
    return {
      changes: planChanges(output),
      isDangerous: output.changes.some(({ state }) => isEdited(state)),
      instructions: [],
    };
  },
  async apply(context, report) {
    const output = await generateStage(context, getCurrentStage(context));
    const dir = workspace(context.dir).filesDir;
    // The edited version is kept beside the new one: the user has confirmed already.
    const result = writeOutput(dir, output, { force: true });
    report(words().written(result.written.length, dir));
    for (const { path, userError } of output.omittedFiles) report(words().omitted(path, userError.title));
    context.stepState.set('stage', output.stage);
    recordPlannedNodes(context);
    const { title, remedy } = catalogue().diagnosis.files['file-refused'];
    for (const { file, program, state, output: message } of await checkFiles(dir, output.files, context.signal)) {
      if (state === 'refused') {
        throw new UserErrorException({
          code: 'file-refused',
          title: title(formatHostFile(file), program),
          cause: message,
          remedy: remedy(join(dir, file)),
        });
      }
      if (state === 'ok') report(words().checked(formatHostFile(file), program));
    }
  },
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<GenerateView>> {
  const output = await generateStage(context, getCurrentStage(context));
  const pendingChanges = output.changes.filter(({ state }) => state !== 'unchanged');
  const editedChanges = pendingChanges.filter(({ state }) => isEdited(state));
  const unchangedFiles = new Set(output.changes.filter(({ state }) => state === 'unchanged').map(({ file }) => file));
  const writtenFiles = output.files.filter(({ file }) => unchangedFiles.has(file));
  const dir = workspace(context.dir).filesDir;
  const checkResults = await checkFiles(dir, writtenFiles, context.signal);
  const isDone = pendingChanges.length === 0 && !output.isInterrupted;
  const summary =
    pendingChanges.length === 0
      ? output.isInterrupted
        ? words().interrupted
        : output.omittedFiles.length > 0
          ? words().incomplete(
              output.files.length,
              output.omittedFiles.map(({ path }) => basename(path)),
            )
          : words().upToDate(output.files.length, checkResults.filter(({ state }) => state === 'ok').length)
      : editedChanges.length > 0
        ? words().edited(editedChanges.length)
        : words().needed(pendingChanges.length);
  return {
    state: isDone ? 'done' : 'needed',
    summary,
    ...(output.omittedFiles.length > 0 ? { hasWarning: true } : {}),
    view: buildView(context, output, checkResults),
    // Files that need no credential are written, and are useful without the rest.
    findings: [
      ...output.omittedFiles.map(({ userError }) => convertErrorToFinding(userError, 'warning')),
      ...runChecks(
        FILE_CHECKS,
        checkResults.map((result) => ({ ...result, localPath: join(dir, result.file) })),
      ),
    ],
  };
}

function buildView(context: StepContext, output: StageOutput, checkResults: readonly FileCheckResult[]): GenerateView {
  const filesByName = new Map(output.files.map((file) => [file.file, file]));
  const resultsByFile = new Map(checkResults.map(({ file, ...result }) => [file, result]));
  const files = output.changes.map(({ file, state }): GeneratedFileView => {
    const generatedFile = filesByName.get(file);
    const isSecret = generatedFile?.mode === '0600';
    const commands = [generatedFile?.check, generatedFile?.reload].flatMap((argv) => (argv ? [argv.join(' ')] : []));
    return {
      file,
      state: isEdited(state) ? 'edited' : (state as 'new' | 'unchanged' | 'changed' | 'obsolete'),
      content: isSecret ? '' : (generatedFile?.content ?? ''),
      before: isSecret ? null : output.readFromDisk(file),
      isSecret,
      check: resultsByFile.get(file) ?? null,
      commands,
    };
  });
  const orderedNames = listHostsInSetupOrder(context.design).map(({ name }) => name);
  const parseHost = (file: string) => file.split('/', 1)[0] ?? '';
  // Files of no host follow those of the bastion; hosts that were removed from the design come last.
  const names = [...new Set([...orderedNames, ...files.map(({ file }) => parseHost(file))])];
  const hosts = names.map((name) => ({
    name,
    roles: listHostRoles(context.design, name),
    instructions: listHostCommands(context, name),
    files: files.filter(({ file }) => parseHost(file) === name),
  }));
  return { hosts: hosts.filter((host) => host.files.length > 0) };
}

function planChanges(output: StageOutput): PlannedChange[] {
  const filesByName = new Map(output.files.map((file) => [file.file, file]));
  const { create, update, remove, keepOriginal } = words();
  const labels = { new: create, changed: update, obsolete: remove };
  return output.changes.flatMap(({ file, state }) => {
    if (state === 'unchanged') return [];
    const isSecret = filesByName.get(file)?.mode === '0600';
    return {
      object: file,
      isFile: true,
      what: isEdited(state) ? keepOriginal : labels[state],
      before: isSecret ? null : output.readFromDisk(file),
      after: isSecret ? null : (filesByName.get(file)?.content ?? null),
    };
  });
}

const isEdited = (state: string) => state === 'edited' || state === 'obsolete-edited';
