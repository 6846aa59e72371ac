import { diagnosticRule, type Symptom, symptomsFromFailedChecks } from '../diagnostic-rule.ts';

const ZONE_CHECKS = ['dns-api-int', 'dns-api', 'dns-apps-wildcard'] as const;

/**
 * A server answers, but resolves no name of the cluster: its zone is not loaded, or the server does not serve the zone.
 */
export const zoneNotServed = diagnosticRule('zone-not-served', 'dns', (evidence): Symptom[] => {
  const isSilent = symptomsFromFailedChecks(evidence, 'dns-server').length > 0;
  const hasNoValidName = !evidence.checks.some(({ code, state }) => code.startsWith('dns-api') && state === 'ok');
  const each = ZONE_CHECKS.map((code) => symptomsFromFailedChecks(evidence, code));
  if (isSilent || !hasNoValidName || each.some((symptoms) => symptoms.length === 0)) return [];
  return each.flat();
});
