import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { checkDocument as checkDesign } from '../design/parse.ts';
import { checkDocument } from '../diagnosis/finding.ts';
import { configDirectory, listSessions } from '../session/directories.ts';
import { readSession } from '../session/load.ts';
import type { SessionState } from '../session/state.ts';
import { STEP_IDS } from '../steps/contract.ts';
import { lookAtMachine, type MachineLook } from '../steps/doctor/index.ts';
import { lackingOf, machineLines, verdictOf } from '../steps/doctor/lines.ts';
import { credentialFiles } from '../steps/shared/files/credentials.ts';
import { catalogue } from '../text/catalogue.ts';
import { jsonText } from '../text/json-text.ts';
import { TroubleError } from '../text/trouble.ts';
import { exampleDocument } from './session/saved.ts';
import { type LiveIo, wrappedLine } from './shared/live-io.ts';
import { terminalFacts } from './shared/terminal-facts.ts';
import { UsageError } from './shared/usage.ts';
import { realWorld } from './shared/world.ts';

const words = () => catalogue().doctor;

/**
 * `upi-wizard doctor [--dir D] [--online] [--json]`: what this machine has and lacks for an installation, by the design of the
 * install directory where there is one. Looks only; without `--online` nothing leaves the machine.
 * @returns 4 when something is missing without which there is no installation
 */
export async function doctorCommand(argv: readonly string[], io: LiveIo): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...argv],
    options: { dir: { type: 'string' }, online: { type: 'boolean' }, json: { type: 'boolean' } },
    allowPositionals: true,
  });
  if (positionals[0] !== undefined) throw new UsageError(words().unexpectedArgument(positionals[0]));
  const dir = values.dir ?? realDirectory(io);
  const { findings } = await lookAtMachine({
    ...lookOf(resolve(io.cwd, dir), savedIn(dir), io.env),
    isOnline: values.online ?? false,
  });
  if (values.json) io.stdout(jsonText(checkDocument(findings, 'start')));
  else
    io.stdout(
      [...machineLines(findings), '', verdictOf(findings)].map((line) => wrappedLine(line, io.columns)).join(''),
    );
  return lackingOf(findings).length === 0 ? 0 : 4;
}

/** The installation used last, which is no rehearsal: that needs nothing of this machine. */
function realDirectory({ cwd, env }: LiveIo): string {
  const real = listSessions(configDirectory({ ...env })).find(({ dir }) => (savedIn(dir)?.rehearsal ?? null) === null);
  return real?.dir ?? resolve(cwd, 'upi-cluster');
}

/** What the look needs: the design of the session where a person has decided one, else the example. */
function lookOf(dir: string, saved: SessionState | null, env: LiveIo['env']): MachineLook {
  const isPastReview = (STEP_IDS as readonly string[]).includes(saved?.place.screen ?? '');
  const own = isPastReview ? checkDesign(saved?.design).design : null;
  const design = own ?? checkDesign(exampleDocument()).design;
  if (design === null) throw new Error('the example is no design');
  return {
    dir,
    design,
    isDecided: own !== null,
    programPath: realWorld(dir).programPath,
    credentials: credentialFiles(design, dir),
    terminal: terminalFacts(env),
  };
}

/** A session that cannot be read says nothing here: the wizard tells what to do about it. */
function savedIn(dir: string): SessionState | null {
  try {
    return readSession(dir);
  } catch (error) {
    if (error instanceof TroubleError) return null;
    throw error;
  }
}
