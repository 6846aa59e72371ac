import { catalogue } from '../../text/catalogue.ts';
import { check } from '../rule.ts';
import type { MachineEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.machine;

/** The size that every screen is made for, and the one below which nothing is drawn. */
const GOOD = { columns: 80, rows: 24 };
const LEAST = { columns: 60, rows: 15 };

export const terminalSize = check('terminal-size', 'warning', ({ terminal }: MachineEvidence) => {
  const { isTerminal, columns, rows, term } = terminal;
  if (!isTerminal) return { state: 'unknown' };
  const detail = words()['terminal-size'].size(columns, rows, term);
  if (columns >= GOOD.columns && rows >= GOOD.rows) return { state: 'ok', detail };
  const isTooSmall = columns < LEAST.columns || rows < LEAST.rows;
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

/** A lost connection ends what runs in the terminal itself; the answers are saved all the same, and jobs go on. */
export const multiplexer = check('terminal-multiplexer', 'note', ({ terminal }: MachineEvidence) => {
  const { isTerminal, isRemote, multiplexer: inside } = terminal;
  if (!isTerminal) return null;
  if (inside !== null) return { state: 'ok', detail: inside };
  return isRemote
    ? { state: 'failed', command: 'tmux new -A -s upi' }
    : { state: 'ok', detail: words()['terminal-multiplexer'].local };
});
