import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.prepare;

/** The files in this directory are from another design. A running cluster keeps the design it was installed with. */
export const configChanged: Rule<PrepareEvidence> = {
  code: 'install-config-changed',
  severity: 'warning',
  evaluate(evidence) {
    if (!isOutdated(evidence)) return [];
    const { title, cause, remedy } = words()['install-config-changed'];
    return [{ title, cause: cause(evidence.dir), remedy }];
  },
};

/** The files in this directory come from more than one run, and their cluster is running. */
export const directoryAlive: Rule<PrepareEvidence> = {
  code: 'install-dir-alive',
  severity: 'fatal',
  evaluate: (evidence) =>
    isMixed(evidence) && evidence.isClusterUp ? [describeDirectory('install-dir-alive', evidence)] : [],
};

/** The files in this directory come from more than one run. */
export const directoryUsed: Rule<PrepareEvidence> = {
  code: 'install-dir-used',
  severity: 'warning',
  evaluate: (evidence) =>
    isMixed(evidence) && !evidence.isClusterUp ? [describeDirectory('install-dir-used', evidence)] : [],
};

function isOutdated({ isOfOtherConfig, isClusterUp }: PrepareEvidence): boolean {
  return isOfOtherConfig && !isClusterUp;
}

function isMixed(evidence: PrepareEvidence): boolean {
  return evidence.directory.state === 'mixed' && !isOutdated(evidence);
}

function describeDirectory(code: 'install-dir-alive' | 'install-dir-used', { dir }: PrepareEvidence) {
  return { ...words()[code], cause: dir };
}
