import { checkFiles } from '../bastion/file-checks.ts';
import { writeOutput } from '../bastion/output-dir.ts';
import type { Finding } from '../diagnosis/finding.ts';
import { steps } from '../text/en/steps.ts';
import { TroubleError } from '../text/trouble.ts';
import type { Change, Probe, Step, StepContext } from './contract.ts';
import { liveStage, type Output, outputOf } from './output.ts';
import { workspace } from './workspace.ts';

const words = steps.generate;

/** What the generate screen draws: every file, by host. */
export interface GenerateView {
  readonly files: readonly {
    readonly file: string;
    readonly host: string | null;
    readonly kind: string;
    readonly state: 'new' | 'unchanged' | 'changed' | 'edited' | 'obsolete';
    readonly content: string;
    readonly before: string | null;
    readonly isSecret: boolean;
  }[];
}

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
    // A person's version is kept beside it: the confirmation came before.
    const result = writeOutput(dir, output, { force: true });
    report(words.wrote(result.written.length, dir));
    context.memory.set('stage', output.stage);
    for (const { file, isOk, output: said } of await checkFiles(dir, output.files, context.signal)) {
      if (!isOk) {
        throw new TroubleError({
          code: 'file-refused',
          title: words.checkFailed(file, said),
          cause: said,
          whatToDo: words.checkFix,
        });
      }
      report(words.checked(file));
    }
  },
  verify: probe,
};

async function probe(context: StepContext): Promise<Probe<GenerateView>> {
  let output: Output;
  try {
    output = await outputOf(context, liveStage(context));
  } catch (error) {
    if (!(error instanceof TroubleError) || error.trouble.code !== 'credential-missing') throw error;
    const finding: Finding = { ...error.trouble, severity: 'fatal', subject: null };
    return { state: 'blocked', summary: error.trouble.title, view: { files: [] }, findings: [finding] };
  }
  const open = output.changes.filter(({ state }) => state !== 'unchanged');
  const edited = open.filter(({ state }) => isEdited(state));
  const state = open.length === 0 ? 'done' : 'needed';
  const summary =
    open.length === 0
      ? words.upToDate(output.files.length)
      : edited.length > 0
        ? words.edited(edited.length)
        : words.needed(open.length);
  return { state, summary, view: viewOf(output), findings: [] };
}

function viewOf(output: Output): GenerateView {
  const byFile = new Map(output.files.map((file) => [file.file, file]));
  const files = output.changes.map(({ file, state }) => {
    const generated = byFile.get(file);
    return {
      file,
      host: generated?.host ?? null,
      kind: generated?.kind ?? '',
      state: isEdited(state) ? ('edited' as const) : (state as 'new' | 'unchanged' | 'changed' | 'obsolete'),
      content: generated?.mode === '0600' ? '' : (generated?.content ?? ''),
      before: generated?.mode === '0600' ? null : output.onDisk(file),
      isSecret: generated?.mode === '0600',
    };
  });
  return { files };
}

function changesOf(output: Output): Change[] {
  const byFile = new Map(output.files.map((file) => [file.file, file]));
  const what = { new: words.create, changed: words.update, obsolete: words.remove } as Readonly<Record<string, string>>;
  return output.changes
    .filter(({ state }) => state !== 'unchanged')
    .map(({ file, state }) => {
      const isSecret = byFile.get(file)?.mode === '0600';
      return {
        object: file,
        what: isEdited(state) ? words.keepOriginal : (what[state] ?? state),
        before: isSecret ? null : output.onDisk(file),
        after: isSecret ? null : (byFile.get(file)?.content ?? null),
      };
    });
}

const isEdited = (state: string) => state === 'edited-by-person' || state === 'obsolete-edited';
