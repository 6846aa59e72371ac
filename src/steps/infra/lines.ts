import { catalogue } from '../../text/catalogue.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { timeOfDay } from '../../text/time-of-day.ts';
import type { MoveEvent } from './engine.ts';

/** An event of a move as a line of a report; null for what is reported at its end. A wait has the same line at each look. */
export function lineOf(event: MoveEvent): string | null {
  const words = catalogue().steps.infra;
  switch (event.type) {
    case 'began':
      return event.doing === 'apply' ? words.applying(event.move) : words.undoing(event.move);
    case 'written':
      return catalogue().moves.report[event.written.did](event.written.object);
    case 'told':
      return event.line;
    case 'pod': {
      const { did, pod, node, at } = event.moved;
      return sanitizeLine(`${timeOfDay(at)} ${words.pods[did](pod, node)}`);
    }
    case 'waiting':
      return `${event.move}: ${event.why}`;
    case 'done':
      return event.doing === 'apply' ? `${event.move}: ${event.why}` : words.undone(event.move);
    case 'blocked':
    case 'failed':
      return null;
  }
}
