import type { ApproveResult, FollowEvent } from '../../steps/certificates/follow-event.ts';
import { whyNot } from '../../steps/certificates/rejoining.ts';
import { reportLine } from '../../steps/certificates/report-line.ts';
import { catalogue } from '../../text/catalogue.ts';
import { commandsApart } from '../../text/command-lines.ts';
import { sanitizeLine } from '../../text/sanitize.ts';
import { timeOfDay } from '../../text/time-of-day.ts';

const words = () => catalogue().live;
const floodWords = () => catalogue().diagnosis.certificates['request-flood'];

/** A result as a line for people. */
export function resultLine({ name, judgement, outcome, detail }: ApproveResult): string {
  return words().csr.result(sanitizeLine(name), judgement?.node ?? '-', words().csr.outcomes[outcome], detail);
}

/** An event of following as a line; several lines for several alarms. */
export function followText(event: FollowEvent): string {
  switch (event.type) {
    case 'request/issued':
    case 'request/approved':
    case 'request/failed':
    case 'request/skipped':
      return resultLine(event.result);
    case 'request/refused': {
      const { name, node, requester, reasons } = event.request;
      const why = whyNot(event.request, event.rejoinings).join(' ');
      return words().follower.refused(sanitizeLine(name), node ?? sanitizeLine(requester), reasons.join(' '), why);
    }
    case 'boot/unseen': {
      const { noBoot, noBootSign, noBootLog } = words().follower;
      return noBoot(sanitizeLine(event.name), event.node, event.isLogKnown ? noBootSign : noBootLog);
    }
    case 'flood/began': {
      const { title, cause, whatToDo } = floodWords();
      const { since, pending, limit } = event.flood;
      return `${title(timeOfDay(since))}: ${cause(pending, limit)}. ${whatToDo}`;
    }
    case 'flood/ended': {
      const { title, cause } = floodWords().over;
      const { since, until } = event.flood;
      return `${title(timeOfDay(until ?? since))}: ${cause(timeOfDay(since))}.`;
    }
    case 'api/lost':
      return reportLine(event);
    case 'api/answered':
      return words().following.answersAgain;
    case 'kubelets/foreign':
      return event.findings
        .map(({ title, cause, whatToDo }) => commandsApart(`${title}: ${cause}. ${whatToDo}`))
        .join('\n');
    case 'nodes/joined':
      return progressLine(event);
  }
}

const NAMES_SHOWN = 5;

function progressLine({ joined, missing }: Extract<FollowEvent, { type: 'nodes/joined' }>): string {
  const rest = missing.length - NAMES_SHOWN;
  const names = `${missing.slice(0, NAMES_SHOWN).join(', ')}${rest > 0 ? words().csr.others(rest) : ''}`;
  return words().csr.progress(joined.length, joined.length + missing.length, names);
}
