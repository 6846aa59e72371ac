import type { InspectionInput } from '../../steps/doctor/index.ts';
import { detectCapabilities, detectMultiplexer, isRemote } from '../../terminal/capabilities.ts';
import type { CommandIo } from './io.ts';

/** Returns the facts about the terminal for the inspection of this machine. */
export function getTerminalFacts(env: CommandIo['env']): InspectionInput['terminal'] {
  const { isInteractive, columns, rows, hasUnicode, hasColour } = detectCapabilities(
    env,
    process.stdin,
    process.stdout,
  );
  return {
    isTerminal: isInteractive,
    term: env.TERM ?? '',
    columns,
    rows,
    hasUnicode,
    hasColour,
    multiplexer: detectMultiplexer(env),
    isRemote: isRemote(env),
  };
}
