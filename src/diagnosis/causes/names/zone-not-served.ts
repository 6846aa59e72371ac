import { type Clue, cause, failed } from '../cause.ts';

const OF_THE_ZONE = ['dns-api-int', 'dns-api', 'dns-apps-wildcard'] as const;

/** A server answers, and knows no name of the cluster: its zone is not loaded, or it is not the server of the zone. */
export const zoneNotServed = cause('zone-not-served', 'dns', (evidence): Clue[] => {
  const isSilent = failed(evidence, 'dns-server').length > 0;
  const isNothingRight = !evidence.checks.some(({ code, state }) => code.startsWith('dns-api') && state === 'ok');
  const each = OF_THE_ZONE.map((code) => failed(evidence, code));
  if (isSilent || !isNothingRight || each.some((clues) => clues.length === 0)) return [];
  return each.flat();
});
