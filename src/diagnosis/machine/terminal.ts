import { catalogue } from '../../i18n/catalogue.ts';
import { check } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

/** The size that every screen is designed for, and the minimum below which nothing is drawn. */
const RECOMMENDED_SIZE = { columns: 80, rows: 24 };
const MIN_SIZE = { columns: 60, rows: 15 };

export const terminalSize = check('terminal-size', 'warning', ({ terminal }: MachineEvidence) => {
  const { isTerminal, columns, rows, term } = terminal;
  if (!isTerminal) return { state: 'unknown' };
  const detail = words()['terminal-size'].size(columns, rows, term);
  if (columns >= RECOMMENDED_SIZE.columns && rows >= RECOMMENDED_SIZE.rows) return { state: 'ok', detail };
  const isTooSmall = columns < MIN_SIZE.columns || rows < MIN_SIZE.rows;
  return { state: 'failed', detail, severity: isTooSmall ? 'warning' : 'note' };
});

export const terminalUnicode = check('terminal-utf8', 'note', ({ terminal }: MachineEvidence) => {
  if (!terminal.isTerminal) return null;
  return { state: terminal.hasUnicode ? 'ok' : 'failed' };
});

export const terminalColour = check('terminal-colour', 'note', ({ terminal }: MachineEvidence) => {
  if (!terminal.isTerminal) return null;
  return { state: terminal.hasColour ? 'ok' : 'failed' };
});

/** A lost connection ends the programs in the terminal; saved answers and background jobs survive. */
export const multiplexer = check('terminal-multiplexer', 'note', ({ terminal }: MachineEvidence) => {
  const { isTerminal, isRemote, multiplexer: current } = terminal;
  if (!isTerminal) return null;
  if (current !== null) return { state: 'ok', detail: current };
  return isRemote
    ? { state: 'failed', command: 'tmux new -A -s upi' }
    : { state: 'ok', detail: words()['terminal-multiplexer'].local };
});
