import { lineOf, type MoveEvent, type MoveSite, type SeenMove } from '../../steps/infra/index.ts';
import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import type { LiveIo } from '../shared/live-io.ts';
import { waitLine } from './wait-line.ts';

const words = () => catalogue().live.infra;

/** How a command about infra moves came out. */
export interface Outcome {
  readonly moves: readonly SeenMove[];
  /** False for exit code 4. */
  readonly isGood: boolean;
}

/** Who is told and asked. */
export type Person = Pick<LiveIo, 'ask' | 'stderr' | 'hasScreen' | 'columns'>;

/** What the options agree to ahead. */
export interface Consent {
  readonly isYes: boolean;
  readonly overridesGitOps: boolean;
}

/** Shows events line by line. */
export function telling(io: Person, clock: MoveSite['clock']) {
  const wait = waitLine(io, () => clock.now());
  return (event: MoveEvent) => {
    if (event.type === 'waiting') return wait.show(event);
    wait.clear();
    if (event.type === 'began' && event.doing === 'apply') for (const each of event.byHand) say(io, each);
    const line = lineOf(event);
    if (line !== null) say(io, line);
    if (event.type === 'blocked')
      say(io, event.doing === 'apply' ? words().stopped(event.move, event.why) : words().kept(event.move, event.why));
    // A move that fails while it is taken back ends the command, which reports it then.
    if (event.type === 'failed' && event.doing === 'apply')
      say(io, words().stopped(event.move, `${event.trouble.title}: ${event.trouble.cause}`));
  };
}

export function say(io: Pick<Person, 'stderr'>, line: string): void {
  io.stderr(`${sanitizeLine(line)}\n`);
}
