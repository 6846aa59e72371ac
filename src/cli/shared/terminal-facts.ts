import type { MachineLook } from '../../steps/doctor/index.ts';
import { capabilitiesOf, isRemote, multiplexerOf } from '../../terminal/capabilities.ts';
import type { CommandIo } from './io.ts';

/** What the look at this machine says of the terminal. */
export function terminalFacts(env: CommandIo['env']): MachineLook['terminal'] {
  const { isInteractive, columns, rows, hasUnicode, hasColour } = capabilitiesOf(env, process.stdin, process.stdout);
  return {
    isTerminal: isInteractive,
    term: env.TERM ?? '',
    columns,
    rows,
    hasUnicode,
    hasColour,
    multiplexer: multiplexerOf(env),
    isRemote: isRemote(env),
  };
}
