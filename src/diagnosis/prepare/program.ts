import { catalogue } from '../../text/catalogue.ts';
import { installerFault } from '../installer-program.ts';
import type { Rule } from '../rule.ts';
import type { PrepareEvidence } from './evidence.ts';

const words = () => catalogue().diagnosis.prepare;

/** There is no openshift-install. */
export const installerMissing: Rule<PrepareEvidence> = {
  code: 'installer-missing',
  severity: 'warning',
  judge({ program, version, programPath, wanted }) {
    if (program !== null && installerFault(version, wanted) !== 'missing') return [];
    const { title, cause, whatToDo } = words()['installer-missing'];
    return [{ title, cause: cause(programPath.join(', ')), whatToDo: whatToDo(wanted.version) }];
  },
};

/** openshift-install is of another version than the design. */
export const installerVersion: Rule<PrepareEvidence> = {
  code: 'installer-version',
  severity: 'fatal',
  judge({ program, version: found, wanted }) {
    if (program === null || found === null || installerFault(found, wanted) !== 'version') return [];
    const { title, whatToDo } = words()['installer-version'];
    return [{ title: title(found.version ?? '', wanted.version), cause: program, whatToDo }];
  },
};

/** openshift-install does not know for which architecture its release is: the one of the design is taken. */
export const installerArchitectureUnknown: Rule<PrepareEvidence> = {
  code: 'installer-architecture-unknown',
  severity: 'note',
  judge({ program, version, wanted }) {
    const { architecture } = wanted;
    if (program === null || installerFault(version, wanted) !== 'architecture-unknown') return [];
    const { title, whatToDo } = words()['installer-architecture-unknown'];
    return [{ title: title(architecture), cause: program, whatToDo: whatToDo(architecture) }];
  },
};

/** openshift-install makes clusters for another architecture than the design has. */
export const installerArchitecture: Rule<PrepareEvidence> = {
  code: 'installer-architecture',
  severity: 'fatal',
  judge({ program, version, wanted }) {
    const { architecture } = wanted;
    const installs = version?.architecture ?? null;
    if (program === null || installs === null || installerFault(version, wanted) !== 'architecture') return [];
    const { title, whatToDo } = words()['installer-architecture'];
    return [{ title: title(installs, architecture), cause: program, whatToDo: whatToDo(architecture) }];
  },
};
