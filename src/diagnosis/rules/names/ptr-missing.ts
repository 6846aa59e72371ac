import { diagnosticRule, symptomsFromChecks } from '../diagnostic-rule.ts';
import type { Evidence, SiteCheckResult } from '../evidence.ts';

/** A node takes its name from the PTR record of its address, unless DHCP supplies one. */
export const ptrMissing = diagnosticRule('ptr-missing', 'dns', (evidence) =>
  symptomsFromChecks(
    listWrongPtrRecords(evidence).filter((each) => !isLocalhostPtr(each) && !isMissingTrailingDot(each)),
    'certain',
  ),
);

/** Lists the failed checks of reverse records. */
export function listWrongPtrRecords({ checks }: Evidence): SiteCheckResult[] {
  return checks.filter(({ code, state }) => code === 'dns-reverse' && state === 'failed');
}

/** Whether the PTR record makes a node call itself localhost: another fault that the same check finds. */
export function isLocalhostPtr({ names = [] }: SiteCheckResult): boolean {
  return names.some((name) => /^localhost(?:\.|$)/.test(name));
}

/** Whether the name ends with the name of the reverse zone: another fault that the same check finds. */
export function isMissingTrailingDot({ names = [] }: SiteCheckResult): boolean {
  return names.some((name) => /\.(?:in-addr|ip6)\.arpa\.?$/i.test(name));
}
