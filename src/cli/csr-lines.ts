import { catalogue } from '../i18n/catalogue.ts';
import { separateCommands } from '../i18n/prose.ts';
import { formatTimeOfDay } from '../platform/clock.ts';
import { sanitizeLine } from '../platform/sanitize.ts';
import { formatReportLine } from '../steps/certificates/approve.ts';
import type { ApprovalResult, FollowEvent } from '../steps/certificates/follow-event.ts';
import { explainReasons } from '../steps/certificates/node-membership.ts';

const words = () => catalogue().live;
const floodWords = () => catalogue().diagnosis.certificates['request-flood'];

/** Formats an approval result as one line. */
export function formatResult({ name, review, outcome, detail }: ApprovalResult): string {
  return words().csr.result(sanitizeLine(name), review?.node ?? '-', words().csr.outcomes[outcome], detail);
}

/** Formats a follow event as one line; several alarms take several lines. */
export function formatFollowEvent(event: FollowEvent): string {
  switch (event.type) {
    case 'request/issued':
    case 'request/approved':
    case 'request/failed':
    case 'request/skipped':
      return formatResult(event.result);
    case 'request/refused': {
      const { name, node, requester, reasons } = event.request;
      const why = explainReasons(event.request, event.rejoinAssessments).join(' ');
      return words().follower.refused(sanitizeLine(name), node ?? sanitizeLine(requester), reasons.join(' '), why);
    }
    case 'boot/unseen': {
      const { noBoot, noBootSign, noBootLog } = words().follower;
      return noBoot(sanitizeLine(event.name), event.node, event.isLogKnown ? noBootSign : noBootLog);
    }
    case 'flood/began': {
      const { title, cause, remedy } = floodWords();
      const { since, pending, limit } = event.flood;
      return `${title(formatTimeOfDay(since))}: ${cause(pending, limit)}. ${remedy}`;
    }
    case 'flood/ended': {
      const { title, cause } = floodWords().resumption;
      const { since, until } = event.flood;
      return `${title(formatTimeOfDay(until ?? since))}: ${cause(formatTimeOfDay(since))}.`;
    }
    case 'api/lost':
      return formatReportLine(event);
    case 'api/answered':
      return words().follow.answersAgain;
    case 'kubelets/foreign':
      return event.findings
        .map(({ title, cause, remedy }) => separateCommands(`${title}: ${cause}. ${remedy}`))
        .join('\n');
    case 'nodes/joined':
      return formatProgress(event);
  }
}

const MAX_NAMES = 5;

function formatProgress({ joined, missing }: Extract<FollowEvent, { type: 'nodes/joined' }>): string {
  const rest = missing.length - MAX_NAMES;
  const names = `${missing.slice(0, MAX_NAMES).join(', ')}${rest > 0 ? words().csr.others(rest) : ''}`;
  return words().csr.progress(joined.length, joined.length + missing.length, names);
}
