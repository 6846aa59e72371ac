import { cause } from '../cause.ts';

/** Once more may be a person who powered it on again. */
const TOO_OFTEN = 3;

/** A machine fetches the root file system again and again: it boots from the network first, and installs itself for ever. */
export const installsAgain = cause('installs-again', 'boot', ({ machines }) =>
  machines.flatMap(({ name, requests, hasJoined }) => {
    const times = requests.filter(
      ({ path, status }) => status < 400 && /^\/images\/.*(?:rootfs|metal)/.test(path),
    ).length;
    if (times < TOO_OFTEN || hasJoined) return [];
    const command = `grep -c rootfs .upi-wizard/boot-requests.ndjson`;
    return [{ likelihood: 'likely' as const, subject: name, symptom: `${name}: rootfs ${times}×`, command }];
  }),
);
