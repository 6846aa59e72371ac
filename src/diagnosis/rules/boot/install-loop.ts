import { diagnosticRule } from '../diagnostic-rule.ts';

/** One more fetch may come from a machine that was powered on again by the user. */
const MIN_FETCHES = 3;

/**
 * A machine fetches the root file system again and again: it boots from the network first, and reinstalls itself for
 * ever.
 */
export const installLoop = diagnosticRule('installs-again', 'boot', ({ machines }) =>
  machines.flatMap(({ name, requests, hasJoined }) => {
    const times = requests.filter(
      ({ path, status }) => status < 400 && /^\/images\/.*(?:rootfs|metal)/.test(path),
    ).length;
    if (times < MIN_FETCHES || hasJoined) return [];
    const command = `grep -c rootfs .upi-wizard/boot-requests.ndjson`;
    return [{ likelihood: 'likely' as const, subject: name, symptom: `${name}: rootfs ${times}×`, command }];
  }),
);
