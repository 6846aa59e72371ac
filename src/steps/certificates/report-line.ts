import { formatShortReasons } from '../../checks/certificates.ts';
import { catalogue } from '../../i18n/catalogue.ts';
import { formatOutage } from '../../kube/outage.ts';
import type { FollowEvent } from './follow-event.ts';

const words = () => catalogue().steps.certificates;

/** Formats an event as a line of the step's log. */
export function formatReportLine(event: FollowEvent): string {
  switch (event.type) {
    case 'request/issued':
    case 'request/approved':
      return words().approved(event.result.name, event.result.review?.node ?? '');
    case 'request/failed':
    case 'request/skipped':
      return words().notIssued(event.result.name, event.result.detail);
    case 'request/refused': {
      const { name, node, requester, reasons } = event.request;
      return catalogue().diagnosis.certificates['request-refused'].title(
        name,
        node ?? requester,
        formatShortReasons(reasons),
      );
    }
    case 'boot/unseen':
      return words().noBootObserved(event.name, event.node);
    case 'flood/began':
      return words().flood;
    case 'flood/ended':
      return words().floodOver;
    case 'api/lost':
      return formatOutage(event);
    case 'api/answered':
      return catalogue().live.follow.answersAgain;
    case 'kubelets/foreign':
      return event.findings.map(({ title }) => title).join('; ');
    case 'nodes/joined': {
      const { joined, missing } = event;
      return missing.length === 0
        ? words().done(joined.length, 0)
        : words().waiting(joined.length, joined.length + missing.length);
    }
  }
}
