import { catalogue } from '../../i18n/catalogue.ts';
import { MINUTE } from '../../platform/clock.ts';
import type { Rule } from '../rule.ts';
import type { CertificateEvidence, MissingNode } from './evidence.ts';

/**
 * Time since power-on after which a node that has not joined is missing (writing the disk, two reboots and the pull
 * take 10-20 min).
 */
const MISSING_AFTER = 45 * MINUTE;

/** Finds the nodes without any sign that have been powered on for too long. Times in ms of the clock. */
export function findMissingNodes(
  silent: readonly { readonly name: string; readonly poweredOnAt: number | undefined }[],
  now: number,
): MissingNode[] {
  return silent
    .map(({ name, poweredOnAt = now }) => ({ name, waited: now - poweredOnAt }))
    .filter(({ waited }) => waited > MISSING_AFTER)
    .map(({ name, waited }) => ({ name, minutes: Math.floor(waited / MINUTE) }));
}

/** A node is missing. Its page gives the details. */
export const nodeMissing: Rule<CertificateEvidence> = {
  code: 'node-missing',
  severity: 'warning',
  evaluate: ({ missing: nodes }) =>
    nodes.map(({ name, minutes }) => {
      const { title, cause, remedy } = catalogue().diagnosis.certificates['node-missing'];
      return { subject: name, title: title(name), cause: cause(minutes), remedy };
    }),
};
