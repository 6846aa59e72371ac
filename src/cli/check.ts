import { dirname, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkDocument, type Finding, PHASES, type Phase } from '../diagnosis/finding.ts';
import { MACHINE_CODES } from '../diagnosis/machine/index.ts';
import { type Override, overrideOf } from '../diagnosis/prepare/gate.ts';
import { type Checked, type Choice, checkIds, checkSite, siteOfDesign } from '../steps/check/index.ts';
import type { StepContext } from '../steps/contract.ts';
import { lookAtMachine } from '../steps/doctor/index.ts';
import { machineLines } from '../steps/doctor/lines.ts';
import { memoryOver } from '../steps/facts.ts';
import { prepareChecks } from '../steps/prepare/checks.ts';
import { newRecollection } from '../steps/recollection.ts';
import { credentialFiles } from '../steps/shared/files/credentials.ts';
import { overridesOf } from '../steps/shared/overrides.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { designIn } from './shared/design-file.ts';
import { withLive } from './shared/live.ts';
import { type LiveIo, wrappedLine } from './shared/live-io.ts';
import { terminalFacts } from './shared/terminal-facts.ts';
import { UsageError } from './shared/usage.ts';
import { type Programs, realWorld, stepContext } from './shared/world.ts';

const words = () => catalogue().check;

/** What the checks of a site work with. */
type Place = StepContext & { readonly isOnline: boolean };

/**
 * `upi-wizard check [FILE | --dir D] [--phase P] [--only ID,…] [--online] [--json]`: asks the site of a design what its machines will ask, and
 * compares. Without FILE it is the site of the install directory. Changes nothing; registries are asked only with `--online`.
 * @returns 3 when the design has errors, 4 when a check failed that blocks the installation
 */
export async function checkCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      phase: { type: 'string' },
      only: { type: 'string' },
      online: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [file, more] = positionals;
  if (more !== undefined) throw new UsageError(words().oneFile(sanitizeLine(more, 80)));
  if (file !== undefined && values.dir !== undefined) throw new UsageError(words().both);
  const choice = choiceOf(values.phase, values.only);
  if (file === undefined) {
    return await withLive({ dir: values.dir, isDirectoryOnly: true }, io, programs, async ({ session }) =>
      session === null
        ? 3
        : await report(
            { ...session.context, isOnline: values.online },
            choice,
            values.json,
            io,
            overridesOf(session.context),
            commandLine('--dir', session.context.dir),
          ),
    );
  }
  const place = placeOf(resolve(io.cwd, file), io, programs);
  return place === null ? 3 : await report({ ...place, isOnline: values.online }, choice, values.json, io);
}

function choiceOf(phase: string | undefined, only: string | undefined): Choice {
  const known = PHASES.find((each) => each === phase);
  if (phase !== undefined && known === undefined)
    throw new UsageError(words().unknownPhase(sanitizeLine(phase, 80), PHASES.join(', ')));
  const ids = only?.split(',').map((id) => id.trim());
  const strange = ids?.filter((id) => !checkIds().includes(id)) ?? [];
  if (strange.length > 0)
    throw new UsageError(words().unknownCheck(sanitizeLine(strange.join(', '), 80), checkIds().join(', ')));
  return { ...(known === undefined ? {} : { phase: known }), ...(ids === undefined ? {} : { only: ids }) };
}

/** The real site of a design file; null, and its errors told, when it has any. */
function placeOf(file: string, io: LiveIo, programs: Programs): StepContext | null {
  const design = designIn(file, io);
  if (design === null) return null;
  const dir = dirname(file);
  const context = stepContext({
    world: realWorld(dir),
    programs,
    dir,
    base: dir,
    design,
    // Nobody has begun with it, as far as a file tells.
    memory: memoryOver({}),
    recollection: newRecollection(),
    signal: io.signal,
  });
  return { ...context, credentials: credentialFiles(design, dir, io.env.HOME) };
}

async function report(
  place: Place,
  choice: Choice,
  isJson: boolean,
  io: LiveIo,
  overrides: readonly Override[] = [],
  wizard = commandLine(),
): Promise<number> {
  // They wait for other things: the site takes no longer for it.
  const parts = await Promise.all([
    machineChecks(place, choice, io),
    preparation(place, choice),
    siteChecks(place, choice, io),
  ]);
  const checked = parts.flat();
  const findings = checked.map(({ finding }) => finding);
  const blocking = findings.filter(({ state, severity }) => state === 'failed' && severity === 'fatal');
  if (isJson)
    io.stdout(jsonText({ checks: checked.flatMap(({ phase, finding }) => documentOf(phase, finding, overrides)) }));
  else io.stdout(textOf(findings, blocking.length, io.columns, wizard));
  return blocking.length === 0 ? 0 : 4;
}

/** With why somebody went past it, where it failed; null otherwise. */
function documentOf(phase: Phase, finding: Finding, overrides: readonly Override[]) {
  const found = finding.state === 'failed' ? overrideOf(finding, overrides) : null;
  const override = found && { reason: found.reason, by: found.by, at: found.at };
  return checkDocument([finding], phase).checks.map((each) => ({ ...each, override }));
}

async function machineChecks(place: Place, { phase, only }: Choice, io: LiveIo): Promise<readonly Checked[]> {
  // Ids of this machine are those of doctor; a phase of the site leaves them out.
  if (phase !== undefined && phase !== 'start') return [];
  // Names of the internet take long where nobody answers.
  if (only !== undefined && !only.some((id) => MACHINE_CODES.includes(id))) return [];
  const { dir, design, programPath, credentials, isOnline } = place;
  const look = { dir, design, isDecided: true, isOnline, programPath, credentials, terminal: terminalFacts(io.env) };
  const { findings } = await lookAtMachine(look);
  return findings
    .filter(({ code }) => only === undefined || only.includes(code))
    .map((finding) => ({ phase: 'start' as const, finding }));
}

/** What Prepare makes and finds of it, in the phase of the files that it is about. */
async function preparation(place: Place, { phase, only }: Choice): Promise<readonly Checked[]> {
  if (phase !== undefined && phase !== 'ignition') return [];
  const found = await prepareChecks(place, only);
  return found.map((finding) => ({ phase: 'ignition' as const, finding }));
}

async function siteChecks(place: Place, choice: Choice, io: LiveIo): Promise<readonly Checked[]> {
  return await checkSite({ ...place, signal: io.signal }, await siteOfDesign(place), choice);
}

function textOf(findings: readonly Finding[], blocking: number, columns: number, wizard: string): string {
  if (findings.length === 0) return `${words().none}\n`;
  const count = (state: Finding['state']) => findings.filter((each) => each.state === state).length;
  const counts = { ok: count('ok'), failed: count('failed'), pending: count('pending'), unknown: count('unknown') };
  const lines = [
    ...machineLines(folded(findings)),
    '',
    words().verdict({ ...counts, blocking }),
    ...(counts.failed > 0 ? [words().inWizard(wizard)] : []),
  ];
  return lines.map((line) => wrappedLine(line, columns)).join('');
}

/** What nothing is known of for one reason stands once: a name server that is silent, and not each of its names. */
function folded(findings: readonly Finding[]): Finding[] {
  const unknown = findings.filter(({ state }) => state === 'unknown');
  return findings.flatMap((finding): Finding[] => {
    if (finding.state !== 'unknown') return [finding];
    const alike = unknown.filter(({ cause }) => cause === finding.cause);
    if (alike.length < 3) return [finding];
    return alike[0] === finding ? [{ ...finding, title: words().folded(finding.cause, alike.length), cause: '' }] : [];
  });
}
