import { diagnosticRule, matchLogLines, type Symptom, symptomsFromLines } from '../diagnostic-rule.ts';

const UNSUPPORTED =
  /networkType\b.{0,80}(?:not supported|unsupported|[Ii]nvalid value|unknown)|unknown network type|network type \S+ is not supported|(?:invalid for|unsupported) network type/;

/** This release does not support the configured network type: no pod network starts, and no node becomes Ready. */
export const networkTypeUnsupported = diagnosticRule('network-type-unsupported', 'network', (evidence) => [
  ...(evidence.cluster?.operators ?? [])
    .filter(({ name, message }) => name === 'network' && UNSUPPORTED.test(message))
    .map(
      ({ name, message }): Symptom => ({
        likelihood: 'certain',
        subject: name,
        symptom: message,
        command: 'oc get network.config cluster -o yaml; oc describe clusteroperator network',
      }),
    ),
  ...symptomsFromLines(
    matchLogLines(evidence, UNSUPPORTED).slice(-1),
    'certain',
    'grep -n networkType install-config.yaml.* | tail',
  ),
]);
