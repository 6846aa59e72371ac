import { catalogue } from '../../i18n/catalogue.ts';
import { formatTimeOfDay } from '../../platform/clock.ts';
import { sanitizeLine } from '../../platform/sanitize.ts';

import type { MoveEvent } from './engine.ts';

/**
 * Formats an event of a move as a line of a report; null for events that are reported at the end. A wait has the same
 * line at each probe.
 */
export function formatMoveEvent(event: MoveEvent): string | null {
  const words = catalogue().steps.infra;
  switch (event.type) {
    case 'began':
      return event.doing === 'apply' ? words.applying(event.move) : words.undoing(event.move);
    case 'written':
      return catalogue().moves.report[event.result.outcome](event.result.object);
    case 'message':
      return event.line;
    case 'pod': {
      const { did, pod, node, at } = event.transition;
      return sanitizeLine(`${formatTimeOfDay(at)} ${words.pods[did](pod, node)}`);
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
