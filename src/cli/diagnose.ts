import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import type { Diagnosis } from '../diagnosis/causes/diagnose.ts';
import { systemClock } from '../ports/clock.ts';
import { diagnoseBundle, diagnoseNow, diagnosisLines, ocLines } from '../steps/diagnose/index.ts';
import { catalogue, commandLine } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { sanitizeLine } from '../text/sanitize.ts';
import { TroubleError } from '../text/trouble.ts';
import { designInForce } from './session/in-force.ts';
import { neededSession, savedSession } from './session/saved-session.ts';
import { withLive } from './shared/live.ts';
import { type LiveIo, wrappedLine } from './shared/live-io.ts';
import { troubleText } from './shared/trouble-text.ts';
import { UsageError } from './shared/usage.ts';
import type { Programs } from './shared/world.ts';

const words = () => catalogue().diagnose;

/**
 * `upi-wizard diagnose [--dir D] [--bundle FILE | --online] [--json]`: what is wrong with an installation, or was when its logs were gathered, the
 * most likely cause first. Changes nothing; time servers on the internet are asked only with `--online`.
 * @returns 3 when the design has errors, 4 when something was found
 */
export async function diagnoseCommand(argv: readonly string[], io: LiveIo, programs: Programs): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: {
      dir: { type: 'string' },
      bundle: { type: 'string' },
      online: { type: 'boolean', default: false },
      json: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [argument] = positionals;
  if (argument !== undefined) throw new UsageError(words().unexpected(sanitizeLine(argument, 80)));
  if (values.bundle !== undefined && values.online) throw new UsageError(words().bundleOnline);
  if (values.bundle !== undefined) return await ofBundle(resolve(io.cwd, values.bundle), values.dir, values.json, io);
  return await withLive({ dir: values.dir, isDirectoryOnly: true }, io, programs, async ({ session }) => {
    if (session === null) return 3;
    const outlook = { ...session.context, isOnline: values.online };
    const found = await diagnoseNow(outlook, (line) => io.stderr(`${line}\n`));
    const oc = ocLines(session.context);
    return tell(found, values.json, io, commandLine('--dir', session.context.dir), { oc });
  });
}

/** The design is that of the install directory, where there is one: it names the machines. */
async function ofBundle(file: string, dir: string | undefined, isJson: boolean, io: LiveIo): Promise<number> {
  const { configDirectory, defaultDirectory } = await import('../session/directories.ts');
  const place = dir === undefined ? defaultDirectory(io.cwd, configDirectory({ ...io.env })) : resolve(io.cwd, dir);
  const session = dir === undefined ? savedSession(place) : neededSession(place);
  const design = session === null ? null : designInForce(session).design;
  try {
    const { found, files, isCut, isOfAnother } = await diagnoseBundle(file, design, systemClock.now());
    io.stderr(`${words().bundle.read(files, isCut)}\n`);
    if (isOfAnother) io.stderr(`${words().bundle.ofAnother(sanitizeLine(place))}\n`);
    const nothing = [words().bundle.nothing, words().bundle.nothingNext];
    return tell(found, isJson, io, commandLine(), { nothing });
  } catch (error) {
    if (!(error instanceof TroubleError)) throw error;
    io.stderr(troubleText(error.trouble));
    return 2;
  }
}

/** @param nothing what is said where nothing was found @param oc how oc reaches the cluster, where that has to be said */
function tell(
  found: readonly Diagnosis[],
  isJson: boolean,
  io: LiveIo,
  wizard = commandLine(),
  {
    nothing = diagnosisLines([]),
    oc = [],
  }: { readonly nothing?: readonly string[]; readonly oc?: readonly string[] } = {},
): number {
  const end = [...oc, '', words().verdict(found.length), catalogue().check.inWizard(wizard)];
  const lines = found.length === 0 ? nothing : [...diagnosisLines(found), ...end];
  io.stdout(isJson ? jsonText({ findings: found }) : lines.map((line) => wrappedLine(line, io.columns)).join(''));
  return found.length === 0 ? 0 : 4;
}
