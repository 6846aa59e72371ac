import { type Clue, cause, clueOfLines, told } from '../cause.ts';

const UNSUPPORTED =
  /networkType\b.{0,80}(?:not supported|unsupported|[Ii]nvalid value|unknown)|unknown network type|network type \S+ is not supported|(?:invalid for|unsupported) network type/;

/** The cluster was to have a pod network that this release does not know: none comes up, and no node becomes Ready. */
export const networkTypeUnsupported = cause('network-type-unsupported', 'network', (evidence) => [
  ...(evidence.cluster?.operators ?? [])
    .filter(({ name, message }) => name === 'network' && UNSUPPORTED.test(message))
    .map(
      ({ name, message }): Clue => ({
        likelihood: 'certain',
        subject: name,
        symptom: message,
        command: 'oc get network.config cluster -o yaml; oc describe clusteroperator network',
      }),
    ),
  ...clueOfLines(told(evidence, UNSUPPORTED).slice(-1), 'certain', 'grep -n networkType install-config.yaml.* | tail'),
]);
