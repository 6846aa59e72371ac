import { MINUTE } from '../../ports/clock.ts';
import { catalogue } from '../../text/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence, MissingNode } from './evidence.ts';

/** A node that booted this long ago and has not joined is missing (writing the disk, two reboots and the pull take 10-20 min). */
const MISSING_AFTER = 45 * MINUTE;

/** The nodes without any sign that are missing by now. Times in ms of the clock. */
export function missingOf(
  silent: readonly { readonly name: string; readonly poweredOnAt: number | undefined }[],
  now: number,
): MissingNode[] {
  return silent
    .map(({ name, poweredOnAt = now }) => ({ name, waited: now - poweredOnAt }))
    .filter(({ waited }) => waited > MISSING_AFTER)
    .map(({ name, waited }) => ({ name, minutes: Math.floor(waited / MINUTE) }));
}

/** A node is missing. Its page says more. */
export const missing: Rule<CertificateEvidence> = {
  code: 'node-missing',
  severity: 'warning',
  judge: ({ missing: nodes }) =>
    nodes.map(({ name, minutes }) => {
      const { title, cause, whatToDo } = catalogue().diagnosis.certificates['node-missing'];
      return { subject: name, title: title(name), cause: cause(minutes), whatToDo };
    }),
};
