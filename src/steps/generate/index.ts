import { type CheckResult, checkFiles } from '../../bastion/file-checks.ts';
import { writeOutput } from '../../bastion/output-dir.ts';
import { FILES } from '../../diagnosis/files.ts';
import { findingOf } from '../../diagnosis/finding.ts';
import { judge } from '../../diagnosis/rule.ts';
import { catalogue } from '../../text/catalogue.ts';
import { hostFile } from '../../text/host-file.ts';
import { TroubleError } from '../../text/trouble.ts';
import type { Change, Probe, Step, StepContext } from '../contract.ts';
import { type Output, outputOf } from '../shared/files/output.ts';
import { hostCommands } from '../shared/hosts/commands.ts';
import { liveStage } from '../shared/hosts/live-stage.ts';
import { type HostRole, hostsInOrder, rolesOf } from '../shared/hosts/order.ts';
import { noteDesign } from '../shared/machines/later-nodes.ts';
import { workspace } from '../shared/workspace.ts';

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
  /** The report of the program that will read it; null where none checks it by itself, or it is not on disk yet. */
  readonly check: Omit<CheckResult, 'file'> | null;
  /** The shell commands with which its host checks and uses it. */
  readonly commands: readonly string[];
}

/** What the generate screen draws: every file under its host, the hosts in the order in which they are set up. */
export interface GenerateView {
  readonly hosts: readonly {
    readonly name: string;
    readonly roles: readonly HostRole[];
    /** What a person types to put its files in place, one command a line; empty where that is not a person's task. */
    readonly instructions: readonly string[];
    readonly files: readonly GeneratedFileView[];
  }[];
}

/** Writes the files of the live stage; first shows what a person changed in one, and keeps that beside it. */
export const generateStep: Step<GenerateView> = {
  id: 'generate',
  lookEvery: null,
  patience: 0,
  probe,
  async plan(context) {
    const output = await outputOf(context, liveStage(context));
    return {
      changes: changesOf(output),
      isDangerous: output.changes.some(({ state }) => isEdited(state)),
      instructions: [],
    };
  },
  async apply(context, report) {
    const output = await outputOf(context, liveStage(context));
    const dir = workspace(context.dir).files;
    // The person's version is kept beside it: they have confirmed already.
    const result = writeOutput(dir, output, { force: true });
    report(words().wrote(result.written.length, dir));
    for (const { path, trouble } of output.leftOut) report(words().leftOut(path, trouble.title));
    context.memory.set('stage', output.stage);
    noteDesign(context);
    const { title, whatToDo } = catalogue().diagnosis.files['file-refused'];
    for (const { file, program, state, output: said } of await checkFiles(dir, output.files, context.signal)) {
      if (state === 'refused') {
        throw new TroubleError({
          code: 'file-refused',
          title: title(hostFile(file), program),
          cause: said,
          whatToDo,
        });
      }
      if (state === 'ok') report(words().checked(hostFile(file), program));
    }
  },
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<GenerateView>> {
  const output = await outputOf(context, liveStage(context));
  const open = output.changes.filter(({ state }) => state !== 'unchanged');
  const edited = open.filter(({ state }) => isEdited(state));
  const onDisk = new Set(output.changes.filter(({ state }) => state === 'unchanged').map(({ file }) => file));
  const written = output.files.filter(({ file }) => onDisk.has(file));
  const checks = await checkFiles(workspace(context.dir).files, written, context.signal);
  const isDone = open.length === 0 && !output.isInterrupted;
  const summary =
    open.length === 0
      ? output.isInterrupted
        ? words().interrupted
        : words().upToDate(output.files.length, checks.filter(({ state }) => state === 'ok').length)
      : edited.length > 0
        ? words().edited(edited.length)
        : words().needed(open.length);
  return {
    state: isDone ? 'done' : 'needed',
    summary,
    view: viewOf(context, output, checks),
    // What needs no credential is written, and useful, without the rest.
    findings: [...output.leftOut.map(({ trouble }) => findingOf(trouble, 'warning')), ...judge(FILES, checks)],
  };
}

function viewOf(context: StepContext, output: Output, checks: readonly CheckResult[]): GenerateView {
  const byFile = new Map(output.files.map((file) => [file.file, file]));
  const checked = new Map(checks.map(({ file, ...result }) => [file, result]));
  const files = output.changes.map(({ file, state }): GeneratedFileView => {
    const generated = byFile.get(file);
    const isSecret = generated?.mode === '0600';
    const commands = [generated?.check, generated?.reload].flatMap((argv) => (argv ? [argv.join(' ')] : []));
    return {
      file,
      state: isEdited(state) ? 'edited' : (state as 'new' | 'unchanged' | 'changed' | 'obsolete'),
      content: isSecret ? '' : (generated?.content ?? ''),
      before: isSecret ? null : output.onDisk(file),
      isSecret,
      check: checked.get(file) ?? null,
      commands,
    };
  });
  const ordered = hostsInOrder(context.design).map(({ name }) => name);
  const hostOf = (file: string) => file.split('/', 1)[0] ?? '';
  // Files of no host follow those of the bastion; hosts that left the design come last.
  const names = [...new Set([...ordered, ...files.map(({ file }) => hostOf(file))])];
  const hosts = names.map((name) => ({
    name,
    roles: rolesOf(context.design, name),
    instructions: hostCommands(context, name),
    files: files.filter(({ file }) => hostOf(file) === name),
  }));
  return { hosts: hosts.filter((host) => host.files.length > 0) };
}

function changesOf(output: Output): Change[] {
  const byFile = new Map(output.files.map((file) => [file.file, file]));
  const { create, update, remove, keepOriginal } = words();
  const what = { new: create, changed: update, obsolete: remove };
  return output.changes.flatMap(({ file, state }) => {
    if (state === 'unchanged') return [];
    const isSecret = byFile.get(file)?.mode === '0600';
    return {
      object: file,
      isFile: true,
      what: isEdited(state) ? keepOriginal : what[state],
      before: isSecret ? null : output.onDisk(file),
      after: isSecret ? null : (byFile.get(file)?.content ?? null),
    };
  });
}

const isEdited = (state: string) => state === 'edited-by-person' || state === 'obsolete-edited';
