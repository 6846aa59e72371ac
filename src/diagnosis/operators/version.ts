import { catalogue } from '../../i18n/catalogue.ts';
import type { Rule } from '../rule.ts';

/** Versions as "4.18" or "4.18.11"; `runs`: the cluster's version, null until it is reported. */
interface VersionEvidence {
  readonly designed: string;
  readonly runs: string | null;
}

/** The cluster runs another version than the design specifies. Actions in the cluster use the running version. */
export const versionDiffers: Rule<VersionEvidence> = {
  code: 'version-differs',
  severity: 'note',
  evaluate({ designed, runs }) {
    if (runs === null || runs === '' || isSameVersion(designed, runs)) return [];
    const { title, cause, remedy } = catalogue().diagnosis.operators['version-differs'];
    return [{ title: title(designed, runs), cause, remedy: remedy(runs) }];
  },
};

/** "4.18" covers 4.18.11 and 4.18.0-okd-scos.3; "4.18.3" covers only 4.18.3. */
const isSameVersion = (designed: string, runs: string) =>
  runs === designed || runs.startsWith(`${designed}.`) || runs.startsWith(`${designed}-`);
