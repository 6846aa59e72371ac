import { catalogue } from '../../i18n/catalogue.ts';
import { findInstallerFault } from '../installer-program.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.prepare;

/** There is no openshift-install. */
export const installerMissing: Rule<PrepareEvidence> = {
  code: 'installer-missing',
  severity: 'warning',
  evaluate({ program, version, programPath, wanted }) {
    if (program !== null && findInstallerFault(version, wanted) !== 'missing') return [];
    const { title, cause, remedy } = words()['installer-missing'];
    return [{ title, cause: cause(programPath.join(', ')), remedy: remedy(wanted.version) }];
  },
};

/** openshift-install is of another version than the design. */
export const installerVersion: Rule<PrepareEvidence> = {
  code: 'installer-version',
  severity: 'fatal',
  evaluate({ program, version: found, wanted }) {
    if (program === null || found === null || findInstallerFault(found, wanted) !== 'version') return [];
    const { title, remedy } = words()['installer-version'];
    return [{ title: title(found.version ?? '', wanted.version), cause: program, remedy }];
  },
};

/** openshift-install does not report the architecture of its release: the design's architecture is assumed. */
export const installerArchitectureUnknown: Rule<PrepareEvidence> = {
  code: 'installer-architecture-unknown',
  severity: 'note',
  evaluate({ program, version, wanted }) {
    const { architecture } = wanted;
    if (program === null || findInstallerFault(version, wanted) !== 'architecture-unknown') return [];
    const { title, remedy } = words()['installer-architecture-unknown'];
    return [{ title: title(architecture), cause: program, remedy: remedy(architecture) }];
  },
};

/** openshift-install installs clusters of another architecture than the design's. */
export const installerArchitecture: Rule<PrepareEvidence> = {
  code: 'installer-architecture',
  severity: 'fatal',
  evaluate({ program, version, wanted }) {
    const { architecture } = wanted;
    const installs = version?.architecture ?? null;
    if (program === null || installs === null || findInstallerFault(version, wanted) !== 'architecture') return [];
    const { title, remedy } = words()['installer-architecture'];
    return [{ title: title(installs, architecture), cause: program, remedy: remedy(architecture) }];
  },
};
