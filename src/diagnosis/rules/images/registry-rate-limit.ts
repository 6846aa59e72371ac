import { diagnosticRule, matchLogLines, symptomsFromLines } from '../diagnostic-rule.ts';

/** The pull rate limit of a registry is exceeded. */
export const registryRateLimit = diagnosticRule('registry-limits', 'installation', (evidence) =>
  symptomsFromLines(
    matchLogLines(evidence, /toomanyrequests|pull rate limit|429 Too Many Requests/i).slice(-1),
    'certain',
    'oc get events -A | grep -i toomanyrequests',
  ),
);
