import { MINUTE } from '../../../platform/clock.ts';
import { diagnosticRule, symptomsFromFailedChecks } from '../diagnostic-rule.ts';

/** A server that answered machines within this time works: a single failed probe of ours proves nothing. */
const RECENT_PERIOD = 30 * MINUTE;

/** No server answers where machines fetch their scripts, images and ignition files. */
export const bootServerUnreachable = diagnosticRule(
  'boot-server-silent',
  'boot',
  (evidence) => {
    const isAnswering = evidence.machines.some(
      ({ lastRequest }) => evidence.now - (lastRequest?.at ?? 0) < RECENT_PERIOD,
    );
    return isAnswering ? [] : symptomsFromFailedChecks(evidence, 'boot-server');
  },
  true,
);
