import { catalogue } from '../../i18n/catalogue.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import { formatMoveEvent, type InfraContext, type MoveEvent, type ObservedMove } from '../../steps/infra/index.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { createWaitLine } from './wait-line.ts';

const words = () => catalogue().live.infra;

/** The result of a command about infra moves. */
export interface InfraOutcome {
  readonly moves: readonly ObservedMove[];
  /** False for exit code 4. */
  readonly isGood: boolean;
}

/** Terminal access for messages and questions. */
export type DialogIo = Pick<LiveIo, 'ask' | 'stderr' | 'hasScreen' | 'columns'>;

/** Confirmations that options give in advance. */
export interface ApplyConsent {
  readonly isYes: boolean;
  readonly overridesGitOps: boolean;
}

/** Creates a printer that shows events line by line. */
export function createEventPrinter(io: DialogIo, clock: InfraContext['clock']) {
  const wait = createWaitLine(io, () => clock.now());
  return (event: MoveEvent) => {
    if (event.type === 'waiting') return wait.show(event);
    wait.clear();
    if (event.type === 'began' && event.doing === 'apply') for (const each of event.manualSteps) printLine(io, each);
    const line = formatMoveEvent(event);
    if (line !== null) printLine(io, line);
    if (event.type === 'blocked')
      printLine(
        io,
        event.doing === 'apply' ? words().stopped(event.move, event.why) : words().staysInPlace(event.move, event.why),
      );
    // A failure during undo ends the command, which then reports it.
    if (event.type === 'failed' && event.doing === 'apply')
      printLine(io, words().stopped(event.move, `${event.userError.title}: ${event.userError.cause}`));
  };
}

/** Prints a sanitized line to stderr. */
export function printLine(io: Pick<DialogIo, 'stderr'>, line: string): void {
  io.stderr(`${sanitizeLine(line)}\n`);
}
